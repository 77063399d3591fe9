/**
 * The users in the screenshots and what they own, made by the product's own calls on a replayed
 * market.
 */
import { buyPlan } from '../../tests/support/sign-in.ts';
import {
  callApi,
  createUser,
  startServer,
  type TestServer,
  type TestUser,
} from '../../tests/support/server.ts';
import { replayTape } from '../../tests/support/tape.ts';
import { until } from '../../tests/support/until.ts';

export interface World {
  server: TestServer;
  /** Free, without an agent. */
  fresh: TestUser;
  /** On trial, with agents that have traded. */
  trader: TestUser;
  /** The trial ends today. */
  ending: TestUser;
  /** Pro-max, with agents that have traded. */
  max: TestUser;
  agents: { running: string; stopped: string };
  close(): Promise<void>;
}

/** Each of a kind: quick and bold, broad, slow, one that waits. */
const AGENTS = [
  {
    name: 'Harbour',
    pairs: ['BTC/USDT', 'ETH/USDT', 'SOL/USDT'],
    profile: 'Aggressive',
    interval: '5-minute',
    size: 2_500,
  },
  {
    name: 'Ebb',
    pairs: ['BTC/USDT', 'ETH/USDT'],
    profile: 'Moderate',
    interval: '20-minute',
    size: 1_500,
  },
  {
    name: 'Long Haul North',
    pairs: ['SOL/USDT'],
    profile: 'Conservative',
    interval: 'daily',
    size: 1_000,
  },
  { name: 'Drift', pairs: ['ETH/USDT'], profile: 'Aggressive', interval: '5-minute', size: 1_200 },
] as const;
/** Trades that make a screen look like one that is used. */
const ENOUGH_FILLS = Number(process.env.PICTURES_FILLS ?? 12);
const WARM_UP_MS = 90_000;

async function withAgents(url: string, user: TestUser): Promise<string[]> {
  const ids: string[] = [];
  for (const { name, pairs, profile, interval, size } of AGENTS) {
    const { agent } = await callApi(url, user.idToken, 'createAgent', {
      body: {
        name,
        trading_pairs: [...pairs],
        risk_profile: profile,
        max_position_size: size,
        execution_interval: interval,
        enabled: true,
        trading_frequency: 'high',
      },
    });
    await callApi(url, user.idToken, 'startAgent', { params: { id: agent.id }, body: {} });
    ids.push(agent.id);
  }
  return ids;
}

/**
 * A server on the tape at speed until there is something to see, then at the pace of a real one.
 */
export async function openWorld(): Promise<World> {
  const tape = replayTape();
  const server = await startServer({ env: { ...tape.env, REPLAY_SPEED: '3600' } });
  const [fresh, trader, max] = await Promise.all([
    createUser(server.url),
    createUser(server.url),
    createUser(server.url),
  ]);
  await callApi(server.url, trader.idToken, 'trialStart', { body: { userId: trader.uid } });
  await buyPlan(server.url, max, 'pro-max');
  const [running = '', , , stopped = ''] = await withAgents(server.url, trader);
  await withAgents(server.url, max);
  await until(
    () => callApi(server.url, trader.idToken, 'history', { query: { limit: 100 } }),
    ({ fills }) => fills.length >= ENOUGH_FILLS,
    WARM_UP_MS,
  ).catch((error: unknown) => {
    process.stdout.write(`Fewer trades than wished for: ${String(error).slice(0, 80)}\n`);
  });
  await callApi(server.url, trader.idToken, 'stopAgent', { params: { id: stopped }, body: {} });
  // A trial of a day says "expires" soon; the others keep theirs.
  await server.restart({ REPLAY_SPEED: '20', TRIAL_DAYS: '1' });
  const ending = await createUser(server.url);
  await callApi(server.url, ending.idToken, 'trialStart', { body: { userId: ending.uid } });
  return {
    server,
    fresh,
    trader,
    ending,
    max,
    agents: { running, stopped },
    async close() {
      await server.stop();
      tape.remove();
    },
  };
}
