/** The equity of a backtest after each candle, computed exactly and only where it is read. */
import type { Fixed } from '../../contract/money.ts';
import { priceFromNumber, quoteAround } from '../execution/fills.ts';
import { markToMarket } from '../accounting/ledger.ts';
import { equityDay } from '../accounting/performance-metrics.ts';
import type { EquityPoint } from '../accounting/performance-metrics.ts';
import { toNumber } from '../../contract/money.ts';
import type { Series } from '../signals/candle-series.ts';
import type { Timeline } from './timeline.ts';
import type { OpenPosition } from '../execution/agent-types.ts';
import type { PairRules, Quote } from '../market-types.ts';

/** What was held from one moment of the timeline until the next era. */
export interface Era {
  from: number;
  cash: Fixed;
  positions: readonly OpenPosition[];
}

export interface Tape {
  series: readonly Series[];
  /** Place of each pair in the series and the timeline. */
  places: ReadonlyMap<string, number>;
  timeline: Timeline;
  rules: ReadonlyMap<string, PairRules>;
}

export class EquityCurve {
  /** Eras in order of time; the first holds from the first moment. */
  constructor(
    private readonly tape: Tape,
    private readonly eras: readonly Era[],
    private readonly start: number,
    private readonly deposit: Fixed,
  ) {}

  /** The start, and one point after each moment of the timeline. */
  get length(): number {
    return this.tape.timeline.opens.length + 1;
  }

  /** ms. */
  timeAt(point: number): number {
    const { lengths, opens } = this.tape.timeline;
    return point === 0 ? this.start : (opens[point - 1] ?? 0) + (lengths[point - 1] ?? 0);
  }

  /** Cash plus positions at the bid of each pair's newest price. */
  worthAt(point: number): Fixed {
    const era = point === 0 ? undefined : this.eraAt(point - 1);
    if (!era) return this.deposit;
    return era.positions.length === 0
      ? era.cash
      : markToMarket(
          era.cash,
          era.positions,
          quotesAtEnd(this.tape, era.positions, point - 1, this.timeAt(point)),
        ).equity;
  }

  /** Every point, as money. */
  all(): [number, Fixed][] {
    return Array.from({ length: this.length }, (_, point) => [
      this.timeAt(point),
      this.worthAt(point),
    ]);
  }

  /** The start and the last point of each UTC day, which is all that the metrics read. */
  daily(): EquityPoint[] {
    const { lengths, opens } = this.tape.timeline;
    const points: EquityPoint[] = [[this.start, toNumber(this.deposit)]];
    let before = Number.NaN;
    for (let k = 0; k <= opens.length; k += 1) {
      const day = k === opens.length ? Number.NaN : equityDay((opens[k] ?? 0) + (lengths[k] ?? 0));
      if (k > 0 && day !== before) points.push([this.timeAt(k), toNumber(this.worthAt(k))]);
      before = day;
    }
    return points;
  }

  private eraAt(moment: number): Era | undefined {
    let low = 0;
    let high = this.eras.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.eras[middle]?.from ?? 0) <= moment) low = middle + 1;
      else high = middle;
    }
    return this.eras[low - 1];
  }
}

/** Quotes of the positions at the open of a moment; a pair without a candle there has none. */
export function quotesAtOpen(
  tape: Tape,
  pairs: Iterable<string>,
  moment: number,
): Map<string, Quote> {
  const at = tape.timeline.opens[moment] ?? 0;
  const quotes = new Map<string, Quote>();
  for (const pair of pairs) {
    const place = tape.places.get(pair) ?? -1;
    const series = tape.series[place];
    const bar = tape.timeline.bars[place]?.[moment] ?? -1;
    const rules = tape.rules.get(pair);
    if (series && rules && series.opensAt[bar] === at)
      quotes.set(pair, quoteAround(rules, at, priceFromNumber(series.open[bar] ?? 0)));
  }
  return quotes;
}

/**
 * Quotes of the positions at the newest price known at a moment's open: the open of a candle that
 * opens there, else the close of the newest one, else the open of a longer one that is not over.
 */
export function marksAtOpen(
  tape: Tape,
  pairs: Iterable<string>,
  moment: number,
): Map<string, Quote> {
  const at = tape.timeline.opens[moment] ?? 0;
  const quotes = new Map<string, Quote>();
  for (const pair of pairs) {
    const place = tape.places.get(pair) ?? -1;
    const rules = tape.rules.get(pair);
    const price = knownPrice(
      tape.series[place] ?? null,
      tape.timeline.bars[place]?.[moment] ?? -1,
      at,
    );
    if (rules && !Number.isNaN(price))
      quotes.set(pair, quoteAround(rules, at, priceFromNumber(price)));
  }
  return quotes;
}

/**
 * The price known at a moment (ms) from a candle that opened by then: its close once it is over,
 * its open until then; NaN without a candle.
 */
export function knownPrice(series: Series | null, bar: number, at: number): number {
  if (series === null || bar < 0) return Number.NaN;
  return ((series.closesAt[bar] ?? 0) <= at ? series.close[bar] : series.open[bar]) ?? Number.NaN;
}

function quotesAtEnd(
  { places, rules, series, timeline }: Tape,
  positions: readonly OpenPosition[],
  moment: number,
  at: number,
): Map<string, Quote> {
  const quotes = new Map<string, Quote>();
  for (const { pair } of positions) {
    const place = places.get(pair) ?? -1;
    const bar = timeline.bars[place]?.[moment] ?? -1;
    const price = knownPrice(series[place] ?? null, bar, at);
    const rule = rules.get(pair);
    if (rule && !Number.isNaN(price))
      quotes.set(pair, quoteAround(rule, series[place]?.opensAt[bar] ?? 0, priceFromNumber(price)));
  }
  return quotes;
}
