/** Server-sent events of one user and the market. A reader that is too slow is disconnected. */
import type { ServerResponse } from 'node:http';
import { and, asc, eq, gt, min } from 'drizzle-orm';
import type { FastifyInstance } from 'fastify';
import type { AgentRun } from '../../contract/agents.ts';
import type { EntriesOff } from '../../contract/halts.ts';
import type { SymbolQuote } from '../../contract/market.ts';
import { Refusal } from '../../contract/errors.ts';
import { SESSION_MAX_AGE_MS } from '../../contract/limits.ts';
import type { StreamEvent } from '../../contract/stream.ts';
import type { Portfolio } from '../../contract/trading.ts';
import type { WallClock } from '../clock.ts';
import type { Database } from '../db/database.ts';
import { events, users } from '../db/schema.ts';
import type { EventNotifier } from '../db/user-events.ts';
import type { Identity } from '../identity/verifier.ts';
import type { Log } from '../log.ts';
import type { Market } from '../market/market-source.ts';
import { bearerToken, type Gate } from './gate.ts';
import { ToldBars } from './told-bars.ts';

const TICKS_EVERY_MS = 250;
const MARKS_EVERY_MS = 2_000;
const HEARTBEAT_EVERY_MS = 15_000;
/** Other servers on the same database notify nobody here. */
const LOOK_EVERY_MS = 5_000;
/**
 * The one word that a price fell silent is lost on a tab that came to listen to another at that
 * moment, and on a page that showed another source's prices.
 */
const STALE_AGAIN_MS = 60_000;
const EVENTS_AT_ONCE = 200;
const BUFFER_MAX_BYTES = 1_000_000;
const STREAMS_PER_USER = 12;
const CHECK_EVERY_MS = 1_000;
const END_PATIENCE_MS = 1_000;

export interface StreamDeps {
  database: Database;
  notifier: EventNotifier;
  market: Market;
  clock: WallClock;
  log: Log;
  gate: Gate;
  /** How often the provider is asked about the people of open streams, ms. */
  recheckMs: number;
  /** The portfolio at present prices; null while nothing is held that a price could change. */
  readMarks(uid: string): Promise<Portfolio | null>;
  /** When the agents of these people last looked and look next. */
  readRuns(uids: readonly string[]): Promise<Map<string, AgentRun[]>>;
  /** What keeps the agents of these people from opening anything. */
  readEntriesOff(uids: readonly string[]): Promise<Map<string, EntriesOff[]>>;
}

interface Reader {
  uid: string;
  token: string;
  response: ServerResponse;
  sequence: number;
  /**
   * A stream outlives neither its token nor the four hours of the sign-in behind it: whoever may
   * still read comes back with a new one.
   */
  endsAt: number;
  recheckAt: number;
  /** One reading of the events table at a time; a notification during it asks for another. */
  reading: boolean;
  again: boolean;
  heartbeatAt: number;
  lookedAt: number;
  /** What it was last told of its agents' looks. */
  runs: string;
  /** What it was last told to be off; null before the first word, which may say that nothing is. */
  off: string | null;
  /** When it was last told all that is stale; null where it has missed some of it. */
  toldStaleAt: number | null;
}

/** The field of server-sent events that says how long a reader waits before it reconnects, ms. */
const COME_BACK = 'retry: 0\n\n';

const frame = (event: StreamEvent, id?: number) =>
  `${id === undefined ? '' : `id: ${id}\n`}data: ${JSON.stringify(event)}\n\n`;

/** All open streams of this process. */
export class Streams {
  private readonly readers = new Set<Reader>();
  /** Streams taken by a person, those still being opened among them. */
  private readonly taken = new Map<string, number>();
  private readonly changed = new Set<string>();
  /** Pairs whose price was not stale when it was last told. */
  private readonly fresh = new Set<string>();
  private readonly marking = new Set<string>();
  private readonly toldBars = new ToldBars();
  private readingRuns = false;
  private readonly timers: NodeJS.Timeout[] = [];
  private unsubscribe: (() => void) | null = null;

  constructor(private readonly deps: StreamDeps) {}

  get size(): number {
    return this.readers.size;
  }

  start(): void {
    const { market } = this.deps;
    this.unsubscribe = market.onQuote((quote) => {
      this.changed.add(quote.pair);
      this.fresh.add(quote.pair);
    });
    for (const { pair } of market.pairs()) this.fresh.add(pair);
    const every = (ms: number, work: () => void) => {
      const timer = setInterval(work, ms);
      timer.unref();
      this.timers.push(timer);
    };
    every(TICKS_EVERY_MS, () => {
      this.flushTicks();
    });
    every(MARKS_EVERY_MS, () => {
      this.sendMarks();
      void this.sendRuns();
    });
    every(CHECK_EVERY_MS, () => {
      this.check();
    });
  }

  /** Ends every stream; readers come back by themselves, to whoever serves then. */
  stop(): void {
    this.unsubscribe?.();
    for (const timer of this.timers) clearInterval(timer);
    for (const reader of this.readers) this.end(reader);
    this.readers.clear();
  }

  /**
   * Opens a stream on an answer whose head is not sent yet. `after` is the last sequence the reader
   * has.
   */
  async open(
    response: ServerResponse,
    { uid, authTimeMs, expiresAtMs }: Identity,
    token: string,
    after: number | null,
  ): Promise<void> {
    const { database, clock, market } = this.deps;
    if (response.destroyed) return;
    this.taken.set(uid, this.streamsOf(uid) + 1);
    response.once('close', () => {
      this.giveBack(uid);
    });
    const [row] = await database.db
      .select({ sequence: users.sequence })
      .from(users)
      .where(eq(users.uid, uid));
    const present = row?.sequence ?? 0;
    const reader: Reader = {
      uid,
      token,
      response,
      sequence: await this.resumeAt(uid, present, after),
      endsAt: Math.min(authTimeMs + SESSION_MAX_AGE_MS, expiresAtMs),
      recheckAt: this.nextRecheck(),
      reading: false,
      again: false,
      heartbeatAt: clock.now(),
      lookedAt: clock.now(),
      runs: '',
      off: null,
      toldStaleAt: null,
    };
    // Gone before it was opened: its 'close' has been, and nothing would ever take it out again.
    if (response.destroyed) return;
    response.on('error', () => {
      response.destroy();
    });
    const stopListening = this.deps.notifier.listen(uid, () => {
      this.readEvents(reader);
    });
    response.on('close', () => {
      stopListening();
      this.readers.delete(reader);
    });
    this.readers.add(reader);
    this.write(
      reader,
      frame({
        type: 'hello',
        sequence: present,
        serverTime: clock.now(),
        marketTime: market.now(),
        source: market.source,
      }),
    );
    // A reader that comes back may hold a price that fell silent while it was away.
    this.sendStale(reader);
    this.readEvents(reader);
  }

  streamsOf(uid: string): number {
    return this.taken.get(uid) ?? 0;
  }

  private giveBack(uid: string): void {
    const left = this.streamsOf(uid) - 1;
    if (left > 0) this.taken.set(uid, left);
    else this.taken.delete(uid);
  }

  /**
   * Events that are no longer kept cannot be replayed: the reader sees the jump in numbers and
   * reads afresh.
   */
  private async resumeAt(uid: string, present: number, after: number | null): Promise<number> {
    if (after === null || after >= present) return present;
    const [oldest] = await this.deps.database.db
      .select({ sequence: min(events.sequence) })
      .from(events)
      .where(eq(events.uid, uid));
    return oldest?.sequence === null ||
      oldest?.sequence === undefined ||
      oldest.sequence > after + 1
      ? present
      : after;
  }

  private write(reader: Reader, text: string): void {
    if (reader.response.destroyed || reader.response.writableEnded) return;
    if (reader.response.writableLength + text.length > BUFFER_MAX_BYTES) {
      this.deps.log.warn(
        { waiting: reader.response.writableLength },
        'a stream reader was too slow and was dropped',
      );
      reader.response.destroy();
      return;
    }
    reader.response.write(text);
  }

  /** A reader that takes nothing any more would keep its end waiting for ever. */
  private end(reader: Reader): void {
    reader.response.end();
    setTimeout(() => {
      reader.response.destroy();
    }, END_PATIENCE_MS).unref();
  }

  /** Every stream of a person whose sign-ins were ended. */
  endOf(uid: string): void {
    for (const reader of [...this.readers]) {
      if (reader.uid !== uid) continue;
      this.write(reader, frame({ type: 'session.ended', reason: 'token_revoked' }));
      this.readers.delete(reader);
      this.end(reader);
    }
  }

  /**
   * Ends a stream whose token no longer counts, and asks its reader to come back at once. That says
   * nothing about the session: the person may have logged in again or changed the password since,
   * and the token that the reader comes back with decides.
   */
  private askBack(reader: Reader): void {
    this.write(reader, COME_BACK);
    this.readers.delete(reader);
    this.end(reader);
  }

  /** Spread out, so that the provider is not asked about everybody in one second. */
  private nextRecheck(): number {
    return this.deps.clock.now() + this.deps.recheckMs * (1 + Math.random() / 4);
  }

  /** Only the provider's own word ends a stream; an outage of it does not. */
  private async recheck(reader: Reader): Promise<void> {
    try {
      await this.deps.gate.recheck(reader.token);
    } catch (error) {
      if (error instanceof Refusal && error.code === 'token_revoked') this.askBack(reader);
      else
        this.deps.log.debug(
          { reason: String(error) },
          'the account behind a stream could not be checked',
        );
    }
  }

  private readEvents(reader: Reader): void {
    if (reader.reading) {
      reader.again = true;
      return;
    }
    reader.reading = true;
    reader.lookedAt = this.deps.clock.now();
    this.drainEvents(reader)
      .catch((error: unknown) => {
        this.deps.log.warn({ reason: String(error) }, 'events could not be read for a stream');
      })
      .finally(() => {
        reader.reading = false;
      });
  }

  private async drainEvents(reader: Reader): Promise<void> {
    do {
      reader.again = false;
      const rows = await this.deps.database.db
        .select({ sequence: events.sequence, payload: events.payload })
        .from(events)
        .where(and(eq(events.uid, reader.uid), gt(events.sequence, reader.sequence)))
        .orderBy(asc(events.sequence))
        .limit(EVENTS_AT_ONCE);
      for (const row of rows) {
        this.write(reader, frame(row.payload as StreamEvent, row.sequence));
        reader.sequence = row.sequence;
      }
      if (rows.length === EVENTS_AT_ONCE) reader.again = true;
    } while (reader.again && !reader.response.destroyed);
  }

  private quotesOf(pairs: readonly string[]): SymbolQuote[] {
    return pairs
      .map((pair) => this.deps.market.symbol(pair))
      .filter((symbol): symbol is SymbolQuote => symbol !== null);
  }

  /**
   * One text for everybody. A reader still busy with the last one goes without: ticks are lossy.
   */
  private flushTicks(): void {
    // A pair that falls silent changes no more: it is told once more, as stale.
    for (const pair of this.fresh)
      if (this.deps.market.isStale(pair)) {
        this.fresh.delete(pair);
        this.changed.add(pair);
      }
    if (this.changed.size === 0) return;
    const pairs = [...this.changed];
    this.changed.clear();
    if (this.readers.size === 0) {
      this.toldBars.forget();
      return;
    }
    const symbols = this.quotesOf(pairs);
    if (symbols.length === 0) return;
    const bars = this.toldBars.news(pairs, this.deps.market);
    const text = frame({
      type: 'ticks',
      now: this.deps.market.now(),
      symbols,
      ...(bars === null ? {} : { bars }),
    });
    for (const reader of this.readers) {
      if (!reader.response.writableNeedDrain) this.write(reader, text);
      else {
        // What it missed would be left out of the next event as known.
        this.toldBars.forget();
        reader.toldStaleAt = null;
      }
    }
  }

  /** Once a person, however many screens they have open. */
  private sendMarks(): void {
    for (const uid of new Set([...this.readers].map((reader) => reader.uid))) {
      if (this.marking.has(uid)) continue;
      this.marking.add(uid);
      this.deps
        .readMarks(uid)
        .then((portfolio) => {
          if (portfolio === null) return;
          const text = frame({ type: 'portfolio.marked', portfolio });
          for (const reader of this.readers)
            if (reader.uid === uid && !reader.response.writableNeedDrain) this.write(reader, text);
        })
        .catch((error: unknown) => {
          this.deps.log.warn({ reason: String(error) }, 'a portfolio could not be valued');
        })
        .finally(() => {
          this.marking.delete(uid);
        });
    }
  }

  /**
   * One reading for everybody; told to a reader only when something of it changed since it was
   * told.
   */
  private async sendRuns(): Promise<void> {
    if (this.readingRuns || this.readers.size === 0) return;
    this.readingRuns = true;
    try {
      const uids = [...new Set([...this.readers].map((reader) => reader.uid))];
      const runs = await this.deps.readRuns(uids);
      const off = await this.deps.readEntriesOff(uids);
      for (const reader of this.readers) {
        this.sendOff(reader, off.get(reader.uid));
        const agents = runs.get(reader.uid) ?? [];
        const text = agents.length === 0 ? '' : frame({ type: 'agents.ran', agents });
        if (text === reader.runs || reader.response.writableNeedDrain) continue;
        reader.runs = text;
        if (text !== '') this.write(reader, text);
      }
    } catch (error) {
      this.deps.log.warn({ reason: String(error) }, 'the evaluations of agents could not be read');
    } finally {
      this.readingRuns = false;
    }
  }

  /** A reader that came while this was read is told the next time. */
  private sendOff(reader: Reader, off: EntriesOff[] | undefined): void {
    if (off === undefined || reader.response.writableNeedDrain) return;
    const text = frame({ type: 'entries.off', off });
    if (text === reader.off) return;
    reader.off = text;
    this.write(reader, text);
  }

  /** All that is stale, as one event; empty where nothing is. */
  private staleTicks(): string {
    const { market } = this.deps;
    const symbols = this.quotesOf(market.pairs().map(({ pair }) => pair)).filter(
      ({ stale }) => stale,
    );
    return symbols.length === 0 ? '' : frame({ type: 'ticks', now: market.now(), symbols });
  }

  /** Each price that becomes stale later comes with the ticks. */
  private sendStale(reader: Reader, text = this.staleTicks()): void {
    if (text !== '') this.write(reader, text);
    reader.toldStaleAt = this.deps.clock.now();
  }

  private check(): void {
    const now = this.deps.clock.now();
    let stale: string | undefined;
    for (const reader of this.readers) {
      const toldFor = reader.toldStaleAt === null ? Infinity : Math.abs(now - reader.toldStaleAt);
      if (toldFor >= STALE_AGAIN_MS && !reader.response.writableNeedDrain)
        this.sendStale(reader, (stale ??= this.staleTicks()));
      if (now >= reader.endsAt) {
        this.askBack(reader);
      } else if (now >= reader.recheckAt) {
        reader.recheckAt = this.nextRecheck();
        void this.recheck(reader);
      } else if (now - reader.heartbeatAt >= HEARTBEAT_EVERY_MS) {
        reader.heartbeatAt = now;
        this.write(
          reader,
          frame({
            type: 'heartbeat',
            serverTime: now,
            marketTime: this.deps.market.now(),
            sequence: reader.sequence,
          }),
        );
      } else if (now - reader.lookedAt >= LOOK_EVERY_MS) this.readEvents(reader);
    }
  }
}

function afterOf(header: string | string[] | undefined, query: unknown): number | null {
  const text = typeof header === 'string' ? header : (query as { after?: unknown }).after;
  return typeof text === 'string' && /^\d{1,15}$/.test(text) ? Number(text) : null;
}

export function registerStream(app: FastifyInstance, streams: Streams, gate: Gate): void {
  app.get('/api/stream', async (request, reply) => {
    gate.arrive(request, false);
    const identity = await gate.enter(request, false);
    if (streams.streamsOf(identity.uid) >= STREAMS_PER_USER)
      throw new Refusal('rate_limited', 'Too many open streams', { retryAfterMs: 5_000 });
    const response = reply.raw;
    const headers = {
      ...reply.getHeaders(),
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
      // An ended stream must not leave an idle connection behind that a shutdown waits for.
      connection: 'close',
    };
    reply.hijack();
    request.raw.socket.setNoDelay(true);
    response.writeHead(200, headers as Record<string, string>);
    await streams
      .open(
        response,
        identity,
        bearerToken(request),
        afterOf(request.headers['last-event-id'], request.query),
      )
      .catch(() => {
        response.destroy();
      });
    return reply;
  });
}
