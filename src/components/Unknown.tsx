/** A figure that is missing, with the reason on screen and not only in a tooltip. */
export const Unknown = ({ why }: { why: string }) => (
  <span className="text-ink-3">
    <span aria-hidden>— </span>
    <span className="text-xs">{why}</span>
  </span>
);
