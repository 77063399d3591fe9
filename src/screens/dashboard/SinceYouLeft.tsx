/**
 * What has changed since the user last left the app. Hidden while the server is away or once
 * dismissed.
 */
import { X } from 'lucide-react';
import { useState } from 'react';
import { useSnapshot } from 'valtio';
import type { Agent } from '../../../contract/agents.ts';
import type { Fill, Portfolio } from '../../../contract/trading.ts';
import { Amount } from '../../components/Figures.tsx';
import { useNow } from '../../components/use-now.ts';
import { formatAgo } from '../../format/ages.ts';
import { formatWhen } from '../../format/times.ts';
import { focusContent } from '../../platform/focus-content.ts';
import { useCurrent } from '../../shell/data-age.ts';
import { connection } from '../../stores/connection.ts';
import { visits, type Seen } from '../../stores/last-visit.ts';
import { Explain } from '../explain/Explain.tsx';
import { newsSince, newsText } from './news-since-visit.ts';

interface SinceProps {
  portfolio: Portfolio | null;
  fills: readonly Fill[] | null;
  agents: readonly Agent[] | null;
}

/** Null until all data is fresh: old data would suggest that nothing happened. */
function News({ since, portfolio, fills, agents }: SinceProps & { since: Seen }) {
  const isHeard = [useCurrent('portfolio'), useCurrent('agents'), useCurrent('history')];
  if (isHeard.includes(false) || portfolio === null || fills === null || agents === null)
    return <>Loading.</>;
  const news = newsSince(since, fills, portfolio, agents);
  const change = (
    <Amount
      value={news.profit}
      change
      quote={portfolio.quote}
      why="No data back to your last visit"
    />
  );
  const from = formatWhen(news.from, portfolio.asOf);
  return (
    <>
      {from !== formatWhen(since.marketAt, portfolio.asOf) && `Since ${from}: `}
      <Explain ask={{ of: 'since', marketAt: since.marketAt }} name="the change since you left">
        {change}
      </Explain>{' '}
      · {newsText(news)}
    </>
  );
}

/** A component of its own, because it renders with the clock. */
function Ago({ at }: { at: number }) {
  return <>{formatAgo(Math.max(0, useNow(1_000) - at))}</>;
}

/** `hidden`: keeps its place, so that nothing below moves when the network is lost. */
function Box({ since, hidden, ...known }: SinceProps & { since: Seen; hidden: boolean }) {
  return (
    <section
      aria-label="Since you left"
      aria-hidden={hidden || undefined}
      inert={hidden}
      className={`flex items-start justify-between gap-2 rounded-md bg-sunken py-2 pl-4 ${hidden ? 'invisible' : ''}`}
    >
      <div className="min-w-0 py-1">
        <h2 className="text-sm font-semibold">
          Since you left
          {since.seenAt !== 0 && (
            <span className="ml-2 font-normal text-ink-3">
              <Ago at={since.seenAt} />
            </span>
          )}
        </h2>
        {/* Two lines on a phone, with or without news, so that nothing moves. */}
        <p className="min-h-10 text-ink-2 sm:min-h-5">
          <News since={since} {...known} />
        </p>
      </div>
      <button
        type="button"
        aria-label="Hide changes since you left"
        onClick={() => {
          visits.since = null;
          // This button goes, and the focus with it: not to the page's beginning.
          focusContent();
        }}
        className="flex size-11 shrink-0 items-center justify-center text-ink-3 hover:text-ink pointer-fine:size-9"
      >
        <X className="size-4" aria-hidden />
      </button>
    </section>
  );
}

export function SinceYouLeft(known: SinceProps) {
  const since = useSnapshot(visits).since as Seen | null;
  const { online } = useSnapshot(connection);
  const offline = online === 'offline';
  // If the app was opened offline it has no place until the next visit of this screen.
  const [startedOffline] = useState(offline || (online === 'unknown' && !navigator.onLine));
  return since === null || startedOffline ? null : (
    <Box since={since} hidden={offline} {...known} />
  );
}
