/** Empty, loading, failed and offline states, each with its next step. */
import type { ReactNode } from 'react';
import { useSnapshot } from 'valtio';
import { connection } from '../stores/connection.ts';

/** `screen`: it is all that the screen has, and its title is the screen's own. */
export function EmptyState({
  title,
  children,
  action,
  screen = false,
}: {
  title: string;
  children?: ReactNode;
  action?: ReactNode;
  screen?: boolean;
}) {
  const Title = screen ? 'h1' : 'p';
  return (
    <div className="rule flex flex-col items-start gap-3 py-8">
      <Title className="text-base font-medium">{title}</Title>
      {children !== undefined && <div className="max-w-[56ch] text-ink-2">{children}</div>}
      {action}
    </div>
  );
}

/** Something could not be read; what is known stays beside it. */
export function ReadError({
  message,
  onRetry,
  hasData = false,
}: {
  message: string | null;
  onRetry?: () => void;
  hasData?: boolean;
}) {
  const { online } = useSnapshot(connection);
  // The line under the header says already that the server is away and how old this is.
  if (message === null || (hasData && online === 'offline')) return null;
  return (
    <div
      role="status"
      className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1 border-l-2 border-amber py-1 pl-3 text-amber"
    >
      <span>
        {message}
        {hasData ? `${/[.!?]$/.test(message) ? '' : '.'} Showing the last loaded data.` : ''}
      </span>
      {onRetry !== undefined && (
        <button
          type="button"
          className="reach min-h-8 font-medium underline underline-offset-2"
          onClick={onRetry}
        >
          Try again
        </button>
      )}
    </div>
  );
}

/** Holds a place until its content comes, so that nothing jumps. */
export function Skeleton({ className = 'h-4 w-24' }: { className?: string }) {
  return <span aria-hidden className={`skeleton block ${className}`} />;
}

/** Without the server nothing is on its way: a place held for it would be held for ever. */
const notHere = (what: string): string =>
  `${what === '' ? 'Not' : `${what}: not`} saved on this device. Available when you’re online.`;

/**
 * What was asked for and did not come: nothing is on its way, and nothing is claimed. The error
 * stands once, above.
 */
export function NotRead({ className = 'row' }: { className?: string }) {
  return <p className={`rule flex items-center text-ink-3 ${className}`}>— Not loaded yet.</p>;
}

/**
 * The place of a chart, in the chart's own size; `what` would be there. `failed`: it was asked for
 * and did not come.
 */
export function ChartPlace({
  what,
  className,
  failed = false,
}: {
  what: string;
  className: string;
  failed?: boolean;
}) {
  const { online } = useSnapshot(connection);
  if (failed && online !== 'offline') return <NotRead className={className} />;
  if (online !== 'offline') return <Skeleton className={className} />;
  return (
    <p role="status" className={`rule flex items-center text-ink-3 ${className}`}>
      {notHere(what)}
    </p>
  );
}

/**
 * Rows of the height that real ones have: `rowClass` where those are taller than a plain one.
 * Without the server, what is missing is said instead.
 */
export function SkeletonRows({
  rows = 4,
  label = 'Loading',
  rowClass = '',
}: {
  rows?: number;
  label?: string;
  rowClass?: string;
}) {
  const { online } = useSnapshot(connection);
  if (online === 'offline')
    return (
      <p role="status" className="rule row flex items-center py-2 text-ink-3">
        {notHere(label === 'Loading' ? '' : label)}
      </p>
    );
  return (
    <div role="status" aria-label={label}>
      {Array.from({ length: rows }, (_, index) => (
        <div
          key={index}
          className={`rule row flex items-center justify-between gap-4 py-2 ${rowClass}`}
        >
          <Skeleton className="h-3.5 w-28" />
          <Skeleton className="h-3.5 w-20" />
        </div>
      ))}
    </div>
  );
}

/**
 * A form that is not filled yet: keeps exactly the place of the real one, and shows and takes
 * nothing.
 */
export function Unfilled({ children, label = 'Loading' }: { children: ReactNode; label?: string }) {
  return (
    <div role="status" aria-label={label} className="skeleton max-w-xl rounded-md">
      <div inert aria-hidden className="invisible">
        {children}
      </div>
    </div>
  );
}
