/** What an agent has at its exchange: positions, orders, and its twin on paper. */
import { useEffect } from 'react';
import { Link } from 'wouter';
import type { Agent } from '../../../../contract/agents.ts';
import { ReadError, SkeletonRows } from '../../../components/EmptyState.tsx';
import { exchangeName } from '../../../format/exchange-names.ts';
import { loadPerformance } from '../../../stores/analytics-store.ts';
import { loadLiveAccount } from '../../../stores/live-store.ts';
import { LivePositions } from '../account/LivePositions.tsx';
import { OpenOrders, PastOrders } from '../account/Orders.tsx';
import { keepsStops } from '../live-text.ts';
import { useLiveAccount } from '../use-live.ts';
import { ShadowComparison } from './ShadowComparison.tsx';

export default function LiveAgentPart({
  agent,
  connectionId,
}: {
  agent: Agent;
  connectionId: string;
}) {
  const slot = useLiveAccount(connectionId);
  const { data } = slot;
  /** Changes with every fill and end of an order of this agent. */
  const mark =
    data?.orders
      .filter(({ agentId }) => agentId === agent.id)
      .map(({ clientOrderId, state, filled }) => `${clientOrderId} ${state} ${filled}`)
      .join() ?? '';
  useEffect(() => {
    if (mark !== '') void loadPerformance(agent.id, true);
  }, [agent.id, mark]);
  const again = (): void => {
    void loadLiveAccount(connectionId, true);
  };
  if (data === null)
    return (
      <>
        <ReadError message={slot.error} onRetry={again} />
        {slot.error === null && <SkeletonRows rows={4} label="Positions and orders" />}
      </>
    );
  const mine = {
    ...data,
    positions: data.positions.filter(({ agentId }) => agentId === agent.id),
    orders: data.orders.filter(({ agentId }) => agentId === agent.id),
  };
  const exchange = exchangeName(data.connection.exchange);
  const isClosed = data.connection.state === 'ended';
  return (
    <>
      <p className="text-ink-2">
        {isClosed ? 'Traded' : 'Trades'}{' '}
        <Link
          href={`/live/${encodeURIComponent(connectionId)}`}
          className="text-accent underline underline-offset-2"
        >
          {exchange}, {data.connection.label}
        </Link>{' '}
        with real money.{' '}
        {isClosed
          ? 'This account is closed here and nothing is traded.'
          : keepsStops(mine.positions)
            ? 'Stop cancels its open purchases; its stop losses stay active.'
            : 'Stop cancels its open purchases. Nothing is sold.'}
      </p>
      <ReadError message={slot.error} hasData onRetry={again} />
      <LivePositions account={mine} />
      <OpenOrders account={mine} />
      <PastOrders account={mine} />
      <ShadowComparison key={agent.id} agent={agent} mark={mark} />
    </>
  );
}
