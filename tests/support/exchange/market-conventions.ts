/** Where the three exchanges differ in what they do, not in how they say it. */
import { parseFixed, type Fixed } from '../../../contract/money.ts';
import type { DialectName } from './instruments.ts';
import type { FeeCoin } from './orders.ts';

export interface Conventions {
  /** What an id that was used before means: another order once the first has ended, or the first order again. */
  reusedId: 'new-order' | 'original-order';
  /** Where fees are charged unless the order or the plan says otherwise. */
  feeCoin: FeeCoin;
  /** What a fee can be charged in at all. */
  feeCoins: readonly FeeCoin[];
  /** The exchange's own coin, in which fees may be paid, and what one is worth in the quote coin. */
  thirdCoin: { coin: string; worth: Fixed } | null;
  feeDecimals: { base: number; quote: number; third: number };
  makerRate: Fixed;
  takerRate: Fixed;
  /** A stop that would fire at once is rejected; otherwise it fires. */
  rejectsTriggeredStops: boolean;
}

export const CONVENTIONS: Record<DialectName, Conventions> = {
  kraken: {
    reusedId: 'new-order',
    feeCoin: 'quote',
    feeCoins: ['quote', 'base'],
    thirdCoin: null,
    feeDecimals: { base: 10, quote: 5, third: 8 },
    makerRate: parseFixed('0.0025'),
    takerRate: parseFixed('0.004'),
    rejectsTriggeredStops: false,
  },
  coinbase: {
    reusedId: 'original-order',
    feeCoin: 'quote',
    feeCoins: ['quote'],
    thirdCoin: null,
    feeDecimals: { base: 12, quote: 12, third: 12 },
    makerRate: parseFixed('0.004'),
    takerRate: parseFixed('0.006'),
    rejectsTriggeredStops: true,
  },
  binance: {
    reusedId: 'new-order',
    feeCoin: 'received',
    feeCoins: ['received', 'third'],
    thirdCoin: { coin: 'BNB', worth: parseFixed('580') },
    feeDecimals: { base: 8, quote: 8, third: 8 },
    makerRate: parseFixed('0.001'),
    takerRate: parseFixed('0.001'),
    rejectsTriggeredStops: true,
  },
};
