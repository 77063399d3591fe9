/** Marks real money by a double edge or line that is seen without its colour too. Its word is `LiveTag`. */
import type { ReactNode } from 'react';
import { classes } from './class-names.ts';
import { Amount, type AmountProps } from './Figures.tsx';

/** An amount of real money. */
export function LiveAmount(props: AmountProps) {
  return (
    <span data-money="live" className="live-amount">
      <Amount {...props} />
    </span>
  );
}

/** Text of real money that no amount in quote currency says: a quantity, a price, a fee in a coin. */
export function LiveFigure({ children }: { children: ReactNode }) {
  return (
    <span data-money="live" className="live-amount whitespace-nowrap">
      {children}
    </span>
  );
}

/** What belongs to an exchange account: an agent, a position, an order, a whole screen. */
export function LiveFrame({ children, className }: { children: ReactNode; className?: string }) {
  return (
    <div data-account="live" className={classes('live-frame', className)}>
      {children}
    </div>
  );
}
