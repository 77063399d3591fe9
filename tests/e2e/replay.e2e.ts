/**
 * Recorded prices at 1200 times real time: real fills within two minutes, and sums that hold to the
 * last digit.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { add, formatFixed, parseFixed, sum } from '../../contract/money.ts';
import { openPglite } from '../../server/db/pglite.ts';
import { checkLedger } from '../../server/portfolio/check-ledgers.ts';
import { startTestKeys, TEST_PROJECT, type TestKeys } from '../support/keys.ts';
import { callApi, startServer, type TestServer } from '../support/server.ts';
import { replayTape } from '../support/tape.ts';

const LIMIT_MS = 120_000;
const UID = 'replayer';

let keys: TestKeys;
let server: TestServer;
let dataDir: string;
const tape = replayTape();

beforeAll(async () => {
  keys = await startTestKeys();
  dataDir = mkdtempSync(join(tmpdir(), 'tradewind-replay-'));
  server = await startServer({
    dataDir,
    env: {
      ...tape.env,
      REPLAY_SPEED: '1200',
      VITE_FIREBASE_PROJECT_ID: TEST_PROJECT,
      FIREBASE_KEYS_URL: keys.url,
    },
  });
});
afterAll(async () => {
  await server.stop();
  await keys.close();
  rmSync(dataDir, { recursive: true, force: true });
  tape.remove();
});

describe('a replay of recorded prices', () => {
  it('gives an Aggressive 5-minute agent real fills within two minutes, on books that balance (R1-02, R7-24, R7-25)', async () => {
    const token = await keys.sign(UID);
    await callApi(server.url, token, 'trialStart', { body: { userId: UID } });
    const { agent } = await callApi(server.url, token, 'createAgent', {
      body: {
        name: 'Harbour',
        trading_pairs: ['BTC/USDT', 'ETH/USDT', 'SOL/USDT'],
        risk_profile: 'Aggressive',
        max_position_size: 5_000,
        execution_interval: '5-minute',
        enabled: true,
      },
    });
    const until = Date.now() + LIMIT_MS;
    const fills = async () =>
      (await callApi(server.url, token, 'history', { query: { limit: 1_000 } })).fills;
    while ((await fills()).length === 0 && Date.now() < until)
      await new Promise((resolve) => {
        setTimeout(resolve, 500);
      });
    expect((await fills()).length).toBeGreaterThan(0);

    // Through stops, entries and exits of a while, every reading adds up.
    for (let reading = 0; reading < 20; reading += 1) {
      const portfolio = await callApi(server.url, token, 'portfolio');
      const values = portfolio.positions.map((position) =>
        parseFixed(position.value ?? position.cost),
      );
      expect(portfolio.equity).toBe(formatFixed(add(parseFixed(portfolio.cash), sum(values))));
      expect(portfolio.equity).toBe(
        formatFixed(
          sum([portfolio.deposits, portfolio.realized, portfolio.unrealized].map(parseFixed)),
        ),
      );
      await new Promise((resolve) => {
        setTimeout(resolve, 250);
      });
    }
    const { outcome, agent: stopped } = await callApi(server.url, token, 'stopAgent', {
      params: { id: agent.id },
    });
    expect([outcome, stopped.status]).toEqual(['stopped', 'stopped']);

    const { fills: sold, unsold } = await callApi(server.url, token, 'liquidateAgent', {
      params: { id: agent.id },
    });
    expect(unsold).toEqual([]);
    expect(sold.length).toBe(stopped.openPositions);
    const flat = await callApi(server.url, token, 'portfolio');
    expect(flat).toMatchObject({ positions: [], unrealized: '0', equity: flat.cash });

    await server.stop();
    const database = await openPglite(dataDir);
    try {
      const ledger = await checkLedger(database.db);
      expect(ledger).toMatchObject({ ok: true, problems: [] });
      expect(Object.values(ledger.totals).every((total) => total === '0')).toBe(true);
      expect(ledger.entries).toBeGreaterThan(4);
    } finally {
      await database.close();
    }
  });
});
