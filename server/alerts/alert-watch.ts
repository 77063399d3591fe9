/**
 * Compares every active alert with every valid price. After a start it catches up on what it
 * missed.
 */
import { and, eq, gt, inArray, isNull, sql } from 'drizzle-orm';
import { sameCondition } from '../../contract/alerts.ts';
import { INTERVAL_MS } from '../../contract/intervals.ts';
import { ALERT_LOOK_BACK_DAYS } from '../../contract/limits.ts';
import type { Quote } from '../../engine/market-types.ts';
import type { WallClock } from '../clock.ts';
import type { Database } from '../db/database.ts';
import { rowsAs } from '../db/bulk.ts';
import { alerts, alertWatches } from '../db/schema-alerts.ts';
import type { EventLog } from '../db/user-events.ts';
import type { Log } from '../log.ts';
import { candlesSince } from '../market/candles-since.ts';
import { hasNamedPairs, type Market } from '../market/market-source.ts';
import { toWatched, type AlertRow } from './alert-rows.ts';
import { barsOf, passCandles, type Bar } from './missed-candles.ts';
import { missedSince, MissedStretches, silentSince, type Stretch } from './missed-stretches.ts';
import { recordTransitions } from './record.ts';
import { SymbolBoard, type Transition, type Watched } from './symbol-board.ts';

export interface AlertWatchDeps {
  database: Database;
  market: Market;
  events: EventLog;
  clock: WallClock;
  log: Log;
}

const DAY_MS = 86_400_000;
const HOUR_MS = INTERVAL_MS['1h'];
/** Transitions in one transaction. */
const AT_ONCE = 200;
const AFTER_FAILURE_MS = 1_000;
/** A transition that fails alone so often is given up: its alert is read afresh and watched on. */
const TRIES_MAX = 5;
const LOOK_EVERY_MS = 1_000;
/**
 * Rows that changed within this time are read at every look; now and then further back, for clocks
 * that differ.
 */
const CHANGED_WITHIN_MS = 10_000;
const CHANGED_LONG_MS = 5 * 60_000;
const LONG_LOOK_EVERY = 60;
const SAVE_EVERY = 5;
/** Looks that pass before candles are read again that could not be, or have not come. */
const LOOKS_UNTIL_AGAIN = 10;

const asksTheSame = (one: Watched, other: Watched): boolean =>
  one.symbol === other.symbol && sameCondition(one.condition, other.condition);

/** Close of the last of them. */
const reachedBy = (bars: readonly Bar[]): number => bars.at(-1)?.close ?? -Infinity;

/** The further along of two states of one alert. */
const rank = ({ arming, phase }: Pick<Watched, 'arming' | 'phase'>): number =>
  arming * 2 + (phase === 'watching' ? 1 : 0);

/** An alert that is watched from now on, and from when it was not (market ms). */
interface Joining {
  alert: Watched;
  from: number;
  /** Its row says from when. */
  isUnseen: boolean;
  /** What was seen of it could not be written. */
  isLost: boolean;
}

export class AlertWatch {
  private readonly boards = new Map<string, SymbolBoard>();
  private readonly symbolOf = new Map<string, string>();
  private readonly heardAt = new Map<string, number>();
  private readonly missed: MissedStretches;
  /** Up to where an alert was taken over candles: nothing is told of them again. */
  private readonly passedTo = new Map<string, number>();
  /** The armings whose rows say that candles have yet to be looked at. */
  private readonly unseen = new Map<string, number>();
  /** By symbol, the look at which candles are asked for again that had not come. */
  private readonly lateUntil = new Map<string, number>();
  private readonly seeded = new Set<string>();
  private readonly due: Transition[] = [];
  /** By alert, what the database would not take: candles tell of it again. */
  private readonly givenUp = new Map<string, Pick<Transition, 'arming' | 'at'>>();
  private readonly noted = new Set<string>();
  private readonly stepMs: number;
  private unsubscribe: (() => void) | null = null;
  private timer: NodeJS.Timeout | null = null;
  private writing: Promise<void> | null = null;
  private looking: Promise<void> = Promise.resolve();
  private lookingAround = false;
  private checks = 0;
  private readAgainAt = 0;
  private startedAt = 0;
  private stopping = false;

  constructor(private readonly deps: AlertWatchDeps) {
    this.stepMs = INTERVAL_MS[deps.market.baseInterval];
    this.missed = new MissedStretches(this.stepMs);
  }

  /** How many alerts are watched here. */
  get watched(): number {
    let count = 0;
    for (const board of this.boards.values()) count += board.size;
    return count;
  }

  /** Reads every alert, takes each over what was missed, and follows the prices from here. */
  async start(): Promise<void> {
    const { market } = this.deps;
    this.stopping = false;
    this.unsubscribe = market.onQuote((quote) => {
      this.onQuote(quote);
    });
    this.startedAt = (await this.watchedTo()) ?? market.now();
    await this.take(await this.read(null), this.startedAt);
    this.timer = setInterval(() => {
      this.lookAround();
    }, LOOK_EVERY_MS);
    this.timer.unref();
  }

  /**
   * Writes what it has seen, as far as the database takes it; the rest is found again in candles.
   */
  async stop(): Promise<void> {
    this.stopping = true;
    this.unsubscribe?.();
    if (this.timer !== null) clearInterval(this.timer);
    this.timer = null;
    await this.looking;
    await this.settled();
    await this.saveWatched().catch(() => undefined);
  }

  /** An alert was set, changed or deleted here: read after its commit. */
  note(id: string): void {
    if (this.unsubscribe === null) return;
    this.noted.add(id);
    this.inTurn(() => this.takeNoted());
  }

  /** Resolves when everything that was seen is written, and everything noted is watched. */
  async settled(): Promise<void> {
    let looked: Promise<void>;
    do {
      looked = this.looking;
      await looked;
      await this.writing;
    } while (looked !== this.looking || this.writing !== null);
  }

  private onQuote(quote: Quote): void {
    const { pair, at, last } = quote;
    const before = this.heardAt.get(pair);
    this.heardAt.set(pair, at);
    if (before !== undefined && at - before > this.stepMs / 4) this.noteGap(pair, before, at);
    this.queue(this.board(pair).see(last, at));
  }

  /** What happened in a silence is known from candles alone, once the last of them has closed. */
  private noteGap(pair: string, since: number, at: number): void {
    this.missed.silence(pair, since, this.openOf(at) + this.stepMs);
  }

  private openOf(at: number): number {
    return Math.floor(at / this.stepMs) * this.stepMs;
  }

  private board(symbol: string): SymbolBoard {
    const known = this.boards.get(symbol);
    if (known !== undefined) return known;
    const fresh = new SymbolBoard();
    this.boards.set(symbol, fresh);
    return fresh;
  }

  private queue(transitions: readonly Transition[]): void {
    if (transitions.length === 0) return;
    this.due.push(...transitions);
    this.writing ??= this.write().finally(() => {
      this.writing = null;
    });
  }

  /**
   * In the order in which it was seen. What the database does not take now is tried again, at the
   * price it was seen at.
   */
  private async write(): Promise<void> {
    const { database, log } = this.deps;
    let tries = 0;
    while (this.due.length > 0) {
      const batch = this.due.slice(0, tries === 0 ? AT_ONCE : 1);
      try {
        const refused = await database.transaction((tx) => recordTransitions(tx, this.deps, batch));
        this.due.splice(0, batch.length);
        this.readAfresh(refused);
        tries = 0;
      } catch (error) {
        tries += 1;
        log.error(
          {
            alerts: batch.length,
            tries,
            reason: error instanceof Error ? error.message : String(error),
          },
          'Fired alerts could not be saved',
        );
        if (this.stopping) return;
        if (batch.length === 1 && tries > TRIES_MAX && (await this.reachable())) {
          const [lost] = this.due.splice(0, 1);
          if (lost !== undefined) {
            this.givenUp.set(lost.id, lost);
            this.readAfresh([lost.id]);
          }
          tries = 0;
        } else
          await new Promise((resolve) => {
            setTimeout(resolve, AFTER_FAILURE_MS);
          });
      }
    }
  }

  /**
   * What the database refused, the board has done in vain: it may be ahead, and by a condition that
   * is no more. What is seen of the same alert and not written yet is tried first.
   */
  private readAfresh(ids: readonly string[]): void {
    const writing = new Set(this.due.map(({ id }) => id));
    const left = ids.filter((id) => !writing.has(id));
    if (left.length === 0) return;
    this.forget(left);
    for (const id of left) this.noted.add(id);
    if (!this.stopping) this.inTurn(() => this.takeNoted());
  }

  private reachable(): Promise<boolean> {
    return this.deps.database.db.execute(sql`select 1`).then(
      () => true,
      () => false,
    );
  }

  /** One reading after another: an older one must not take the place of a newer. */
  private inTurn(work: () => Promise<void>): void {
    this.looking = this.looking.then(work).catch((error: unknown) => {
      this.deps.log.warn(
        { reason: String(error) },
        'Alerts could not be read and will be read again',
      );
    });
  }

  private lookAround(): void {
    if (this.lookingAround) return;
    this.lookingAround = true;
    this.inTurn(() =>
      this.lookOnce().finally(() => {
        this.lookingAround = false;
      }),
    );
  }

  private async lookOnce(): Promise<void> {
    await this.takeNoted();
    this.checks += 1;
    const within = this.checks % LONG_LOOK_EVERY === 0 ? CHANGED_LONG_MS : CHANGED_WITHIN_MS;
    await this.take(await this.changedSince(this.deps.clock.now() - within), null);
    await this.makeUp();
    await this.saveSeen();
    if (this.checks % SAVE_EVERY === 0) await this.saveWatched();
  }

  private async takeNoted(): Promise<void> {
    const noted = [...this.noted];
    this.noted.clear();
    try {
      const known = noted.length === 0 ? [] : await this.read(noted);
      const gone = noted.filter((id) => !known.some((row) => row.id === id));
      this.forget(gone);
      for (const id of gone) this.givenUp.delete(id);
      await this.take(known, null);
    } catch (error) {
      for (const id of noted) this.noted.add(id);
      throw error;
    }
  }

  private read(ids: readonly string[] | null): Promise<AlertRow[]> {
    const { database, market } = this.deps;
    const mine = eq(alerts.source, market.source.id);
    return database.db
      .select()
      .from(alerts)
      .where(
        ids === null
          ? and(mine, isNull(alerts.deletedAt), eq(alerts.active, true))
          : and(mine, inArray(alerts.id, [...ids])),
      );
  }

  /** Other processes' changes are found by their time. */
  private changedSince(since: number): Promise<AlertRow[]> {
    const { database, market } = this.deps;
    return database.db
      .select()
      .from(alerts)
      .where(and(eq(alerts.source, market.source.id), gt(alerts.changedAt, since)));
  }

  private forget(ids: readonly string[]): void {
    for (const id of ids) {
      const symbol = this.symbolOf.get(id);
      if (symbol === undefined) continue;
      this.boards.get(symbol)?.remove(id);
      this.symbolOf.delete(id);
      this.passedTo.delete(id);
      this.unseen.delete(id);
    }
  }

  /**
   * Takes rows as they are in the database. What is further along here is being written and stays.
   * `watchedTo`: up to when they were watched before a start; null after it. Then candles are yet to
   * be looked at where the row says so: the person has set it. Else another process has looked at
   * them, or moved the alert on, and it is followed from now.
   */
  private async take(rows: readonly AlertRow[], watchedTo: number | null): Promise<void> {
    const writing = new Set(this.due.map(({ id, arming }) => `${id} ${arming}`));
    const fresh = new Map<string, Joining[]>();
    for (const row of rows) {
      const next = toWatched(row);
      const symbol = this.symbolOf.get(row.id);
      const known = symbol === undefined ? undefined : this.boards.get(symbol)?.get(row.id);
      const isKnown = known !== undefined && next !== null && asksTheSame(known, next);
      if (writing.has(`${row.id} ${row.arming}`) || (isKnown && rank(known) > rank(next))) continue;
      if (isKnown && rank(known) === rank(next)) {
        if (known.version !== next.version && symbol !== undefined)
          this.boards
            .get(symbol)
            ?.put({ ...known, repeatMinutes: next.repeatMinutes, version: next.version });
        continue;
      }
      this.forget([row.id]);
      if (next === null) continue;
      const { unseenSinceMarketMs: unseen } = row;
      const lost = this.givenUp.get(row.id);
      this.givenUp.delete(row.id);
      const isLost = lost?.arming === row.arming;
      const followed = isLost ? lost.at - 1 : this.deps.market.now();
      const afterStart = unseen === null ? followed : next.since;
      const from = watchedTo === null ? afterStart : Math.min(watchedTo, unseen ?? watchedTo);
      const list = fresh.get(next.symbol) ?? [];
      fresh.set(next.symbol, list);
      list.push({ alert: next, from, isUnseen: unseen !== null, isLost });
    }
    for (const [symbol, list] of fresh) await this.begin(symbol, list, watchedTo !== null);
  }

  private async begin(symbol: string, list: readonly Joining[], isStart: boolean): Promise<void> {
    const { market } = this.deps;
    const board = this.board(symbol);
    const now = market.now();
    const first = list.reduce((least, { from }) => Math.min(least, from), now);
    const from = Math.max(now - ALERT_LOOK_BACK_DAYS * DAY_MS, first);
    const moves = list.some(({ alert }) => alert.condition.kind === 'move');
    // What nobody watched is missed, however short it was. An alert is always a moment on its way.
    const missed = isStart || list.some(({ isLost }) => isLost) || now - from > this.stepMs / 4;
    const past = missed ? await this.candles(symbol, moves ? from - DAY_MS : from) : [];
    const reached = reachedBy(past ?? []);
    // The candle that is open now tells of this once it has closed.
    if (missed) this.noteGap(symbol, Math.max(now, reached), market.now());
    const seeded = !moves || (await this.seed(symbol, board));
    this.noteUnread(symbol, list, { now, reached, seeded });
    for (const joining of list) {
      const { alert } = joining;
      const passed = passCandles(alert, past ?? [], joining.from);
      this.queue(passed.transitions);
      if (passed.alert === null) continue;
      board.put(passed.alert);
      this.symbolOf.set(alert.id, symbol);
      this.passedTo.set(alert.id, Math.max(joining.from, reached));
      if (joining.isUnseen) this.unseen.set(alert.id, alert.arming);
    }
    const quote = market.isStale(symbol) ? null : market.quote(symbol);
    if (quote !== null)
      this.queue(board.see(quote.last, Math.max(quote.at, this.heardAt.get(symbol) ?? quote.at)));
    // Known up to here: a first price that comes later ends a silence too.
    if (!this.heardAt.has(symbol)) this.heardAt.set(symbol, missed ? now : from);
  }

  /** Closed candles that could not be read, or have not come: they are looked at for these alone. */
  private noteUnread(
    symbol: string,
    list: readonly Joining[],
    { now, reached, seeded }: { now: number; reached: number; seeded: boolean },
  ): void {
    const closed = this.openOf(now);
    const oldest = now - ALERT_LOOK_BACK_DAYS * DAY_MS;
    const bySince = new Map<number, string[]>();
    for (const { alert, from } of list) {
      const told = from >= closed || reached >= closed;
      if (told && seeded) continue;
      const since = told ? now : Math.max(from, oldest, reached);
      const ids = bySince.get(since) ?? [];
      bySince.set(since, ids);
      ids.push(alert.id);
    }
    for (const [since, ids] of bySince) this.missed.unread(symbol, since, closed, ids);
  }

  /**
   * Null where they cannot be read: what they would have told is missed until they are. An exchange
   * that has not named its pairs has no candles yet either. Once it has, a pair that it does not
   * offer has none to wait for: nobody else's mark may stay behind for it.
   */
  private async candles(symbol: string, from: number): Promise<Bar[] | null> {
    const { market, log } = this.deps;
    if (!hasNamedPairs(market)) return null;
    try {
      const { hours, base } = await candlesSince(market, symbol, from);
      return [...barsOf(hours, HOUR_MS), ...barsOf(base, this.stepMs)];
    } catch (error) {
      this.readAgainAt = this.checks + LOOKS_UNTIL_AGAIN;
      log.warn({ symbol, reason: String(error) }, 'Candles for alerts could not be read');
      return null;
    }
  }

  /**
   * The day before the first move alert of a symbol, so that its window is whole from the
   * beginning. What closed in a silence that is not made up yet comes early for a later one: what
   * moved before it was set is not its own. False where something of the day is missing.
   */
  private async seed(symbol: string, board: SymbolBoard): Promise<boolean> {
    const now = this.deps.market.now();
    const isSeeded = this.seeded.has(symbol);
    const since = isSeeded ? this.missed.silentSince(symbol) : -Infinity;
    if (since === Infinity) return true;
    const bars = await this.candles(symbol, Math.max(now - DAY_MS, since));
    if (bars === null) return isSeeded;
    this.sow(board, bars, since);
    if (reachedBy(bars) >= this.openOf(now)) this.seeded.add(symbol);
    return this.seeded.has(symbol);
  }

  private sow(board: SymbolBoard, bars: readonly Bar[], since: number): void {
    for (const { low, high, time, close } of bars)
      if (close > since) board.extremes.seeCandle(low, high, time);
  }

  /** After a failure it waits a little, and the symbol that failed comes after the others. */
  private async makeUp(): Promise<void> {
    const { market } = this.deps;
    const now = market.now();
    for (const [symbol, stretches] of this.missed.due(now)) {
      const board = this.board(symbol);
      const since = Math.min(...board.alerts.map(({ id }) => missedSince(id, stretches)));
      if (since === Infinity) {
        this.missed.told(symbol, stretches, Infinity, now);
        // Nobody reads what a window would lack: the next alert of a move begins anew.
        if (board.size === 0) this.seeded.delete(symbol);
        continue;
      }
      if (this.checks < Math.max(this.readAgainAt, this.lateUntil.get(symbol) ?? 0)) continue;
      const from = Math.max(now - ALERT_LOOK_BACK_DAYS * DAY_MS, since);
      const reachesDayBack = board.watchesMoves;
      const bars = await this.candles(symbol, reachesDayBack ? from - DAY_MS : from);
      if (bars === null) {
        this.missed.putLast(symbol);
        return;
      }
      this.sow(board, bars, this.seeded.has(symbol) ? silentSince(stretches) : -Infinity);
      if (this.missed.told(symbol, stretches, reachedBy(bars), now)) {
        this.lateUntil.delete(symbol);
        if (reachesDayBack) this.seeded.add(symbol);
      } else this.lateUntil.set(symbol, this.checks + LOOKS_UNTIL_AGAIN);
      this.pass(board, bars, stretches);
    }
  }

  private pass(board: SymbolBoard, bars: readonly Bar[], stretches: readonly Stretch[]): void {
    const reached = reachedBy(bars);
    for (const alert of board.alerts) {
      const missed = missedSince(alert.id, stretches);
      if (missed === Infinity) continue;
      const since = Math.max(missed, this.passedTo.get(alert.id) ?? missed);
      const { transitions, alert: next } = passCandles(alert, bars, since);
      this.passedTo.set(alert.id, Math.max(since, reached));
      if (transitions.length === 0) continue;
      this.queue(transitions);
      if (next === null) this.forget([alert.id]);
      else board.put(next);
    }
  }

  /**
   * Once candles have told of an alert that was on its way, and what they told is written, the next
   * start need not look again.
   */
  private async saveSeen(): Promise<void> {
    const writing = new Set(this.due.map(({ id }) => id));
    const seen = [...this.unseen]
      .filter(([id]) => !writing.has(id) && !this.missed.isUnread(this.symbolOf.get(id) ?? '', id))
      .map(([id, arming]) => ({ id, arming }));
    if (seen.length === 0) return;
    // Whoever fires several takes them in this order too.
    await this.deps.database.db.execute(sql`
      update ${alerts} set unseen_since_market_ms = null where id in (
        select a.id from ${alerts} a join ${rowsAs(alerts, seen, 'seen')}
          on seen.id = a.id and seen.arming = a.arming
        where a.unseen_since_market_ms is not null order by a.id for update of a)`);
    for (const { id } of seen) this.unseen.delete(id);
  }

  private async watchedTo(): Promise<number | null> {
    const { database, market } = this.deps;
    const [row] = await database.db
      .select()
      .from(alertWatches)
      .where(eq(alertWatches.source, market.source.id));
    return row?.watchedMarketMs ?? null;
  }

  /**
   * Up to here nothing needs to be looked for again: every symbol was heard, and what was seen is
   * written.
   */
  private async saveWatched(): Promise<void> {
    const { database, market } = this.deps;
    const seen = [...this.boards]
      .filter(([, board]) => board.size > 0)
      .map(([symbol]) => this.heardAt.get(symbol) ?? this.startedAt);
    const watchedMarketMs = Math.floor(
      Math.min(market.now(), ...seen, this.missed.earliest, ...this.due.map(({ at }) => at)),
    );
    await database.db
      .insert(alertWatches)
      .values({ source: market.source.id, watchedMarketMs })
      .onConflictDoUpdate({
        target: alertWatches.source,
        set: {
          watchedMarketMs: sql`greatest(${alertWatches.watchedMarketMs}, ${watchedMarketMs}::bigint)`,
        },
      });
  }
}
