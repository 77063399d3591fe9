/**
 * Firefox and WebKit by the commands of WebDriver: over Marionette's socket, and WebKit's driver.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './server.ts';
import { until } from './until.ts';

export type Engine = 'firefox' | 'webkit';

/** One command: Marionette's name, and the method and path below a session of WebDriver. */
const COMMANDS = {
  goto: ['WebDriver:Navigate', 'POST', '/url'],
  script: ['WebDriver:ExecuteScript', 'POST', '/execute/sync'],
  asyncScript: ['WebDriver:ExecuteAsyncScript', 'POST', '/execute/async'],
  act: ['WebDriver:PerformActions', 'POST', '/actions'],
  release: ['WebDriver:ReleaseActions', 'DELETE', '/actions'],
  screenshot: ['WebDriver:TakeScreenshot', 'GET', '/screenshot'],
} as const;

type CommandName = keyof typeof COMMANDS;

export interface Driver {
  readonly engine: Engine;
  send(command: CommandName, body?: Record<string, unknown>): Promise<unknown>;
  /** Everything in the browser's own console, where it can be read; null where it cannot. */
  console(): Promise<string[] | null>;
  close(): Promise<void>;
}

const PREFERENCES: Record<string, string | number | boolean> = {
  'browser.shell.checkDefaultBrowser': false,
  'datareporting.policy.dataSubmissionEnabled': false,
  'app.normandy.enabled': false,
  'browser.aboutConfig.showWarning': false,
  'network.proxy.type': 0,
  'network.captive-portal-service.enabled': false,
  'network.connectivity-service.enabled': false,
};

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  await new Promise<void>((resolve) => {
    child.once('exit', () => {
      resolve();
    });
    child.kill('SIGTERM');
    setTimeout(() => child.kill('SIGKILL'), 5_000).unref();
  });
}

function connected(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => {
      resolve(socket);
    });
    socket.once('error', reject);
  });
}

type Ask = (name: string, parameters: Record<string, unknown>) => Promise<unknown>;

/** Length, colon, JSON: `[0, id, name, parameters]` there, `[1, id, error, result]` back. */
function marionette(socket: Socket): Ask {
  const waiting = new Map<number, (error: unknown, result: unknown) => void>();
  let buffer = Buffer.alloc(0);
  let last = 0;
  socket.on('data', (data) => {
    buffer = Buffer.concat([buffer, data]);
    for (;;) {
      const colon = buffer.indexOf(':');
      const end = colon + 1 + Number(buffer.subarray(0, Math.max(0, colon)));
      if (colon < 0 || buffer.length < end) return;
      const message = JSON.parse(buffer.subarray(colon + 1, end).toString('utf8')) as unknown;
      buffer = buffer.subarray(end);
      // The first message is its greeting.
      if (!Array.isArray(message)) continue;
      const [, id, error, result] = message as [number, number, unknown, unknown];
      waiting.get(id)?.(error, result);
      waiting.delete(id);
    }
  });
  const fail = (): void => {
    for (const end of waiting.values()) end({ message: 'the browser is gone' }, null);
  };
  socket.on('close', fail).on('error', fail);
  return (name, parameters) =>
    new Promise((resolve, reject) => {
      last += 1;
      waiting.set(last, (error, result) => {
        if (error !== null) reject(new Error(`${name}: ${JSON.stringify(error).slice(0, 500)}`));
        else resolve(result);
      });
      const text = JSON.stringify([0, last, name, parameters]);
      socket.write(`${Buffer.byteLength(text)}:${text}`);
    });
}

const valueOf = (result: unknown): unknown =>
  result !== null && typeof result === 'object' && 'value' in result ? result.value : result;

export async function openFirefox(binary: string): Promise<Driver> {
  const profile = mkdtempSync(join(tmpdir(), 'tradewind-firefox-'));
  const port = await freePort();
  const lines = Object.entries({ ...PREFERENCES, 'marionette.port': port }).map(
    ([name, value]) => `user_pref(${JSON.stringify(name)}, ${JSON.stringify(value)});`,
  );
  writeFileSync(join(profile, 'user.js'), lines.join('\n'));
  // Its own console is read in the browser's own context, which it allows by name only.
  const flags = [
    '--marionette',
    '--remote-allow-system-access',
    '--headless',
    '--no-remote',
    '--profile',
    profile,
  ];
  const child = spawn(binary, flags, { stdio: 'ignore', env: { ...process.env, HOME: profile } });
  const socket = await until(
    () => connected(port),
    () => true,
  );
  const ask = marionette(socket);
  await ask('WebDriver:NewSession', { capabilities: { alwaysMatch: {} } });
  return {
    engine: 'firefox',
    send: async (command, body = {}) => valueOf(await ask(COMMANDS[command][0], body)),
    async console() {
      await ask('Marionette:SetContext', { value: 'chrome' });
      try {
        const script =
          'return Services.console.getMessageArray().map((one) => String(one.message))';
        return valueOf(await ask('WebDriver:ExecuteScript', { script, args: [] })) as string[];
      } finally {
        await ask('Marionette:SetContext', { value: 'content' });
      }
    },
    async close() {
      socket.destroy();
      await ended(child);
      rmSync(profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
    },
  };
}

async function http(url: string, method: string, body?: unknown): Promise<unknown> {
  const sends = method === 'POST' ? { body: JSON.stringify(body ?? {}) } : {};
  const response = await fetch(url, { method, ...sends });
  const { value } = (await response.json()) as { value: unknown };
  if (!response.ok) throw new Error(`${method} ${url}: ${JSON.stringify(value).slice(0, 500)}`);
  return value;
}

export interface WebKitBinaries {
  driver: string;
  browser: string;
  screen: string;
}

/** WebKit draws to a screen: one of its own, which nobody sees. */
export async function openWebKit(binaries: WebKitBinaries): Promise<Driver> {
  const home = mkdtempSync(join(tmpdir(), 'tradewind-webkit-'));
  const display = `:${100 + (process.pid % 900)}`;
  const size = ['-screen', '0', '1280x900x24', '-nolisten', 'tcp'];
  const screen = spawn(binaries.screen, [display, ...size], { stdio: 'ignore' });
  const port = await freePort();
  // A process of root has no sandbox to start the pages in.
  const env = {
    ...process.env,
    DISPLAY: display,
    HOME: home,
    XDG_DATA_HOME: home,
    XDG_CACHE_HOME: home,
    WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS: '1',
    LIBGL_ALWAYS_SOFTWARE: '1',
  };
  const child = spawn(binaries.driver, [`--port=${port}`], { stdio: 'ignore', env });
  const base = `http://127.0.0.1:${port}`;
  const options = { binary: binaries.browser, args: ['--automation'] };
  const alwaysMatch = { 'webkitgtk:browserOptions': options };
  const session = (await until(
    () => http(`${base}/session`, 'POST', { capabilities: { alwaysMatch } }),
    () => true,
  )) as { sessionId: string };
  const at = `${base}/session/${session.sessionId}`;
  await http(`${at}/timeouts`, 'POST', { script: 60_000, pageLoad: 120_000 });
  return {
    engine: 'webkit',
    send: (command, body) => http(`${at}${COMMANDS[command][2]}`, COMMANDS[command][1], body),
    console: async () => null,
    async close() {
      await http(at, 'DELETE').catch(() => undefined);
      await ended(child);
      await ended(screen);
      // Its helpers end a moment after it, and write until then.
      rmSync(home, { recursive: true, force: true, maxRetries: 20, retryDelay: 200 });
    },
  };
}
