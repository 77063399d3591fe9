/** A share as a thin bar under the figure that says it; nothing for who does not see it. */
export function ShareMeter({ share, tone = 'bg-accent' }: { share: number; tone?: string }) {
  const width = `${Math.min(100, Math.max(0, share * 100))}%`;
  return (
    <span aria-hidden data-meter className="mt-1 block h-1 rounded-sm bg-sunken">
      <span className={`block h-full rounded-sm ${tone}`} style={{ width }} />
    </span>
  );
}
