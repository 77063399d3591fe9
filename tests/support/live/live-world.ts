/**
 * Live trading with every real part: the scheduler, the database, the signer behind its socket, and
 * a stand-in exchange. One clock for all of them, which stands still until it is moved.
 */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eq } from 'drizzle-orm';
import * as z from 'zod/mini';
import type { PoolId } from '../../../contract/agents.ts';
import { formatFixed, parseFixed, ZERO } from '../../../contract/money.ts';
import { StepUpToken, type LiveExchange, type SignerAsk } from '../../../contract/signer.ts';
import type { Scheduler } from '../../../server/agents/scheduler.ts';
import type { Database } from '../../../server/db/database.ts';
import { accounts } from '../../../server/db/schema.ts';
import { ownedBy, readConnection, type ConnectionRow } from '../../../server/live/live-accounts.ts';
import type { LiveDeps, SignerPort } from '../../../server/live/live-deps.ts';
import { LiveDesk } from '../../../server/live/live-desk.ts';
import { SignerClient, SignerUnreachable } from '../../../server/live/signer-client.ts';
import { checkLedger } from '../../../server/portfolio/check-ledgers.ts';
import { openSigner, type RunningSigner } from '../../../signer/open-signer.ts';
import type { AccountOptions } from '../exchange/accounts.ts';
import { startStandIn, type StandIn } from '../exchange/stand-in.ts';
import { stepUpDevice } from '../signer/desk-world.ts';
import { STEP_MS, TAPE_START } from '../tape-market.ts';
import { openTestDatabase } from '../test-database.ts';
import { openFloor, PUBLIC_ORIGIN, type Floor } from '../trading.ts';
import { refuseInTransaction } from '../transaction-watch.ts';

export const PERSON = 'live-person';
const ACCOUNT = 'main';
const WARM_UP_DAYS = 36;
/**
 * What a row's lock has to cover, and the signer answers without an exchange; that it is there at
 * all is asked first.
 */
const HEARD_IN_TRANSACTION: readonly SignerAsk['act'][] = [
  'start_agent',
  'end_agent',
  'disconnect',
];
const PRICE = 64_000;

export interface LiveWorldOptions {
  dialect?: LiveExchange;
  database?: Database;
  drift?: number;
  balances?: Record<string, string>;
  /** Of the person too, or of somebody else: nothing here is connected with them. */
  otherAccounts?: AccountOptions[];
}

/**
 * What becomes of a question to the signer: `fail` gives no answer, `null` lets it pass, a promise
 * keeps it until it resolves, `after` keeps the answer.
 */
export type Interference = (
  act: SignerAsk['act'],
  ask: SignerAsk,
) => 'die_before' | 'die_after' | 'fail' | { after: Promise<null> } | Promise<null> | null;

export interface LiveWorld {
  floor: Floor;
  standIn: StandIn;
  signer: RunningSigner;
  client: SignerClient;
  deps: LiveDeps;
  desk: LiveDesk;
  scheduler: Scheduler;
  connection: ConnectionRow;
  /** What the person confirms with. */
  device: ReturnType<typeof stepUpDevice>;
  pair: string;
  quote: string;
  /** Moves every clock. */
  advance: (ms: number) => Promise<void>;
  /** Looks after every connection once, and after what that set off. */
  look: () => Promise<void>;
  /** Ticks until an order was planned, each with its looks; how many. */
  tickUntil: (isDone: () => Promise<boolean> | boolean, most?: number) => Promise<number>;
  /** One close, its decisions, and the market of the exchange at the same price. */
  tick: () => Promise<void>;
  /** A process that was killed: a new desk that knows nothing. */
  restart: () => void;
  /** From now on this decides what the process lives to hear of the signer. */
  interfere: (how: Interference | null) => void;
  startAgent: (overrides?: {
    pairs?: string[];
    shadow?: boolean;
    pool?: PoolId;
  }) => Promise<string>;
  /** A start of this agent, confirmed by the person. */
  start: (agentId: string) => Promise<void>;
  /** What the nightly check finds wrong, of all accounts. */
  problems: () => Promise<string[]>;
  /** By coin: what the ledger says is at the exchange, and what is. */
  books: () => Promise<Record<string, [ledger: string, exchange: string]>>;
  close: () => Promise<void>;
}

/** The account as the person is shown it. */
export const account = ({ floor, connection }: LiveWorld) =>
  floor.call(PERSON, 'liveAccount', { params: { id: connection.id } });

/** Lets time pass, with a look after each step. */
export async function settle(one: LiveWorld, seconds: number, stepSeconds = 5): Promise<void> {
  for (let waited = 0; waited < seconds; waited += stepSeconds) {
    await one.advance(stepSeconds * 1_000);
    await one.look();
  }
}

export async function openLiveWorld({
  dialect = 'kraken',
  database,
  drift,
  balances,
  otherAccounts = [],
}: LiveWorldOptions = {}): Promise<LiveWorld> {
  const quote = dialect === 'binance' ? 'USDT' : 'USD';
  const pair = `BTC/${quote}`;
  const floor = await openFloor(
    {
      pairs: [pair],
      quote,
      kind: 'exchange',
      price: PRICE,
      warmUpDays: WARM_UP_DAYS,
      ...(drift === undefined ? {} : { drift }),
    },
    database ?? (await openTestDatabase()),
  );
  const { market, clock } = floor;
  const standIn = await startStandIn({
    dialect,
    clock: { startMs: TAPE_START + WARM_UP_DAYS * 288 * STEP_MS, mode: 'still' },
    accounts: [
      { name: ACCOUNT, balances: balances ?? { [quote]: '10000', BTC: '0.5' } },
      ...otherAccounts,
    ],
  });
  clock.at = standIn.clock.trueNow();
  const advance = async (ms: number): Promise<void> => {
    await standIn.advance(ms);
    clock.at = standIn.clock.trueNow();
  };
  const folder = mkdtempSync(join(tmpdir(), 'live-'));
  const listen = { kind: 'unix', path: join(folder, 'signer.sock') } as const;
  const signer = await openSigner(
    {
      folder,
      listen,
      origins: { [dialect]: standIn.url },
      passkeys: { rpId: new URL(PUBLIC_ORIGIN).hostname, origins: [PUBLIC_ORIGIN] },
    },
    () => undefined,
    { now: () => standIn.clock.trueNow(), sleep: advance },
  );
  const client = new SignerClient(listen);
  let interference: Interference | null = null;
  const dead = new Promise<never>(() => undefined);
  const signerPort: SignerPort = {
    ask: async (ask) => {
      if (!HEARD_IN_TRANSACTION.includes(ask.act)) refuseInTransaction(`The signer's ${ask.act}`);
      const fate = (await interference?.(ask.act, ask)) ?? null;
      // A process that is killed hears nothing more: whoever waits here waits for good.
      if (fate === 'die_before') return dead;
      if (fate === 'fail') throw new SignerUnreachable('No answer');
      const reply = await client.ask(ask);
      if (fate !== null && typeof fate === 'object') await fate.after;
      return fate === 'die_after' ? dead : reply;
    },
  };
  const deps: LiveDeps = { ...floor.deps, signer: signerPort };
  const device = stepUpDevice();
  floor.withLive(signerPort);
  await floor.join(PERSON);
  const { connection: connected } = await floor.call(PERSON, 'connectExchange', {
    body: {
      exchange: dialect,
      label: 'My account',
      ...standIn.issueKey(ACCOUNT),
      stepUpKeys: [device.key],
    },
  });
  const connection =
    connected === null ? null : await readConnection(floor.database.db, connected.id);
  if (connection === null) throw new Error('The key was not taken');
  const desk = new LiveDesk(deps);
  // What a commit sets off in the running server happens here at the next look.
  floor.deps.live = {
    rules: (exchange, symbol) => world.desk.rules(exchange, symbol),
    entriesOff: (id) => world.desk.entriesOff(id),
    isCompared: (id) => world.desk.isCompared(id),
    ended: (id, agentId) => {
      world.desk.ended(id, agentId);
    },
    poke: () => undefined,
  };
  const follow = (): void => {
    standIn.setPrice(pair, formatFixed(market.quote(pair)?.last ?? ZERO));
  };
  follow();
  const scheduler = floor.scheduler();
  await scheduler.open();
  const look = async (): Promise<void> => {
    await world.desk.runAll();
    await world.desk.settled();
  };
  const tick = async (): Promise<void> => {
    await advance(STEP_MS);
    market.step();
    follow();
    await world.scheduler.runOnce();
    await world.scheduler.settled();
  };
  const start = async (agentId: string): Promise<void> => {
    const limits = {
      maxOrder: parseFixed(connection.maxOrder),
      maxExposure: parseFixed(connection.maxExposure),
      maxDailyLoss: parseFixed(connection.maxDailyLoss),
    };
    const stepUp = device.agree({
      purpose: 'start_agent',
      connectionId: connection.id,
      accountId: connection.accountId,
      agentId,
      limits,
      nonce: randomBytes(16).toString('base64url'),
      issuedAtMs: clock.at,
    });
    await floor.call(PERSON, 'startLiveAgent', {
      params: { id: agentId },
      body: { stepUp: z.encode(StepUpToken, stepUp) },
    });
  };
  const world: LiveWorld = {
    floor,
    standIn,
    signer,
    client,
    deps,
    desk,
    scheduler,
    connection,
    device,
    pair,
    quote,
    advance,
    look,
    tick,
    tickUntil: async (isDone, most = 60) => {
      for (let ticks = 1; ticks <= most; ticks += 1) {
        await look();
        await tick();
        if (await isDone()) return ticks;
      }
      throw new Error('It did not come to that');
    },
    interfere: (how) => {
      interference = how;
    },
    restart: () => {
      world.desk = new LiveDesk(deps);
    },
    startAgent: async ({ pairs = [pair], shadow = false, pool = 'momentum_24h' } = {}) => {
      const { agent } = await floor.call(PERSON, 'createAgent', {
        body: {
          name: 'Live momentum',
          trading_pairs: pairs,
          risk_profile: 'Aggressive',
          max_position_size: 5_000,
          execution_interval: '5-minute',
          enabled: false,
          pool,
          trading_frequency: 'high',
          connectionId: connection.id,
          shadow,
        },
      });
      await start(agent.id);
      return agent.id;
    },
    start,
    problems: async () => (await checkLedger(floor.database.db)).problems,
    books: async () => {
      const owned = await ownedBy(floor.database.db, connection.accountId);
      const account = standIn.accounts.get(ACCOUNT);
      const coins = new Set([...owned.all.keys(), ...account.coins]);
      return Object.fromEntries(
        [...coins].map((coin) => [
          coin,
          [formatFixed(owned.all.get(coin) ?? ZERO), formatFixed(account.total(coin))],
        ]),
      );
    },
    close: async () => {
      await world.desk.stop();
      client.close();
      await signer.close();
      await standIn.close();
      await floor.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
  return world;
}

/** The live account's row. */
export const accountOf = async ({ floor, connection }: LiveWorld) =>
  (await floor.database.db.select().from(accounts).where(eq(accounts.id, connection.accountId)))[0];
