/** The market the stand-in shows: one price per pair, set by the test or drawn from the seed, with a spread and a depth. */
import {
  basisPoints,
  divide,
  floorToStep,
  maximum,
  parseFixed,
  type Fixed,
} from '../../../contract/money.ts';
import { random } from '../tape.ts';
import { START_PRICES, type Instrument } from './instruments.ts';

export interface Level {
  price: Fixed;
  quantity: Fixed;
}

export interface Book {
  /** Best first. */
  bids: Level[];
  asks: Level[];
}

export interface PriceOptions {
  seed: number;
  /** Whole spread, in basis points of the price. */
  spreadBps: Fixed;
  /** Worth of each level, in the quote coin. */
  levelValue: Fixed;
  levels: number;
}

const LEVEL_GAP_BPS = parseFixed('2');
/** The largest step of the seeded path, in basis points. */
const STEP_BPS = 60;

export class Prices {
  private readonly mids = new Map<string, Fixed>();
  private readonly roll: () => number;

  private levelValue: Fixed;
  private spreadBps: Fixed;

  constructor(
    private readonly options: PriceOptions,
    instruments: Iterable<Instrument>,
  ) {
    this.levelValue = options.levelValue;
    this.spreadBps = options.spreadBps;
    this.roll = random(options.seed * 7_919 + 11);
    for (const { symbol, base } of instruments)
      this.mids.set(symbol, parseFixed(START_PRICES[base] ?? '100'));
  }

  mid(symbol: string): Fixed {
    const mid = this.mids.get(symbol);
    if (mid === undefined) throw new RangeError(`No price for ${symbol}`);
    return mid;
  }

  has(symbol: string): boolean {
    return this.mids.has(symbol);
  }

  set(symbol: string, mid: Fixed): void {
    if (mid <= 0n) throw new RangeError('A price must be positive');
    this.mids.set(symbol, mid);
  }

  /** From now on each level of every book is worth this much, in the quote coin. */
  setLevelValue(value: Fixed): void {
    this.levelValue = value;
  }

  /** From now on the whole spread of every book is this, in basis points of the price. */
  setSpreadBps(value: Fixed): void {
    this.spreadBps = value;
  }

  /** The next price of the seeded path, on the pair's tick. */
  next(instrument: Instrument): Fixed {
    const bps = BigInt(Math.round((this.roll() * 2 - 1) * STEP_BPS));
    const mid = this.mid(instrument.symbol);
    const moved = (mid + (mid * bps) / 10_000n) as Fixed;
    return maximum(floorToStep(moved, instrument.tick), instrument.tick);
  }

  book(instrument: Instrument): Book {
    const { tick, step, symbol } = instrument;
    const mid = this.mid(symbol);
    const half = maximum(
      tick,
      floorToStep((basisPoints(mid, this.spreadBps, 'up') / 2n) as Fixed, tick),
    );
    const gap = maximum(tick, floorToStep(basisPoints(mid, LEVEL_GAP_BPS, 'up'), tick));
    const level = (price: Fixed): Level => ({
      price,
      quantity: maximum(floorToStep(divide(this.levelValue, price, 'down'), step), step),
    });
    const middle = floorToStep(mid, tick);
    const asks: Level[] = [];
    const bids: Level[] = [];
    for (let index = 0n; index < BigInt(this.options.levels); index += 1n) {
      asks.push(level((middle + half + gap * index) as Fixed));
      const bid = (middle - half - gap * index) as Fixed;
      if (bid > 0n) bids.push(level(bid));
    }
    return { bids, asks };
  }
}
