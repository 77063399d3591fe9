/** A share as a thin bar under its figure, hidden from screen readers. */
export function ShareMeter({ share, tone = 'bg-accent' }: { share: number; tone?: string }) {
  const width = `${Math.min(100, Math.max(0, share * 100))}%`;
  return (
    <span aria-hidden data-meter className="mt-1 block h-1 rounded-sm bg-sunken">
      <span className={`block h-full rounded-sm ${tone}`} style={{ width }} />
    </span>
  );
}
