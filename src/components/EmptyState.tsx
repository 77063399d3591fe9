/** Empty, loading, failed and offline states, each with its next step. */
import type { ReactNode } from 'react';
import { useSnapshot } from 'valtio';
import { connection } from '../stores/connection.ts';

/** `screen`: the whole screen is empty, and its title is the screen's heading. */
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

/** Says that loading failed; the last data stays below. */
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
  // The line under the header already says that the server is away and how old the data is.
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

/** Reserves a place until its content comes. */
export function Skeleton({ className = 'h-4 w-24' }: { className?: string }) {
  return <span aria-hidden className={`skeleton block ${className}`} />;
}

/** Offline nothing is loading, so no placeholder is shown. */
const notHere = (what: string): string =>
  `${what === '' ? 'Not' : `${what}: not`} saved on this device. Available when you’re online.`;

/** Loading failed; the error is shown once, above. */
export function NotRead({ className = 'row' }: { className?: string }) {
  return <p className={`rule flex items-center text-ink-3 ${className}`}>— Not loaded yet.</p>;
}

/** A placeholder of a chart's size. `failed`: loading failed. */
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
 * Placeholder rows of the real height: `rowClass` for taller ones. Offline, says what is missing
 * instead.
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

/** A placeholder of a form: keeps the real one's size, and takes no input. */
export function Unfilled({ children, label = 'Loading' }: { children: ReactNode; label?: string }) {
  return (
    <div role="status" aria-label={label} className="skeleton max-w-xl rounded-md">
      <div inert aria-hidden className="invisible">
        {children}
      </div>
    </div>
  );
}
