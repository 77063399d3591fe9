/** A titled section of a screen. */
import type { ReactNode } from 'react';
import { classes } from './class-names.ts';

interface SectionProps {
  title: string;
  /** The anchor for links to it. */
  id?: string;
  aside?: ReactNode;
  children: ReactNode;
  className?: string;
}

export function Section({ title, id, aside, children, className }: SectionProps) {
  return (
    <section
      id={id}
      className={classes('min-w-0', id !== undefined && 'scroll-mt-24', className)}
      aria-label={title}
    >
      <div className="flex min-h-8 items-baseline justify-between gap-4 pb-1">
        <h2 className="text-sm font-semibold">{title}</h2>
        {aside !== undefined && <div className="min-w-0 text-right text-ink-3">{aside}</div>}
      </div>
      {children}
    </section>
  );
}

/** A screen's heading, with buttons on the right. */
export function ScreenTitle({
  title,
  note,
  children,
}: {
  title: string;
  note?: ReactNode;
  children?: ReactNode;
}) {
  return (
    <div className="mb-5 flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
      <div className="min-w-0">
        <h1 className="text-xl break-words">{title}</h1>
        {note !== undefined && <div className="text-ink-3">{note}</div>}
      </div>
      {children !== undefined && (
        <div className="flex flex-wrap items-center gap-2 max-sm:has-[input]:w-full">
          {children}
        </div>
      )}
    </div>
  );
}

/** Term and value on one line. */
export function Line({ term, children }: { term: ReactNode; children: ReactNode }) {
  return (
    <div className="rule row flex items-center justify-between gap-4 py-1.5">
      <dt className="min-w-0 text-ink-2">{term}</dt>
      <dd className="min-w-min text-right">{children}</dd>
    </div>
  );
}
