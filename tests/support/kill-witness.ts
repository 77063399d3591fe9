/**
 * Commands in flight while something is killed, again and again, and what was acknowledged before:
 * nothing of it may be lost, and nothing doubled.
 */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { asc, eq, sql } from 'drizzle-orm';
import { expect } from 'vitest';
import type { CallBody, CallName } from '../../contract/calls.ts';
import type { Database } from '../../server/db/database.ts';
import { fills, marketClocks, receipts, ticks } from '../../server/db/schema.ts';
import { checkLedger } from '../../server/portfolio/check-ledgers.ts';
import { startTestKeys, TEST_PROJECT } from './keys.ts';
import { callApi, CallFailed, type TestServer } from './server.ts';
import { random, writeTape } from './tape.ts';
import { until } from './until.ts';

const PAIRS = [
  'AAA/USDT',
  'BBB/USDT',
  'CCC/USDT',
  'DDD/USDT',
  'EEE/USDT',
  'FFF/USDT',
  'GGG/USDT',
  'HHH/USDT',
];
const DAY_MS = 86_400_000;
const TAPE_START = Date.UTC(2022, 0, 1);
const REPLAY_START = new Date(TAPE_START + 100 * DAY_MS).toISOString();

/** Prices that give an aggressive agent trades, replayed fast, and who signs people in to them. */
export interface BusyMarket {
  /** The settings of a server before it. */
  env: Record<string, string>;
  sign(uid: string): Promise<string>;
  close(): Promise<void>;
}

export async function openBusyMarket(seed: number): Promise<BusyMarket> {
  const keys = await startTestKeys();
  const folder = mkdtempSync(join(tmpdir(), 'tradewind-tape-'));
  writeTape({ folder, pairs: PAIRS, from: TAPE_START, candles: 160 * 288, seed });
  return {
    env: {
      MARKET_SOURCE: `replay:${folder}`,
      REPLAY_SPEED: '2400',
      REPLAY_START,
      VITE_FIREBASE_PROJECT_ID: TEST_PROJECT,
      FIREBASE_KEYS_URL: keys.url,
    },
    sign: (uid) => keys.sign(uid),
    async close() {
      await keys.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

interface Sent {
  id: string;
  name: CallName;
  params: { id: string } | Record<string, never>;
  body: CallBody<CallName>;
  reply: unknown;
}

/**
 * What one life of the server is held to; filled while it lives, checked against the database after
 * it died.
 */
class Witness {
  readonly acknowledged: Sent[] = [];
  readonly unanswered: Sent[] = [];
  readonly seenFills = new Map<string, string>();
  fillsBefore = 0;
  clockBefore = 0;
  ticksBefore = new Set<string>();

  async check(database: Database): Promise<void> {
    const { db } = database;
    expect(await checkLedger(db)).toMatchObject({ problems: [] });
    for (const sent of this.acknowledged) {
      const [row] = await db.select().from(receipts).where(eq(receipts.commandId, sent.id));
      expect(row, `receipt of an acknowledged ${sent.name}`).toBeDefined();
      expect(row?.reply).toEqual(sent.reply);
    }
    const rows = await db.select().from(fills);
    const byId = new Map(rows.map((row) => [row.id, row.quantity]));
    for (const [id, quantity] of this.seenFills)
      expect(Number(byId.get(id)), 'a fill that was shown').toBe(Number(quantity));
    expect(new Set(rows.map((row) => `${row.agentId} ${row.pair} ${row.tickId}`)).size).toBe(
      rows.length,
    );
    const newFills = rows.length - this.fillsBefore;
    expect(newFills, 'fills since the last kill').toBeGreaterThan(0);
    this.fillsBefore = rows.length;

    const done = await db.select().from(ticks).orderBy(asc(ticks.closeMarketMs));
    const names = done.map((row) => `${row.interval} ${row.closeMarketMs} ${row.state}`);
    for (const name of this.ticksBefore)
      expect(names, 'a tick that was finished stays finished').toContain(name);
    this.ticksBefore = new Set(
      done
        .filter((row) => row.state !== 'running')
        .map((row) => `${row.interval} ${row.closeMarketMs} ${row.state}`),
    );
    const [clock] = await db.select().from(marketClocks);
    expect(clock?.nowMarketMs ?? 0).toBeGreaterThanOrEqual(this.clockBefore);
    this.clockBefore = clock?.nowMarketMs ?? 0;
    const twice = await db.execute(
      sql`select agent_id, pair, tick_id from decisions group by 1, 2, 3 having count(*) > 1`,
    );
    expect((twice as { rows: unknown[] }).rows).toEqual([]);
  }
}

async function untilFill(server: TestServer, token: string, witness: Witness): Promise<void> {
  const known = witness.fillsBefore;
  for (let tries = 0; tries < 600; tries += 1) {
    const { fills: shown } = await callApi(server.url, token, 'history', {
      query: { limit: 1000 },
    });
    for (const fill of shown) witness.seenFills.set(fill.id, fill.quantity);
    if (shown.length > known) return;
    await new Promise((resolve) => {
      setTimeout(resolve, 100);
    });
  }
  throw new Error(`No fill in a minute:\n${server.logs().slice(-4000)}`);
}

/** Sends without waiting; the answer, if one comes, is an acknowledgement the server is held to. */
function fire(
  server: TestServer,
  token: string,
  witness: Witness,
  name: CallName,
  params: Sent['params'],
  body: CallBody<CallName>,
): Promise<void> {
  const sent: Sent = { id: randomUUID(), name, params, body, reply: null };
  witness.unanswered.push(sent);
  const settle = (): void => {
    witness.unanswered.splice(witness.unanswered.indexOf(sent), 1);
  };
  return callApi(server.url, token, name, {
    params: params as never,
    body: body as never,
    commandId: sent.id,
  }).then(
    (reply) => {
      settle();
      witness.acknowledged.push({ ...sent, reply });
    },
    (error: unknown) => {
      // A refusal is an answer as well: nothing happened. Anything else is unknown and will be
      // asked again.
      if (error instanceof CallFailed && error.status < 500) settle();
    },
  );
}

async function oneLife(
  server: TestServer,
  token: string,
  witness: Witness,
  ids: string[],
  roll: () => number,
  strike: () => Promise<void>,
): Promise<void> {
  await untilFill(server, token, witness);
  const commands: Promise<void>[] = [];
  const pick = (): string => ids[Math.floor(roll() * ids.length)] ?? '';
  for (let n = 0; n < 12; n += 1) {
    const kind = roll();
    if (kind < 0.3) commands.push(fire(server, token, witness, 'stopAgent', { id: pick() }, {}));
    else if (kind < 0.7)
      commands.push(
        fire(server, token, witness, 'startAgent', { id: pick() }, { confirmed: true }),
      );
    else if (kind < 0.85)
      commands.push(
        fire(
          server,
          token,
          witness,
          'startAll',
          {},
          { agents: ids.map((id) => ({ id })), confirmed: true },
        ),
      );
    else
      commands.push(
        fire(server, token, witness, 'createAgent', {}, agentBody(`Extra ${n}`, false)),
      );
    if (roll() < 0.4)
      await new Promise((resolve) => {
        setTimeout(resolve, roll() * 30);
      });
  }
  await new Promise((resolve) => {
    setTimeout(resolve, roll() * 40);
  });
  await strike();
  await Promise.all(commands);
}

const agentBody = (name: string, enabled: boolean) => ({
  name,
  trading_pairs: PAIRS,
  risk_profile: 'Aggressive' as const,
  max_position_size: 2_000,
  execution_interval: '5-minute' as const,
  enabled,
  trading_frequency: 'high' as const,
});

/**
 * After the restart: the same ids again. Each must answer once and for all, and leave exactly one
 * effect.
 */
async function settleUnknown(
  server: TestServer,
  token: string,
  witness: Witness,
  ids: string[],
): Promise<void> {
  for (const sent of witness.unanswered.splice(0)) {
    const again = { params: sent.params as never, body: sent.body as never, commandId: sent.id };
    try {
      const first = await callApi(server.url, token, sent.name, again);
      expect(await callApi(server.url, token, sent.name, again)).toEqual(first);
      witness.acknowledged.push({ ...sent, reply: first });
    } catch (error) {
      if (!(error instanceof CallFailed) || error.status >= 500) throw error;
    }
  }
  const created = witness.acknowledged
    .filter((sent) => sent.name === 'createAgent')
    .map((sent) => (sent.reply as { agent: { id: string } }).agent.id);
  expect(new Set(created).size, 'one agent for each acknowledged creation').toBe(created.length);
  const list = await callApi(server.url, token, 'agents');
  for (const agent of list.agents.filter(({ id }) => !ids.includes(id))) {
    expect(created, 'no agent without an acknowledged creation').toContain(agent.id);
    await callApi(server.url, token, 'deleteAgent', { params: { id: agent.id } });
  }
  await callApi(server.url, token, 'startAll', {
    body: { agents: ids.map((id) => ({ id })), confirmed: true },
  });
}

export interface Killing {
  kills: number;
  seed: number;
  uid: string;
  /** A token of that person. One lasts an hour, and many kills take longer. */
  sign: () => Promise<string>;
  server: TestServer;
  /** Kills, while commands are on their way. */
  strike: () => Promise<void>;
  /** What was killed is started again, or comes back. */
  revive: () => Promise<void>;
  /** The database beside the server, or without it. */
  open: () => Promise<Database>;
  /** Whether the server lives on: then it stands still while its database is read. */
  serverLives: boolean;
}

export interface Survived {
  kills: number;
  acknowledged: number;
  fills: number;
  ticks: number;
  /** From the moment it was started again to the first answer, ms, in order of size. */
  recoveriesMs: number[];
}

async function read({ open, server, serverLives }: Killing, witness: Witness): Promise<void> {
  if (serverLives) process.kill(server.pid, 'SIGSTOP');
  const database = await open();
  try {
    await witness.check(database);
  } finally {
    await database.close();
    if (serverLives) process.kill(server.pid, 'SIGCONT');
  }
}

/** How long until the server answers, of what only its database knows, ms. */
async function recovered({ server, revive }: Killing, token: string): Promise<number> {
  const from = Date.now();
  await revive();
  await until(
    () => callApi(server.url, token, 'portfolio'),
    () => true,
  );
  return Date.now() - from;
}

const SAY_EVERY = 25;

/** Three agents trade and commands arrive, and each time something is killed under them. */
export async function surviveKills(killing: Killing): Promise<Survived> {
  const { kills, seed, uid, server } = killing;
  const roll = random(seed);
  let token = await killing.sign();
  await callApi(server.url, token, 'trialStart', { body: { userId: uid } });
  const ids: string[] = [];
  for (const name of ['Harbour', 'Ebb', 'Drift'])
    ids.push(
      (await callApi(server.url, token, 'createAgent', { body: agentBody(name, true) })).agent.id,
    );
  const witness = new Witness();
  const recoveriesMs: number[] = [];
  for (let kill = 1; kill <= kills; kill += 1) {
    token = await killing.sign();
    if (kill % SAY_EVERY === 0) process.stderr.write(`${kill} of ${kills} kills\n`);
    await oneLife(server, token, witness, ids, roll, () => killing.strike());
    if (!killing.serverLives) await read(killing, witness);
    recoveriesMs.push(await recovered(killing, token));
    if (killing.serverLives) await read(killing, witness);
    await settleUnknown(server, token, witness, ids);
  }
  expect(witness.acknowledged.length).toBeGreaterThan(kills);
  const own = await callApi(server.url, token, 'agents');
  expect(own.agents.map((agent) => agent.id).sort()).toEqual([...ids].sort());
  return {
    kills,
    acknowledged: witness.acknowledged.length,
    fills: witness.seenFills.size,
    ticks: witness.ticksBefore.size,
    recoveriesMs: recoveriesMs.sort((a, b) => a - b),
  };
}

/** The middle one and the one that nineteen of twenty do not exceed, in seconds, as text. */
export function recoveryText({ recoveriesMs }: Survived): string {
  const at = (share: number): string =>
    ((recoveriesMs[Math.ceil(share * recoveriesMs.length) - 1] ?? Number.NaN) / 1_000).toFixed(2);
  return `${at(0.5)} s in the middle, ${at(0.95)} s of 19 in 20`;
}

export const figuresOf = (survived: Survived): Record<string, number | string> => ({
  'kills survived': survived.kills,
  'acknowledged commands, all found again': survived.acknowledged,
  'fills that were shown, all found again': survived.fills,
  ticks: survived.ticks,
  'until it answers again': recoveryText(survived),
});
