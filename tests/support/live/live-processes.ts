/**
 * Live trading as it is run: the server in a process of its own, the signer in another, and Kraken's
 * stand-in, whose prices are the market's. A browser may use it at `server.url`.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { startStandIn, type StandIn } from '../exchange/stand-in.ts';
import { instrumentsOf } from '../exchange/instruments.ts';
import { freePort, startServer, type TestServer } from '../server.ts';
import { openPriceDoor } from './price-door.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const MOVED_CLOCK = pathToFileURL(join(ROOT, 'tests/support/live/moved-clock.mjs')).href;
const CANDLE_MS = 5 * 60_000;
const READY_MS = 120_000;

export const LIVE_ACCOUNT = 'main';
export const LIVE_PAIR = 'BTC/USD';

export interface LiveProcesses {
  server: TestServer;
  /** Its journal decides what really happened; `issueKey(LIVE_ACCOUNT)` gives a key to paste. */
  standIn: StandIn;
  signer: { pid: number; logs: () => string };
  /** Every clock but the browser's, on by so much. */
  jump: (ms: number) => Promise<void>;
  /** To a moment before the next five-minute candle closes, when agents decide. */
  untilCandle: () => Promise<void>;
  /** No goodbye, and started again on the same folder. */
  killSigner: () => Promise<void>;
  close: () => Promise<void>;
}

export interface LiveProcessesOptions {
  balances?: Record<string, string>;
  env?: Record<string, string>;
}

interface SignerProcess {
  child: ChildProcess;
  ready: Promise<void>;
}

function launchSigner(env: Record<string, string>, write: (text: string) => void): SignerProcess {
  const child = spawn(process.execPath, ['--import', 'tsx', 'signer/main.ts'], {
    cwd: ROOT,
    env: { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ready = new Promise<void>((resolve, reject) => {
    let text = '';
    const timer = setTimeout(() => {
      reject(new Error(`The signer was not ready in time:\n${text}`));
    }, READY_MS);
    const take = (data: Buffer): void => {
      write(data.toString());
      text += data.toString();
      if (!text.includes('signing')) return;
      clearTimeout(timer);
      resolve();
    };
    child.stdout.on('data', take);
    child.stderr.on('data', take);
    child.once('exit', (code) => {
      clearTimeout(timer);
      reject(new Error(`The signer ended with ${code ?? 'a signal'}:\n${text}`));
    });
  });
  ready.catch(() => undefined);
  return { child, ready };
}

async function gone(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => {
    child.once('exit', resolve);
  });
  child.kill(signal);
  await ended;
}

function openStandIn(balances: Record<string, string>): Promise<StandIn> {
  return startStandIn({
    dialect: 'kraken',
    clock: { startMs: Date.now(), mode: 'flowing' },
    accounts: [{ name: LIVE_ACCOUNT, balances }],
    // One pair: Kraken lets its candles be asked for once a second.
    instruments: [...instrumentsOf('kraken').values()].filter(({ symbol }) => symbol === LIVE_PAIR),
  });
}

export async function startLiveProcesses({
  balances = { USD: '1000' },
  env = {},
}: LiveProcessesOptions = {}): Promise<LiveProcesses> {
  const standIn = await openStandIn(balances);
  const door = await openPriceDoor(standIn, LIVE_PAIR);
  const folder = mkdtempSync(join(tmpdir(), 'tradewind-live-'));
  const clockFile = join(folder, 'clock');
  let aheadMs = 0;
  const writeClock = (): void => {
    writeFileSync(`${clockFile}.new`, String(aheadMs));
    renameSync(`${clockFile}.new`, clockFile);
  };
  writeClock();
  const port = await freePort();
  const clock = { NODE_OPTIONS: `--import=${MOVED_CLOCK}`, CLOCK_AHEAD_FILE: clockFile };
  const signerDir = join(folder, 'signer');
  let logs = '';
  const launch = (): SignerProcess =>
    launchSigner(
      {
        ...clock,
        SIGNER_DIR: signerDir,
        SIGNER_ORIGIN_KRAKEN: door.url,
        SIGNER_PASSKEY_ORIGINS: `http://localhost:${port}`,
      },
      (text) => {
        logs += text;
      },
    );
  let signer = launch();
  await signer.ready;
  const server = await startServer({
    env: {
      ...clock,
      PORT: String(port),
      MARKET_SOURCE: 'kraken',
      EXCHANGE_BASE_URL: door.url,
      SIGNER_DIR: signerDir,
      ...env,
    },
  });
  const jump = async (ms: number): Promise<void> => {
    aheadMs += ms;
    writeClock();
    await standIn.advance(ms);
  };
  return {
    server,
    standIn,
    signer: {
      get pid() {
        return signer.child.pid ?? -1;
      },
      logs: () => logs,
    },
    jump,
    untilCandle: () => {
      const now = standIn.clock.trueNow();
      return jump(CANDLE_MS - (now % CANDLE_MS) - 500);
    },
    killSigner: async () => {
      await gone(signer.child, 'SIGKILL');
      signer = launch();
      await signer.ready;
    },
    close: async () => {
      await server.stop();
      await gone(signer.child, 'SIGTERM');
      await door.close();
      await standIn.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
