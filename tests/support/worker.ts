/** The real worker as a child process. */
import { spawn, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { workerBundle } from './server-bundle.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const START_TIMEOUT_MS = 200_000;
const STOP_TIMEOUT_MS = 25_000;

export interface TestWorker {
  readonly pid: number;
  logs(): string;
  /** SIGTERM, and the exit code. */
  stop(): Promise<number | null>;
  /** SIGKILL, and waits until it is gone. */
  kill9(): Promise<void>;
}

const gone = (child: ChildProcess): Promise<number | null> =>
  child.exitCode !== null || child.signalCode !== null
    ? Promise.resolve(child.exitCode)
    : new Promise((resolve) => {
        child.once('exit', (code) => {
          resolve(code);
        });
      });

/** Resolves at its ready line; rejects with what it printed where it ends before. */
export async function startWorker(env: Readonly<Record<string, string>>): Promise<TestWorker> {
  const child = spawn(process.execPath, [await workerBundle()], {
    cwd: ROOT,
    env: { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  await new Promise<void>((resolve, reject) => {
    const timer = setTimeout(() => {
      child.kill('SIGKILL');
      reject(new Error(`The worker was not ready in time:\n${text}`));
    }, START_TIMEOUT_MS);
    const take = (data: Buffer): void => {
      text += data.toString('utf8');
      if (text.includes('Tradewind worker ready on ')) {
        clearTimeout(timer);
        resolve();
      }
    };
    child.stdout.on('data', take);
    child.stderr.on('data', take);
    child.once('close', (code) => {
      clearTimeout(timer);
      reject(new Error(`The worker ended with ${code ?? 'a signal'}:\n${text}`));
    });
  });
  return {
    pid: child.pid ?? -1,
    logs: () => text,
    async stop() {
      child.kill('SIGTERM');
      const timer = setTimeout(() => {
        child.kill('SIGKILL');
      }, STOP_TIMEOUT_MS);
      const code = await gone(child);
      clearTimeout(timer);
      return code;
    },
    async kill9() {
      child.kill('SIGKILL');
      await gone(child);
    },
  };
}
