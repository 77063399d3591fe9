/** The pairs of the simulated market and what moves them. */
import { fixedFromNumber, parseFixed } from '../../contract/money.ts';
import type { PairRules } from '../../engine/market-types.ts';

export interface SimulatedPair {
  base: string;
  /** The price the path returns to about every five and a half years, in USDT. */
  anchor: number;
  /** Volatility a year, 1 is 100 %; zero for a coin held at its peg. */
  volatility: number;
  /** Share of the variance that the whole market shares, in [0, 1]. */
  common: number;
  /** Usual turnover of a day, USDT. */
  turnover: number;
  /** Digits after the point of a price. */
  decimals: number;
}

export const SIMULATED_QUOTE = 'USDT';

const coin = (
  base: string,
  anchor: number,
  volatility: number,
  common: number,
  turnover: number,
): SimulatedPair => ({
  base,
  anchor,
  volatility,
  common,
  turnover,
  decimals: Math.min(10, Math.max(2, 4 - Math.floor(Math.log10(anchor)))),
});
const stable = (base: string, turnover: number): SimulatedPair => ({
  base,
  anchor: 1,
  volatility: 0,
  common: 0,
  turnover,
  decimals: 5,
});

export const SIMULATED_PAIRS: readonly SimulatedPair[] = [
  coin('BTC', 64_000, 0.55, 0.85, 18e9),
  coin('ETH', 3_100, 0.68, 0.8, 9e9),
  coin('SOL', 145, 0.9, 0.65, 2.4e9),
  coin('XRP', 0.62, 0.85, 0.55, 1.4e9),
  coin('ADA', 0.48, 0.85, 0.65, 420e6),
  coin('AVAX', 31, 0.95, 0.65, 380e6),
  coin('DOT', 6.4, 0.85, 0.65, 210e6),
  coin('DOGE', 0.13, 1.05, 0.55, 900e6),
  coin('LINK', 14.5, 0.85, 0.65, 360e6),
  coin('LTC', 82, 0.7, 0.65, 330e6),
  coin('POL', 0.52, 0.95, 0.65, 190e6),
  coin('ATOM', 7.8, 0.85, 0.65, 140e6),
  coin('UNI', 8.6, 0.95, 0.6, 180e6),
  coin('AAVE', 112, 0.95, 0.6, 160e6),
  coin('BCH', 390, 0.8, 0.6, 260e6),
  coin('XLM', 0.115, 0.8, 0.55, 90e6),
  coin('NEAR', 5.2, 1, 0.6, 250e6),
  coin('ARB', 0.78, 1, 0.6, 220e6),
  coin('OP', 1.75, 1, 0.6, 190e6),
  coin('SUI', 1.6, 1.1, 0.55, 450e6),
  coin('COMP', 52, 0.95, 0.55, 45e6),
  coin('CRV', 0.36, 1.05, 0.55, 90e6),
  coin('AERO', 0.95, 1.25, 0.5, 40e6),
  coin('MORPHO', 1.7, 1.2, 0.45, 25e6),
  coin('VIRTUAL', 1.1, 1.5, 0.4, 60e6),
  coin('BRETT', 0.09, 1.5, 0.4, 30e6),
  coin('DEGEN', 0.009, 1.6, 0.35, 12e6),
  coin('TOSHI', 0.00055, 1.6, 0.35, 10e6),
  stable('USDC', 2e9),
  stable('DAI', 160e6),
  stable('TUSD', 40e6),
];

/**
 * Lots worth about a cent, a small spread for what trades much, and one taker fee: stated, like the
 * prices, not real.
 */
export function rulesOf(pair: SimulatedPair): PairRules {
  const lotDecimals = Math.min(8, Math.max(0, Math.ceil(Math.log10(pair.anchor)) + 2));
  const spread = pair.turnover >= 1e9 ? 1 : pair.turnover >= 1e8 ? 3 : 8;
  return {
    pair: `${pair.base}/${SIMULATED_QUOTE}`,
    base: pair.base,
    quote: SIMULATED_QUOTE,
    lot: fixedFromNumber(10 ** -lotDecimals),
    minNotional: parseFixed('1'),
    halfSpreadBps: pair.volatility === 0 ? 0.5 : spread,
    feeBps: pair.volatility === 0 ? 1 : 10,
  };
}
