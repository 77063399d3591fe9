/** Small marks beside a value: paper money, a state, a source; refuses to be a button. */
import type { ReactNode } from 'react';
import { classes } from './class-names.ts';

/** Paper money, wherever money is shown. Live money, when it comes, is filled instead. */
export function PaperTag({ className }: { className?: string }) {
  return <span title="Paper account: no real money" className={classes('inline-flex h-5 items-center rounded-sm border border-line-strong px-1.5 text-[0.6875rem] font-semibold tracking-[0.08em] text-ink-2', className)}>PAPER</span>;
}

export type BadgeTone = 'neutral' | 'good' | 'attention' | 'bad' | 'accent';
const DOT: Record<BadgeTone, string> = { neutral: 'bg-line-strong', good: 'bg-gain', attention: 'bg-amber', bad: 'bg-danger', accent: 'bg-accent' };
const TEXT: Record<BadgeTone, string> = { neutral: 'text-ink-2', good: 'text-ink', attention: 'text-amber', bad: 'text-danger', accent: 'text-accent' };

/** A state in words with a dot before it; the words carry the meaning. */
export function StatusBadge({ tone = 'neutral', children, className }: { tone?: BadgeTone; children: ReactNode; className?: string }) {
  return (
    <span className={classes('inline-flex min-w-0 items-baseline gap-1.5', TEXT[tone], className)}>
      <span aria-hidden data-dot className={classes('size-1.5 shrink-0 -translate-y-px rounded-full', DOT[tone])} />
      <span className="min-w-0">{children}</span>
    </span>
  );
}

export function Tag({ children, tone = 'neutral' }: { children: ReactNode; tone?: BadgeTone }) {
  return <span className={classes('inline-flex h-5 items-center rounded-sm bg-sunken px-1.5 text-xs', TEXT[tone])}>{children}</span>;
}
