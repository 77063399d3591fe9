/** Kraken's names of coins and pairs, and the rules of each pair. */
import * as z from 'zod/mini';
import type { Fixed } from '../../../contract/money.ts';
import type { PairRules } from '../../../contract/venue.ts';
import { exactAmount, stepOf } from '../amounts.ts';
import { rulesOfPairs, type PairsRead } from '../rows.ts';

export const AssetsReply = z.object({
  result: z.record(z.string(), z.object({ altname: z.string(), decimals: z.optional(z.number()) })),
});
export const PairsReply = z.object({ result: z.record(z.string(), z.unknown()) });
type RawPairs = z.infer<typeof PairsReply>['result'];
const PairName = z.object({ altname: z.string(), base: z.string(), quote: z.string() });
const RawPair = z.object({
  base: z.string(),
  quote: z.string(),
  lot_decimals: z.number(),
  pair_decimals: z.number(),
  tick_size: z.optional(z.string()),
  ordermin: z.optional(z.string()),
  costmin: z.optional(z.string()),
  status: z.optional(z.string()),
});

/** Of all of Kraken. */
export const StatusReply = z.object({ result: z.object({ status: z.string() }) });

export type Mode = Pick<PairRules, 'status' | 'takesStops'>;

const MODES: Record<string, Mode> = {
  online: { status: 'trading' },
  // What is sent at market leaves with a limit; a stop becomes a market order.
  limit_only: { status: 'trading', takesStops: false },
  cancel_only: { status: 'cancel_only' },
  post_only: { status: 'cancel_only' },
  reduce_only: { status: 'cancel_only' },
};
export const modeOf = (said: string | undefined): Mode =>
  MODES[said ?? 'online'] ?? { status: 'halted' };

/** Of a pair that trades only as far as all of Kraken does. */
export const withMode = (rules: PairRules, ofAll: Mode): PairRules =>
  rules.status === 'trading' ? { ...rules, ...ofAll } : rules;

const OWN_NAMES: Record<string, string> = { XBT: 'BTC', XDG: 'DOGE' };

export interface KrakenNames {
  rules: Map<string, PairRules>;
  /**
   * Of these pairs, read later: the coins of a pair keep their names, and one that cannot be read keeps
   * its rules.
   */
  rulesOf(pairs: RawPairs): Map<string, PairRules>;
  /** What Kraken calls a pair in requests. */
  pairOf(symbol: string): string | null;
  /** Our name of a pair as requests or answers spell it. */
  symbolOf(pair: string): string;
  assetOf(code: string): string;
  /** The least that a wallet counts of a coin, where that is known. */
  finestOf(code: string): Fixed | null;
}

/** `XXBT`, `XBT.F`, `ZUSD` to `BTC`, `BTC.F`, `USD`. */
function assetNamer(assets: z.infer<typeof AssetsReply>['result']): (code: string) => string {
  return (code) => {
    const [root = code, suffix] = code.split('.');
    const known = assets[code]?.altname ?? assets[root]?.altname ?? root;
    const [name = known] = known.split('.');
    const ours = OWN_NAMES[name] ?? name;
    return suffix === undefined ? ours : `${ours}.${suffix}`;
  };
}

/** A pair that is no longer listed is taken apart by the coins we know. */
function taken(pair: string, assets: z.infer<typeof AssetsReply>['result']): [string, string] {
  const codes = new Map(
    Object.entries(assets).flatMap(([code, { altname }]) => [
      [code, code],
      [altname, code],
    ]),
  );
  for (let cut = pair.length - 2; cut >= 2; cut -= 1) {
    const [base, quote] = [codes.get(pair.slice(0, cut)), codes.get(pair.slice(cut))];
    if (base !== undefined && quote !== undefined) return [base, quote];
  }
  throw new RangeError('a pair of unknown coins');
}

/** A wallet may count fewer decimals than a pair's lots have: what is bought finer is not there. */
const rulesIn = (
  pair: z.infer<typeof RawPair>,
  walletDecimals = pair.lot_decimals,
): Omit<PairRules, 'symbol'> => ({
  quantityStep: stepOf(Math.min(pair.lot_decimals, walletDecimals)),
  priceTick:
    pair.tick_size === undefined ? stepOf(pair.pair_decimals) : exactAmount(pair.tick_size),
  minQuantity: exactAmount(pair.ordermin ?? '0'),
  minNotional: exactAmount(pair.costmin ?? '0'),
  ...modeOf(pair.status),
});

export function krakenNames(
  assets: z.infer<typeof AssetsReply>['result'],
  pairs: RawPairs,
  beside: PairsRead,
): KrakenNames {
  const assetOf = assetNamer(assets);
  const spelling = new Map<string, string>();
  const symbols = new Map<string, string>();
  const symbolIn = ({ base, quote }: { base: string; quote: string }): string =>
    `${assetOf(base)}/${assetOf(quote)}`;
  // Dark pools have pairs of their own with the same coins.
  const rows = Object.entries(pairs).filter(([key]) => !key.endsWith('.d'));
  // A pair has its name whether or not its rules can be read.
  for (const [key, row] of rows) {
    const named = PairName.safeParse(row);
    if (!named.success) continue;
    const symbol = symbolIn(named.data);
    symbols.set(key, symbol);
    symbols.set(named.data.altname, symbol);
    spelling.set(symbol, named.data.altname);
  }
  const rules = rulesOfPairs(
    rows,
    ([, row]) => {
      const pair = z.parse(RawPair, row);
      return { ...rulesIn(pair, assets[pair.base]?.decimals), symbol: symbolIn(pair) };
    },
    ([key]) => symbols.get(key) ?? key,
    beside,
  );
  return {
    rules,
    rulesOf: (later) => {
      // A row that cannot be read may tell no more of its pair than the key.
      const before = new Map(rules);
      for (const [key, symbol] of symbols) {
        const had = rules.get(symbol);
        if (had !== undefined) before.set(key, had);
      }
      return krakenNames(assets, later, { ...beside, before }).rules;
    },
    assetOf,
    finestOf: (code) => {
      const decimals = assets[code]?.decimals;
      return decimals === undefined ? null : stepOf(decimals);
    },
    pairOf: (symbol) => spelling.get(symbol) ?? null,
    symbolOf: (pair) => {
      const known = symbols.get(pair);
      if (known !== undefined) return known;
      const [base, quote] = taken(pair, assets);
      return symbolIn({ base, quote });
    },
  };
}
