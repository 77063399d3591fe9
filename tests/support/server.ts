/** The real server as a child process, and a typed way to call it. */
import { spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  CALLS,
  type CallBody,
  type CallName,
  type CallParams,
  type CallQuery,
  type CallReply,
} from '../../contract/calls.ts';
import { ErrorReply } from '../../contract/error-reply.ts';
import { layEmptyDatabase } from './empty-database.ts';
import { serverBundle } from './server-bundle.ts';
import { SHARED_IDENTITY } from './shared-identity.ts';
import { CONTRACT_HEADER, CONTRACT_VERSION, IDEMPOTENCY_HEADER } from '../../contract/version.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const START_TIMEOUT_MS = 200_000;
const STOP_TIMEOUT_MS = 25_000;

/** A port nobody listened on a moment ago. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => {
        if (typeof address === 'object' && address !== null) resolve(address.port);
        else reject(new Error('no port'));
      });
    });
  });
}

export interface ServerOptions {
  /** On top of the defaults: simulated prices, warnings only, free ports. */
  env?: Record<string, string>;
  /** Kept between servers where it is given; else made here and removed by `stop`. */
  dataDir?: string;
  /**
   * Leaves a new folder empty: the server, run from its sources, makes its database itself, as on a
   * fresh machine, in seconds.
   */
  firstStart?: boolean;
  /** Has an identity emulator of its own also where the files of a run share one. */
  ownIdentity?: boolean;
  /** Runs the sources of another checkout of this repository, to compare with. */
  checkout?: string;
}

export interface TestServer {
  readonly url: string;
  readonly dataDir: string;
  readonly pid: number;
  readonly port: number;
  /** The environment it was started with, for a second server beside it. */
  readonly env: Readonly<Record<string, string>>;
  /** Everything printed so far, of every run. */
  logs(): string;
  /** Ends it by SIGTERM, waits, and removes a folder of our own. Answers the exit code. */
  stop(): Promise<number | null>;
  /** No goodbye: SIGKILL, waits until it is gone. The folder stays. */
  kill9(): Promise<void>;
  /** Starts it again on the same port and folder, after `kill9` or ending it first. */
  restart(env?: Record<string, string>): Promise<void>;
}

/** As `npm start` runs it. */
const FROM_SOURCE = ['--import', 'tsx', 'server/main.ts'];

/** Spawns it and waits for either its ready line or its end. */
function launch(
  program: readonly string[],
  env: Record<string, string>,
  write: (text: string) => void,
  cwd = ROOT,
): { child: ChildProcess; ready: Promise<void> } {
  const child = spawn(process.execPath, program, {
    cwd,
    env: { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  const ready = new Promise<void>((resolve, reject) => {
    const timer = setTimeout(() => {
      child.kill('SIGKILL');
      reject(new Error(`The server was not ready in time:\n${text}`));
    }, START_TIMEOUT_MS);
    const take = (data: Buffer): void => {
      const piece = data.toString('utf8');
      write(piece);
      text = `${text}${piece}`.slice(-20_000);
      if (text.includes('Tradewind ready on ')) {
        clearTimeout(timer);
        resolve();
      }
    };
    child.stdout.on('data', take);
    child.stderr.on('data', take);
    // 'close' comes after the last of its output, 'exit' may come before.
    child.once('close', (code) => {
      clearTimeout(timer);
      reject(new ServerEnded(code, text));
    });
  });
  ready.catch(() => undefined);
  return { child, ready };
}

class ServerEnded extends Error {
  override readonly name = 'ServerEnded';
  constructor(
    readonly code: number | null,
    readonly output: string,
  ) {
    super(`The server ended with ${code ?? 'a signal'} before it was ready:\n${output}`);
  }
}

function ended(child: ChildProcess): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve(child.exitCode);
  return new Promise((resolve) => {
    child.once('exit', (code) => {
      resolve(code);
    });
  });
}

/** Settings that name an identity provider: whoever gives one has one of their own. */
const NAMES_IDENTITY = [
  'AUTH_EMULATOR_PORT',
  'FIREBASE_AUTH_EMULATOR_HOST',
  'VITE_FIREBASE_PROJECT_ID',
];

/** The emulator that the files of a run share where there is one, else the server starts its own. */
async function identityOf({
  checkout,
  env = {},
  firstStart = false,
  ownIdentity = false,
}: ServerOptions): Promise<Record<string, string>> {
  const shared = process.env[SHARED_IDENTITY];
  const isOwn = ownIdentity || firstStart || checkout !== undefined;
  if (shared === undefined || isOwn || NAMES_IDENTITY.some((name) => env[name] !== undefined))
    return { AUTH_EMULATOR_PORT: String(await freePort()) };
  return { AUTH_EMULATOR_PORT: shared, FIREBASE_AUTH_EMULATOR_HOST: `127.0.0.1:${shared}` };
}

export async function startServer(options: ServerOptions = {}): Promise<TestServer> {
  const dataDir = options.dataDir ?? mkdtempSync(join(tmpdir(), 'tradewind-test-'));
  const port = Number(options.env?.PORT ?? (await freePort()));
  const env: Record<string, string> = {
    NODE_ENV: 'test',
    MARKET_SOURCE: 'simulated',
    LOG_LEVEL: 'warn',
    ...(await identityOf(options)),
    RATE_LIMIT_USER_PER_SECOND: '1000',
    RATE_LIMIT_IP_PER_SECOND: '5000',
    ...options.env,
    PORT: String(port),
    DATA_DIR: dataDir,
  };
  const fromSource = options.firstStart === true || options.checkout !== undefined;
  if (env.DATABASE_URL === undefined && !fromSource) await layEmptyDatabase(dataDir);
  let output = '';
  const write = (text: string): void => {
    output += text;
  };
  const program = fromSource ? FROM_SOURCE : [await serverBundle()];
  let run = launch(program, env, write, options.checkout);
  await run.ready;
  const end = async (): Promise<number | null> => {
    const { child } = run;
    if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
    child.kill('SIGTERM');
    const timer = setTimeout(() => {
      child.kill('SIGKILL');
    }, STOP_TIMEOUT_MS);
    const code = await ended(child);
    clearTimeout(timer);
    return code;
  };
  return {
    url: `http://localhost:${port}`,
    dataDir,
    port,
    env,
    get pid() {
      return run.child.pid ?? -1;
    },
    logs: () => output,
    async stop() {
      const code = await end();
      if (options.dataDir === undefined)
        rmSync(dataDir, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
      return code;
    },
    async kill9() {
      run.child.kill('SIGKILL');
      await ended(run.child);
    },
    async restart(more = {}) {
      await end();
      run = launch(program, { ...env, ...more }, write, options.checkout);
      await run.ready;
    },
  };
}

/** Starts a server that must refuse to start, and answers why. */
export async function startRefused(
  env: Record<string, string>,
): Promise<{ code: number | null; output: string }> {
  const dataDir = env.DATA_DIR ?? mkdtempSync(join(tmpdir(), 'tradewind-test-'));
  await layEmptyDatabase(dataDir);
  const { child, ready } = launch(
    [await serverBundle()],
    {
      NODE_ENV: 'test',
      MARKET_SOURCE: 'simulated',
      LOG_LEVEL: 'warn',
      PORT: String(await freePort()),
      AUTH_EMULATOR_PORT: String(await freePort()),
      ...env,
      DATA_DIR: dataDir,
    },
    () => undefined,
  );
  try {
    await ready;
    child.kill('SIGKILL');
    throw new Error('The server started, and should not have');
  } catch (error) {
    if (error instanceof ServerEnded) return { code: error.code, output: error.output };
    throw error;
  } finally {
    if (env.DATA_DIR === undefined)
      rmSync(dataDir, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  }
}

export interface TestUser {
  uid: string;
  email: string;
  password: string;
  idToken: string;
  refreshToken: string;
}

async function identity(
  url: string,
  verb: string,
  body: Record<string, unknown>,
): Promise<Record<string, unknown>> {
  const response = await fetch(
    `${url}/identitytoolkit.googleapis.com/v1/accounts:${verb}?key=test`,
    {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    },
  );
  const reply = (await response.json()) as Record<string, unknown>;
  if (!response.ok)
    throw new Error(`accounts:${verb} answered ${response.status}: ${JSON.stringify(reply)}`);
  return reply;
}

const userOf = (reply: Record<string, unknown>, email: string, password: string): TestUser => ({
  uid: String(reply.localId),
  email,
  password,
  idToken: String(reply.idToken),
  refreshToken: String(reply.refreshToken),
});

/** Registers a person through the emulator under the app's own origin. */
export async function createUser(
  url: string,
  email = `${randomUUID()}@example.com`,
  password = 'correct horse 9',
): Promise<TestUser> {
  return userOf(
    await identity(url, 'signUp', { email, password, returnSecureToken: true }),
    email,
    password,
  );
}

export async function signIn(url: string, email: string, password: string): Promise<TestUser> {
  return userOf(
    await identity(url, 'signInWithPassword', { email, password, returnSecureToken: true }),
    email,
    password,
  );
}

/** A fresh ID token for an old refresh token. */
export async function refreshIdToken(url: string, refreshToken: string): Promise<string> {
  const response = await fetch(`${url}/securetoken.googleapis.com/v1/token?key=test`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ grant_type: 'refresh_token', refresh_token: refreshToken }),
  });
  const reply = (await response.json()) as { id_token?: string };
  if (reply.id_token === undefined)
    throw new Error(`The refresh token was refused: ${JSON.stringify(reply)}`);
  return reply.id_token;
}

/** A failed call, with the parsed ErrorReply. */
export class CallFailed extends Error {
  override readonly name = 'CallFailed';
  constructor(
    readonly status: number,
    readonly reply: ErrorReply,
    readonly headers: Headers,
  ) {
    super(`${status} ${reply.error.code}: ${reply.error.message}`);
  }

  get code(): string {
    return this.reply.error.code;
  }
}

export interface CallOptions<N extends CallName> {
  params?: CallParams<N>;
  query?: CallQuery<N>;
  body?: CallBody<N>;
  /** The Idempotency-Key; a new one by default. */
  commandId?: string;
  headers?: Record<string, string>;
}

/**
 * One call of the contract over HTTP; throws CallFailed, or whatever `fetch` throws when the server
 * is not there.
 */
export async function callApi<N extends CallName>(
  url: string,
  token: string | null,
  name: N,
  options: CallOptions<N> = {},
): Promise<CallReply<N>> {
  const call = CALLS[name];
  const params = (options.params ?? {}) as Record<string, string>;
  const path = call.path.replace(/:(\w+)/g, (_match, key: string) =>
    encodeURIComponent(params[key] ?? ''),
  );
  const query = new URLSearchParams(
    Object.entries((options.query ?? {}) as Record<string, unknown>).map(([key, value]) => [
      key,
      String(value),
    ]),
  );
  const response = await fetch(`${url}${path}${query.size === 0 ? '' : `?${query.toString()}`}`, {
    method: call.method,
    headers: {
      'content-type': 'application/json',
      [CONTRACT_HEADER]: String(CONTRACT_VERSION),
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      ...(call.method === 'GET' ? {} : { [IDEMPOTENCY_HEADER]: options.commandId ?? randomUUID() }),
      ...options.headers,
    },
    ...(call.method === 'GET' ? {} : { body: JSON.stringify(options.body ?? {}) }),
  });
  const reply: unknown = await response.json();
  if (!response.ok)
    throw new CallFailed(response.status, ErrorReply.parse(reply), response.headers);
  return call.reply.parse(reply) as CallReply<N>;
}
