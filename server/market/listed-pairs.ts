/**
 * Which of the followed pairs an exchange lists, which of them it trades now, and what it demands
 * of their orders.
 */
import { Pair } from '../../contract/agents.ts';
import { fixedFromNumber, parseFixed } from '../../contract/money.ts';
import type { PairRules } from '../../engine/market-types.ts';
import { ListedMarket } from './exchange-client.ts';
import { FOLLOWED_BASES, type ExchangeVenue } from './exchange-venues.ts';

/** A pair as the exchange lists it. */
export interface ListedPair {
  rules: PairRules;
  isTrading: boolean;
}

/** Maintenance and a launch take minutes. A pair that rests for longer may never come back. */
const HALT_MOST_MS = 60 * 60_000;
/** Between two readings of the list: usually, and while a pair may be about to trade again. */
const READ_AGAIN_MS = 60 * 60_000;
const READ_SOON_MS = 5 * 60_000;
/** So long a pair that rests is looked for at the shorter pace. */
const AWAITED_MS = 24 * 60 * 60_000;

interface Known {
  rules: PairRules;
  isListed: boolean;
  /** Since when it has not been traded, ms; null while it is. */
  restsSince: number | null;
  /** Whether it was traded while this process looked. */
  hasTraded: boolean;
  hasPrice: boolean;
}

export class ListedPairs {
  /** In our order: what is or was traded, or has a price. */
  all: readonly PairRules[] = [];
  /** What the exchange trades now. */
  trading: readonly string[] = [];
  /** What it lists and does not trade. */
  resting: readonly string[] = [];
  private readonly known = new Map<string, Known>();
  private readAt = -Infinity;
  private failedAt = -Infinity;

  /**
   * The list as it is now. A pair that is not on it any more stays known: agents hold it and list
   * it, and its last price is what it is valued at.
   */
  take(list: readonly ListedPair[], now: number): void {
    this.readAt = now;
    const listed = new Set(list.map(({ rules }) => rules.pair));
    for (const [pair, one] of this.known)
      if (!listed.has(pair))
        this.known.set(pair, { ...one, isListed: false, restsSince: one.restsSince ?? now });
    for (const { rules, isTrading } of list) {
      const before = this.known.get(rules.pair);
      this.known.set(rules.pair, {
        rules,
        isListed: true,
        restsSince: isTrading ? null : (before?.restsSince ?? now),
        hasTraded: isTrading || before?.hasTraded === true,
        hasPrice: before?.hasPrice === true,
      });
    }
    this.arrange(now);
  }

  /** It could not be read; what is known stays. */
  notRead(now: number): void {
    this.failedAt = now;
  }

  isOffered(pair: string): boolean {
    const one = this.known.get(pair);
    return one !== undefined && (one.hasTraded || one.hasPrice);
  }

  /** A pair that was never traded here has a price all the same. */
  offer(pair: string, now: number): void {
    const one = this.known.get(pair);
    if (one === undefined || this.isOffered(pair)) return;
    this.known.set(pair, { ...one, hasPrice: true });
    this.arrange(now);
  }

  /** When the list is to be read again; `isDoubted` once the exchange has refused a question. */
  readAgainAt(now: number, isDoubted: boolean): number {
    const isAwaited = [...this.known.values()].some(
      ({ rules, restsSince }) =>
        restsSince !== null && now - restsSince < AWAITED_MS && this.isOffered(rules.pair),
    );
    return Math.max(
      this.readAt + (isDoubted || isAwaited ? READ_SOON_MS : READ_AGAIN_MS),
      this.failedAt + READ_SOON_MS,
    );
  }

  private arrange(now: number): void {
    const inOrder = FOLLOWED_BASES.flatMap((base) =>
      [...this.known.values()].filter(({ rules }) => rules.base === base),
    );
    this.all = inOrder
      .filter(({ rules }) => this.isOffered(rules.pair))
      .map((one) => ({ ...one.rules, ...restOf(one, now) }));
    const names = (list: Known[]): string[] => list.map(({ rules }) => rules.pair);
    this.trading = names(inOrder.filter(({ restsSince }) => restsSince === null));
    this.resting = names(
      inOrder.filter(({ restsSince, isListed }) => restsSince !== null && isListed),
    );
  }
}

function restOf(
  { restsSince, isListed, hasTraded }: Known,
  now: number,
): Pick<PairRules, 'notTraded'> {
  if (restsSince === null) return {};
  const isHalt = isListed && hasTraded && now - restsSince <= HALT_MOST_MS;
  return { notTraded: isHalt ? 'halted' : 'gone' };
}

/** The followed pairs, in our order, those that are not traded now among them. */
export function listedOf(markets: readonly unknown[], venue: ExchangeVenue): ListedPair[] {
  const found = new Map<string, ListedPair>();
  for (const entry of markets) {
    const parsed = ListedMarket.safeParse(entry);
    if (!parsed.success) continue;
    const { symbol, base, quote, active, spot, taker, precision, limits } = parsed.data;
    if (quote !== venue.quote || spot === false || !Pair.safeParse(symbol).success) continue;
    const isTrading = active !== false;
    if (!isTrading && found.get(base)?.isTrading === true) continue;
    const lot = Math.max(precision?.amount ?? 1e-8, 1e-12);
    const rules = {
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
    };
    found.set(base, { rules, isTrading });
  }
  return FOLLOWED_BASES.flatMap((base) => found.get(base) ?? []);
}
