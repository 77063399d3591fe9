/** The product's logo. */
export function Logo({ className = 'size-6' }: { className?: string }) {
  return (
    <svg viewBox="6 8 52 48" aria-hidden className={className}>
      <g fill="none" stroke="var(--accent)" strokeWidth="3.5" strokeLinecap="round">
        <path d="M12 25h13" />
        <path d="M10 33h10" />
        <path d="M14 41h8" />
      </g>
      <path d="M53 13 38.5 50 31 33z" fill="currentColor" />
      <path d="M53 13 31 33l-10.5-5.5z" fill="var(--accent)" />
    </svg>
  );
}
