/**
 * Follows the market clock and runs due agents when a candle closes, alone or with other processes
 * on one database.
 */
import { INTERVAL_MS } from '../../contract/intervals.ts';
import type { Quote } from '../../engine/market-types.ts';
import { PaperVenue } from '../venues/paper.ts';
import { runBatch, type BatchReport } from './batch.ts';
import type { TradingDeps } from '../trading-deps.ts';
import { countDue, dueTerms, isAnyDue } from './due-agents.ts';
import { pairsHeldLive } from './held-pairs.ts';
import { PriceGaps } from './price-gaps.ts';
import { pairsOf } from './read-agents.ts';
import { runLedgerCheck } from '../portfolio/ledger-check.ts';
import { keepTidy } from '../retention.ts';
import { StopWatch } from './stop-watch.ts';
import {
  beginTick,
  countRun,
  finishTick,
  joinTick,
  lastTick,
  markAccounts,
  type TickRun,
} from './tick-run.ts';
import { inTime } from '../market/candles-in-time.ts';
import { hasNamedPairs } from '../market/market-source.ts';
import { isTraded } from '../market/offered-pairs.ts';
import { TickInputs, type Unread } from './tick-inputs.ts';

const POLL_EVERY_MS = 20;
const AFTER_FAILURE_MS = 1_000;
const BATCH = 250;
/** Batches that one process has under way on a database that many may use at once. */
const BATCH_WORKERS = 2;
/** How often positions are read that others may have opened, and at most this part of the time. */
const RELOAD_MS = 1_000;
const RELOAD_SHARE = 20;
/** How long a tick waits for the first prices after it: on the market clock, and in real time. */
const QUOTE_WAIT_MARKET_MS = 60_000;
const QUOTE_WAIT_MS = 20_000;
const QUOTE_LOOK_MS = 5;
/** How long a tick waits for the candles of its agents; who needs others is run at a later look. */
const CANDLES_WAIT_MS = 15_000;
const CANDLES_LOOK_MS = 100;
/** A tick waits so long for stops over missed candles, which go on beside it. */
const GAPS_WAIT_MS = 10_000;
/** The pause before candles that could not be read are asked for again. */
const CANDLES_AGAIN_MS = 5_000;
const HOUR_MS = 60 * 60_000;
/** The first time soon after a start, but not in its way. */
const TIDY_FIRST_MS = 60_000;

export interface TickReport {
  /** Close of the tick, ms on the market clock; null when no candle has closed since the last. */
  tick: number | null;
  agents: number;
  trades: number;
  faults: number;
  /** Agents whose evaluation at an older tick was skipped. */
  late: number;
  /** Older ticks that nobody was run at. */
  skipped: number;
}

const NOTHING: TickReport = { tick: null, agents: 0, trades: 0, faults: 0, late: 0, skipped: 0 };
const pause = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms);
  });

/** Null: they did not come in time. */
function reasonOf(unread: readonly Unread[] | null): { pairs?: string[]; reason: string } {
  if (unread === null) return { reason: `not there after ${CANDLES_WAIT_MS} ms` };
  const pairs = [...new Set(unread.map(({ pair }) => pair))];
  return { pairs, reason: String(unread[0]?.error) };
}

interface FirstQuote {
  tick: number;
  quote: Quote;
}

export class Scheduler {
  private readonly stops: StopWatch;
  private readonly stepMs: number;
  /** First sane quote of each pair after the close it belongs to. */
  private readonly first = new Map<string, FirstQuote>();
  private readonly gaps: PriceGaps;
  private readonly unsubscribes: (() => void)[] = [];
  private last: number | null = null;
  /** The tick that waits for candles, and when it is run again, by `performance.now`. */
  private waiting = { tick: -1, until: 0 };
  private stopping = false;
  private running: Promise<void> = Promise.resolve();
  private tidying: Promise<void> = Promise.resolve();
  private reloading: Promise<void> = Promise.resolve();
  private reloadAt = 0;
  private tidyAt = performance.now() + TIDY_FIRST_MS;

  /** `batch`: agents run in one transaction. */
  constructor(
    private readonly deps: TradingDeps,
    private readonly batch = BATCH,
  ) {
    this.stepMs = INTERVAL_MS[deps.market.baseInterval];
    this.stops = new StopWatch(deps, new PaperVenue(deps.market));
    this.gaps = new PriceGaps(deps, this.stops);
  }

  /**
   * Reads where it stands and follows the market from here. What was missed is made up first, but
   * nobody waits for it: the source may not be there yet.
   */
  async start(): Promise<void> {
    await this.prepare();
    this.running = this.follow();
  }

  /** Finishes the batch it holds, the stops under way and the page of the tidying. */
  async stop(): Promise<void> {
    this.stopping = true;
    for (const unsubscribe of this.unsubscribes.splice(0)) unsubscribe();
    await this.running;
    await this.reloading;
    await this.gaps.settled();
    await this.stops.settled();
    await this.tidying;
  }

  /** `start` without the loop: whoever calls this calls `runOnce` for every tick. */
  async open(): Promise<void> {
    await this.prepare();
    await this.gaps.makeUp();
  }

  private async prepare(): Promise<void> {
    const { market, database } = this.deps;
    this.stopping = false;
    if (this.unsubscribes.length === 0) {
      this.unsubscribes.push(
        market.onQuote((quote) => {
          this.take(quote);
        }),
        this.deps.events.onAccountsClosed((accountIds) => {
          void this.stops.forget(accountIds);
        }),
        database.onReturn(() => {
          this.startOver();
        }),
      );
    }
    // What was quoted before anybody listened here: after a start the newest price is the first
    // this server can act on.
    for (const { pair } of market.pairs()) {
      const quote = market.isStale(pair) ? null : market.quote(pair);
      if (quote !== null) this.note(quote);
    }
    this.last = await lastTick(database, market);
    await this.stops.load();
    await this.stops.settled();
    // Somebody was there at the last tick; of the time since then nobody may have seen anything.
    this.gaps.missed(this.stops.pairs, this.lastHeard());
  }

  /** The last tick, or what has passed of the present candle where there was none. */
  private lastHeard(): number {
    return this.last ?? Math.floor(this.deps.market.now() / this.stepMs) * this.stepMs;
  }

  /**
   * The database was lost and is back: what it holds now is read, and stops are run over the time
   * without it.
   */
  private startOver(): void {
    this.gaps.missed(
      this.deps.market.pairs().map(({ pair }) => pair),
      this.lastHeard(),
    );
    this.stops.load().catch((error: unknown) => {
      this.deps.log.error(
        { reason: String(error) },
        'Open positions could not be read after the database came back',
      );
    });
  }

  get protectedPositions(): number {
    return this.stops.watched;
  }

  /** Waits for stops that prices have set off. */
  settled(): Promise<void> {
    return this.stops.settled();
  }

  private take(quote: Quote): void {
    this.gaps.hear(quote);
    this.note(quote);
    this.stops.onQuote(quote);
  }

  private note(quote: Quote): void {
    const tick = Math.floor(quote.at / this.stepMs) * this.stepMs;
    const known = this.first.get(quote.pair);
    if (known === undefined || tick > known.tick) this.first.set(quote.pair, { tick, quote });
  }

  private async follow(): Promise<void> {
    while (!this.stopping) {
      try {
        this.watchOthers();
        await this.runOnce();
        this.tidy();
        await pause(POLL_EVERY_MS);
      } catch (error) {
        this.deps.log.error(
          { reason: error instanceof Error ? error.message : String(error) },
          'A tick failed and will be retried',
        );
        await pause(AFTER_FAILURE_MS);
      }
    }
  }

  /**
   * Runs the newest closed tick, if it was not run yet; older ones between are recorded as skipped.
   * Others may run it too: it is over when no agent is due any more, whoever held the last. Agents
   * whose candles could not be read stay due, and are run after a pause. Once the next candle has
   * closed, what is left of it is left to the newer tick, where those who waited longest come
   * first. While an exchange has not named its pairs nothing has a price, and no tick is begun: an
   * evaluation would count for nothing, and an account would be worth what it cost.
   */
  async runOnce(): Promise<TickReport> {
    const { market, log } = this.deps;
    const tick = Math.floor(market.now() / this.stepMs) * this.stepMs;
    // Before the tick decides, where it can be; slow candles of one pair hold up no other's exit.
    await inTime(this.gaps.makeUp(), GAPS_WAIT_MS).catch(() => undefined);
    if (!hasNamedPairs(market) || (this.last !== null && tick <= this.last)) return NOTHING;
    if (tick === this.waiting.tick && performance.now() < this.waiting.until) return NOTHING;
    const report: TickReport = { ...NOTHING, tick };
    const run = await this.begin(tick, report);
    if (this.stopping) return report;
    const began = performance.now();
    const inputs = new TickInputs(market, tick, run.quotes);
    if (run.state === 'running') await this.runAll(inputs, report);
    if (inputs.leftOut.size > 0) await this.leaveWaiting(inputs);
    else if (!this.stopping) this.last = tick;
    if (report.agents > 0)
      log.info({ ...report, ms: Math.round(performance.now() - began) }, 'A tick was run');
    return report;
  }

  /** Joins the tick that somebody has begun, or begins it with the first prices after its close. */
  private async begin(tick: number, report: TickReport): Promise<TickRun> {
    const { market, database, log } = this.deps;
    const known = await joinTick(database.db, market, tick);
    if (known !== null) return known;
    await this.waitForQuotes(tick);
    // Ended meanwhile, or so late that the next has closed: its first prices are not known here,
    // and it is not begun.
    if (this.stopping || market.now() >= tick + this.stepMs)
      return { state: 'over', quotes: new Map() };
    const run = await database.transaction((tx) =>
      beginTick(tx, this.deps, tick, this.quotesOf(tick)),
    );
    report.skipped = run.skipped;
    if (run.skipped > 0) log.info({ tick, skipped: run.skipped }, 'Older ticks were skipped');
    for (const { closeMarketMs, agents } of run.unfinished) {
      const left = await countDue(database.db, market, closeMarketMs);
      log.warn(
        { tick: closeMarketMs, agents, left },
        'A tick was not finished before the next one closed: its remaining agents are evaluated at the newer one',
      );
    }
    return run;
  }

  /** Agents of it stay due. What everybody has is marked without them. */
  private async leaveWaiting({ tick, quotes }: TickInputs): Promise<void> {
    const { market, database } = this.deps;
    const known = this.waiting.tick === tick;
    this.waiting = { tick, until: performance.now() + CANDLES_AGAIN_MS };
    if (known || this.stopping || market.now() >= tick + this.stepMs) return;
    await database.transaction((tx) => markAccounts(tx, this.deps, tick, quotes));
  }

  /**
   * Reads what the due agents decide on, while nothing is locked: who waits for a row must not wait
   * for an exchange. What has not come in time is read by a later look.
   */
  private async readCandles(inputs: TickInputs): Promise<void> {
    const { market, database, log } = this.deps;
    const { tick } = inputs;
    const terms = await dueTerms(database.db, market, tick);
    const held = await this.heldPairs();
    const giveUpAt = performance.now() + CANDLES_WAIT_MS;
    let ended = false;
    const reading = inputs.load(terms, held).finally(() => {
      ended = true;
    });
    const late = async (): Promise<null> => {
      while (!ended && !this.stopping && performance.now() < giveUpAt) await pause(CANDLES_LOOK_MS);
      return null;
    };
    const unread = await Promise.race([reading, late()]);
    if (unread?.length === 0 || this.stopping || this.waiting.tick === tick) return;
    log.warn(
      { tick, ...reasonOf(unread) },
      'Candles could not be read: agents that decide on them stay due',
    );
  }

  /** Some batches side by side: while the database writes one, the next is decided. */
  private async runAll(inputs: TickInputs, report: TickReport): Promise<void> {
    await this.readCandles(inputs);
    const worker = async (): Promise<void> => {
      while (!this.stopping && (await this.runNext(inputs, report)));
    };
    const workers = this.deps.database.kind === 'postgres' ? BATCH_WORKERS : 1;
    // All have ended before a failure is told: the tick is tried again from what they committed.
    for (const ended of await Promise.allSettled(Array.from({ length: workers }, worker)))
      if (ended.status === 'rejected') throw ended.reason;
  }

  /** One batch. False when the tick is over, for this process at least. */
  private async runNext(inputs: TickInputs, report: TickReport): Promise<boolean> {
    const { market, database } = this.deps;
    const { tick } = inputs;
    const { over, batch } = await database.transaction(
      async (tx): Promise<{ over: boolean; batch: BatchReport }> => {
        const ran = await runBatch(tx, this.deps, inputs, this.batch);
        const drained =
          ran.claimed < this.batch && !(await isAnyDue(tx.db, market, tick, inputs.leftOut));
        const newest = ran.agents === 0 || (await countRun(tx, market, tick, ran.agents));
        if (drained && inputs.leftOut.size === 0)
          await finishTick(tx, this.deps, tick, inputs.quotes);
        return { over: drained || !newest, batch: ran };
      },
    );
    report.agents += batch.agents;
    report.trades += batch.traded.length;
    report.faults += batch.faults;
    report.late += batch.late;
    if (batch.traded.length > 0) await this.stops.refresh([...new Set(batch.traded)]);
    if (over || market.now() >= tick + this.stepMs) return false;
    // Others hold what is left: should one of them die, it is free again.
    if (batch.agents === 0) await pause(POLL_EVERY_MS);
    return true;
  }

  private quotesOf(tick: number): Map<string, Quote> {
    return new Map(
      [...this.first]
        .filter(([, known]) => known.tick === tick)
        .map(([pair, known]) => [pair, known.quote]),
    );
  }

  /**
   * Until every pair of the due agents has its first price after the close, or the bounded wait is
   * over. A pair that has had no price since the start, held ones among them, is waited for as long
   * at any time after the close: an exchange names its pairs a moment before it tells their prices.
   */
  private async waitForQuotes(tick: number): Promise<void> {
    const { market } = this.deps;
    const isUnheard = (pair: string): boolean =>
      market.quote(pair) === null && isTraded(market, pair);
    const held = await this.heldPairs();
    const missing = new Set([...(await this.duePairs(tick)), ...held.filter(isUnheard)]);
    const giveUpAt = performance.now() + QUOTE_WAIT_MS;
    const until = tick + Math.min(QUOTE_WAIT_MARKET_MS, this.stepMs / 5);
    while (!this.stopping) {
      for (const pair of missing)
        if ((this.first.get(pair)?.tick ?? -1) >= tick) missing.delete(pair);
      const isOver = market.now() >= until && ![...missing].some(isUnheard);
      if (missing.size === 0 || isOver || performance.now() >= giveUpAt) return;
      await pause(QUOTE_LOOK_MS);
    }
  }

  private async duePairs(tick: number): Promise<Set<string>> {
    const { market, database } = this.deps;
    const terms = await dueTerms(database.db, market, tick);
    const due = terms.flatMap((one) => pairsOf(market, one));
    return new Set(due.filter((pair) => isTraded(market, pair)));
  }

  /** Pairs that anybody holds and the market offers. */
  private async heldPairs(): Promise<string[]> {
    const { market, database } = this.deps;
    const held = [...this.stops.pairs, ...(await pairsHeldLive(database.db))];
    return held.filter((pair) => market.rules(pair) !== null);
  }

  /**
   * Positions that other processes open are watched here as well, should those die: the index is
   * read afresh every second, or less often where that takes long.
   */
  private watchOthers(): void {
    const now = performance.now();
    if (this.deps.database.kind !== 'postgres' || now < this.reloadAt) return;
    this.reloadAt = Infinity;
    this.reloading = this.stops
      .load()
      .catch((error: unknown) => {
        this.deps.log.warn(
          { reason: String(error) },
          'Open positions could not be read and will be requested again',
        );
      })
      .finally(() => {
        const took = performance.now() - now;
        this.reloadAt = performance.now() + Math.max(RELOAD_MS, took * RELOAD_SHARE);
      });
  }

  /** Beside the ticks, never in their way. */
  private tidy(): void {
    const now = performance.now();
    if (now < this.tidyAt) return;
    this.tidyAt = now + HOUR_MS;
    // The books are checked once a day: they know themselves when that was last.
    const isEnding = (): boolean => this.stopping;
    this.tidying = this.tidying
      .then(() => keepTidy(this.deps, undefined, isEnding))
      .then(() => runLedgerCheck(this.deps, { isEnding }))
      .then(() => undefined)
      .catch((error: unknown) => {
        this.deps.log.warn({ reason: String(error) }, 'The ledgers could not be checked');
      });
  }
}
