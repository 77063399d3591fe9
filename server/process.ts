/**
 * Runs a process: opens its parts in order and, on a signal, closes them in reverse within a limit.
 */
import { ConfigError, CONFIG_EXIT, readConfig, type Config } from './config.ts';
import { FOLDER_IN_USE_EXIT, FolderInUse } from './db/folder-lock.ts';
import type { Log } from './log.ts';
import { pinoLog } from './pino-log.ts';

/** What is held must be done by then; after that the process ends anyway. */
const SHUTDOWN_LIMIT_MS = 20_000;

/** Parts to close, the last opened first. */
export class Disposables {
  private readonly closers: { name: string; close: () => Promise<void> | void }[] = [];

  add(name: string, close: () => Promise<void> | void): void {
    this.closers.unshift({ name, close });
  }

  async closeAll(log: Log): Promise<void> {
    for (const { name, close } of this.closers.splice(0)) {
      try {
        await close();
      } catch (error) {
        log.error({ part: name, reason: String(error) }, 'a part failed to close');
      }
    }
  }
}

/**
 * Opens by `open` and runs until a signal ends it. What was opened when `open` fails is closed
 * again.
 */
export async function runProcess(
  open: (config: Config, log: Log, disposables: Disposables) => Promise<void>,
): Promise<void> {
  const config = readConfig(process.env);
  const log = pinoLog(config.logLevel);
  // The line that says "ready" goes there beside the log: a full disk behind it ends nothing.
  process.stdout.on('error', () => undefined);
  const disposables = new Disposables();
  let ending = false;
  const end = async (code: number): Promise<void> => {
    if (ending) return;
    ending = true;
    setTimeout(() => {
      log.error({}, 'shutdown took too long');
      process.exit(1);
    }, SHUTDOWN_LIMIT_MS).unref();
    await disposables.closeAll(log);
    process.exit(code);
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      log.info({ signal }, 'shutting down');
      void end(0);
    });
  }
  process.on('unhandledRejection', (reason) => {
    log.error(
      { stack: reason instanceof Error ? reason.stack : String(reason) },
      'unhandled rejection',
    );
  });
  try {
    await open(config, log, disposables);
  } catch (error) {
    await disposables.closeAll(log);
    throw error;
  }
}

/** The sentence on standard error, and the exit code that says which kind of failure it was. */
export function failToStart(error: unknown): never {
  const expected = error instanceof ConfigError || error instanceof FolderInUse;
  const text =
    error instanceof Error
      ? expected
        ? error.message
        : (error.stack ?? error.message)
      : String(error);
  process.stderr.write(`Tradewind could not start. ${text}\n`);
  process.exit(
    error instanceof FolderInUse
      ? FOLDER_IN_USE_EXIT
      : error instanceof ConfigError
        ? CONFIG_EXIT
        : 1,
  );
}
