/** What has changed since the person last looked, readable offline; refuses to come back once it was put away. */
import { X } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import type { Agent } from '../../../contract/agents.ts';
import type { Fill, Portfolio } from '../../../contract/trading.ts';
import { Amount } from '../../components/Figures.tsx';
import { formatAgo } from '../../format/times.ts';
import { Explain } from '../explain/Explain.tsx';
import { isHeld, lastSeen, newsSince, newsText, rememberSeen, type Seen } from './since.ts';

/** Away for less than this is not away: a reload, or a look at another screen. */
const AWAY_MS = 60_000;
const visitOf = (uid: string): Seen | null => {
  const last = lastSeen(uid);
  return last !== null && Date.now() - last.seenAt >= AWAY_MS ? last : null;
};

/** The last visit before this one; kept up as the person leaves, and asked again as they come back. */
function useLastVisit(uid: string, now: Seen | null): Seen | null {
  const [since, setSince] = useState(() => visitOf(uid));
  const present = useRef(now);
  useEffect(() => { present.current = now; });
  const known = now !== null;
  useEffect(() => {
    if (uid === '' || !known) return;
    const leave = (): void => { if (present.current !== null) rememberSeen(uid, { ...present.current, seenAt: Date.now() }); };
    const turn = (): void => {
      if (document.visibilityState === 'hidden') { leave(); return; }
      const last = visitOf(uid);
      if (last !== null) setSince(last);
    };
    // A page that is killed says no goodbye: that it was shown is kept at once.
    leave();
    document.addEventListener('visibilitychange', turn);
    return () => { document.removeEventListener('visibilitychange', turn); leave(); };
  }, [uid, known]);
  return since;
}

export function SinceYouLeft({ uid, portfolio, fills, agents }: { uid: string; portfolio: Portfolio | null; fills: readonly Fill[] | null; agents: readonly Agent[] | null }) {
  const ready = portfolio !== null && fills !== null && agents !== null;
  const since = useLastVisit(uid, ready ? { marketAt: Math.max(portfolio.asOf, fills[0]?.filledAt ?? 0), seenAt: 0, held: agents.filter(isHeld).map((agent) => agent.id) } : null);
  const [closed, setClosed] = useState<number | null>(null);
  const news = since === null || !ready ? null : newsSince(since, fills, portfolio, agents);
  if (since === null || closed === since.seenAt) return null;
  return (
    <section aria-label="Since you left" className="flex items-start justify-between gap-2 rounded-md bg-sunken py-2 pl-4">
      <div className="min-w-0 py-1">
        <h2 className="text-sm font-semibold">Since you left{since.seenAt === 0 ? '' : <span className="ml-2 font-normal text-ink-3">{formatAgo(Math.max(0, Date.now() - since.seenAt))}</span>}</h2>
        {/* Two lines on a phone, whether or not there is news: what the network brings later moves nothing. */}
        <p className="min-h-10 text-ink-2 sm:min-h-5">{news === null ? 'Not known yet.' : <><Explain ask={{ of: 'since', marketAt: since.marketAt }} name="the change since you left"><Amount value={news.profit} change quote={portfolio?.quote ?? ''} why="The curve does not reach back to your last visit" /></Explain> · {newsText(news)}</>}</p>
      </div>
      <button type="button" aria-label="Put away what changed since you left" onClick={() => { setClosed(since.seenAt); }} className="flex size-11 shrink-0 items-center justify-center text-ink-3 hover:text-ink pointer-fine:size-9"><X className="size-4" aria-hidden /></button>
    </section>
  );
}
