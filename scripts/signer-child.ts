/**
 * Runs the signer beside the server that `npm start` runs: a process of its own, started when the
 * server is ready, started again when it ends, and gone with it.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { readConfig } from '../server/config.ts';

const AGAIN_FIRST_MS = 1_000;
const AGAIN_MOST_MS = 60_000;
/** What lived this long was no failed start. */
const LIVED_MS = 60_000;

/** Of the server's secrets the signer needs none. */
const PASSED_ON = /^(PATH|HOME|TZ|LANG|NODE_ENV|NODE_EXTRA_CA_CERTS|DATA_DIR|SIGNER_\w+)$/;

type Environment = Readonly<Record<string, string | undefined>>;

/** `publicOrigin`: where people open the app, which is where their passkeys belong. */
export const signerEnvironment = (
  env: Environment,
  publicOrigin: string,
): Record<string, string | undefined> => ({
  SIGNER_PASSKEY_ORIGINS: publicOrigin,
  ...Object.fromEntries(
    Object.entries(env).filter(([name, value]) => PASSED_ON.test(name) && value !== ''),
  ),
});

function spawnSigner(env: Environment, publicOrigin: string): ChildProcess {
  const child = spawn(
    process.execPath,
    [
      '--import',
      import.meta.resolve('tsx'),
      fileURLToPath(new URL('../signer/main.ts', import.meta.url)),
    ],
    // The channel tells it when this process is gone, also when it was killed.
    { stdio: ['ignore', 'inherit', 'inherit', 'ipc'], env: signerEnvironment(env, publicOrigin) },
  );
  // The server ends as if it were not there.
  child.unref();
  child.channel?.unref();
  return child;
}

/**
 * Nothing is started where live trading is off, or the signer runs on a machine of its own. Returns
 * what ends it for good.
 */
export function startSigner(env: Environment): () => void {
  let child: ChildProcess | null = null;
  let isEnding = false;
  const end = (): void => {
    isEnding = true;
    child?.kill();
  };
  const { signer, publicOrigin } = readConfig(env);
  if (signer?.kind !== 'unix') return end;
  // A terminal's interrupt reaches it too: then it is not to be started again.
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => {
      isEnding = true;
    });
  const run = (again: number): void => {
    if (isEnding) return;
    const startedAt = Date.now();
    child = spawnSigner(env, publicOrigin);
    let hasEnded = false;
    const ended = (): void => {
      if (hasEnded || isEnding) return;
      hasEnded = true;
      const next = Date.now() - startedAt > LIVED_MS ? AGAIN_FIRST_MS : again * 2;
      process.stderr.write('The signer ended; it is started again. Paper trading goes on.\n');
      setTimeout(run, again, Math.min(next, AGAIN_MOST_MS)).unref();
    };
    child.once('error', ended);
    child.once('exit', ended);
  };
  run(AGAIN_FIRST_MS);
  return end;
}
