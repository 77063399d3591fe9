/** A part that follows from the paper account, on a screen of real money: marked, and out of its frame. */
import type { ReactNode } from 'react';
import { PaperTag } from './Tags.tsx';

/** `isBesideLive`: whether the screen is of real money; otherwise nothing is said. */
export function PaperPart({
  isBesideLive,
  children,
}: {
  isBesideLive: boolean;
  children: ReactNode;
}) {
  if (!isBesideLive) return children;
  return (
    <div data-account="paper" className="paper-part">
      <p className="mb-1 text-xs text-ink-3">
        <PaperTag className="mr-2" />
        Sized by your paper account, not by the exchange account.
      </p>
      {children}
    </div>
  );
}
