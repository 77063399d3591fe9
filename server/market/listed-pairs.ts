/** The followed pairs that an exchange lists, and what it demands of their orders. */
import { Pair } from '../../contract/agents.ts';
import { fixedFromNumber, parseFixed } from '../../contract/money.ts';
import type { PairRules } from '../../engine/market-types.ts';
import { ListedMarket } from './exchange-client.ts';
import { FOLLOWED_BASES, type ExchangeVenue } from './exchange-venues.ts';

/** Rules of the followed pairs, in our order. */
export function rulesOf(markets: readonly unknown[], venue: ExchangeVenue): PairRules[] {
  const found = new Map<string, PairRules>();
  for (const entry of markets) {
    const parsed = ListedMarket.safeParse(entry);
    if (!parsed.success) continue;
    const { symbol, base, quote, active, spot, taker, precision, limits } = parsed.data;
    if (
      quote !== venue.quote ||
      active === false ||
      spot === false ||
      !Pair.safeParse(symbol).success
    )
      continue;
    const lot = Math.max(precision?.amount ?? 1e-8, 1e-12);
    found.set(base, {
      pair: symbol,
      base,
      quote,
      lot: fixedFromNumber(lot),
      minNotional:
        limits?.cost?.min === undefined || limits.cost.min === null || limits.cost.min <= 0
          ? parseFixed('1')
          : fixedFromNumber(limits.cost.min),
      halfSpreadBps: 2,
      feeBps: Math.round((taker ?? 0.006) * 10_000 * 100) / 100,
    });
  }
  return FOLLOWED_BASES.flatMap((base) => found.get(base) ?? []);
}
