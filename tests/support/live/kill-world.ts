/**
 * A server and a signer as processes of their own before a stand-in, one of which is killed with
 * SIGKILL at its n-th write or send and started again. One base is made and copied for each case.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { formatFixed, fixedFromNumber } from '../../../contract/money.ts';
import type { LiveExchange } from '../../../contract/signer.ts';
import type { LiveOrderRow } from '../../../server/live/order-rows.ts';
import type { ApiKey } from '../exchange/accounts.ts';
import { startStandIn, type StandIn } from '../exchange/stand-in.ts';
import { layEmptyDatabase } from '../empty-database.ts';
import { isWrong, type Findings } from './live-judge.ts';
import { killProcesses } from './kill-bundles.ts';
import type { Told } from './kill-server.ts';

const ACCOUNT = 'main';
const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const PRELOAD = new URL('./kill-preload.mjs', import.meta.url).href;
const START_PATIENCE_MS = 60_000;
/** It is killed at most once. */
const TRIES_MOST = 2;

export type Victim = 'server' | 'signer';

/** Folders of a server and a signer that are connected and have traded nothing. */
export interface KillBase {
  folder: string;
  dialect: LiveExchange;
  key: ApiKey;
  agentIds: string[];
}

export interface KillVerdict extends Findings {
  victim: Victim;
  at: number;
  /** Where it was killed; null where it never came to that point. */
  killedAt: string | null;
  /** Orders at the exchange that were not written down as sent before. */
  uncommitted: string[];
  unsettled: string[];
  orders: number;
  fills: number;
}

export const isBadKill = (verdict: KillVerdict): boolean =>
  isWrong(verdict) || verdict.uncommitted.length + verdict.unsettled.length > 0;

class Gone extends Error {
  override readonly name = 'Gone';
}

/** A process that is started again when it is gone. */
class Reborn {
  private child: ChildProcess | null = null;
  private first: Record<string, string>;

  constructor(
    private readonly script: string,
    private readonly env: Record<string, string>,
    /** For its first life only. */
    firstEnv: Record<string, string>,
  ) {
    this.first = firstEnv;
  }

  /** True where it was started anew. */
  async ensure(): Promise<boolean> {
    let tries = 0;
    for (; this.child?.exitCode !== null || this.child.signalCode !== null; tries += 1) {
      if (tries > TRIES_MOST) throw new Error(`${this.script} does not start`);
      const env = { ...process.env, ...this.env, ...this.first };
      this.first = {};
      const args = ['--import', PRELOAD, this.script];
      const child = spawn(process.execPath, args, {
        cwd: ROOT,
        env,
        stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
        serialization: 'advanced',
      });
      this.child = child;
      await this.next(child, START_PATIENCE_MS).catch((error: unknown) => {
        if (!(error instanceof Gone)) throw error;
      });
    }
    return tries > 0;
  }

  /** @throws Gone when it was killed before it answered. */
  async ask(told: Told): Promise<unknown> {
    const { child } = this;
    if (child === null) throw new Gone('it was not started');
    const answer = this.next(child, START_PATIENCE_MS);
    child.send(told, (error) => void error);
    const { value, fault } = (await answer) as { value?: unknown; fault?: string };
    if (fault !== undefined) throw new Error(fault);
    return value;
  }

  kill(): void {
    this.child?.kill('SIGKILL');
  }

  private next(child: ChildProcess, patienceMs: number): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const over = (settle: () => void): void => {
        clearTimeout(timer);
        child.off('message', onMessage);
        child.off('exit', onExit);
        settle();
      };
      const onMessage = (message: unknown): void => {
        over(() => {
          resolve(message);
        });
      };
      const onExit = (): void => {
        over(() => {
          reject(new Gone('it ended'));
        });
      };
      const timer = setTimeout(() => {
        over(() => {
          reject(new Error(`no answer from ${this.script}`));
        });
      }, patienceMs);
      child.once('message', onMessage);
      child.once('exit', onExit);
    });
  }
}

export class KillWorld {
  readonly quote: string;
  readonly symbols: readonly string[];
  private advancedMs = 0;
  private readonly prices = new Map<string, number>();
  private readonly logPath: string;

  private constructor(
    readonly base: Omit<KillBase, 'key'>,
    readonly folder: string,
    readonly standIn: StandIn,
    private readonly server: Reborn,
    private readonly signer: Reborn,
  ) {
    this.quote = base.dialect === 'binance' ? 'USDT' : 'USD';
    this.symbols = symbolsOf(base.dialect);
    this.logPath = join(folder, 'killed');
  }

  /** A folder that has everything of `folder`, or an empty one. */
  static async open(
    base: Omit<KillBase, 'key'> & { key: ApiKey | null },
    kill: { victim: Victim; at: number } | null,
  ): Promise<KillWorld> {
    const folder = mkdtempSync(join(tmpdir(), 'kills-'));
    if (base.key !== null)
      cpSync(base.folder, folder, { recursive: true, filter: (path) => !path.endsWith('.sock') });
    for (const name of ['data', 'signer']) mkdirSync(join(folder, name), { recursive: true });
    const clockFile = join(folder, 'clock');
    writeFileSync(clockFile, '0');
    const { dialect } = base;
    const quote = dialect === 'binance' ? 'USDT' : 'USD';
    const standIn = await startStandIn({
      dialect,
      clock: { startMs: Date.now(), mode: 'flowing' },
      accounts: [{ name: ACCOUNT, balances: { [quote]: '2000', BTC: '0.02' } }],
    });
    if (base.key !== null) standIn.accounts.takeKey(base.key);
    const env = {
      CLOCK_FILE: clockFile,
      DATA_DIR: join(folder, 'data'),
      SIGNER_DIR: join(folder, 'signer'),
      [`SIGNER_ORIGIN_${dialect.toUpperCase()}`]: standIn.url,
      EXCHANGE: dialect,
      SYMBOLS: symbolsOf(dialect).join(','),
    };
    const killed = { KILL_AT: String(kill?.at ?? 0), KILL_LOG: join(folder, 'killed') };
    const of = (victim: Victim, script: string): Reborn =>
      new Reborn(script, env, kill?.victim === victim ? killed : {});
    const scripts = await killProcesses();
    const [server, signer] = [of('server', scripts.server), of('signer', scripts.signer)];
    return new KillWorld(base, folder, standIn, server, signer);
  }

  /** Where a process was killed; null where none was. */
  get killedAt(): string | null {
    return existsSync(this.logPath) ? readFileSync(this.logPath, 'utf8').trim() : null;
  }

  /** Said again to the next server where one was killed before it answered. */
  async tell(told: Told): Promise<unknown> {
    for (;;) {
      await this.signer.ensure();
      const isNew = await this.server.ensure();
      try {
        // A server that has begun anew hears prices again, as from its market: without, it buys nothing.
        if (isNew)
          for (const [symbol, price] of this.prices)
            await this.server.ask({ act: 'price', symbol, price });
        return await this.server.ask(told);
      } catch (error) {
        if (!(error instanceof Gone)) throw error;
      }
    }
  }

  /** Moves every clock on. */
  async advance(ms: number): Promise<void> {
    this.advancedMs += ms;
    writeFileSync(join(this.folder, 'clock'), String(this.advancedMs));
    await this.standIn.advance(ms);
  }

  async lookAfter(ms: number): Promise<void> {
    await this.advance(ms);
    await this.tell({ act: 'look' });
  }

  async setPrice(symbol: string, price: number): Promise<void> {
    this.standIn.setPrice(symbol, formatFixed(fixedFromNumber(price, 2)));
    this.prices.set(symbol, price);
    await this.tell({ act: 'price', symbol, price });
  }

  get account(): { account: string; entries: StandIn['journal']['entries'] } {
    return { account: ACCOUNT, entries: this.standIn.journal.entries };
  }

  async close(keepsFolder = false): Promise<void> {
    this.server.kill();
    this.signer.kill();
    await this.standIn.close();
    if (!keepsFolder) rmSync(this.folder, { recursive: true, force: true });
  }
}

const symbolsOf = (dialect: LiveExchange): string[] =>
  dialect === 'binance' ? ['BTC/USDT', 'ETH/USDT'] : ['BTC/USD', 'ETH/USD'];

/** A connected account whose first reading is done. */
export async function makeKillBase(dialect: LiveExchange): Promise<KillBase> {
  const agentIds = [randomUUID(), randomUUID()];
  const world = await KillWorld.open({ folder: '', dialect, agentIds, key: null }, null);
  await layEmptyDatabase(join(world.folder, 'data'));
  const { accounts } = world.standIn;
  const key = accounts.issueKey(ACCOUNT);
  const { apiKey, secret } = key;
  await world.tell({ act: 'connect', key: { apiKey, secret }, agentIds });
  await world.lookAfter(1_000);
  await world.close(true);
  return { folder: world.folder, dialect, key, agentIds };
}

const QUIET_STEPS = 40;
const TICKS_MOST = 8;

/** An agent decides at each tick until its order is at the exchange. */
async function buy(world: KillWorld, agentId: string, symbol: string): Promise<void> {
  const decide = { act: 'decide', budget: 60, agentId, symbol, tickId: `tick:${symbol}` } as const;
  for (let tick = 0; tick < TICKS_MOST; tick += 1) {
    await world.tell(decide);
    await world.lookAfter(30_000 / (tick + 6));
    if ((await world.tell(decide)) === true) break;
    await world.lookAfter(45_000);
  }
  await world.lookAfter(45_000);
}

/** Two agents buy, one is stopped out, one is closed, the person trades by hand. */
async function playOut(world: KillWorld): Promise<void> {
  const [first = '', second = ''] = world.base.agentIds;
  const [btc = '', eth = ''] = world.symbols;
  await world.setPrice(btc, 64_000);
  await world.setPrice(eth, 3_100);
  await world.lookAfter(400_000);
  await buy(world, first, btc);
  await buy(world, second, eth);
  await world.lookAfter(45_000);
  await world.setPrice(eth, 2_950);
  await world.tell({ act: 'close', agentId: first, symbol: btc });
  await world.lookAfter(12_000);
  world.standIn.person.trade({ account: ACCOUNT, symbol: btc, side: 'sell', quantity: '0.002' });
  await world.lookAfter(45_000);
}

/** One case: killed at the n-th write or send of the victim. */
export async function killAt(base: KillBase, victim: Victim, at: number): Promise<KillVerdict> {
  const world = await KillWorld.open(base, { victim, at });
  try {
    await playOut(world);
    let isSettled = false;
    for (let step = 0; step < QUIET_STEPS && !isSettled; step += 1) {
      await world.lookAfter(45_000);
      isSettled = (await world.tell({ act: 'settled', ...world.account })) as boolean;
    }
    const { findings, rows } = (await world.tell({ act: 'judge', ...world.account })) as {
      findings: Findings;
      rows: LiveOrderRow[];
    };
    const { journal } = world.standIn;
    const sent = journal.orders({ by: 'api' });
    return {
      ...findings,
      victim,
      at,
      killedAt: world.killedAt,
      uncommitted: uncommittedOf(sent, rows),
      unsettled: isSettled
        ? []
        : rows.map(({ clientOrderId, state }) => `${clientOrderId} ${state}`),
      orders: sent.length,
      fills: journal.fillsOf({ by: 'api' }).length,
    };
  } finally {
    await world.close();
  }
}

function uncommittedOf(
  sent: ReturnType<StandIn['journal']['orders']>,
  rows: readonly LiveOrderRow[],
): string[] {
  const written = new Map(rows.map((row) => [row.clientOrderId, row]));
  return sent.flatMap(({ accepted: { clientOrderId } }) => {
    const row = written.get(clientOrderId ?? '');
    const isRight =
      row !== undefined && row.attempts > 0 && !row.alarms.includes('sent_without_record');
    return isRight ? [] : [clientOrderId ?? 'without id'];
  });
}
