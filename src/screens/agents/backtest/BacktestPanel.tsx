/** Backtests an agent on past candles and compares the result with buy-and-hold. */
import { useEffect, useRef, useState } from 'react';
import { useSnapshot } from 'valtio';
import type { BacktestTrade } from '../../../../contract/backtest.ts';
import { add, formatFixed, parseFixed, subtract } from '../../../../contract/money.ts';
import type { AgentPreviewBody } from '../../../../contract/preview.ts';
import { testedInterval } from '../../../backtest/read-past-candles.ts';
import { Age } from '../../../components/Age.tsx';
import { Button } from '../../../components/Button.tsx';
import { classes } from '../../../components/class-names.ts';
import { Amount, Percent, Ratio } from '../../../components/Figures.tsx';
import { Skeleton } from '../../../components/EmptyState.tsx';
import { HowCalculated } from '../../../components/HowCalculated.tsx';
import { Line } from '../../../components/Section.tsx';
import { TimeChart } from '../../../components/TimeChart.tsx';
import { formatNumber, formatPrice, formatQuantity, formatRatio } from '../../../format/numbers.ts';
import { formatDate, formatWhen } from '../../../format/times.ts';
import { connection } from '../../../stores/connection.ts';
import { isOtherList, listText } from './coin-list-text.ts';
import { reasonText } from '../reason-text.ts';
import { CANDLE_NAME, reachText } from './reach-text.ts';
import { useBacktest, type BacktestDone, type BacktestState } from './use-backtest.ts';

const PERIODS = [
  [7, '1W'],
  [30, '1M'],
  [90, '3M'],
] as const;
/** Minutes between evaluations, and of candles. */
const EVALUATION_MINUTES = {
  '5-minute': 5,
  '20-minute': 20,
  daily: 1_440,
  '1m': 1,
  '5m': 5,
  '15m': 15,
  '20m': 20,
  '1h': 60,
  '4h': 240,
  '1d': 1_440,
} as const;
const TRADES_SHOWN = 5;
const CHART_HEIGHT = 140;

function Trade({ trade, until }: { trade: BacktestTrade; until: number }) {
  const [base = ''] = trade.pair.split('/');
  return (
    <li className="rule py-1.5">
      <div className="flex items-baseline justify-between gap-3">
        <span className="min-w-0">
          <span className="mr-2 inline-block min-w-11 font-medium">{base}</span>
          {formatQuantity(trade.quantity)} at {formatPrice(trade.entryPrice)}
        </span>
        <span className="shrink-0">
          {trade.pnl === null ? (
            <span className="text-ink-3">still open</span>
          ) : (
            <Amount value={trade.pnl} change />
          )}
        </span>
      </div>
      <p className="text-xs text-ink-3">
        {formatWhen(Date.parse(trade.entryTime), until)}
        {trade.exitTime !== null && (
          <>
            {' '}
            to {formatWhen(Date.parse(trade.exitTime), until)}, sold at{' '}
            {formatPrice(trade.exitPrice)}
            {trade.exitReason === 'stop_loss' ? ' (stop loss)' : ''}
          </>
        )}
      </p>
    </li>
  );
}

/** The result, and that of buy-and-hold. */
function ResultSentence({ outcome, terms }: Pick<BacktestDone, 'outcome' | 'terms'>) {
  const { buyAndHold, finalEquity, metrics } = outcome;
  const change = formatFixed(subtract(parseFixed(finalEquity), parseFixed(terms.deposit)));
  return (
    <p aria-live="polite" className="pb-2">
      Result from {formatDate(terms.from)} to {formatDate(terms.to)}:{' '}
      <strong className="font-semibold">
        <Amount value={change} change quote={terms.quote} />
      </strong>{' '}
      (<Percent value={metrics.totalReturn === null ? null : metrics.totalReturn * 100} />
      ). Buy-and-hold of its pairs, without fees:{' '}
      <Percent value={buyAndHold === null ? null : buyAndHold * 100} why="No prices" />.
    </p>
  );
}

function Metrics({
  outcome: { costs, metrics, reasons, trades },
  quote,
}: {
  outcome: BacktestDone['outcome'];
  quote: string;
}) {
  const few = metrics.winRate === null ? 'No closed round trips' : 'Too few days';
  const open = trades.filter(({ exitTime }) => exitTime === null).length;
  return (
    <dl className="mt-2">
      {/* What is bought and then sold is one; elsewhere each of the two is a trade. */}
      <Line term="Round trips">
        {formatNumber(trades.length - open)}
        {open > 0 && <span className="text-ink-3">, {formatNumber(open)} still open</span>}
      </Line>
      <Line term="Fees, spread and price impact (deducted)">
        <Amount
          value={formatFixed(add(parseFixed(costs.fees), parseFixed(costs.slippage)))}
          quote={quote}
        />
      </Line>
      <Line term="Maximum drawdown, by daily equity">
        <Percent
          value={metrics.maxDrawdown === null ? null : metrics.maxDrawdown * 100}
          why="Nothing to measure"
        />
      </Line>
      <Line term="Win rate, by round trip">
        <Ratio value={metrics.winRate} share why={few} />
      </Line>
      <Line term="Time in the market">
        <Ratio value={metrics.exposure} share why="Nothing to measure" />
      </Line>
      {reasons[0] !== undefined && (
        <Line term="Most common reason for no trade">{reasonText(reasons[0][0])}</Line>
      )}
    </dl>
  );
}

interface TradesProps {
  trades: readonly BacktestTrade[];
  until: number;
  all: boolean;
  onAll: () => void;
}

function Trades({ trades, until, all, onAll }: TradesProps) {
  const newest = [...trades].reverse();
  return (
    <>
      <h4 className="mt-3 text-sm font-semibold">Round trips, newest first</h4>
      <ul>
        {(all ? newest : newest.slice(0, TRADES_SHOWN)).map((trade, index) => (
          <Trade
            key={`${trade.pair}${trade.entryTime}${String(trade.exitTime)}${index}`}
            trade={trade}
            until={until}
          />
        ))}
      </ul>
      {newest.length > TRADES_SHOWN && !all && (
        <Button size="sm" tone="plain" className="-ml-3" onClick={onAll}>
          Show all {formatNumber(newest.length)} round trips
        </Button>
      )}
    </>
  );
}

/** What fills were charged for the spread: past candles have none of their own. */
function spreadText({ rules }: BacktestDone['terms']): string {
  const halves = rules.map(({ halfSpreadBps }) => halfSpreadBps);
  const [low, high] = [Math.min(...halves), Math.max(...halves)];
  const range =
    low === high ? formatRatio(low, 1) : `${formatRatio(low, 1)} to ${formatRatio(high, 1)}`;
  return `Every fill pays a half-spread of ${range} bps. Where a pair’s own spread is wider, real fills cost more.`;
}

/** How the backtest was made, and what no backtest can tell. */
function Caveats({ terms, keptAt }: Pick<BacktestDone, 'terms' | 'keptAt'>) {
  const interval = testedInterval(terms);
  return (
    <>
      <p className="mt-2 max-w-[72ch] text-xs text-ink-3">
        {keptAt !== null && (
          <>
            Candles saved on this device <Age savedAt={keptAt} staleAfterMs={0} />.{' '}
          </>
        )}
        Past results do not predict future ones. Paper money.
      </p>
      <HowCalculated>
        <p>
          Starts with <Amount value={terms.deposit} quote={terms.quote} />, the account's{' '}
          {keptAt === null ? 'present equity' : 'equity when these candles were saved'}. Decisions
          are made at the close of a candle and filled at the open of the next.
          {EVALUATION_MINUTES[interval] > EVALUATION_MINUTES[terms.agent.interval] &&
            ` The backtest uses ${CANDLE_NAME[interval]} candles, so checks are less frequent than live.`}
        </p>
        <p>{spreadText(terms)} A position bought in steps is one round trip for each step.</p>
        <p>
          A backtest knows these candles in advance. Its orders move no market and it has no
          outages. If you try many settings, one will look good by chance.
        </p>
      </HowCalculated>
    </>
  );
}

function Result({ done: { outcome, terms, keptAt } }: { done: BacktestDone }) {
  const [all, setAll] = useState(false);
  const list = listText(terms);
  const reach = reachText(terms);
  return (
    <div>
      <ResultSentence outcome={outcome} terms={terms} />
      {reach !== null && <p className="max-w-[72ch] pb-2 text-xs text-amber">{reach}</p>}
      <TimeChart
        label={`Backtested equity in ${terms.quote}`}
        line={outcome.curve}
        lineName="Equity"
        height={CHART_HEIGHT}
        unit={terms.quote}
        empty="No change in equity."
      />
      <Metrics outcome={outcome} quote={terms.quote} />
      {outcome.trades.length > 0 && (
        <Trades
          trades={outcome.trades}
          until={terms.to}
          all={all}
          onAll={() => {
            setAll(true);
          }}
        />
      )}
      {list !== null && (
        <p
          className={classes(
            'mt-2 max-w-[72ch] text-xs',
            isOtherList(terms) ? 'text-amber' : 'text-ink-3',
          )}
        >
          {list}
        </p>
      )}
      <Caveats terms={terms} keptAt={keptAt} />
    </div>
  );
}

/** Reserves the height of the result from the press on, so that nothing below it moves. */
function ResultSkeleton() {
  return (
    <div aria-hidden>
      <Skeleton className="mt-1 h-28 w-full md:h-12" />
      <div className="mt-2 h-[184px] pointer-fine:h-[172px]">
        <Skeleton className="h-[140px] w-full" />
      </div>
      {Array.from({ length: 6 }, (_, index) => (
        <div key={index} className="rule row flex items-center justify-between gap-4 py-1.5">
          <Skeleton className="h-3.5 w-40" />
          <Skeleton className="h-3.5 w-16" />
        </div>
      ))}
      <div className="mt-3 h-5" />
      {Array.from({ length: TRADES_SHOWN }, (_, index) => (
        <div
          key={index}
          className="rule flex h-[61px] items-center justify-between gap-4 md:h-[49px]"
        >
          <Skeleton className="h-3.5 w-48" />
          <Skeleton className="h-3.5 w-16" />
        </div>
      ))}
      <div className="h-52 md:h-32" />
    </div>
  );
}

function Periods({ days, onDays }: { days: number; onDays: (days: number) => void }) {
  return (
    <span role="group" aria-label="Backtest period" className="-mr-1.5 flex">
      {PERIODS.map(([length, name]) => (
        <button
          key={name}
          type="button"
          aria-pressed={days === length}
          onClick={() => {
            onDays(length);
          }}
          className={classes(
            'min-h-11 min-w-9 rounded-sm px-1.5 text-xs pointer-fine:min-h-8',
            days === length ? 'font-semibold text-accent' : 'text-ink-3 hover:text-ink',
          )}
        >
          {name}
        </button>
      ))}
    </span>
  );
}

function Offer({ days, onStart }: { days: number; onStart: () => void }) {
  const { online } = useSnapshot(connection);
  return (
    <div className="rule flex flex-wrap items-center justify-between gap-3 py-2">
      <p className="min-w-0 text-ink-2">
        Runs the agent on the candles of the last {days} days, with the same rules, guards and fees
        {online === 'offline' ? ', using candles saved on this device' : ''}.
      </p>
      <Button size="sm" data-next onClick={onStart}>
        {' '}
        Run backtest{' '}
      </Button>
    </div>
  );
}

function Running({ share, text, onCancel }: { share: number; text: string; onCancel: () => void }) {
  return (
    <>
      <div className="rule flex items-center justify-between gap-3 py-2">
        <label className="min-w-0 flex-1 text-ink-2">
          {text}
          <progress className="mt-1 block h-1 w-full" max={100} value={Math.round(share * 100)} />
        </label>
        <Button size="sm" data-next onClick={onCancel}>
          Cancel
        </Button>
      </div>
      <ResultSkeleton />
    </>
  );
}

function Failed({ message, onAgain }: { message: string; onAgain: () => void }) {
  return (
    <p
      role="status"
      className="flex flex-wrap items-center justify-between gap-x-3 border-l-2 border-amber py-1 pl-3 text-amber"
    >
      <span>{message}</span>
      <button
        type="button"
        data-next
        onClick={onAgain}
        className="reach min-h-8 font-medium underline underline-offset-2"
      >
        Try again
      </button>
    </p>
  );
}

/**
 * Moves focus to the next button when the pressed one disappears, so that keyboard users are not
 * sent to the top. `notePress` marks that the user asked.
 */
function useNextFocus(at: BacktestState['at']) {
  const section = useRef<HTMLElement>(null);
  const pressed = useRef(false);
  useEffect(() => {
    if (!pressed.current || document.activeElement !== document.body) return;
    section.current?.querySelector<HTMLElement>('[data-next]')?.focus({ preventScroll: true });
  }, [at]);
  const notePress = (): void => {
    pressed.current = true;
  };
  return { section, notePress };
}

interface BacktestPanelProps {
  ask: AgentPreviewBody | null;
  version?: number;
  missing?: string;
  heading?: 'h2' | 'h3';
}

/**
 * `ask` null: the settings are not valid yet. `version`: of the agent's settings; a backtest of an
 * older version is dropped.
 */
export default function BacktestPanel({
  ask,
  version = 0,
  missing = 'Choose pairs first.',
  heading: Heading = 'h3',
}: BacktestPanelProps) {
  const [days, setDays] = useState<number>(30);
  const { state, run, cancel } = useBacktest(ask, days, version);
  const { section, notePress } = useNextFocus(state.at);
  const start = (): void => {
    notePress();
    run();
  };
  return (
    <section ref={section} aria-label="Backtest" aria-busy={state.at === 'busy' || undefined}>
      <div className="flex min-h-8 flex-wrap items-center justify-between gap-x-3">
        <Heading className="text-sm font-semibold">Backtest</Heading>
        <Periods days={days} onDays={setDays} />
      </div>
      {ask === null && <p className="rule py-2 text-ink-3">{missing}</p>}
      {ask !== null && state.at === 'idle' && <Offer days={days} onStart={start} />}
      {state.at === 'busy' && <Running share={state.share} text={state.text} onCancel={cancel} />}
      {state.at === 'failed' && <Failed message={state.message} onAgain={start} />}
      {state.at === 'done' && (
        <>
          <Result done={state.done} />
          <Button size="sm" tone="plain" className="mt-2 -ml-3" data-next onClick={start}>
            {' '}
            Run again{' '}
          </Button>
        </>
      )}
    </section>
  );
}
