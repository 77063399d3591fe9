/** Follows the market clock and runs due agents when a candle closes; refuses to run a tick twice or to act on an old one. */
import { and, eq, inArray, isNull, lte } from 'drizzle-orm';
import { INTERVAL_MS } from '../../contract/market.ts';
import type { PoolId } from '../../contract/agents.ts';
import type { Quote } from '../../engine/types.ts';
import { agents } from '../db/schema.ts';
import { PaperVenue } from '../venues/paper.ts';
import { runBatch } from './batch.ts';
import type { TradingDeps } from './deps.ts';
import { LOOKING } from './lifecycle.ts';
import { pairsOf } from './read-agents.ts';
import { checkBooks, keepTidy } from './retention.ts';
import { StopWatch } from './stop-watch.ts';
import { finishTick, lastTick } from './tick-book.ts';
import { TickInputs } from './tick-inputs.ts';

const LOOK_EVERY_MS = 20;
const AFTER_FAILURE_MS = 1_000;
const BATCH = 250;
/** How long a tick waits for the first prices after it: on the market clock, and in real time. */
const QUOTE_WAIT_MARKET_MS = 60_000;
const QUOTE_WAIT_MS = 20_000;
const QUOTE_LOOK_MS = 5;
const HOUR_MS = 60 * 60_000;
/** The first time soon after a start, but not in its way. */
const TIDY_FIRST_MS = 60_000;

export interface TickReport {
  /** Close of the tick, ms on the market clock; null when no candle has closed since the last. */
  tick: number | null;
  agents: number;
  trades: number;
  faults: number;
  skipped: number;
}

const NOTHING: TickReport = { tick: null, agents: 0, trades: 0, faults: 0, skipped: 0 };
const pause = (ms: number): Promise<void> => new Promise((resolve) => { setTimeout(resolve, ms); });

interface FirstQuote { tick: number; quote: Quote }

/** A stretch in which a pair had no price while this server was up, ms on the market clock. */
interface Gap {
  since: number;
  /** Close of the candle in which prices came back: until then not all of the gap can be seen. */
  until: number;
  looked: boolean;
}

export class Scheduler {
  private readonly stops: StopWatch;
  private readonly stepMs: number;
  /** First sane quote of each pair after the close it belongs to. */
  private readonly first = new Map<string, FirstQuote>();
  private readonly heardAt = new Map<string, number>();
  private readonly gaps = new Map<string, Gap>();
  private unsubscribe: (() => void) | null = null;
  private last: number | null = null;
  private stopping = false;
  private running: Promise<void> = Promise.resolve();
  private tidying: Promise<void> = Promise.resolve();
  private tidyAt = performance.now() + TIDY_FIRST_MS;
  private checkAt = performance.now() + 24 * HOUR_MS;

  /** `batch`: agents run in one transaction. */
  constructor(private readonly deps: TradingDeps, private readonly batch = BATCH) {
    this.stepMs = INTERVAL_MS[deps.market.baseInterval];
    this.stops = new StopWatch(deps, new PaperVenue(deps.market));
  }

  /** Reads where it stands, runs the stops over what was missed, and follows the market from here. */
  async start(): Promise<void> {
    await this.open();
    this.running = this.follow();
  }

  /** Finishes the batch it holds and the stops under way. */
  async stop(): Promise<void> {
    this.stopping = true;
    this.unsubscribe?.();
    this.unsubscribe = null;
    await this.running;
    await this.stops.settled();
    await this.tidying;
  }

  /** `start` without the loop: whoever calls this calls `runOnce` for every tick. */
  async open(): Promise<void> {
    const { market, database, log } = this.deps;
    this.stopping = false;
    this.unsubscribe ??= market.onQuote((quote) => { this.take(quote); });
    // What was quoted before anybody listened here: after a start the newest price is the first this server can act on.
    for (const { pair } of market.pairs()) {
      const quote = market.isStale(pair) ? null : market.quote(pair);
      if (quote !== null) this.note(quote);
    }
    this.last = await lastTick(database, market);
    await this.stops.load();
    await this.stops.settled();
    if (this.last === null || this.stops.watched === 0) return;
    const sold = await this.stops.runMissed(this.last);
    if (sold > 0) log.info({ sold }, 'Stops were hit while the server was down');
  }

  get protectedPositions(): number {
    return this.stops.watched;
  }

  /** Waits for stops that prices have set off. */
  settled(): Promise<void> {
    return this.stops.settled();
  }

  private take(quote: Quote): void {
    this.noteGap(quote);
    this.note(quote);
    this.stops.onQuote(quote);
  }

  /** Silence for longer than a quarter of a candle: what happened meanwhile is known from the candles alone. */
  private noteGap({ pair, at }: Quote): void {
    const before = this.heardAt.get(pair);
    this.heardAt.set(pair, Math.max(at, before ?? at));
    if (before === undefined || at - before <= this.stepMs / 4) return;
    const since = Math.min(Math.floor(before / this.stepMs) * this.stepMs, this.gaps.get(pair)?.since ?? before);
    this.gaps.set(pair, { since, until: (Math.floor(at / this.stepMs) + 1) * this.stepMs, looked: false });
  }

  /** Runs the stops over the candles of every gap: as soon as prices are back, and again when the last of them has closed. */
  private async makeUp(): Promise<void> {
    for (const [pair, gap] of [...this.gaps]) {
      const over = this.deps.market.now() >= gap.until;
      if (gap.looked && !over) continue;
      try {
        const sold = await this.stops.runMissed(gap.since, pair);
        if (sold > 0) this.deps.log.info({ pair, sold }, 'Stops were hit while there were no prices');
        gap.looked = true;
        if (over && this.gaps.get(pair) === gap) this.gaps.delete(pair);
      } catch (error) {
        this.deps.log.warn({ pair, reason: String(error) }, 'The candles of a gap could not be read and are asked for again');
      }
    }
  }

  private note(quote: Quote): void {
    const tick = Math.floor(quote.at / this.stepMs) * this.stepMs;
    const known = this.first.get(quote.pair);
    if (known === undefined || tick > known.tick) this.first.set(quote.pair, { tick, quote });
  }

  private async follow(): Promise<void> {
    while (!this.stopping) {
      try {
        await this.runOnce();
        this.tidy();
        await pause(LOOK_EVERY_MS);
      } catch (error) {
        this.deps.log.error({ reason: error instanceof Error ? error.message : String(error) }, 'A tick failed and is tried again');
        await pause(AFTER_FAILURE_MS);
      }
    }
  }

  /** Runs the newest closed tick, if it was not run yet; older ones between are recorded as skipped. */
  async runOnce(): Promise<TickReport> {
    const { market, database, log } = this.deps;
    const tick = Math.floor(market.now() / this.stepMs) * this.stepMs;
    if (this.gaps.size > 0) await this.makeUp();
    if (this.last !== null && tick <= this.last) return NOTHING;
    await this.waitForQuotes(tick);
    const begun = performance.now();
    const inputs = new TickInputs(market, tick, this.quotesOf(tick));
    const report: TickReport = { ...NOTHING, tick };
    for (let finished = false; !finished && !this.stopping;) {
      const batch = await database.transaction(async (tx) => {
        const ran = await runBatch(tx, this.deps, inputs, this.batch);
        const done = ran.agents < this.batch;
        const skipped = done ? await finishTick(tx, this.deps, tick, this.last, report.agents + ran.agents) : 0;
        return { ...ran, done, skipped };
      });
      report.agents += batch.agents;
      report.trades += batch.trades;
      report.faults += batch.faults;
      report.skipped += batch.skipped;
      finished = batch.done;
      if (finished) this.last = tick;
      if (batch.trades > 0) await this.stops.load();
    }
    if (report.agents > 0) log.info({ tick, agents: report.agents, trades: report.trades, faults: report.faults, ms: Math.round(performance.now() - begun) }, 'A tick was run');
    if (report.skipped > 0) log.info({ tick, skipped: report.skipped }, 'Older ticks were skipped');
    return report;
  }

  private quotesOf(tick: number): Map<string, Quote> {
    return new Map([...this.first].filter(([, known]) => known.tick === tick).map(([pair, known]) => [pair, known.quote]));
  }

  /** Until every pair of the due agents has its first price after the close, or the bounded wait is over. */
  private async waitForQuotes(tick: number): Promise<void> {
    const { market } = this.deps;
    const missing = new Set(await this.duePairs(tick));
    const giveUpAt = performance.now() + QUOTE_WAIT_MS;
    const until = tick + Math.min(QUOTE_WAIT_MARKET_MS, this.stepMs / 5);
    while (!this.stopping) {
      for (const pair of missing) if ((this.first.get(pair)?.tick ?? -1) >= tick) missing.delete(pair);
      if (missing.size === 0 || market.now() >= until || performance.now() >= giveUpAt) return;
      await pause(QUOTE_LOOK_MS);
    }
  }

  private async duePairs(tick: number): Promise<Set<string>> {
    const { market, database } = this.deps;
    const rows = await database.db.selectDistinct({ pool: agents.pool, tradingPairs: agents.tradingPairs }).from(agents).where(and(
      eq(agents.source, market.source.id), inArray(agents.status, [...LOOKING]), isNull(agents.deletedAt), lte(agents.nextDueMarketMs, tick),
    ));
    return new Set(rows.flatMap(({ pool, tradingPairs }) => pairsOf(market, { pool: pool as PoolId, tradingPairs })));
  }

  /** Beside the ticks, never in their way. */
  private tidy(): void {
    const now = performance.now();
    if (now < this.tidyAt) return;
    this.tidyAt = now + HOUR_MS;
    const check = now >= this.checkAt;
    if (check) this.checkAt = now + 24 * HOUR_MS;
    this.tidying = this.tidying.then(() => keepTidy(this.deps)).then(() => (check ? checkBooks(this.deps) : undefined))
      .catch((error: unknown) => { this.deps.log.warn({ reason: String(error) }, 'Old decisions and marks could not be folded'); });
  }
}
