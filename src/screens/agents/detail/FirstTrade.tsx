/** What a new agent is waiting for and when it checks next, until its first trade. */
import { useState } from 'react';
import type { Agent } from '../../../../contract/agents.ts';
import { formatUntil } from '../../../format/ages.ts';
import { formatClock } from '../../../format/times.ts';
import { useCurrent } from '../../../shell/data-age.ts';
import { useMarketNow, useMarketSpeed, useMarketState, type MarketState } from '../../use-store.ts';

/** A trade always costs a fee. */
const hasTraded = (agent: Pick<Agent, 'fees' | 'openPositions'>): boolean =>
  agent.openPositions > 0 || Number(agent.fees) !== 0;

/** `now` is the market's clock, ms, and `speed` how fast it runs. Without prices there is no check. */
function nextCheck(
  agent: Pick<Agent, 'nextRunAt'>,
  now: number,
  speed: number,
  market: MarketState,
): string {
  if (market === 'stopped') return 'Prices have stopped. Checks resume with new prices. ';
  if (market === 'unknown' || agent.nextRunAt === null) return '';
  const wait = (agent.nextRunAt - now) / speed;
  if (wait <= 0) return 'It is checking the market now. ';
  return speed === 1
    ? `Next check at ${formatClock(agent.nextRunAt)}, ${formatUntil(wait)}. `
    : `Next check ${formatUntil(wait)}. `;
}

/** Keeps its place when the trade comes, so that nothing moves. */
export function FirstTrade({ agent }: { agent: Agent }) {
  const now = useMarketNow(1_000);
  const speed = useMarketSpeed();
  const market = useMarketState();
  const current = useCurrent('agents');
  const traded = hasTraded(agent);
  const [waited, setWaited] = useState(false);
  if (!waited && agent.status === 'running' && !traded) setWaited(true);
  if (!waited || agent.status !== 'running') return null;
  const waiting = current ? 'Waiting for the first trade' : 'No trade when last seen';
  const next = current ? nextCheck(agent, now, speed, market) : '';
  return (
    <section
      aria-label="First trade"
      className="mb-5 min-h-18 border-l-2 border-accent py-1 pl-4 sm:min-h-13"
    >
      <p role="status" className="font-medium">
        {traded ? 'First trade made' : waiting}
      </p>
      <p className="max-w-[70ch] text-ink-2">
        {traded
          ? 'See it under Trades, with its price, fee and reason.'
          : `${next}Your agent trades when its signal is strong enough. Most checks end with no trade.`}
      </p>
    </section>
  );
}
