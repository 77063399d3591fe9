/**
 * What this device shows of some agents and their prices at a press, to compare with when a start
 * is confirmed later.
 */
import type { ObservedState } from '../offline/outbox-entry.ts';
import { agentsStore } from './agents-store.ts';
import { poolsStore, serverBoard } from './market-store.ts';

/** Limit of pairs that are stored. */
const PRICES_MAX = 40;

type TradesPairs = { readonly trading_pairs: readonly string[]; readonly pool: string };

/** The pairs of an agent: its own, or its pool's as the source offers them; null where those are unknown. */
export function knownPairsOf(agent: TradesPairs): readonly string[] | null {
  if (agent.trading_pairs.length > 0) return agent.trading_pairs;
  // An exchange that tells prices in the server's place knows nothing of pools.
  if (poolsStore.origin === 'exchange') return null;
  return poolsStore.data?.pools.find((pool) => pool.id === agent.pool)?.pairs ?? null;
}

/** The same; empty where they are unknown. */
export const pairsOf = (agent: TradesPairs): readonly string[] => knownPairsOf(agent) ?? [];

export function observedState(ids: readonly string[]): ObservedState {
  const agents = (agentsStore.data?.agents ?? []).filter((agent) => ids.includes(agent.id));
  const pairs = [...new Set(agents.flatMap((agent) => pairsOf(agent)))].slice(0, PRICES_MAX);
  return {
    prices: pairs.flatMap((pair) => {
      const quote = serverBoard()?.symbols[pair];
      return quote === undefined ? [] : [{ pair, price: quote.price, at: quote.timestamp }];
    }),
    agents: agents.map(({ id, name, status, version, generation }) => ({
      id,
      name,
      status,
      version,
      generation,
    })),
  };
}
