/**
 * The Firebase Auth emulator in its own process, with its users saved to a file before a change is
 * confirmed.
 */
import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  writeSync,
} from 'node:fs';
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from 'node:http';
import { createRequire } from 'node:module';
import * as z from 'zod/mini';

/** The parts of firebase-tools that are used; its version is pinned by the lock file. */
interface ProjectState {
  users: Map<string, Record<string, unknown>>;
  overwriteUserWithLocalId(localId: string, user: Record<string, unknown>): unknown;
}
interface EmulatorModule {
  createApp: (
    projectId: string,
    mode: undefined,
    states: Map<string, ProjectState>,
  ) => Promise<RequestListener>;
}
interface ReaderModule {
  middleware: (description: unknown, options: Record<string, unknown>) => Promise<unknown>;
}
interface CallsModule {
  default: { paths: Record<string, unknown> };
}
interface StateModule {
  AgentProjectState: new (projectId: string) => ProjectState;
}

const Saved = z.object({
  version: z.literal(1),
  users: z.array(z.looseObject({ localId: z.string() })),
});

const [projectId = '', portText = '', usersFile = ''] = process.argv.slice(2);
const require = createRequire(import.meta.url);
/**
 * What reads the emulator's description of itself: told to compile a validator when its first call
 * comes, which saves most of the start.
 */
const reader = createRequire(require.resolve('firebase-tools/package.json'))(
  'exegesis-express',
) as ReaderModule;
const { middleware } = reader;
reader.middleware = (description, options) =>
  middleware(description, { ...options, lazyCompileValidationSchemas: true });
const { createApp } = require('firebase-tools/lib/emulator/auth/server.js') as EmulatorModule;
const { default: calls } = require('firebase-tools/lib/emulator/auth/apiSpec.js') as CallsModule;
const { AgentProjectState } = require('firebase-tools/lib/emulator/auth/state.js') as StateModule;

/**
 * What of the emulator is used: by the page through our origin (`emulator-proxy.ts`), by the
 * server's administration and by whoever tries the product out. It compiles a validator for each
 * call it knows, seconds of work for tenants, second factors and foreign providers, which nobody
 * here ever asks for.
 */
const USED = [
  /^\/v1\/accounts:(createAuthUri|delete|lookup|resetPassword|sendOobCode|signInWith(CustomToken|Idp|Password)|signUp|update)$/,
  /^\/v1\/projects(\/\{targetProjectId\}\/accounts(:(batchGet|delete|lookup|query|sendOobCode|update))?)?$/,
  /^\/v1\/(token|recaptchaParams)$/,
  /^\/v2\/(passwordPolicy|recaptchaConfig)$/,
  /^\/emulator\/v1\/projects\/\{targetProjectId\}\/(accounts|config|oobCodes)$/,
];
for (const path of Object.keys(calls.paths))
  if (!USED.some((used) => used.test(path))) Reflect.deleteProperty(calls.paths, path);

const state = new AgentProjectState(projectId);
const snapshot = (): string => JSON.stringify({ version: 1, users: [...state.users.values()] });
let savedText = '';

function restore(): void {
  if (!existsSync(usersFile)) return;
  const { users } = Saved.parse(JSON.parse(readFileSync(usersFile, 'utf8')));
  for (const user of users) {
    const { providerUserInfo } = user;
    // A copy: the emulator writes into the list it is given.
    state.overwriteUserWithLocalId(
      user.localId,
      Array.isArray(providerUserInfo)
        ? { ...user, providerUserInfo: [...(providerUserInfo as unknown[])] }
        : user,
    );
  }
  savedText = snapshot();
}

/** Written aside, forced to the disk, then renamed: the file is always a whole one. */
function save(): void {
  const text = snapshot();
  if (text === savedText) return;
  const draft = `${usersFile}.draft`;
  const file = openSync(draft, 'w', 0o600);
  try {
    writeSync(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(draft, usersFile);
  savedText = text;
}

function savesBeforeAnswer(response: ServerResponse): void {
  const end = response.end.bind(response) as (...rest: unknown[]) => ServerResponse;
  response.end = ((...rest: unknown[]): ServerResponse => {
    try {
      save();
    } catch (error) {
      process.send?.({ kind: 'unsaved', reason: String(error) });
      response.destroy();
      return response;
    }
    return end(...rest);
  }) as ServerResponse['end'];
}

restore();
const emulator = await createApp(projectId, undefined, new Map([[projectId, state]]));
const isLocal = (address: string): boolean =>
  URL.canParse(address) &&
  /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(new URL(address).hostname);

/**
 * Its CORS is open to every page a browser shows, and an administrator there needs no secret:
 * foreign pages stay out.
 */
function isForeign({ headers }: IncomingMessage): boolean {
  return (
    (headers.origin !== undefined && !isLocal(headers.origin)) ||
    !isLocal(`http://${headers.host ?? 'localhost'}`) ||
    headers['sec-fetch-site'] === 'cross-site'
  );
}

const server = createServer((request, response) => {
  if (isForeign(request)) {
    response.writeHead(403).end();
    return;
  }
  if (request.method !== 'GET' && request.method !== 'HEAD' && request.method !== 'OPTIONS')
    savesBeforeAnswer(response);
  emulator(request, response);
});
// The server keeps its connections to this one; closing an idle one just as it is used again would
// lose a sign-up.
server.keepAliveTimeout = 0;
server.on('error', (error: NodeJS.ErrnoException) => {
  process.send?.({ kind: 'failed', code: error.code ?? 'unknown' }, () => {
    process.exit(1);
  });
});
// The channel closes with the server, however it ended; without it nobody is left to serve.
process.on('disconnect', () => {
  process.exit(0);
});
process.on('SIGTERM', () => {
  process.exit(0);
});
// The terminal's interrupt reaches the whole group: the server decides when its emulator may go.
process.on('SIGINT', () => undefined);
server.listen(Number(portText), '127.0.0.1', () => {
  const address = server.address();
  process.send?.({
    kind: 'ready',
    port: typeof address === 'object' && address !== null ? address.port : Number(portText),
  });
});
