/** Starts, watches and stops the local Auth emulator. */
import { fork, type ChildProcess } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import * as z from 'zod/mini';
import { ConfigError } from '../config.ts';
import type { Log } from '../log.ts';

const USERS_FILE = 'auth-users.json';
const START_TIMEOUT_MS = 150_000;
/** A killed server's emulator ends by itself, and may need a moment for it. */
const PORT_PATIENCE_MS = 3_000;
const PORT_PAUSE_MS = 250;
const RESTART_PAUSE_MS = 1_000;

const Message = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('ready'), port: z.number() }),
  z.object({ kind: z.literal('failed'), code: z.string() }),
  z.object({ kind: z.literal('unsaved'), reason: z.string() }),
]);
type Message = z.infer<typeof Message>;

export interface EmulatorOptions {
  projectId: string;
  dataDir: string;
  /** 0 takes any free port. */
  port: number;
  /** The operator named the port: another one will not do. */
  portIsChosen: boolean;
  log: Log;
}

export interface RunningEmulator {
  readonly port: number;
  readonly baseUrl: string;
  stop(): Promise<void>;
}

const pause = (ms: number) =>
  new Promise<void>((resolve) => {
    setTimeout(resolve, ms);
  });

const TSX = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href;

function launch(options: EmulatorOptions, port: number): ChildProcess {
  mkdirSync(options.dataDir, { recursive: true, mode: 0o700 });
  const child = fork(
    fileURLToPath(new URL('./emulator-process.ts', import.meta.url)),
    [options.projectId, String(port), join(options.dataDir, USERS_FILE)],
    {
      execArgv: ['--import', TSX],
      // Nothing of the server's environment is the emulator's business, least of all its secrets.
      env: { PATH: process.env.PATH, HOME: process.env.HOME, NODE_ENV: 'production' },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    },
  );
  const relay = (data: Buffer) => {
    const text = data.toString('utf8').slice(0, 1_000);
    // It sends no mail: the link of a reset or of a new address is found here, without the address
    // it is for.
    const link = /https?:\/\/\S+\/emulator\/action\?\S+/.exec(text)?.[0];
    if (link !== undefined) options.log.info({ link }, 'a link that a real provider would mail');
    else options.log.debug({ text: text.slice(0, 500) }, 'identity emulator');
  };
  child.stdout?.on('data', relay);
  child.stderr?.on('data', relay);
  return child;
}

/** The first word of the process: the port it serves, or why it does not. */
async function firstWord(child: ChildProcess, log: Log): Promise<Message> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      child.kill('SIGKILL');
      reject(new Error('The identity emulator did not start in time'));
    }, START_TIMEOUT_MS);
    child.once('exit', (code) => {
      clearTimeout(timer);
      reject(new Error(`The identity emulator ended before it was ready (${code ?? 'killed'})`));
    });
    child.on('message', (raw) => {
      const message = Message.safeParse(raw);
      if (!message.success) return;
      if (message.data.kind === 'unsaved') {
        log.error(
          { reason: message.data.reason },
          'users could not be saved; the change was not confirmed',
        );
        return;
      }
      clearTimeout(timer);
      resolve(message.data);
    });
  });
}

async function startOnce(
  options: EmulatorOptions,
  port: number,
): Promise<{ child: ChildProcess; port: number } | 'port_taken'> {
  const child = launch(options, port);
  const word = await firstWord(child, options.log);
  if (word.kind === 'ready') return { child, port: word.port };
  if (word.kind === 'failed' && word.code === 'EADDRINUSE') return 'port_taken';
  throw new Error(
    `The identity emulator could not start: ${word.kind === 'failed' ? word.code : word.reason}`,
  );
}

/** Asked before the slow start of a process that could then only give up. */
function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => {
      resolve(false);
    });
    probe.listen(port, '127.0.0.1', () => {
      probe.close(() => {
        resolve(true);
      });
    });
  });
}

async function startOnAPort(
  options: EmulatorOptions,
): Promise<{ child: ChildProcess; port: number }> {
  for (
    let waited = 0;
    waited < PORT_PATIENCE_MS && !(await isFree(options.port));
    waited += PORT_PAUSE_MS
  )
    await pause(PORT_PAUSE_MS);
  if (await isFree(options.port)) {
    const started = await startOnce(options, options.port);
    if (started !== 'port_taken') return started;
  }
  if (options.portIsChosen)
    throw new ConfigError(
      'AUTH_EMULATOR_PORT',
      `port ${options.port} is taken by another program; choose another one`,
    );
  options.log.info(
    { port: options.port },
    'the usual port of the identity emulator is taken; using a free one',
  );
  const started = await startOnce(options, 0);
  if (started === 'port_taken') throw new Error('No free port for the identity emulator');
  return started;
}

/**
 * Ready when it answers. An emulator that ends by itself is started again on the same port, with
 * the same users.
 */
export async function startEmulator(options: EmulatorOptions): Promise<RunningEmulator> {
  const first = await startOnAPort(options);
  const { port } = first;
  let child = first.child;
  let stopping = false;
  const watch = (): void => {
    child.once('exit', (code) => {
      if (stopping) return;
      options.log.error({ code }, 'the identity emulator exited; restarting it');
      void revive();
    });
  };
  const revive = async (): Promise<void> => {
    while (!stopping) {
      await pause(RESTART_PAUSE_MS);
      try {
        const again = await startOnce(options, port);
        if (again === 'port_taken') continue;
        child = again.child;
        if (stopping) child.kill('SIGTERM');
        else watch();
        return;
      } catch (error) {
        options.log.error(
          { reason: String(error) },
          'the identity emulator could not be restarted',
        );
      }
    }
  };
  watch();
  return {
    port,
    baseUrl: `http://127.0.0.1:${port}`,
    async stop() {
      stopping = true;
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = new Promise<void>((resolve) => {
        child.once('exit', () => {
          resolve();
        });
      });
      child.kill('SIGTERM');
      await ended;
    },
  };
}
