/**
 * The whole server in this process: PGlite in memory, simulated prices, a key set of our own;
 * refuses sockets and files.
 */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import {
  CALLABLES,
  type CallableName,
  type CallableReply,
  type CallableRequest,
} from '../../contract/callables.ts';
import {
  CALLS,
  type CallBody,
  type CallName,
  type CallParams,
  type CallQuery,
} from '../../contract/calls.ts';
import { Refusal } from '../../contract/errors.ts';
import { IDEMPOTENCY_HEADER } from '../../contract/version.ts';
import type { WallClock } from '../../server/clock.ts';
import type { Deletions } from '../../server/users/account-deletion.ts';
import { compose } from '../../server/compose.ts';
import { readConfig, type Config } from '../../server/config.ts';
import type { Database } from '../../server/db/database.ts';
import { openEmptyDatabase } from './empty-database.ts';
import type { EventLog } from '../../server/db/user-events.ts';
import type { SessionCheck } from '../../server/identity/accounts.ts';
import { KeySet } from '../../server/identity/key-set.ts';
import { SignedTokenVerifier } from '../../server/identity/token-verifier.ts';
import type { IdentityAdministration } from '../../server/identity/administration.ts';
import type { Log } from '../../server/log.ts';
import { openMarket } from '../../server/market/open-market.ts';
import type { ReferralRewards } from '../../server/referrals/rewards.ts';
import type { RunningMarket } from '../../server/market/running-market.ts';
import { startTestKeys, TEST_PROJECT } from './keys.ts';

/** A wall clock that stands still until it is moved. */
export class TestClock implements WallClock {
  constructor(public nowMs = Date.now()) {}
  now(): number {
    return this.nowMs;
  }
  advance(ms: number): void {
    this.nowMs += ms;
  }
}

export const silentLog: Log = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};

/** Keeps what was logged as errors, so that a test can show there was none. */
export class ErrorLog implements Log {
  readonly errors: { fields: Record<string, unknown>; message: string }[] = [];
  debug(): void {
    /* not kept */
  }
  info(): void {
    /* not kept */
  }
  warn(): void {
    /* not kept */
  }
  error(fields: Record<string, unknown>, message: string): void {
    this.errors.push({ fields, message });
  }
}

export interface TestApp {
  app: FastifyInstance;
  database: Database;
  market: RunningMarket;
  events: EventLog;
  clock: WallClock;
  config: Config;
  /** A token as the provider would sign it; `claims` on top. */
  signToken(uid: string, claims?: Record<string, unknown>): Promise<string>;
  /** One call of the contract, as it comes back: status, headers, parsed JSON. */
  call<N extends CallName>(
    name: N,
    options: InjectOptions<N>,
  ): Promise<{ status: number; headers: Record<string, unknown>; json: unknown }>;
  /** A hosted function by Firebase's protocol; throws HostedFailed for an error of it. */
  hosted<N extends CallableName>(
    name: N,
    token: string,
    data: CallableRequest<N>,
  ): Promise<CallableReply<N>>;
  rewards: ReferralRewards;
  deletions: Deletions;
  close(): Promise<void>;
}

/** A hosted function's refusal, with our own code. */
export class HostedFailed extends Error {
  override readonly name = 'HostedFailed';
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

interface InjectOptions<N extends CallName> {
  token?: string;
  params?: CallParams<N>;
  query?: CallQuery<N>;
  body?: CallBody<N>;
  commandId?: string;
  headers?: Record<string, string>;
}

export interface TestAppOptions {
  clock?: WallClock;
  env?: Record<string, string>;
  log?: Log;
  database?: Database;
  market?: RunningMarket;
  dist?: string;
  /** Whether a person's account still stands; everyone's does by default. */
  accounts?: SessionCheck;
  /** What the server itself may change there; a provider that does not answer, by default. */
  administration?: IdentityAdministration;
}

const unavailable = (): Promise<never> =>
  Promise.reject(new Refusal('identity_unavailable', 'The identity provider is unavailable'));
const NOBODY_ANSWERS: IdentityAdministration = {
  revoke: unavailable,
  remove: unavailable,
  read: unavailable,
  validSince: unavailable,
};

/**
 * The scheduler is not started: a test that wants ticks starts its own over `database` and
 * `market`.
 */
export async function buildTestApp(options: TestAppOptions = {}): Promise<TestApp> {
  const clock = options.clock ?? new TestClock();
  const log = options.log ?? silentLog;
  const keys = await startTestKeys();
  const folder = mkdtempSync(join(tmpdir(), 'tradewind-app-'));
  const config = readConfig({
    NODE_ENV: 'test',
    DATA_DIR: folder,
    MARKET_SOURCE: 'simulated',
    VITE_FIREBASE_PROJECT_ID: TEST_PROJECT,
    FIREBASE_KEYS_URL: keys.url,
    RATE_LIMIT_USER_PER_SECOND: '100000',
    RATE_LIMIT_IP_PER_SECOND: '100000',
    ...options.env,
  });
  const database = options.database ?? (await openEmptyDatabase());
  const clocks = new Map<string, number>();
  const market =
    options.market ??
    (await openMarket({
      source: 'simulated',
      dataDir: folder,
      replaySpeed: 1,
      replayStart: null,
      log,
      seed: 7,
      clockStore: {
        load: async (id) => clocks.get(id) ?? null,
        save: async (id, ms) => {
          clocks.set(id, ms);
          return ms;
        },
      },
    }));
  if (options.market === undefined) await market.start();
  const verifier = new SignedTokenVerifier(new KeySet(keys.url, clock), {
    projectId: TEST_PROJECT,
    clock,
    accounts: options.accounts ?? null,
  });
  const { app, events, rewards, deletions } = await compose({
    config,
    database,
    market,
    clock,
    log,
    verifier,
    administration: options.administration ?? NOBODY_ANSWERS,
    readiness: async () => ({ database: 'ready' }),
    dist: options.dist ?? join(folder, 'no-dist'),
  });
  await app.ready();
  return {
    app,
    database,
    market,
    events,
    clock,
    config,
    rewards,
    deletions,
    async hosted(name, token, data) {
      const response = await app.inject({
        method: 'POST',
        url: `/callable/${name}`,
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        payload: JSON.stringify({ data }),
      });
      const reply = response.json<{
        result?: unknown;
        error?: { message: string; code?: string; details?: { code: string } };
      }>();
      // What is refused before the function is known comes as every other call's refusal does.
      if (reply.error !== undefined)
        throw new HostedFailed(
          response.statusCode,
          reply.error.details?.code ?? reply.error.code ?? '',
          reply.error.message,
        );
      return CALLABLES[name].reply.parse(reply.result) as CallableReply<typeof name>;
    },
    signToken: (uid, claims) => keys.sign(uid, claims, clock.now()),
    async call(name, { token, params = {}, query = {}, body, commandId, headers = {} }) {
      const call = CALLS[name];
      const response = await app.inject({
        method: call.method,
        url: call.path.replace(/:(\w+)/g, (_match, key: string) =>
          encodeURIComponent((params as Record<string, string>)[key] ?? ''),
        ),
        query: query as Record<string, string>,
        headers: {
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
          ...(call.method === 'GET'
            ? {}
            : {
                [IDEMPOTENCY_HEADER]: commandId ?? randomUUID(),
                'content-type': 'application/json',
              }),
          ...headers,
        },
        ...(call.method === 'GET' ? {} : { payload: JSON.stringify(body ?? {}) }),
      });
      return { status: response.statusCode, headers: response.headers, json: response.json() };
    },
    async close() {
      await app.close();
      if (options.market === undefined) await market.stop();
      if (options.database === undefined) await database.close();
      await keys.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
