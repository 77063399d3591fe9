/**
 * One world of a seeded run: a stand-in with its faults, a signer and a server that can be killed,
 * agents and prices. Everything but the database is its own, and one virtual clock moves all of it.
 */
import { randomUUID } from 'node:crypto';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eq, sql } from 'drizzle-orm';
import { formatFixed, fixedFromNumber, toNumber } from '../../../contract/money.ts';
import type { LiveExchange } from '../../../contract/signer.ts';
import type { Database } from '../../../server/db/database.ts';
import { liveOrders } from '../../../server/db/schema-live.ts';
import { EventLog, EventNotifier } from '../../../server/db/user-events.ts';
import { connectExchange } from '../../../server/live/connect.ts';
import type { ConnectionRow } from '../../../server/live/live-accounts.ts';
import type { BookDeps, LivePort, SignerPort } from '../../../server/live/live-deps.ts';
import { openPostgres } from '../../../server/db/postgres.ts';
import { ensureUser } from '../../../server/users/ensure-user.ts';
import { drawFaults } from '../exchange/fault-plan.ts';
import { FAULT_NAMES, type FaultName } from '../exchange/faults.ts';
import { StandIn } from '../exchange/stand-in.ts';
import { openEmptyDatabase } from '../empty-database.ts';
import { spokenMarket, type TapeMarket } from '../tape-market.ts';
import { addLiveAgents } from './live-agents.ts';
import { aroundOf, planted, type Planted } from './planted-faults.ts';
import { ServerLife } from './server-life.ts';
import { SignerHost } from './signer-lives.ts';

export const ACCOUNT = 'main';
const AGENTS = 3;
const START_MS = Date.UTC(2026, 0, 15, 9);
/** Nobody here listens to streams; what they do is said by REST as well. */
const UNHEARD: readonly FaultName[] = [
  'stream-silent',
  'stream-dropped',
  'fills-by-rest-only',
  'fill-before-ack',
];
/** A journal line is on disk before it counts; here a disk in memory is enough. */
export const FAST_FOLDER = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();
const TABLES = [
  ...['agents', 'accounts', 'ledger', 'balances', 'positions', 'fills', 'events', 'users'],
  ...['live_connections', 'live_orders', 'live_order_events', 'venue_fills', 'live_alarms'],
  ...['external_movements', 'live_marks', 'live_exits', 'live_failed_stops', 'decisions'],
  'live_write_offs',
];

export interface SeededWorldOptions {
  seed: number;
  dialect: LiveExchange;
  fault: Planted | null;
  /** How the exchange is asked: over sockets, or in the process, which costs a third less. */
  transport: 'http' | 'in process';
}

const quiet = (): void => undefined;
const SILENT = { debug: quiet, info: quiet, warn: quiet, error: quiet };

/** A database that serves one run after another: PGlite, or the PostgreSQL at `url`. */
export const openRunDatabase = (url?: string): Promise<Database> =>
  url === undefined ? openEmptyDatabase() : openPostgres(url, { poolMax: 4, log: SILENT });

/** Of a few rows `delete` is faster than `truncate`, which makes new files. */
async function clear({ db, kind }: Database): Promise<void> {
  if (kind === 'postgres')
    for (const table of TABLES) await db.execute(sql.raw(`delete from ${table}`));
  else await db.execute(sql.raw(`truncate ${TABLES.join(', ')}`));
}

export class SeededWorld {
  server: ServerLife;
  /** Orders whose request left before their sending was committed, or before the signer wrote it down. */
  readonly unwritten: string[] = [];
  readonly faults: string[] = [];
  readonly agentIds = Array.from({ length: AGENTS }, () => randomUUID());
  serverKills = 0;
  signerKills = 0;
  private readonly prices = new Map<string, number>();

  private constructor(
    readonly options: SeededWorldOptions,
    readonly parts: BookDeps,
    readonly standIn: StandIn,
    readonly market: TapeMarket,
    readonly signer: SignerHost,
    private readonly port: SignerPort,
    readonly connection: ConnectionRow,
    readonly symbols: readonly string[],
    private readonly folder: string,
  ) {
    this.server = this.newServer();
  }

  static async open(database: Database, options: SeededWorldOptions): Promise<SeededWorld> {
    const { seed, dialect } = options;
    const quote = dialect === 'binance' ? 'USDT' : 'USD';
    const symbols = [`BTC/${quote}`, `ETH/${quote}`];
    await clear(database);
    const advance = async (ms: number): Promise<void> => {
      await standIn.advance(ms);
    };
    const standIn = new StandIn({
      dialect,
      seed,
      clock: { startMs: START_MS, mode: 'still' },
      accounts: [{ name: ACCOUNT, balances: balancesOf(seed, quote) }],
      // The request that waits is given up by its own clock, which stands still unless it is moved.
      onHold: () => {
        setImmediate(() => {
          void advance(10_000).then(() => {
            signer.giveUpLate();
          });
        });
      },
    });
    if (options.transport === 'http') await standIn.listen();
    const clock = { now: () => standIn.clock.trueNow() };
    const market = spokenMarket(symbols, quote);
    const parts = partsOf(database, market, clock);
    const folder = mkdtempSync(join(FAST_FOLDER, 'seeded-'));
    const held: { world: SeededWorld | null } = { world: null };
    const signer = new SignerHost({
      folder,
      exchange: dialect,
      origin: standIn.url,
      ...(options.transport === 'http' ? {} : { fetch: standIn.fetch }),
      clock: { ...clock, sleep: advance },
      beforePlacing: async (id, isWritten) => held.world?.notePlacing(id, isWritten),
      onFault: (what) => held.world?.faults.push(what),
    });
    await signer.start();
    const port = planted(signer, options.fault, clock.now);
    const connection = await connect(parts, port, dialect, standIn);
    const world = new SeededWorld(
      ...([options, parts, standIn, market, signer, port, connection, symbols, folder] as const),
    );
    held.world = world;
    await addLiveAgents(
      database.db,
      connection,
      { source: market.source, pairs: symbols },
      world.agentIds,
    );
    for (const symbol of symbols) world.setPrice(symbol, toNumber(standIn.prices.mid(symbol)));
    world.planFaults();
    return world;
  }

  get now(): number {
    return this.standIn.clock.trueNow();
  }

  get database(): Database {
    return this.parts.database;
  }

  /** What decides needs of the process that trades. */
  get live(): LivePort {
    const { desk } = this.server;
    return {
      rules: (exchange, symbol) => desk.rules(exchange, symbol),
      entriesOff: (id) => desk.entriesOff(id),
      isCompared: (id) => desk.isCompared(id),
      poke: () => undefined,
      ended: (id, agentId) => {
        desk.ended(id, agentId);
      },
    };
  }

  priceOf(symbol: string): number {
    return this.prices.get(symbol) ?? 0;
  }

  /** Both markets, and what the server watches. */
  setPrice(symbol: string, price: number): void {
    const rounded = Number(price.toFixed(2));
    this.prices.set(symbol, rounded);
    this.standIn.setPrice(symbol, formatFixed(fixedFromNumber(rounded, 2)));
    this.market.say(symbol, rounded);
  }

  async advance(ms: number): Promise<void> {
    await this.standIn.advance(ms);
    this.market.sleep(ms);
  }

  /** A price that the server hears, which sells what it watches. */
  async tellQuotes(): Promise<void> {
    const run = this.server.desk.run(this.connection.id);
    for (const symbol of this.symbols) {
      const quote = this.market.quote(symbol);
      if (quote !== null && run !== null)
        await Promise.race([run.onQuote(quote), this.server.whenDead]);
    }
  }

  /** The server at work once; one that died is followed by another, which knows nothing. */
  async look(): Promise<void> {
    await this.server.look();
    // The clock stands still for what has begun.
    await this.signer.settled();
    if (this.server.isDead) {
      this.serverKills += 1;
      this.server = this.newServer();
    }
  }

  async reviveSigner(): Promise<void> {
    if (!this.signer.isDead) return;
    this.signerKills += 1;
    await this.signer.start();
  }

  async close(): Promise<void> {
    this.server.kill();
    this.signer.kill();
    await this.standIn.close();
    rmSync(this.folder, { recursive: true, force: true });
  }

  private newServer(): ServerLife {
    const around = aroundOf(this.options.fault);
    return new ServerLife(this.parts, this.port, around === undefined ? {} : { around });
  }

  private planFaults(): void {
    const { seed, dialect } = this.options;
    const plan = drawFaults({
      seed,
      dialect,
      symbols: this.symbols,
      requests: 60,
      spanMs: 300_000,
      from: FAULT_NAMES.filter((name) => !UNHEARD.includes(name)),
    });
    for (const fault of plan) this.standIn.faults.add(fault);
  }

  private async notePlacing(clientOrderId: string, isWritten: boolean): Promise<void> {
    const [row] = await this.database.db
      .select({ attempts: liveOrders.attempts })
      .from(liveOrders)
      .where(eq(liveOrders.clientOrderId, clientOrderId));
    if (!isWritten || row === undefined || row.attempts < 1) this.unwritten.push(clientOrderId);
  }
}

function partsOf(database: Database, market: TapeMarket, clock: BookDeps['clock']): BookDeps {
  const events = new EventLog(new EventNotifier(), clock, null);
  return { database, market, clock, log: SILENT, events };
}

/** Half of all people have coins of their own, and on Binance some the coin that pays fees. */
function balancesOf(seed: number, quote: string): Record<string, string> {
  return {
    [quote]: '50000',
    ...(seed % 2 === 0 ? { BTC: '0.02', ETH: '0.5' } : {}),
    ...(quote === 'USDT' && seed % 3 === 0 ? { BNB: '0.01' } : {}),
  };
}

async function connect(
  parts: BookDeps,
  signer: SignerPort,
  exchange: LiveExchange,
  standIn: StandIn,
): Promise<ConnectionRow> {
  const uid = 'person';
  await parts.database.transaction((tx) => ensureUser(tx, { uid, email: null }, parts.clock));
  const { connection } = await connectExchange({ ...parts, signer }, uid, randomUUID(), {
    exchange,
    label: 'Mine',
    key: standIn.issueKey(ACCOUNT),
    limits: null,
    stepUpKeys: [],
  });
  if (connection === null) throw new Error('The key was not taken');
  return connection;
}
