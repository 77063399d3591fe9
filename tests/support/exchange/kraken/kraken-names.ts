/** Kraken's names of coins and pairs: XXBT, ZUSD, XXBTZUSD and XBTUSD. */
import type { Instrument } from '../instruments.ts';

const COINS: Record<string, string> = { BTC: 'XXBT', ETH: 'XETH', USD: 'ZUSD', EUR: 'ZEUR' };
const SHORT: Record<string, string> = { BTC: 'XBT' };

export const coinId = (coin: string): string => COINS[coin] ?? coin;
export const coinAltname = (coin: string): string => SHORT[coin] ?? coin;

/** The key of a pair in a reply: long where both coins have a long name. */
export function pairId({ base, quote }: Instrument): string {
  return COINS[base] === undefined ? `${base}${quote}` : `${coinId(base)}${coinId(quote)}`;
}

export const pairAltname = ({ base, quote }: Instrument): string =>
  `${coinAltname(base)}${coinAltname(quote)}`;

export const pairWsName = ({ base, quote }: Instrument): string =>
  `${coinAltname(base)}/${coinAltname(quote)}`;

/** Decimals in which Kraken counts a coin. */
export const coinDecimals = (coin: string): number => (['USD', 'EUR'].includes(coin) ? 4 : 10);

export function findPair(instruments: Iterable<Instrument>, name: string): Instrument | undefined {
  for (const instrument of instruments)
    if ([pairId(instrument), pairAltname(instrument), instrument.symbol].includes(name))
      return instrument;
  return undefined;
}
