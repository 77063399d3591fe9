/** A link in a long list. The router's own link draws itself anew whenever the path changes. */
import type { MouseEvent, ReactNode } from 'react';
import { navigate } from 'wouter/use-browser-location';

export function RowLink({
  href,
  className,
  children,
}: {
  href: string;
  className?: string;
  children: ReactNode;
}) {
  const follow = (event: MouseEvent): void => {
    // Another tab or window is the browser's to open.
    if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey || event.button !== 0)
      return;
    event.preventDefault();
    navigate(href);
  };
  return (
    <a href={href} className={className} onClick={follow}>
      {children}
    </a>
  );
}
