/**
 * Hours of market time with fifty agents and a phone whose network comes and goes: memory stays
 * flat, device, server and ledger agree, and a phone that is put away does nothing.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Agent } from '../../contract/agents.ts';
import { beginProof, keepResult } from '../../scripts/proof/result.ts';
import { openPglite } from '../../server/db/pglite.ts';
import { fills, receipts } from '../../server/db/schema.ts';
import { checkLedger } from '../../server/portfolio/check-ledgers.ts';
import {
  memoryOfPage,
  memoryOfServer,
  readableMemory,
  type PageMemory,
  type ServerMemory,
} from '../support/long-run/held-memory.ts';
import { FLAT, growth } from '../support/long-run/growth.ts';
import { Phone, type OnDevice } from '../support/long-run/phone.ts';
import {
  callApi,
  createUser,
  refreshIdToken,
  startServer,
  type TestServer,
  type TestUser,
} from '../support/server.ts';
import { buyPlan } from '../support/sign-in.ts';
import { random, replayTape } from '../support/tape.ts';
import { until } from '../support/until.ts';

/** `npm run test:long-run` lives through eight hours at 24 times real time, in twenty minutes. */
const HOURS = Number(process.env.LONG_RUN_HOURS ?? 0.5);
const SPEED = Number(process.env.LONG_RUN_SPEED ?? 24);
const SEED = Number(process.env.SEED ?? 20_264);
const AGENTS_EACH = 25;
const HOUR_MS = 3_600_000;
/** Readings of the memory; the first ones are of a server and a page that still load their parts. */
const READINGS = Math.max(3, Math.round(HOURS * 2));
/** From here on a run has enough readings to tell growth from a start. */
const JUDGES_GROWTH_FROM_HOURS = 3;

const PLANS = [
  { trading_pairs: ['BTC/USDT', 'ETH/USDT', 'SOL/USDT'], execution_interval: '5-minute' },
  { trading_pairs: ['ETH/USDT'], execution_interval: '20-minute' },
  { trading_pairs: ['SOL/USDT', 'BTC/USDT'], execution_interval: '5-minute' },
] as const;

interface Reading {
  hour: number;
  server: ServerMemory;
  page: PageMemory;
  /** Of the device, as text. */
  keptBytes: number;
}

let server: TestServer;
let folder: string;
const tape = replayTape();

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tradewind-long-run-'));
  server = await startServer({
    env: {
      ...tape.env,
      ...readableMemory(folder),
      REPLAY_SPEED: String(SPEED),
      METRICS: 'true',
    },
  });
});
afterAll(async () => {
  await server?.stop();
  tape.remove();
  rmSync(folder, { recursive: true, force: true });
});

async function person(): Promise<{ user: TestUser; agents: Agent[] }> {
  const user = await createUser(server.url);
  await buyPlan(server.url, user, 'pro-max');
  const agents: Agent[] = [];
  for (let n = 0; n < AGENTS_EACH; n += 1) {
    const plan = PLANS[n % PLANS.length] ?? PLANS[0];
    const { agent } = await callApi(server.url, user.idToken, 'createAgent', {
      body: {
        ...plan,
        trading_pairs: [...plan.trading_pairs],
        name: `Agent ${n + 1}`,
        risk_profile: 'Moderate',
        max_position_size: 150,
        trading_frequency: 'high',
        enabled: true,
      },
    });
    agents.push(agent);
  }
  return { user, agents };
}

async function gauge(name: string): Promise<number> {
  const text = await (await fetch(`${server.url}/metrics`)).text();
  const value = new RegExp(`^${name}(?:{[^}]*})? (\\S+)$`, 'm').exec(text)?.[1];
  if (value === undefined) throw new Error(`No ${name} in the metrics`);
  return Number(value);
}

const marketMs = async (): Promise<number> =>
  (await gauge('tradewind_market_time_seconds')) * 1_000;

/** A sign-in of an hour ends within a long run; the phone renews its own. */
async function tokenOf(user: TestUser): Promise<string> {
  return refreshIdToken(server.url, user.refreshToken);
}

/** What must be the same wherever it is read; prices move on meanwhile. */
const booksOf = (portfolio: Record<string, unknown>) => ({
  cash: portfolio.cash,
  deposits: portfolio.deposits,
  realized: portfolio.realized,
  fees: portfolio.fees,
  positions: (portfolio.positions as Record<string, unknown>[])
    .map(({ id, agentId, pair, quantity, cost }) => ({ id, agentId, pair, quantity, cost }))
    .sort((a, b) => String(a.id).localeCompare(String(b.id))),
});
const statesOf = (list: Record<string, unknown>) =>
  (list.agents as Record<string, unknown>[])
    .map(({ id, status, generation, openPositions, realized, fees }) => ({
      id,
      status,
      generation,
      openPositions,
      realized,
      fees,
    }))
    .sort((a, b) => String(a.id).localeCompare(String(b.id)));

/** Device and server say the same, as soon as no trade lies between the two readings. */
async function expectAgreement(phone: Phone, user: TestUser): Promise<void> {
  const token = await tokenOf(user);
  await phone.go('/dashboard');
  const read = async (): Promise<{ device: object; server: object }> => {
    const { portfolio, agents }: OnDevice = await phone.onDevice();
    const said = await callApi(server.url, token, 'portfolio');
    const list = await callApi(server.url, token, 'agents');
    return {
      device: {
        books: portfolio === undefined ? null : booksOf(portfolio.value),
        agents: agents === undefined ? null : statesOf(agents.value),
      },
      server: { books: booksOf(said), agents: statesOf(list) },
    };
  };
  let last = await read();
  const isSame = () => JSON.stringify(last.device) === JSON.stringify(last.server);
  for (let tries = 0; tries < 40 && !isSame(); tries += 1) {
    await phone.page.waitForTimeout(700);
    last = await read();
  }
  expect(last.device).toEqual(last.server);
}

/** A phone that is put away has no stream. */
async function expectQuiet(phone: Phone): Promise<void> {
  const rested = phone.rest();
  await until(
    () => gauge('tradewind_streams'),
    (count) => count === 0,
  );
  await rested;
  await until(
    () => gauge('tradewind_streams'),
    (count) => count === 1,
  );
}

const mebibytes = (bytes: number): number => Math.round(bytes / 2 ** 20);

describe('a long run', () => {
  it(
    `keeps memory flat and device, server and ledger the same through ${HOURS} hours of the market (F07, F61)`,
    async () => {
      beginProof('long-run');
      const startedAt = Date.now();
      const roll = random(SEED);
      const { user, agents } = await person();
      const other = await person();
      const phone = await Phone.open({ url: server.url, user, agents, roll });
      const readings: Reading[] = [];
      const from = await marketMs();
      const hoursNow = async (): Promise<number> => ((await marketMs()) - from) / HOUR_MS;
      try {
        for (let hour = 0; hour < HOURS; hour = await hoursNow()) {
          await phone.live();
          if (hour < ((readings.length + 1) * HOURS) / READINGS) continue;
          await phone.comeOut();
          await expectAgreement(phone, user);
          await expectQuiet(phone);
          readings.push({
            hour: Number(hour.toFixed(2)),
            server: await memoryOfServer(server, folder),
            page: await memoryOfPage(phone.session),
            keptBytes: await phone.keptBytes(),
          });
          const { page, server: held } = readings.at(-1) as Reading;
          process.stdout.write(
            `${hour.toFixed(2)} h: server ${mebibytes(held.heapUsed)} MiB of ${mebibytes(held.rss)}, ` +
              `page ${(page.heapUsed / 2 ** 20).toFixed(1)} MiB, ${page.nodes} nodes, ${page.listeners} listeners, ` +
              `${phone.presses} presses, ${phone.tunnels} tunnels\n`,
          );
        }
        await phone.comeOut();
        await expectAgreement(phone, user);
        expect(
          phone.browser.errors.filter(
            (one) => !/ERR_INTERNET_DISCONNECTED|Failed to load resource/.test(one),
          ),
        ).toEqual([]);
      } finally {
        await phone.close();
      }
      const token = await tokenOf(other.user);
      const others = await callApi(server.url, token, 'agents');
      expect(others.agents.map(({ status }) => status)).toEqual(others.agents.map(() => 'running'));
      await server.kill9();

      const database = await openPglite(server.dataDir);
      let trades = 0;
      try {
        const ledger = await checkLedger(database.db);
        expect(ledger).toMatchObject({ ok: true, problems: [] });
        const kept = await database.db.select().from(receipts).where(eq(receipts.uid, user.uid));
        const received = new Set(kept.map(({ commandId }) => commandId));
        const lost = [...phone.saved.keys()].filter(
          (id) => !received.has(id) && !phone.takenBack.has(id),
        );
        expect(lost, 'commands that the server never had').toEqual([]);
        const rows = await database.db.select().from(fills);
        trades = rows.length;
        expect(new Set(rows.map((row) => `${row.agentId} ${row.pair} ${row.tickId}`)).size).toBe(
          rows.length,
        );
      } finally {
        await database.close();
      }
      expect(phone.turns, 'timers that turned while the phone was put away').toEqual([]);
      expect(phone.asked, 'requests while the phone was put away').toEqual([]);
      const grownBy = (of: (one: Reading) => number): number => growth(readings.map(of));
      const grown = {
        'server, heap': grownBy((one) => one.server.heapUsed),
        'server, resident': grownBy((one) => one.server.rss),
        'page, heap': grownBy((one) => one.page.heapUsed),
        'page, nodes': grownBy((one) => one.page.nodes),
        'page, listeners': grownBy((one) => one.page.listeners),
        'device, kept': grownBy((one) => one.keptBytes),
      };
      if (HOURS >= JUDGES_GROWTH_FROM_HOURS)
        for (const [what, ratio] of Object.entries(grown))
          expect(ratio, `${what}: the last third against the middle`).toBeLessThan(FLAT);
      keepResult({
        part: 'long-run',
        ok: true,
        seed: SEED,
        seconds: (Date.now() - startedAt) / 1_000,
        command: `LONG_RUN_HOURS=${HOURS} LONG_RUN_SPEED=${SPEED} SEED=${SEED} npx vitest run --config vitest.e2e.config.ts tests/faults/long-run`,
        figures: {
          'hours of the market': HOURS,
          'agents of two people': 2 * AGENTS_EACH,
          'trades, on books that balance': trades,
          'presses by finger': phone.presses,
          'commands saved, all received or taken back': phone.saved.size,
          'times without a network': phone.tunnels,
          'times put away': phone.pockets,
          ...Object.fromEntries(
            Object.entries(grown).map(([what, ratio]) => [
              `${what}: last third against middle third`,
              Number(ratio.toFixed(3)),
            ]),
          ),
        },
        rows: [
          [
            'Hour of the market',
            'Server, heap MiB',
            'Server, resident MiB',
            'Page, heap MiB',
            'Page, nodes',
            'Page, listeners',
            'Device, KiB',
          ],
          ...readings.map(({ hour, server: held, page, keptBytes }) => [
            hour,
            mebibytes(held.heapUsed),
            mebibytes(held.rss),
            Number((page.heapUsed / 2 ** 20).toFixed(1)),
            page.nodes,
            page.listeners,
            Math.round(keptBytes / 1_024),
          ]),
        ],
      });
    },
    600_000 + (HOURS * HOUR_MS * 3) / SPEED,
  );
});
