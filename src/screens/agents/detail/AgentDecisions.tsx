/** Lists an agent's decisions with the reason and the signal behind each, newest first. */
import { useLayoutEffect, useMemo, useRef, useState, type RefObject } from 'react';
import type { Decision } from '../../../../contract/agents.ts';
import type { AgentPerformance } from '../../../../contract/trading.ts';
import { Button } from '../../../components/Button.tsx';
import { SignalMeter } from '../../../components/SignalMeter.tsx';
import { localSentence } from '../../../format/sentences.ts';
import { formatWhen } from '../../../format/times.ts';
import { useMarketNow } from '../../use-store.ts';
import { groupDecisions, type DecisionGroup } from './decision-groups.ts';
import { reasonText } from '../reason-text.ts';
import { formatNumber } from '../../../format/numbers.ts';

const ACTION: Record<Decision['action'], string> = {
  enter: 'Entered',
  exit: 'Exited',
  hold: 'Held',
  skip: 'No trade',
};
const SHOWN = 12;
const REASONS_SHOWN = 6;

/** Older decisions, kept as counts: how often each reason, the most frequent first. */
export function reasonCounts(
  counts: AgentPerformance['decisionCounts'],
): { reason: string; count: number }[] {
  const by = new Map<string, number>();
  for (const { reason, count } of counts) by.set(reason, (by.get(reason) ?? 0) + count);
  return [...by]
    .map(([reason, count]) => ({ reason, count }))
    .sort((a, b) => b.count - a.count || a.reason.localeCompare(b.reason));
}

/**
 * The list counts as scrolled once its top is above this, px from the top of the window: the height
 * of the header.
 */
const HEADER_PX = 60;

/**
 * The decisions to show. While the top of the list is visible they are the newest. Once the reader
 * has scrolled into the list they stay, and newer ones are counted.
 */
function useHeld(
  decisions: readonly Decision[],
  list: RefObject<HTMLElement | null>,
): { held: readonly Decision[]; waiting: number; take: () => void } {
  const [held, setHeld] = useState(decisions);
  useLayoutEffect(() => {
    const isReadInto = (list.current?.getBoundingClientRect().top ?? HEADER_PX) < HEADER_PX;
    if (!isReadInto) setHeld(decisions);
  }, [decisions, list]);
  const waiting = useMemo(() => {
    const known = new Set(held.map(({ id }) => id));
    return decisions.filter(({ id }) => !known.has(id)).length;
  }, [decisions, held]);
  return {
    held,
    waiting,
    take: () => {
      setHeld(decisions);
    },
  };
}

const isTrade = ({ action }: Decision): boolean => action === 'enter' || action === 'exit';

/** Floats over the list without a height of its own, so that nothing moves. */
function NewDecisions({ count, onShow }: { count: number; onShow: () => void }) {
  return (
    <div className="sticky top-16 z-10 flex h-0 justify-center">
      {count > 0 && (
        <Button size="sm" className="bg-surface shadow-float" onClick={onShow}>
          {count} new {count === 1 ? 'decision' : 'decisions'}
        </Button>
      )}
    </div>
  );
}

interface Filter {
  /** The empty string means all pairs. */
  pair: string;
  tradesOnly: boolean;
}

function FilterFields({
  filter: { pair, tradesOnly },
  pairs,
  onPair,
  onTradesOnly,
}: {
  filter: Filter;
  pairs: readonly string[];
  onPair: (pair: string) => void;
  onTradesOnly: (tradesOnly: boolean) => void;
}) {
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-1 pb-2 text-xs text-ink-3">
      {pairs.length > 1 && (
        <label className="flex items-center gap-2">
          Pair
          <select
            value={pair}
            onChange={(event) => {
              onPair(event.target.value);
            }}
            className="h-11 rounded-md border border-line-strong/60 bg-surface px-2 text-ink pointer-fine:h-8"
          >
            <option value="">All</option>
            {pairs.map((one) => (
              <option key={one}>{one}</option>
            ))}
          </select>
        </label>
      )}
      <label className="flex min-h-11 items-center gap-2 pointer-fine:min-h-8">
        <input
          type="checkbox"
          checked={tradesOnly}
          onChange={(event) => {
            onTradesOnly(event.target.checked);
          }}
          className="size-4"
        />
        Trades only
      </label>
    </div>
  );
}

function DecisionRow({
  group: { decision, count, since },
  now,
}: {
  group: DecisionGroup;
  now: number;
}) {
  return (
    <li className="rule py-2">
      <div className="flex items-baseline justify-between gap-3">
        <span className={isTrade(decision) ? 'font-medium' : 'text-ink-2'}>
          {ACTION[decision.action]} {decision.pair.split('/')[0]}
        </span>
        <time
          className="text-right text-xs text-ink-3 *:whitespace-nowrap"
          dateTime={new Date(decision.at).toISOString()}
        >
          {count > 1 && (
            <>
              <span className="mr-2 text-ink-2">{formatNumber(count)} times</span>
              <span>{formatWhen(since, now)} – </span>
            </>
          )}
          <span>{formatWhen(decision.at, now)}</span>
        </time>
      </div>
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-0.5">
        <p className="min-w-0 text-xs text-ink-2">{localSentence(decision.text, now)}</p>
        {decision.strength !== null && (
          <SignalMeter
            strength={decision.strength}
            threshold={decision.threshold}
            className="text-ink-3"
          />
        )}
      </div>
    </li>
  );
}

function OlderReasons({ older }: { older: AgentPerformance['decisionCounts'] }) {
  const counted = reasonCounts(older).slice(0, REASONS_SHOWN);
  if (counted.length === 0) return null;
  return (
    <p className="rule pt-2 text-xs text-ink-3">
      Older than 30 days, by reason:{' '}
      {counted
        .map(({ reason, count }) => `${reasonText(reason)} ${formatNumber(count)}×`)
        .join(', ')}
      .
    </p>
  );
}

/** `pair`: the empty string means all. */
function noTradeText(checks: number, pair: string): string {
  const of = pair === '' ? '' : ` of ${pair}`;
  return checks === 1
    ? `The last check${of} led to no trade.`
    : `None of the last ${formatNumber(checks)} checks${of} led to a trade.`;
}

interface AgentDecisionsProps {
  decisions: readonly Decision[];
  older: AgentPerformance['decisionCounts'];
}

export function AgentDecisions({ decisions: newest, older }: AgentDecisionsProps) {
  const now = useMarketNow(60_000);
  const list = useRef<HTMLDivElement>(null);
  const { held: decisions, waiting, take } = useHeld(newest, list);
  const [all, setAll] = useState(false);
  const [pair, setPair] = useState('');
  const [tradesOnly, setTradesOnly] = useState(false);
  const pairs = useMemo(() => [...new Set(decisions.map((one) => one.pair))].sort(), [decisions]);
  const ofPair = useMemo(
    () => decisions.filter((one) => pair === '' || one.pair === pair),
    [decisions, pair],
  );
  const wanted = useMemo(
    () => (tradesOnly ? ofPair.filter(isTrade) : ofPair),
    [ofPair, tradesOnly],
  );
  const groups = useMemo(() => groupDecisions(wanted), [wanted]);
  const shown = all ? groups : groups.slice(0, SHOWN);
  const showNew = (): void => {
    take();
    list.current?.scrollIntoView({ block: 'start' });
    list.current?.focus({ preventScroll: true });
  };
  return (
    <div ref={list} tabIndex={-1} className="scroll-mt-24 outline-none">
      <NewDecisions count={waiting} onShow={showNew} />
      <FilterFields
        filter={{ pair, tradesOnly }}
        pairs={pairs}
        onPair={setPair}
        onTradesOnly={setTradesOnly}
      />
      {groups.length === 0 && (
        <p className="rule row flex items-center text-ink-3">
          {tradesOnly ? noTradeText(ofPair.length, pair) : 'None.'}
        </p>
      )}
      <ul>
        {shown.map((group) => (
          <DecisionRow key={group.decision.id} group={group} now={now} />
        ))}
      </ul>
      {!all && groups.length > shown.length && (
        <Button
          size="sm"
          tone="plain"
          className="-ml-3"
          onClick={() => {
            setAll(true);
          }}
        >
          Show all {formatNumber(wanted.length)}
        </Button>
      )}
      <OlderReasons older={older} />
    </div>
  );
}
