/**
 * Two servers and two workers behind one address on one PostgreSQL: whichever answers, the same
 * holds; one that is killed under load costs a reconnect and no command.
 */
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { and, asc, eq, inArray } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CallBody } from '../../contract/calls.ts';
import { StreamEvent } from '../../contract/stream.ts';
import type { Database } from '../../server/db/database.ts';
import { openPostgres } from '../../server/db/postgres.ts';
import { agents, events, fills, receipts, users } from '../../server/db/schema.ts';
import { subscriptions } from '../../server/db/schema-plans.ts';
import { checkLedger } from '../../server/portfolio/check-ledgers.ts';
import { silentLog } from '../support/app.ts';
import { postgresBinaries, startPostgres, type TestPostgres } from '../support/postgres.ts';
import { startRoundRobin, type RoundRobin } from '../support/round-robin.ts';
import {
  callApi,
  CallFailed,
  createUser,
  freePort,
  signIn,
  startServer,
  type TestServer,
  type TestUser,
} from '../support/server.ts';
import { writeTape } from '../support/tape.ts';
import { until } from '../support/until.ts';
import { startWorker, type TestWorker } from '../support/worker.ts';

const PAIRS = ['AAA/USDT', 'BBB/USDT', 'CCC/USDT', 'DDD/USDT'];
const DAY_MS = 86_400_000;
const TAPE_START = Date.UTC(2022, 0, 1);
/**
 * Commands of each person while servers are killed, each of the two once; `npm run test:fleet` sends
 * and kills ten times as many.
 */
const COMMANDS = Number(process.env.FLEET_COMMANDS ?? 60);
const KILLS = Number(process.env.FLEET_KILLS ?? 2);

const AGENT: CallBody<'createAgent'> = {
  name: 'Trader',
  trading_pairs: PAIRS,
  risk_profile: 'Aggressive',
  max_position_size: 500,
  execution_interval: '5-minute',
  enabled: true,
  pool: 'momentum_24h',
  trading_frequency: 'high',
};

const pause = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms);
  });

let cluster: TestPostgres | null = null;
let folder: string;
let database: Database;
let servers: TestServer[] = [];
let workers: TestWorker[] = [];
let proxy: RoundRobin;
let common: Record<string, string>;

/** A server as a second machine runs it: only the database and the identity provider are shared. */
const serverOf = (env: Record<string, string> = {}): Promise<TestServer> =>
  startServer({
    env: {
      ...common,
      RUN_AGENTS: 'false',
      TRUST_PROXY: 'true',
      ...env,
    },
  });

async function openFleet(): Promise<void> {
  cluster = await startPostgres(['max_connections=120']);
  if (cluster === null) return;
  folder = mkdtempSync(join(tmpdir(), 'tradewind-fleet-'));
  const tape = join(folder, 'made');
  writeTape({ folder: tape, pairs: PAIRS, from: TAPE_START, candles: 160 * 288, seed: 11 });
  common = {
    DATABASE_URL: cluster.fresh('fleet'),
    DATABASE_POOL_MAX: '6',
    MARKET_SOURCE: `replay:${tape}`,
    REPLAY_SPEED: '300',
    REPLAY_START: new Date(TAPE_START + 100 * DAY_MS).toISOString(),
    // Only a word from the other server can be sooner.
    ACCOUNT_CHECK_SECONDS: '3600',
  };
  servers = await Promise.all([serverOf(), serverOf()]);
  workers = await Promise.all([startWorker({ ...common }), startWorker({ ...common })]);
  proxy = await startRoundRobin(servers.map(({ port }) => port));
  database = await openPostgres(common.DATABASE_URL ?? '', { poolMax: 3, log: silentLog });
}

async function person(): Promise<TestUser> {
  const made = await createUser(proxy.url);
  await callApi(proxy.url, made.idToken, 'portfolio');
  await database.db.insert(subscriptions).values({
    uid: made.uid,
    provider: 'test',
    status: 'active',
    tier: 'pro-max',
    updatedAt: Date.now(),
  });
  return made;
}

const [first, second] = [0, 1].map((place) => (): TestServer => {
  const server = servers[place];
  if (server === undefined) throw new Error('No such server');
  return server;
}) as [() => TestServer, () => TestServer];

/** The proxy that compose.yaml starts, with its own file of settings; null where it is not installed. */
const CADDY = ['/usr/bin/caddy', '/usr/local/bin/caddy'].find((file) => existsSync(file)) ?? null;
const CADDYFILE = fileURLToPath(new URL('../../deploy/Caddyfile', import.meta.url));

async function startCaddy(ports: readonly number[]): Promise<{ url: string; stop(): void }> {
  if (CADDY === null) throw new Error('No Caddy');
  const url = `http://127.0.0.1:${await freePort()}`;
  const home = mkdtempSync(join(folder, 'caddy-'));
  const child = spawn(CADDY, ['run', '--config', CADDYFILE, '--adapter', 'caddyfile'], {
    env: {
      HOME: home,
      XDG_DATA_HOME: home,
      XDG_CONFIG_HOME: home,
      CADDY_ADMIN: `127.0.0.1:${await freePort()}`,
      DOMAIN: url,
      SERVERS: ports.map((port) => `127.0.0.1:${port}`).join(' '),
    },
    stdio: 'ignore',
  });
  await until(
    async () => (await fetch(`${url}/healthz`)).status,
    (status) => status === 200,
  );
  return {
    url,
    stop: () => {
      child.kill('SIGTERM');
    },
  };
}

interface Heard {
  id: number | null;
  event: StreamEvent;
}

/** A stream as the app reads it: it comes back with the last number it has, to whoever serves. */
class Listener {
  readonly heard: Heard[] = [];
  connections = 0;
  /** Set when the server says that the session has ended. */
  ended: string | null = null;
  private readonly abort = new AbortController();
  private done: Promise<void>;

  constructor(
    private readonly url: string,
    private readonly token: string,
  ) {
    this.done = this.run();
  }

  get lastId(): number | null {
    return this.heard.findLast(({ id }) => id !== null)?.id ?? null;
  }

  get ids(): number[] {
    return this.heard.flatMap(({ id }) => (id === null ? [] : [id]));
  }

  async close(): Promise<void> {
    this.abort.abort();
    await this.done;
  }

  private async run(): Promise<void> {
    while (!this.abort.signal.aborted && this.ended === null) {
      try {
        await this.readOne();
      } catch {
        /* Cut off, or nobody there: it comes again. */
      }
      await pause(100);
    }
  }

  private async readOne(): Promise<void> {
    const after = this.lastId;
    const response = await fetch(`${this.url}/api/stream`, {
      headers: {
        authorization: `Bearer ${this.token}`,
        ...(after === null ? {} : { 'last-event-id': String(after) }),
      },
      signal: this.abort.signal,
    });
    if (response.status === 401) this.ended = 'refused';
    if (!response.ok || response.body === null) return;
    this.connections += 1;
    let text = '';
    const decoder = new TextDecoder();
    const reader = response.body.getReader();
    for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
      text += decoder.decode(piece.value, { stream: true });
      const parts = text.split('\n\n');
      text = parts.pop() ?? '';
      for (const part of parts) this.take(part);
    }
  }

  private take(frame: string): void {
    if (!frame.includes('data: ')) return;
    const id = /^id: (\d+)$/m.exec(frame)?.[1];
    const event = StreamEvent.parse(JSON.parse(frame.slice(frame.indexOf('data: ') + 6)));
    if (event.type === 'session.ended') this.ended = event.reason;
    if (id === undefined && event.type === 'hello' && this.heard.length === 0)
      this.heard.push({ id: event.sequence, event });
    else this.heard.push({ id: id === undefined ? null : Number(id), event });
  }
}

/** Sends one command with one id until it is answered, as the queue of a device does. */
async function deliver<R>(send: (commandId: string) => Promise<R>): Promise<[string, R, number]> {
  const commandId = randomUUID();
  for (let tries = 1; ; tries += 1) {
    try {
      return [commandId, await send(commandId), tries];
    } catch (error) {
      if (error instanceof CallFailed && error.status < 500) throw error;
      if (tries > 600) throw error;
      await pause(100);
    }
  }
}

describe.skipIf(postgresBinaries() === null)(
  'two servers and two workers behind one address (skipped where PostgreSQL cannot be installed)',
  () => {
    beforeAll(openFleet, 240_000);
    afterAll(async () => {
      await proxy.close();
      await Promise.all(workers.map((worker) => worker.stop()));
      await Promise.all(servers.map((server) => server.stop()));
      await database.close();
      cluster?.stop();
      rmSync(folder, { recursive: true, force: true });
    });

    it('know whoever signed in through either, and what was done at either', async () => {
      const made = await person();
      const again = await signIn(second().url, made.email, made.password);
      expect(again.uid).toBe(made.uid);
      const { agent } = await callApi(first().url, made.idToken, 'createAgent', {
        body: { ...AGENT, enabled: false },
      });
      for (const token of [made.idToken, again.idToken]) {
        const { agents: list } = await callApi(second().url, token, 'agents');
        expect(list.map(({ id }) => id)).toEqual([agent.id]);
      }
      const before = [...proxy.given];
      for (let n = 0; n < 6; n += 1) await callApi(proxy.url, made.idToken, 'agents');
      expect(proxy.given.map((count, place) => count - (before[place] ?? 0))).toEqual([3, 3]);
    });

    it('carry out a command that reaches both at once only once, with one answer', async () => {
      const { idToken, uid } = await person();
      const commandId = randomUUID();
      const replies = await Promise.all(
        Array.from({ length: 20 }, (_, n) =>
          callApi((n % 2 === 0 ? first() : second()).url, idToken, 'createAgent', {
            body: { ...AGENT, enabled: false },
            commandId,
          }),
        ),
      );
      expect(new Set(replies.map((reply) => JSON.stringify(reply))).size).toBe(1);
      expect((await database.db.select().from(agents).where(eq(agents.uid, uid))).length).toBe(1);
    });

    it('tell the streams of one what was done at the other, and by a worker', async () => {
      const { idToken } = await person();
      const listener = new Listener(first().url, idToken);
      await until(
        async () => listener.connections,
        (count) => count > 0,
      );
      await callApi(second().url, idToken, 'createAgent', { body: AGENT });
      const heard = (type: StreamEvent['type']) =>
        until(
          async () => listener.heard.map(({ event }) => event.type),
          (types) => types.includes(type),
        );
      await heard('agent.changed');
      // A server runs no agents here: only a worker can have traded.
      await heard('fill.recorded');
      await listener.close();
    });

    it('end every stream and session of a person who is signed out at one of them', async () => {
      const { idToken } = await person();
      // Both have asked the provider by now, and believe its answer for an hour.
      for (const server of [first(), second()]) await callApi(server.url, idToken, 'agents');
      const listener = new Listener(second().url, idToken);
      await until(
        async () => listener.connections,
        (count) => count > 0,
      );
      // Seconds against seconds: a token of this second would be as new as the sign-out.
      await pause(1_100);
      const reply = await fetch(`${first().url}/callable/signOutEverywhere`, {
        method: 'POST',
        headers: { authorization: `Bearer ${idToken}`, 'content-type': 'application/json' },
        body: JSON.stringify({ data: {} }),
      });
      expect(reply.status).toBe(200);
      await until(
        async () => listener.ended,
        (ended) => ended === 'token_revoked',
      );
      for (const server of [first(), second()])
        await expect(callApi(server.url, idToken, 'agents')).rejects.toMatchObject({
          code: 'token_revoked',
        });
      await listener.close();
    });

    it('count what a person asks of either against one limit, and Stop by itself', async () => {
      // Twelve at once, and then not one a second.
      const limited = await Promise.all(
        [0, 1].map(() => serverOf({ RATE_LIMIT_USER_PER_SECOND: '0.8' })),
      );
      try {
        const { idToken } = await person();
        const [here, there] = limited.map(({ url }) => url) as [string, string];
        const { agents: none } = await callApi(here, idToken, 'agents');
        expect(none).toEqual([]);
        // At once, so that a slow machine lets no more flow in than it must.
        const allowedAt = async (url: string): Promise<number> => {
          const asked = await Promise.allSettled(
            Array.from({ length: 30 }, () => callApi(url, idToken, 'agents')),
          );
          const refused = asked.filter(({ status }) => status === 'rejected');
          for (const one of refused)
            expect(one).toMatchObject({ reason: { code: 'rate_limited' } });
          return asked.length - refused.length;
        };
        const began = Date.now();
        expect(await allowedAt(here)).toBeGreaterThanOrEqual(11);
        // The word needs a moment, in which a token or two flow in.
        await pause(500);
        const elsewhere = await allowedAt(there);
        expect(elsewhere).toBeLessThanOrEqual(3 + ((Date.now() - began) / 1_000) * 0.8);
        await expect(callApi(there, idToken, 'stopAll', { body: {} })).resolves.toMatchObject({
          agents: [],
        });
      } finally {
        await Promise.all(limited.map((server) => server.stop()));
      }
    });

    it('lose no command and no event when servers are killed under load, one after the other (F67)', async () => {
      const people = await Promise.all([person(), person(), person()]);
      const loads = await Promise.all(
        people.map(async ({ idToken, uid }) => {
          await callApi(proxy.url, idToken, 'createAgent', { body: AGENT });
          // Never started: nothing but commands changes it.
          const { agent } = await callApi(proxy.url, idToken, 'createAgent', {
            body: { ...AGENT, name: 'Counted', enabled: false },
          });
          return { idToken, uid, agent, listener: new Listener(proxy.url, idToken) };
        }),
      );
      const { length: rest } = loads;
      await until(
        async () => loads.filter(({ listener }) => listener.connections > 0).length,
        (count) => count === rest,
      );
      let left = loads.length * COMMANDS;
      let retried = 0;
      const sent = new Map<string, unknown>();
      const work = loads.map(async ({ idToken, agent }) => {
        for (let n = 0; n < COMMANDS; n += 1) {
          const [id, reply, tries] = await deliver((commandId) =>
            callApi(proxy.url, idToken, 'stopAgent', {
              params: { id: agent.id },
              body: {},
              commandId,
            }),
          );
          sent.set(id, reply);
          if (tries > 1) retried += 1;
          left -= 1;
          await pause(20);
        }
      });
      const each = (loads.length * COMMANDS) / (KILLS + 1);
      for (let kill = 0; kill < KILLS; kill += 1) {
        const due = loads.length * COMMANDS - each * (kill + 1);
        await until(
          async () => left,
          (count) => count <= due,
        );
        const victim = kill % 2 === 0 ? first() : second();
        const before = left;
        await victim.kill9();
        if (kill === 0) await workers[0]?.kill9();
        // The other goes on by itself.
        await until(
          async () => left,
          (count) => count < before - 3 || count === 0,
        );
        await victim.restart();
      }
      await Promise.all(work);
      for (const { uid, agent } of loads) {
        const [row] = await database.db.select().from(agents).where(eq(agents.id, agent.id));
        // Each stop counts once, also one that finds the agent stopped.
        expect(row?.generation, uid).toBe(agent.generation + COMMANDS);
      }
      const kept = await database.db
        .select()
        .from(receipts)
        .where(inArray(receipts.commandId, [...sent.keys()]));
      expect(kept.length).toBe(loads.length * COMMANDS);
      for (const { commandId, reply } of kept) expect(reply).toEqual(sent.get(commandId));
      // Every stream has every event once and in order, over however many connections.
      for (const { uid, listener } of loads) {
        await until(
          async () => {
            const [row] = await database.db.select().from(users).where(eq(users.uid, uid));
            return [row?.sequence, listener.lastId];
          },
          ([there, here]) => there === here,
        );
        await listener.close();
        const [from = 0, ...more] = listener.ids;
        expect(more).toEqual(Array.from({ length: more.length }, (_, n) => from + n + 1));
        const stored = await database.db
          .select()
          .from(events)
          .where(eq(events.uid, uid))
          .orderBy(asc(events.sequence));
        expect(stored.map(({ sequence }) => sequence)).toEqual(stored.map((_, n) => n + 1));
      }
      const reconnects = loads.map(({ listener }) => listener.connections);
      process.stdout.write(
        `${sent.size} commands, ${retried} sent again; connections of each stream: ${reconnects.join(', ')}\n`,
      );
      expect(Math.max(...reconnects)).toBeGreaterThan(1);
      expect((await checkLedger(database.db)).problems).toEqual([]);
      const traded = await database.db
        .select({ agentId: fills.agentId, pair: fills.pair, tickId: fills.tickId })
        .from(fills);
      expect(new Set(traded.map((fill) => Object.values(fill).join(' '))).size).toBe(traded.length);
      if (workers[0] !== undefined) workers[0] = await startWorker({ ...common });
    });

    it('answer what a server that is told to end had taken in, and send its readers to the other', async () => {
      const { idToken, uid } = await person();
      const { agent } = await callApi(proxy.url, idToken, 'createAgent', {
        body: { ...AGENT, name: 'Counted', enabled: false },
      });
      const listener = new Listener(first().url, idToken);
      const moving = new Listener(proxy.url, idToken);
      await until(
        async () => [listener.connections, moving.connections],
        (counts) => counts.every((count) => count > 0),
      );
      let answered = 0;
      let ending = false;
      const work = Promise.all(
        Array.from({ length: 4 }, async () => {
          for (let n = 0; n < 40; n += 1) {
            await deliver((commandId) =>
              callApi(proxy.url, idToken, 'stopAgent', {
                params: { id: agent.id },
                body: {},
                commandId,
              }),
            );
            answered += 1;
          }
        }),
      );
      await until(
        async () => answered,
        (count) => count > 20,
      );
      ending = true;
      const code = await first().stop();
      expect(ending && code).toBe(0);
      await work;
      const [row] = await database.db
        .select()
        .from(agents)
        .where(and(eq(agents.id, agent.id), eq(agents.uid, uid)));
      expect(row?.generation).toBe(agent.generation + 160);
      await until(
        async () => {
          const [owner] = await database.db.select().from(users).where(eq(users.uid, uid));
          return [owner?.sequence, moving.lastId];
        },
        ([there, here]) => there === here,
      );
      await Promise.all([listener.close(), moving.close()]);
    });

    it('is told of by /readyz before it ends, while it still answers', async () => {
      const leaving = await serverOf({ DRAIN_SECONDS: '5' });
      const { idToken } = await person();
      const ended = leaving.stop();
      const parts = await until(
        async () => await callApi(leaving.url, null, 'readyz'),
        ({ ready }) => !ready,
      );
      expect(parts.parts).toMatchObject({ server: 'stopping', database: 'ready' });
      expect((await callApi(leaving.url, idToken, 'agents')).agents).toEqual([]);
      expect(await ended).toBe(0);
    });

    it.skipIf(CADDY === null)(
      'are one behind the proxy of compose.yaml too (skipped where Caddy is not installed)',
      async () => {
        const pair = await Promise.all(
          [0, 1].map(() => serverOf({ DRAIN_SECONDS: '5', METRICS: 'true' })),
        );
        const caddy = await startCaddy(pair.map(({ port }) => port));
        try {
          const [one, two] = pair as [TestServer, TestServer];
          const { idToken, uid } = await person();
          const { agent } = await callApi(caddy.url, idToken, 'createAgent', {
            body: { ...AGENT, name: 'Counted', enabled: false },
          });
          expect((await fetch(`${one.url}/metrics`)).status).toBe(200);
          for (const path of ['/metrics', '/metrics/', '/METRICS/', '/%6Detrics', '/metrics?x=1'])
            expect((await fetch(`${caddy.url}${path}`)).status, path).toBe(404);
          const listener = new Listener(caddy.url, idToken);
          await until(
            async () => listener.connections,
            (count) => count > 0,
          );
          let done = 0;
          let failed = 0;
          const stopping = (async () => {
            for (; done < 120; done += 1) {
              const [, , tries] = await deliver((commandId) =>
                callApi(caddy.url, idToken, 'stopAgent', {
                  params: { id: agent.id },
                  body: {},
                  commandId,
                }),
              );
              failed += tries - 1;
              await pause(30);
            }
          })();
          await until(
            async () => done,
            (count) => count > 20,
          );
          await one.kill9();
          await until(
            async () => done,
            (count) => count > 40,
          );
          await one.restart();
          const broken = failed;
          await until(
            async () => await fetch(`${one.url}/readyz`).then((reply) => reply.status),
            (status) => status === 200,
          );
          await two.stop();
          await stopping;
          process.stdout.write(
            `Behind Caddy: ${done} commands; ${broken} requests failed at a kill, ${failed - broken} at an end\n`,
          );
          const [row] = await database.db.select().from(agents).where(eq(agents.id, agent.id));
          expect(row?.generation).toBe(agent.generation + 120);
          await until(
            async () => {
              const [owner] = await database.db.select().from(users).where(eq(users.uid, uid));
              return [owner?.sequence, listener.lastId];
            },
            ([there, here]) => there === here,
          );
          await listener.close();
          const [from = 0, ...more] = listener.ids;
          expect(more).toEqual(Array.from({ length: more.length }, (_, n) => from + n + 1));
        } finally {
          caddy.stop();
          await Promise.all(pair.map((server) => server.stop()));
        }
      },
    );
  },
);
