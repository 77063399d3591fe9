/**
 * Live trading with its real parts in one process, to be measured: a desk that looks after itself,
 * a signer behind its socket, and a stand-in exchange on the machine's clock or on one that moves
 * only by the waits of the signer.
 */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eq } from 'drizzle-orm';
import { toNumber } from '../../contract/money.ts';
import type { LiveExchange } from '../../contract/signer.ts';
import type { Database } from '../../server/db/database.ts';
import { liveConnections } from '../../server/db/schema-live.ts';
import { EventLog, EventNotifier } from '../../server/db/user-events.ts';
import { connectExchange } from '../../server/live/connect.ts';
import type { ConnectionRow } from '../../server/live/live-accounts.ts';
import type { LiveDeps, SignerPort } from '../../server/live/live-deps.ts';
import { LiveDesk } from '../../server/live/live-desk.ts';
import { SignerClient } from '../../server/live/signer-client.ts';
import { ensureUser } from '../../server/users/ensure-user.ts';
import { openSigner } from '../../signer/open-signer.ts';
import { openEmptyDatabase } from '../support/empty-database.ts';
import { instrumentsOf, type Instrument } from '../support/exchange/instruments.ts';
import { startStandIn, type StandIn } from '../support/exchange/stand-in.ts';
import { addLiveAgents } from '../support/live/live-agents.ts';
import { decideTrade } from '../support/live/agent-decision.ts';
import { spokenMarket } from '../support/tape-market.ts';

export const BENCH_ACCOUNT = 'main';
/** What an account allows in an hour is no part of what is measured. */
const ORDERS_AN_HOUR = 100_000;

export interface BenchWorldOptions {
  dialect: LiveExchange;
  clock: 'still' | 'flowing';
  agents: number;
  instruments?: Instrument[];
  /** Of every pair, where the usual ones are not traded. */
  price?: string;
}

export interface BenchWorld {
  database: Database;
  standIn: StandIn;
  connection: ConnectionRow;
  symbols: readonly string[];
  agentIds: readonly string[];
  /** The desk of the process that runs now. */
  desk: () => LiveDesk;
  /** A process that has just begun and knows nothing; `onAsk` hears each question to the signer. */
  restart: (onAsk: (act: string) => void) => LiveDesk;
  /** An agent buys for so much, or sells what it holds. */
  decide: (agentId: string, symbol: string, budget: number) => Promise<void>;
  close: () => Promise<void>;
}

const quiet = (): void => undefined;

export async function openBenchWorld(options: BenchWorldOptions): Promise<BenchWorld> {
  const { dialect, agents } = options;
  const quote = dialect === 'binance' ? 'USDT' : 'USD';
  const instruments = options.instruments ?? [...instrumentsOf(dialect).values()];
  const standIn = await startStandIn({
    dialect,
    clock: { startMs: Date.now(), mode: options.clock },
    accounts: [{ name: BENCH_ACCOUNT, balances: { [quote]: '10000' } }],
    instruments,
  });
  if (options.price !== undefined)
    for (const { symbol } of instruments) standIn.setPrice(symbol, options.price);
  const clock = { now: () => standIn.clock.trueNow() };
  const sleep =
    options.clock === 'still'
      ? (ms: number) => standIn.advance(ms)
      : (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
  const folder = mkdtempSync(join(tmpdir(), 'live-bench-'));
  const listen = { kind: 'unix', path: join(folder, 'signer.sock') } as const;
  const signer = await openSigner(
    { folder, listen, origins: { [dialect]: standIn.url }, passkeys: { rpId: '', origins: [] } },
    quiet,
    { ...clock, sleep },
  );
  const client = new SignerClient(listen);
  const symbols = instruments.map(({ symbol }) => symbol).filter((one) => !one.startsWith('BNB/'));
  const market = spokenMarket(symbols, quote);
  for (const symbol of symbols) market.say(symbol, toNumber(standIn.prices.mid(symbol)));
  const database = await openEmptyDatabase();
  const log = { debug: quiet, info: quiet, warn: quiet, error: quiet };
  const events = new EventLog(new EventNotifier(), clock, null);
  const deps: LiveDeps = { database, market, clock, log, events, signer: client };
  const connection = await connect(deps, dialect, standIn);
  const agentIds = Array.from({ length: agents }, () => randomUUID());
  await addLiveAgents(database.db, connection, { source: market.source, pairs: symbols }, agentIds);
  let desk = new LiveDesk(deps);
  let tick = 0;
  return {
    database,
    standIn,
    connection,
    symbols,
    agentIds,
    desk: () => desk,
    restart: (onAsk) => {
      const port: SignerPort = {
        ask: (ask) => {
          onAsk(ask.act);
          return client.ask(ask);
        },
      };
      desk = new LiveDesk({ ...deps, signer: port });
      return desk;
    },
    decide: (agentId, symbol, budget) =>
      decideTrade(deps, desk, {
        connectionId: connection.id,
        agentId,
        symbol,
        budget,
        tickId: `tick:${(tick += 1)}`,
      }),
    close: async () => {
      await desk.stop();
      client.close();
      await signer.close();
      await standIn.close();
      await database.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function connect(
  deps: LiveDeps,
  exchange: LiveExchange,
  standIn: StandIn,
): Promise<ConnectionRow> {
  const uid = 'person';
  const { db } = deps.database;
  await deps.database.transaction((tx) => ensureUser(tx, { uid, email: null }, deps.clock));
  const { connection } = await connectExchange(deps, uid, randomUUID(), {
    exchange,
    label: 'Mine',
    key: standIn.issueKey(BENCH_ACCOUNT),
    limits: null,
    stepUpKeys: [],
  });
  if (connection === null) throw new Error('The key was not taken');
  await db
    .update(liveConnections)
    .set({ maxOrdersPerHour: ORDERS_AN_HOUR })
    .where(eq(liveConnections.id, connection.id));
  return { ...connection, maxOrdersPerHour: ORDERS_AN_HOUR };
}
