/** Reads a store into a component and loads it when shown, and again when the server is back. */
import { useEffect } from 'react';
import { useSnapshot } from 'valtio';
import type { AgentInsight } from '../../contract/insight.ts';
import type { Analytics, Portfolio } from '../../contract/trading.ts';
import { useNow } from '../components/use-now.ts';
import { useCurrent } from '../shell/data-age.ts';
import { unprotectedOf, type LiveAccounts } from '../stores/agent-stops.ts';
import { agentView, type AgentView } from '../stores/agent-view.ts';
import { moneyOf } from '../stores/agent-money.ts';
import { agentsStore, loadAgents } from '../stores/agents-store.ts';
import {
  analyticsStore,
  insightStore,
  keepAnalytics,
  keepInsight,
  loadAnalytics,
  loadInsight,
} from '../stores/analytics-store.ts';
import { connection } from '../stores/connection.ts';
import { accountChoice } from '../stores/account-choice.ts';
import { liveSlots } from '../stores/live-slots.ts';
import { loadMarket, marketStore } from '../stores/market-store.ts';
import { portfolioStore } from '../stores/portfolio-store.ts';
import { connectionOf } from '../stores/shown-account.ts';
import type { Slot } from '../stores/slot.ts';
import { queue, unsentCommands } from '../commands.ts';
import type { OutboxEntryView } from './outbox-view.ts';

/** A frozen view of a store. `load` must be the same function on every render. */
export function useSlot<T>(slot: Slot<T>, load: () => Promise<void>): Slot<T> {
  const { online } = useSnapshot(connection);
  useEffect(() => {
    if (online !== 'offline') void load();
  }, [load, online]);
  return useSnapshot(slot) as Slot<T>;
}

/** Results over time, read again with each evaluation and trade while they are shown. */
export function useInsight(): Slot<AgentInsight> {
  useEffect(keepInsight, []);
  return useSlot(insightStore, loadInsight);
}

/** The account's metrics, read again with each trade while they are shown. */
export function useAnalytics(): Slot<Analytics> {
  useEffect(keepAnalytics, []);
  return useSlot(analyticsStore, loadAnalytics);
}

/** The market's clock as best known, ms. */
export function useMarketNow(stepMs = 1_000): number {
  const now = useNow(stepMs);
  const { marketClockOffset, marketStoppedAt } = useSnapshot(connection);
  return marketStoppedAt ?? now + (marketClockOffset ?? 0);
}

/**
 * Whether prices go on coming; `unknown` without the server, and while its stream is away: then
 * what agents did since is not heard here.
 */
export type MarketState = 'moving' | 'stopped' | 'unknown';

export function useMarketState(): MarketState {
  const { online, stream, marketStoppedAt } = useSnapshot(connection);
  if (online === 'offline' || stream === 'stale') return 'unknown';
  return marketStoppedAt === null ? 'moving' : 'stopped';
}

/**
 * How many times real time the market's clock runs: a tape may run fast, and its minutes are then
 * not the reader's.
 */
export function useMarketSpeed(): number {
  return useSnapshot(marketStore).data?.source.speed ?? 1;
}

/** The currency of amounts: an exchange that tells prices in the server's place may have another. */
export function useCurrency(): string {
  const { data, origin } = useSlot(marketStore, loadMarket);
  const account = useSnapshot(portfolioStore).data;
  return (origin === 'exchange' ? account?.quote : data?.source.quote) ?? '';
}

export function useEntries(): OutboxEntryView[] {
  return useSnapshot(queue).entries as OutboxEntryView[];
}

/**
 * How many commands a log-out or a wipe would discard, as it is now; null where nobody knows, because
 * the storage does not answer.
 */
export function useUnsent(): number | null {
  const { unread } = useSnapshot(queue);
  useEntries();
  const { length } = unsentCommands();
  return unread && length === 0 ? null : length;
}

/** The agents of the account that is shown, paper or one at an exchange. */
export function useShownViews(): ReturnType<typeof useAgentViews> {
  const { chosen } = useSnapshot(accountChoice);
  return useViewsOf(chosen);
}

/**
 * The agents of one account; null is paper. Real money and paper are never in one list; `all` is
 * for what needs the user wherever it is.
 */
export function useViewsOf(
  account: string | null,
): ReturnType<typeof useAgentViews> & { all: AgentView[] | null } {
  const { views: all, ...rest } = useAgentViews();
  const views = all?.filter(({ agent }) => connectionOf(agent) === account) ?? null;
  return { ...rest, all, views };
}

/**
 * All agents with what waits for each and their money by the newest word of it, in the server's
 * order; null until anything is known.
 */
export function useAgentViews(): {
  views: AgentView[] | null;
  current: boolean;
  slot: Slot<unknown>;
} {
  const slot = useSlot(agentsStore, loadAgents);
  const entries = useEntries();
  const current = useCurrent('agents');
  const portfolio = useSnapshot(portfolioStore).data as Portfolio | null;
  const accounts = useSnapshot(liveSlots).accounts as LiveAccounts;
  const { data } = slot;
  const views =
    data?.agents.map((agent) => {
      const connectionId = connectionOf(agent);
      const account = connectionId === null ? null : (accounts[connectionId]?.data ?? null);
      const money = moneyOf(agent, data, { portfolio, account });
      const unprotected = unprotectedOf(agent, accounts, current);
      return agentView(agent, entries, current, unprotected, money);
    }) ?? null;
  return { views, current, slot };
}
