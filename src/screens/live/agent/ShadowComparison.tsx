/** A live agent and its twin on paper, decision by decision, and why they differ. */
import { useEffect, useState } from 'react';
import { useSnapshot } from 'valtio';
import { Link } from 'wouter';
import type { Agent } from '../../../../contract/agents.ts';
import type { Shadow, ShadowLeg, ShadowRow } from '../../../../contract/live.ts';
import { parseFixed, ZERO } from '../../../../contract/money.ts';
import { api } from '../../../api/api.ts';
import { Age } from '../../../components/Age.tsx';
import { Button } from '../../../components/Button.tsx';
import { ReadError, SkeletonRows } from '../../../components/EmptyState.tsx';
import { Amount } from '../../../components/Figures.tsx';
import { LiveAmount, LiveFigure } from '../../../components/LiveMark.tsx';
import { LiveTag } from '../../../components/LiveTag.tsx';
import { Line, Section } from '../../../components/Section.tsx';
import { PaperTag, SideTag } from '../../../components/Tags.tsx';
import { usePast } from '../../../components/use-now.ts';
import { failureSentence } from '../../../format/failure-sentence.ts';
import { formatAmount, formatExact, formatPrice } from '../../../format/numbers.ts';
import { formatWhen } from '../../../format/times.ts';
import { whileSeen } from '../../../platform/resting-timer.ts';
import { connection as server } from '../../../stores/connection.ts';
import { applyAgent, loadAgents } from '../../../stores/agents-store.ts';
import { showFailure } from '../../show-result.ts';
import { REREAD_MS, STALE_MS } from '../use-live.ts';
import { shadowReasons } from './shadow-text.ts';

const NOT_ADDED = 'never added up';

interface ComparedProps {
  agent: Agent;
  /** Changes with the orders of the agent. */
  mark: string;
}

interface Reading {
  data: Shadow | null;
  /** Device clock, ms; null before the first answer. */
  savedAt: number | null;
  error: string | null;
}

/**
 * Read again when the agent has evaluated, when one of its orders has changed, and as often as its
 * account: no stream vouches for real money.
 */
function useShadow({ agent, mark }: ComparedProps): Reading {
  const { online } = useSnapshot(server);
  const [reading, setReading] = useState<Reading>({ data: null, savedAt: null, error: null });
  useEffect(() => {
    if (online === 'offline') return;
    let here = true;
    const read = (): void => {
      api.call('liveShadow', { params: { id: agent.id } }).then(
        (data) => {
          if (here) setReading({ data, savedAt: Date.now(), error: null });
        },
        async (failure: unknown) => {
          const error = await failureSentence(failure);
          if (here) setReading((present) => ({ ...present, error }));
        },
      );
    };
    read();
    const stop = whileSeen(REREAD_MS, read);
    return () => {
      here = false;
      stop();
    };
  }, [agent.id, agent.lastRunAt, agent.generation, mark, online]);
  return reading;
}

type FeeText = (fee: string) => string;

/** What was charged in quote currency, and in coins, which have no price here. */
function feesText({ fee, otherFees }: ShadowLeg, feeText: FeeText): string {
  const others = otherFees.map(({ asset, amount }) => `${formatExact(amount)} ${asset}`);
  const isOnlyOthers = others.length > 0 && fee !== null && parseFixed(fee) === ZERO;
  const fees = [...(fee === null || isOnlyOthers ? [] : [feeText(fee)]), ...others];
  return fees.length === 0 ? '' : `, fee ${fees.join(' + ')}`;
}

/** `feeText`: real money to the last digit, paper as everywhere. */
const legText = (leg: ShadowLeg, feeText: FeeText = formatExact): string =>
  leg.quantity === null
    ? 'no trade'
    : `${formatExact(leg.quantity)} at ${formatPrice(leg.price)}${feesText(leg, feeText)}`;

/** The difference is one of money in quote currency: fees in coins are not in it. */
function Difference({ row: { difference, live }, quote }: { row: ShadowRow; quote: string }) {
  const assets = live.otherFees.map(({ asset }) => asset).join(', ');
  return (
    <span className="ml-auto text-right">
      <LiveAmount value={difference} quote={quote} change why="Only one of the two has traded" />
      {difference !== null && assets !== '' && (
        <span className="block text-xs text-ink-3">before fees in {assets}</span>
      )}
    </span>
  );
}

function Row({ row, quote }: { row: ShadowRow; quote: string }) {
  return (
    <li className="rule py-2">
      <div className="flex flex-wrap items-baseline justify-between gap-x-4">
        <span>
          <SideTag side={row.side} /> <span className="font-medium">{row.pair.split('/')[0]}</span>{' '}
          <span className="text-xs text-ink-3">{formatWhen(row.at)}</span>
        </span>
        <Difference row={row} quote={quote} />
      </div>
      <p className="mt-0.5 text-xs">
        <LiveTag className="mr-1.5" />
        <LiveFigure>{legText(row.live)}</LiveFigure>
      </p>
      <p className="mt-0.5 text-xs">
        <PaperTag className="mr-1.5" />
        {legText(row.paper, formatAmount)}
      </p>
      <p className="mt-0.5 text-xs text-ink-2">
        Live against paper: {shadowReasons(row.reasons)}.
        {row.live.quantity === null && row.live.text !== null ? ` ${row.live.text}` : ''}
      </p>
    </li>
  );
}

function Sides({ live, paper }: Pick<Shadow, 'live' | 'paper'>) {
  return (
    <dl>
      <Line term={<LiveTag />}>
        <LiveAmount value={live.realized} quote={live.quote} change /> realised, {live.trades}{' '}
        {live.trades === 1 ? 'trade' : 'trades'}
      </Line>
      <Line
        term={
          <Link href={`/agents/${encodeURIComponent(paper.agentId)}`} aria-label={paper.name}>
            <PaperTag />
          </Link>
        }
      >
        <Amount value={paper.realized} quote={paper.quote} change /> realised, {paper.trades}{' '}
        {paper.trades === 1 ? 'trade' : 'trades'}
      </Line>
    </dl>
  );
}

function Rows({ data: { rows, live }, savedAt }: { data: Shadow; savedAt: number }) {
  const { online } = useSnapshot(server);
  const isOld = usePast(savedAt + STALE_MS);
  if (rows.length > 0)
    return (
      <ul>
        {rows.slice(0, 20).map((row) => (
          <Row key={`${row.at} ${row.pair} ${row.side}`} row={row} quote={live.quote} />
        ))}
      </ul>
    );
  return (
    <p className="rule row flex items-center py-2 text-ink-3">
      No decision of both {online === 'offline' || isOld ? 'when last seen' : 'yet'}. Each appears
      here with its difference.
    </p>
  );
}

function Compared(props: ComparedProps) {
  const { online } = useSnapshot(server);
  const { data, savedAt, error } = useShadow(props);
  return (
    <Section
      title="Live and paper"
      aside={
        <>
          <Age savedAt={savedAt} staleAfterMs={STALE_MS} onlyStale={online !== 'offline'} />{' '}
          {NOT_ADDED}
        </>
      }
    >
      {data === null || savedAt === null ? (
        <>
          <ReadError message={error} />
          {error === null && <SkeletonRows rows={3} label="Comparison" />}
        </>
      ) : (
        <>
          <ReadError message={error} hasData />
          <Sides live={data.live} paper={data.paper} />
          <Rows data={data} savedAt={savedAt} />
        </>
      )}
    </Section>
  );
}
function AddTwin({ agent }: { agent: Agent }) {
  const { online } = useSnapshot(server);
  const [busy, setBusy] = useState(false);
  const { id, risk_profile, max_position_size, execution_interval, enabled, version } = agent;
  const add = async (): Promise<void> => {
    setBusy(true);
    const body = { risk_profile, max_position_size, execution_interval, enabled, version };
    const work = api.call('updateAgent', {
      params: { id },
      query: { enabled: 'keep' },
      body: { ...body, shadow: true },
    });
    if (await showFailure(work, 'Twin on paper added. It starts and stops with this agent.'))
      applyAgent((await work).agent, null);
    await loadAgents(true);
    setBusy(false);
  };
  return (
    <div className="rule flex flex-col items-start gap-2 py-3">
      <p className="text-ink-2">
        A twin on paper makes the same decisions beside this agent and shows where real orders
        differ: by price, fee or a partial fill.
      </p>
      <Button
        busy={busy}
        disabled={online === 'offline'}
        onClick={() => {
          void add();
        }}
      >
        Run a twin on paper
      </Button>
    </div>
  );
}

export function ShadowComparison(props: ComparedProps) {
  if (props.agent.shadow !== undefined) return <Compared {...props} />;
  return (
    <Section title="Live and paper" aside={NOT_ADDED}>
      <AddTwin agent={props.agent} />
    </Section>
  );
}
