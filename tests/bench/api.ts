/** Requests per second of the real server over loopback, read and write, with the slow end. */
import { randomUUID } from 'node:crypto';
import { startTestKeys, TEST_PROJECT } from '../support/keys.ts';
import { callApi, startServer } from '../support/server.ts';
import { quantile, type Measurement } from './measurement.ts';

const SECONDS = Number(process.env.BENCH_SECONDS ?? 5);
const CONNECTIONS = 16;

async function load(what: string, send: () => Promise<unknown>): Promise<Measurement[]> {
  const times: number[] = [];
  let failed = 0;
  const until = performance.now() + SECONDS * 1000;
  await Promise.all(
    Array.from({ length: CONNECTIONS }, async () => {
      while (performance.now() < until) {
        const began = performance.now();
        try {
          await send();
          times.push(performance.now() - began);
        } catch {
          failed += 1;
        }
      }
    }),
  );
  return [
    {
      section: 'api',
      what: `${what}, ${CONNECTIONS} at once`,
      value: times.length / SECONDS,
      unit: 'requests/s',
    },
    { section: 'api', what: `${what}, median`, value: quantile(times, 0.5), unit: 'ms' },
    { section: 'api', what: `${what}, p99`, value: quantile(times, 0.99), unit: 'ms' },
    ...(failed > 0
      ? [{ section: 'api', what: `${what}, failed`, value: failed, unit: 'requests' }]
      : []),
  ];
}

export async function measure(): Promise<Measurement[]> {
  const keys = await startTestKeys();
  const server = await startServer({
    env: {
      VITE_FIREBASE_PROJECT_ID: TEST_PROJECT,
      FIREBASE_KEYS_URL: keys.url,
      RATE_LIMIT_USER_PER_SECOND: '1000000',
      RATE_LIMIT_IP_PER_SECOND: '1000000',
    },
  });
  try {
    const token = await keys.sign('bench');
    await callApi(server.url, token, 'trialStart', { body: { userId: 'bench' } });
    const { agent } = await callApi(server.url, token, 'createAgent', {
      body: {
        name: 'Bench',
        trading_pairs: [
          (await callApi(server.url, token, 'marketData')).symbols[0]?.symbol ?? 'BTC/USDT',
        ],
        risk_profile: 'Moderate',
        max_position_size: 1_000,
        execution_interval: '5-minute',
        enabled: false,
      },
    });
    return [
      ...(await load('GET /api/trading/portfolio', () => callApi(server.url, token, 'portfolio'))),
      ...(await load('GET /market/data', () => callApi(server.url, token, 'marketData'))),
      ...(await load('POST stop (receipt and effect)', () =>
        callApi(server.url, token, 'stopAgent', {
          params: { id: agent.id },
          commandId: randomUUID(),
        }),
      )),
    ];
  } finally {
    await server.stop();
    await keys.close();
  }
}
