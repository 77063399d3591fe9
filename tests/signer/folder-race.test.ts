/** Many signers that are started on one folder at the same moment, after a crash of the one before. */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { lockFolder } from '../../signer/lock-folder.ts';

const TAKERS = 5;
const ROUNDS = 8;
const TAKER = join(import.meta.dirname, '../support/signer/folder-taker.ts');

let root: string;
const takers = new Set<ChildProcess>();
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'signer-'));
});
afterEach(async () => {
  await Promise.all([...takers].map(kill));
  rmSync(root, { recursive: true, force: true });
});

async function startTaker(): Promise<ChildProcess> {
  const taker = fork(TAKER, { execArgv: ['--import', 'tsx'] });
  takers.add(taker);
  await once(taker, 'message');
  return taker;
}

async function kill(taker: ChildProcess): Promise<void> {
  takers.delete(taker);
  const end = once(taker, 'exit');
  taker.kill('SIGKILL');
  await end;
}

async function fill(): Promise<void> {
  await Promise.all(Array.from({ length: TAKERS - takers.size }, startTaker));
}

/** All try at that moment. */
const tellAll = (folder: string, atMs: number): void => {
  for (const taker of takers) taker.send({ folder, atMs });
};

describe.each([
  ['sockets', 'short'],
  // Longer than the path of any socket.
  ['process ids alone', 'x'.repeat(120)],
])('a folder that tells by %s who uses it', (_how, name) => {
  const newFolder = (): string => {
    const folder = join(root, name);
    mkdirSync(folder);
    return folder;
  };

  it('is taken by one of all that start after a crash, each time', async () => {
    const folder = newFolder();
    const winners: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      await fill();
      const answers = [...takers].map(async (taker) => {
        const [said] = (await once(taker, 'message')) as [string];
        return { taker, isTaken: said === 'taken' };
      });
      tellAll(folder, Date.now() + 20);
      const taken = (await Promise.all(answers)).filter(({ isTaken }) => isTaken);
      winners.push(taken.length);
      // Its lock, and its socket, stay behind.
      await Promise.all(taken.map(({ taker }) => kill(taker)));
    }
    expect(winners).toEqual(winners.map(() => 1));
  }, 120_000);

  it('can be taken whenever all that tried were killed, and nothing of them stays', async () => {
    const folder = newFolder();
    for (let round = 0; round < 3; round += 1) {
      await fill();
      const atMs = Date.now() + 20;
      tellAll(folder, atMs);
      await pause(atMs - Date.now() + 2 * round);
      await Promise.all([...takers].map(kill));
      const release = await lockFolder(folder);
      release();
      expect(readdirSync(folder)).toEqual([]);
    }
  }, 120_000);
});
