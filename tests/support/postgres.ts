/** A private PostgreSQL for tests, from the machine's own binaries; it syncs unless told not to. */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface TestPostgres {
  url: string;
  /** Processor time of all its processes that live, seconds. */
  cpuSeconds(): number;
  /** A database of its own: empty, or a copy of the one that was prepared. */
  fresh(name: string): string;
  /** Has `migrate` make the database that later ones are copies of, which takes a tenth of the time. */
  prepare(migrate: (url: string) => Promise<void>): Promise<void>;
  /** Kills every process of the cluster at once, as a power cut would; `restart` recovers it. */
  kill9(): void;
  restart(): Promise<void>;
  stop(): void;
}

/** For tests that crash no PostgreSQL: what it says is what counts, and not what would survive. */
export const WITHOUT_SYNC = ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off'];

const ENDING = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

const asRoot = process.getuid?.() === 0;

/**
 * The folder of `postgres` and `initdb`, or null where the machine has none and cannot install
 * them.
 */
export function postgresBinaries(): string | null {
  const find = (): string | null => {
    const root = '/usr/lib/postgresql';
    const versions = existsSync(root)
      ? readdirSync(root).sort((a, b) => Number(b) - Number(a))
      : [];
    return (
      versions
        .map((version) => join(root, version, 'bin'))
        .find((bin) => existsSync(join(bin, 'initdb'))) ?? null
    );
  };
  const found = find();
  if (found !== null || !asRoot) return found;
  try {
    execFileSync(
      'sh',
      [
        '-c',
        'apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq postgresql',
      ],
      { stdio: 'ignore', timeout: 300_000 },
    );
  } catch {
    return null;
  }
  return find();
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.on('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      const port = typeof address === 'object' && address !== null ? address.port : 0;
      server.close(() => {
        resolve(port);
      });
    });
  });
}

/**
 * `settings`: as of postgresql.conf, `shared_buffers=1GB`. `parent`: the folder that its own is
 * made in.
 */
export async function startPostgres(
  settings: readonly string[] = [],
  parent = tmpdir(),
): Promise<TestPostgres | null> {
  const bin = postgresBinaries();
  if (bin === null) return null;
  const folder = mkdtempSync(join(parent, 'tradewind-pg-'));
  const data = join(folder, 'data');
  const owner = (file: string, args: string[]): [string, string[]] =>
    asRoot
      ? ['setpriv', ['--reuid', 'postgres', '--regid', 'postgres', '--clear-groups', file, ...args]]
      : [file, args];
  if (asRoot) execFileSync('chown', ['postgres', folder]);
  chmodSync(folder, 0o700);
  const [initFile, initArgs] = owner(join(bin, 'initdb'), [
    '-D',
    data,
    '-U',
    'tradewind',
    '-A',
    'trust',
    '-E',
    'UTF8',
    '--locale=C',
  ]);
  execFileSync(initFile, initArgs, { stdio: 'ignore', cwd: '/' });
  const port = await freePort();
  let child: ChildProcess | null = null;

  const query = (database: string, sql: string): string =>
    execFileSync(
      join(bin, 'psql'),
      ['-h', '127.0.0.1', '-p', String(port), '-U', 'tradewind', '-d', database, '-Atc', sql],
      { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] },
    );

  const start = async (): Promise<void> => {
    const [file, args] = owner(join(bin, 'postgres'), [
      '-D',
      data,
      '-p',
      String(port),
      '-h',
      '127.0.0.1',
      '-k',
      folder,
      '-c',
      'fsync=on',
      '-c',
      'max_connections=50',
      ...settings.flatMap((one) => ['-c', one]),
    ]);
    child = spawn(file, args, { stdio: 'ignore', cwd: '/' });
    for (let tries = 0; tries < 150; tries += 1) {
      // After a kill its children hold the shared memory for a moment, and a new postmaster gives
      // up at once.
      if (child.exitCode !== null) child = spawn(file, args, { stdio: 'ignore', cwd: '/' });
      try {
        query('postgres', 'select 1');
        return;
      } catch {
        await new Promise((resolve) => {
          setTimeout(resolve, 200);
        });
      }
    }
    throw new Error('PostgreSQL did not start');
  };
  await start();
  let template = 'template1';
  const urlOf = (name: string): string => `postgres://tradewind@127.0.0.1:${port}/${name}`;

  const killAll = (): void => {
    try {
      execFileSync('pkill', ['-9', '-f', data]);
    } catch {
      /* nothing left to kill */
    }
    child?.kill('SIGKILL');
    // Children of a killed postmaster do not carry its command line; they end on their own when it
    // is gone.
  };
  // A run that is ended by a signal runs no `finally`: without this its cluster stays for good.
  const remove = (): void => {
    killAll();
    rmSync(folder, { recursive: true, force: true });
  };
  const removeAndEnd = (signal: NodeJS.Signals): void => {
    remove();
    process.kill(process.pid, signal);
  };
  process.once('exit', remove);
  for (const signal of ENDING) process.once(signal, removeAndEnd);
  return {
    cpuSeconds() {
      const stats = readdirSync('/proc')
        .filter((name) => /^\d+$/.test(name))
        .flatMap((pid) => {
          try {
            const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
            const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
            return [
              {
                pid: Number(pid),
                parent: Number(fields[1]),
                ticks: Number(fields[11]) + Number(fields[12]),
              },
            ];
          } catch {
            return [];
          }
        });
      return (
        stats
          .filter(({ pid, parent }) => pid === child?.pid || parent === child?.pid)
          .reduce((all, { ticks }) => all + ticks, 0) / 100
      );
    },
    url: urlOf('postgres'),
    fresh(name) {
      query('postgres', `create database ${name} template ${template}`);
      return urlOf(name);
    },
    async prepare(migrate) {
      query('postgres', 'create database prepared');
      await migrate(urlOf('prepared'));
      template = 'prepared';
    },
    kill9: killAll,
    restart: start,
    stop() {
      process.off('exit', remove);
      for (const signal of ENDING) process.off(signal, removeAndEnd);
      remove();
    },
  };
}
