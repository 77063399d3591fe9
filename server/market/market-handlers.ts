/** Handlers of the calls about the market. */
import type {
  CandleInterval,
  CandleRow,
  FormingCandle,
  SymbolQuote,
} from '../../contract/market.ts';
import { INTERVAL_MS } from '../../contract/intervals.ts';
import { Refusal } from '../../contract/errors.ts';
import { SYMBOLS_QUERY_MAX } from '../../contract/limits.ts';
import { add, formatFixed, multiply, parseFixed, ZERO } from '../../contract/money.ts';
import {
  POOLS,
  profilesFor,
  universeFor,
  universeVersionAt,
} from '../../engine/strategies/pools.ts';
import type { CallReply } from '../../contract/calls.ts';
import { handlersFor, type CallContext } from '../http/handlers.ts';
import { chartTurnsOf, type ChartTurns } from './chart-turns.ts';
import type { Forming, Market } from './market-source.ts';
import { offeredBy } from './offered-pairs.ts';
import { amountText, decimalText } from './price-text.ts';
import { isBuildable } from './timeframes.ts';

const CANDLES_DEFAULT = 300;
const LIST_LENGTH = 5;

type CandlesAsk = CallContext<'candles'>['query'];

export function marketHandlers({ market }: { market: Market }) {
  const turns = chartTurnsOf(market);
  return handlersFor({
    marketData: async ({ query }) => ({
      source: market.source,
      now: market.now(),
      symbols: quotesOf(market, asked(market, query.symbols)),
    }),
    marketOverview: async () => overview(market),
    marketPools: async () => pools(market),
    sparklines: async ({ query }) => ({
      now: market.now(),
      lines: Object.fromEntries(
        asked(market, query.symbols).flatMap((pair) => {
          const line = market.dayLine(pair);
          return line === null ? [] : [[pair, line]];
        }),
      ),
    }),
    candles: ({ caller, query }) => readCandles(market, turns, caller.uid, query),
  });
}

/** A page of a chart: closed candles, and beside the newest page the one that is open. */
export async function readCandles(
  market: Market,
  turns: ChartTurns,
  uid: string,
  query: CandlesAsk,
): Promise<CallReply<'candles'>> {
  const { symbol, interval } = query;
  if (market.rules(symbol) === null) throw unknownSymbol(market, symbol, 'symbol');
  if (!isBuildable(interval, market.finestInterval)) throw notBuildable(market, interval);
  const length = INTERVAL_MS[interval];
  const now = market.now();
  const to = Math.min(query.before ?? Infinity, now);
  const from = Math.floor(to / length) * length - (query.limit ?? CANDLES_DEFAULT) * length;
  const read = async () => ({
    found: await market.candles(symbol, interval, Math.max(0, from), to, 'screen'),
    forming: query.before === undefined ? await market.forming(symbol, interval, now) : undefined,
  });
  const told = () =>
    read().catch(() => {
      throw unavailable();
    });
  const { found, forming } = await turns.take(uid, told);
  const rows = found.map(({ time, open, high, low, close, volume }): CandleRow => [
    time,
    decimalText(open),
    decimalText(high),
    decimalText(low),
    decimalText(close),
    amountText(volume),
  ]);
  return {
    symbol,
    interval,
    candles: rows,
    now,
    ...(forming === undefined ? {} : { forming: wireForming(forming) }),
  };
}

const unavailable = (): Refusal =>
  new Refusal('market_unavailable', 'Unable to retrieve market data - all sources unavailable');

const unknownSymbol = (market: Market, symbol: string, field: string): Refusal =>
  new Refusal('unknown_symbol', `${symbol.slice(0, 40)} is not offered by ${market.source.label}`, {
    field,
  });

function notBuildable(market: Market, interval: CandleInterval): Refusal {
  const finest = market.finestInterval;
  const message =
    INTERVAL_MS[interval] < INTERVAL_MS[finest]
      ? `This source has candles of ${finest} and longer`
      : `${interval} candles cannot be built from ${finest} candles`;
  return new Refusal('invalid_parameter', message, { field: 'interval' });
}

function wireForming(forming: Forming | null): FormingCandle | null {
  if (forming === null) return null;
  const {
    candle: { time, open, high, low, close, volume },
    volumeTo,
    since,
    at,
  } = forming;
  return {
    time,
    open: decimalText(open),
    high: decimalText(high),
    low: decimalText(low),
    close: decimalText(close),
    volume: volume === null ? null : amountText(volume),
    volumeTo,
    since,
    at,
  };
}

/** The pairs named in a comma-separated list, once each; all of them without one. */
function asked(market: Market, list: string | undefined): string[] {
  const all = market.pairs().map((rules) => rules.pair);
  if (all.length === 0) throw unavailable();
  const names = [
    ...new Set(
      (list ?? '')
        .split(',')
        .map((name) => name.trim())
        .filter((name) => name !== ''),
    ),
  ];
  if (names.length === 0) return all;
  if (names.length > SYMBOLS_QUERY_MAX)
    throw new Refusal('invalid_parameter', `At most ${SYMBOLS_QUERY_MAX} symbols`, {
      field: 'symbols',
    });
  for (const name of names)
    if (market.rules(name) === null) throw unknownSymbol(market, name, 'symbols');
  return names;
}

/** Quotes of those pairs that have one. @throws Refusal when none has. */
function quotesOf(market: Market, names: readonly string[]): SymbolQuote[] {
  const found = names.flatMap((name) => market.symbol(name) ?? []);
  if (found.length === 0) throw unavailable();
  return found;
}

function overview(market: Market) {
  const symbols = quotesOf(market, asked(market, undefined));
  const changed = symbols.filter((symbol) => symbol.price_change_24h !== null);
  const change = (symbol: SymbolQuote): number => symbol.price_change_24h ?? 0;
  const turnover = (symbol: SymbolQuote) =>
    multiply(parseFixed(symbol.volume_24h ?? '0'), parseFixed(symbol.price), 'half-even');
  const byChange = [...changed].sort((a, b) => change(b) - change(a));
  return {
    source: market.source,
    now: market.now(),
    symbols: symbols.length,
    advancing: changed.filter((symbol) => change(symbol) > 0).length,
    declining: changed.filter((symbol) => change(symbol) < 0).length,
    unchanged: changed.filter((symbol) => change(symbol) === 0).length,
    volume_24h: formatFixed(symbols.map(turnover).reduce(add, ZERO)),
    gainers: byChange.filter((symbol) => change(symbol) > 0).slice(0, LIST_LENGTH),
    losers: byChange
      .filter((symbol) => change(symbol) < 0)
      .reverse()
      .slice(0, LIST_LENGTH),
    mostTraded: [...symbols]
      .sort((a, b) => (turnover(b) > turnover(a) ? 1 : turnover(b) < turnover(a) ? -1 : 0))
      .slice(0, LIST_LENGTH),
    refused: { ...market.refused() },
    stale: symbols.every((symbol) => symbol.stale),
  };
}

/** The fixed list, the same for every tier, each with the pairs that this source offers. */
function pools(market: Market) {
  if (market.pairs().length === 0)
    throw new Refusal(
      'pools_unavailable',
      'Unable to retrieve trading pools - all sources unavailable',
    );
  return {
    pools: POOLS.map(({ id, name, description, risk, about }) => {
      const list = universeVersionAt(id, market.now());
      return {
        id,
        name,
        description,
        risk,
        pairs: universeFor(id, [], offeredBy(market), market.now()),
        about: {
          ...about,
          risks: [...about.risks],
          suits: profilesFor(id),
          universe: [...list.bases],
          listedSince: list.from === 0 ? null : list.from,
        },
      };
    }),
  };
}
