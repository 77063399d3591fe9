/** The pairs the stand-in trades and the rules each exchange really has for them. */
import { parseFixed, type Fixed } from '../../../contract/money.ts';

export type DialectName = 'kraken' | 'coinbase' | 'binance';

/** `cancel-only` takes no new order; a delisted pair is gone from every public list. */
export type PairStatus = 'online' | 'cancel-only' | 'delisted';

export interface Instrument {
  /** In the common spelling, `BTC/USD`. */
  symbol: string;
  base: string;
  quote: string;
  /** Smallest step of a price. */
  tick: Fixed;
  /** Smallest step of a quantity. */
  step: Fixed;
  minQuantity: Fixed;
  minNotional: Fixed;
  /** Decimals to which the cost of a fill is rounded, half to even. */
  costDecimals: number;
  status: PairStatus;
}

/** The rules that may change while an agent trades. */
export type RuleChange = Partial<
  Pick<Instrument, 'tick' | 'step' | 'minQuantity' | 'minNotional' | 'status'>
>;

type Row = [
  base: string,
  quote: string,
  tick: string,
  step: string,
  minQuantity: string,
  minNotional: string,
];

const ROWS: Record<DialectName, Row[]> = {
  kraken: [
    ['BTC', 'USD', '0.1', '0.00000001', '0.00005', '0.5'],
    ['ETH', 'USD', '0.01', '0.00000001', '0.002', '0.5'],
    ['LINK', 'USD', '0.00001', '0.00000001', '0.2', '0.5'],
  ],
  coinbase: [
    ['BTC', 'USD', '0.01', '0.00000001', '0.00000001', '1'],
    ['ETH', 'USD', '0.01', '0.00000001', '0.00000001', '1'],
    ['LINK', 'USD', '0.001', '0.01', '0.01', '1'],
  ],
  binance: [
    ['BTC', 'USDT', '0.01', '0.00001', '0.00001', '5'],
    ['ETH', 'USDT', '0.01', '0.0001', '0.0001', '5'],
    ['LINK', 'USDT', '0.01', '0.01', '0.01', '5'],
    ['BNB', 'USDT', '0.01', '0.001', '0.001', '5'],
  ],
};

const COST_DECIMALS: Record<DialectName, number> = { kraken: 5, coinbase: 12, binance: 8 };

export function instrumentsOf(dialect: DialectName): Map<string, Instrument> {
  return new Map(
    ROWS[dialect].map(([base, quote, tick, step, minQuantity, minNotional]) => [
      `${base}/${quote}`,
      {
        symbol: `${base}/${quote}`,
        base,
        quote,
        tick: parseFixed(tick),
        step: parseFixed(step),
        minQuantity: parseFixed(minQuantity),
        minNotional: parseFixed(minNotional),
        costDecimals: COST_DECIMALS[dialect],
        status: 'online' as const,
      },
    ]),
  );
}

/** Where the seeded price paths start, in the quote coin. */
export const START_PRICES: Record<string, string> = {
  BTC: '64000',
  ETH: '3100',
  LINK: '14.25',
  BNB: '580',
};
