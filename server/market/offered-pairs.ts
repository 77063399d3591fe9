/** Which pairs a market offers to agents, which it trades now, and of which a price may still come. */
import type { PairRules } from '../../engine/market-types.ts';
import type { Market } from './market-source.ts';

/** Made once for each list of a market. */
const NAMES = new WeakMap<readonly PairRules[], readonly string[]>();

/**
 * All but those that it has not traded for long. One that is halted for the moment stays: the ranks
 * of the others must not change by it.
 */
export function offeredBy(market: Pick<Market, 'pairs'>): readonly string[] {
  const list = market.pairs();
  const names =
    NAMES.get(list) ?? list.filter(({ notTraded }) => notTraded !== 'gone').map(({ pair }) => pair);
  NAMES.set(list, names);
  return names;
}

/**
 * Whether a price of the pair is still to come: it is offered, and not given up by its exchange. One
 * that never gets a price again must hold back nobody.
 */
export const isPricedSometime = (market: Pick<Market, 'rules'>, pair: string): boolean => {
  const rules = market.rules(pair);
  return rules !== null && rules.notTraded !== 'gone';
};

/** Whether the market trades the pair now, as far as it tells: then its first price is waited for. */
export const isTraded = (market: Pick<Market, 'rules'>, pair: string): boolean =>
  market.rules(pair)?.notTraded === undefined;
