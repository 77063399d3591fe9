/** Small labels beside a value: paper money, a state, a side, a source. */
import type { ReactNode } from 'react';
import { classes } from './class-names.ts';

/** Shown wherever money is paper money. */
export function PaperTag({ className }: { className?: string }) {
  return (
    <span
      title="Paper account: no real money"
      className={classes(
        'inline-flex h-5 items-center rounded-sm border border-line-strong px-1.5 text-[0.6875rem] font-semibold tracking-[0.08em] text-ink-2',
        className,
      )}
    >
      PAPER
    </span>
  );
}

export type BadgeTone = 'neutral' | 'good' | 'attention' | 'bad' | 'accent';
const DOT: Record<BadgeTone, string> = {
  neutral: 'bg-line-strong',
  good: 'bg-gain',
  attention: 'bg-amber',
  bad: 'bg-danger',
  accent: 'bg-accent',
};
const TEXT: Record<BadgeTone, string> = {
  neutral: 'text-ink-2',
  good: 'text-ink',
  attention: 'text-amber',
  bad: 'text-danger',
  accent: 'text-accent',
};

/** A grey ring for a state that may be out of date. */
const RING: Record<BadgeTone, string> = {
  neutral: 'border-ink-3',
  good: 'border-ink-3',
  attention: 'border-amber',
  bad: 'border-danger',
  accent: 'border-ink-3',
};

export interface StatusBadgeProps {
  tone?: BadgeTone;
  /** Out of date: the dot is a ring. */
  hollow?: boolean;
  children: ReactNode;
  className?: string;
}

/** A state in words with a dot; the words carry the meaning. */
export function StatusBadge({
  tone = 'neutral',
  hollow = false,
  children,
  className,
}: StatusBadgeProps) {
  const dot = hollow ? classes('border-2', RING[tone]) : DOT[tone];
  return (
    <span
      className={classes(
        'inline-flex min-w-0 items-baseline gap-1.5',
        hollow && tone === 'good' ? 'text-ink-2' : TEXT[tone],
        className,
      )}
    >
      <span
        aria-hidden
        data-dot={hollow ? 'ring' : 'full'}
        className={classes('size-2 shrink-0 rounded-full', dot)}
      />
      <span className="min-w-0">{children}</span>
    </span>
  );
}

export function Tag({ children, tone = 'neutral' }: { children: ReactNode; tone?: BadgeTone }) {
  return (
    <span
      className={classes(
        'inline-flex h-5 items-center rounded-sm bg-sunken px-1.5 text-xs',
        TEXT[tone],
      )}
    >
      {children}
    </span>
  );
}

/** The side of a trade. */
export function SideTag({ side }: { side: 'buy' | 'sell' }) {
  return (
    <span
      className={classes(
        'inline-flex h-5 min-w-9 items-center justify-center rounded-sm px-1.5 text-xs font-medium',
        side === 'buy' ? 'bg-sunken text-ink' : 'border border-line-strong text-ink-2',
      )}
    >
      {side === 'buy' ? 'Buy' : 'Sell'}
    </span>
  );
}
