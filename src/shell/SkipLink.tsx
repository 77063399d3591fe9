/** The first thing a keyboard comes to: the way past the header. */
export function SkipLink() {
  return (
    <a
      href="#content"
      className="sr-only focus:not-sr-only focus:fixed focus:top-2 focus:left-2 focus:z-50 focus:rounded-md focus:bg-surface focus:p-3 focus:shadow-float"
    >
      Skip to content
    </a>
  );
}
