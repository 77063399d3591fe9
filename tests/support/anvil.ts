/** A chain of our own for tests of the wallet, Foundry's anvil as Base Sepolia. */
import { spawn, type ChildProcess } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { mnemonicToAccount, type HDAccount } from 'viem/accounts';

/**
 * The words every anvil and hardhat begins with, in their manuals: their accounts are anybody's.
 */
const PUBLIC_WORDS = 'test test test test test test test test test test test junk';
const ACCOUNTS = 10;
const START_TIMEOUT_MS = 30_000;
const ARCHITECTURES: Partial<Record<NodeJS.Architecture, string>> = {
  x64: 'amd64',
  arm64: 'arm64',
};
const SYSTEMS: Partial<Record<NodeJS.Platform, string>> = {
  linux: 'linux',
  darwin: 'darwin',
  win32: 'win32',
};

export interface TestChain {
  readonly url: string;
  readonly port: number;
  readonly chainId: number;
  /** Ten accounts of 10,000 ETH each, unlocked: anvil signs for them, and so can these. */
  readonly accounts: readonly HDAccount[];
  /** One call, without a retry; an error of the chain's is thrown with its code. */
  rpc<T = unknown>(method: string, params?: readonly unknown[]): Promise<T>;
  stop(): Promise<void>;
}

export interface TestChainOptions {
  /** 84532, Base Sepolia, unless said otherwise. */
  chainId?: number;
  /** False: a transaction waits until `evm_mine` is called. */
  mining?: boolean;
}

class ChainRefused extends Error {
  override readonly name = 'ChainRefused';
  constructor(
    readonly code: number,
    message: string,
    readonly data: unknown,
  ) {
    super(message);
  }
}

function binary(): string {
  const name = `@foundry-rs/anvil-${SYSTEMS[process.platform] ?? process.platform}-${ARCHITECTURES[process.arch] ?? process.arch}`;
  try {
    // The package's own starter would stay between us and the chain, and a chain outlive it.
    return join(
      dirname(createRequire(import.meta.url).resolve(`${name}/package.json`)),
      'bin',
      process.platform === 'win32' ? 'anvil.exe' : 'anvil',
    );
  } catch (cause) {
    throw new Error(
      `No local chain: ${name} is not installed. It comes with "npm ci" where the package exists for this machine.`,
      { cause },
    );
  }
}

/** The port that the system gave it, which it names once it listens. */
function listening(child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    let said = '';
    let settled = false;
    const fail = (why: string): void => {
      child.kill('SIGKILL');
      reject(new Error(`The chain did not start: ${why}\n${said.slice(-2_000)}`));
    };
    const timer = setTimeout(() => {
      fail('not in time');
    }, START_TIMEOUT_MS);
    const take = (piece: Buffer): void => {
      // It writes a line a call from then on, which is read so that it never waits for a reader,
      // and not kept.
      if (settled) return;
      said += piece.toString('utf8');
      const port = /Listening on [\d.]+:(\d+)/.exec(said)?.[1];
      if (port !== undefined) {
        settled = true;
        clearTimeout(timer);
        resolve(Number(port));
      }
    };
    child.stdout?.on('data', take);
    child.stderr?.on('data', take);
    child.once('error', (error) => {
      clearTimeout(timer);
      fail(error.message);
    });
    child.once('close', (code) => {
      clearTimeout(timer);
      fail(`ended with ${code ?? 'a signal'}`);
    });
  });
}

export async function startChain(options: TestChainOptions = {}): Promise<TestChain> {
  const chainId = options.chainId ?? 84_532;
  const child = spawn(
    binary(),
    [
      '--chain-id',
      String(chainId),
      '--host',
      '127.0.0.1',
      '--port',
      '0',
      '--accounts',
      String(ACCOUNTS),
      '--mnemonic',
      PUBLIC_WORDS,
      ...(options.mining === false ? ['--no-mining'] : []),
    ],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  );
  const kill = (): void => {
    child.kill('SIGKILL');
  };
  process.once('exit', kill);
  const port = await listening(child);
  const url = `http://127.0.0.1:${port}`;
  return {
    url,
    port,
    chainId,
    accounts: Array.from({ length: ACCOUNTS }, (_, addressIndex) =>
      mnemonicToAccount(PUBLIC_WORDS, { addressIndex }),
    ),
    async rpc<T>(method: string, params: readonly unknown[] = []) {
      const reply = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
      });
      const { error, result } = (await reply.json()) as {
        error?: { code: number; message: string; data?: unknown };
        result?: T;
      };
      if (error !== undefined) throw new ChainRefused(error.code, error.message, error.data);
      return result as T;
    },
    async stop() {
      process.off('exit', kill);
      if (child.exitCode !== null || child.signalCode !== null) return;
      const gone = new Promise((resolve) => {
        child.once('exit', resolve);
      });
      kill();
      await gone;
    },
  };
}
