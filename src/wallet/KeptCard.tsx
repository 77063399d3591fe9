/**
 * A card of the kit that stays once it is there. What it has begun lives in it alone: taken away, it
 * would forget a running payment and offer to pay again.
 */
import { useState, type ReactNode } from 'react';
import { OwnRequests } from './OwnRequests.tsx';

export function KeptCard({
  hindrance,
  children,
}: {
  /** What forbids to begin anything, said above the card; null where nothing does. */
  hindrance: ReactNode;
  children: (hindered: boolean) => ReactNode;
}) {
  const [shown, setShown] = useState(hindrance === null);
  if (!shown && hindrance === null) setShown(true);
  return (
    <>
      {hindrance === null ? null : <div className={shown ? 'mb-4' : undefined}>{hindrance}</div>}
      {shown && <OwnRequests>{children(hindrance !== null)}</OwnRequests>}
    </>
  );
}
