/**
 * One signer a folder, however many are started at one moment and wherever a crash struck.
 *
 * No file system takes a lock away from the dead and gives it to one of several in a single step that
 * Node can ask for. So whoever wants the folder first puts a claim of its own there, and then looks
 * for others: of two that both found nobody, one would have looked before the other's claim was
 * there, and so would the other. A claim is never taken from anyone, and one whose process is gone
 * stands in nobody's way.
 */
import { randomBytes } from 'node:crypto';
import { closeSync, openSync, readFileSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { answerAs, answers, holderAnswers } from './alive.ts';
import { DISK, isFull, writeAll } from './disk.ts';

/** Ours alone, and no longer than `alive.sock`. */
const CLAIM = /^[0-9a-f]{6}\.(?:sock|lock)$/;
/** What a crash leaves of a claim that was not there yet. */
const UNFINISHED = /^[0-9a-f]{6}\.(?:wait|next)$/;
const LOCK = 'signer.lock';
/** How long those that see an earlier claim have to give up theirs. */
const GIVING_UP_MS = 3_000;
const LOOK_MS = 10;

/**
 * Ends the lock of a signer that answers on a socket. One that is older wrote the number alone, and
 * reads it with this.
 */
const ANSWERS = '\n';

const held = new Set<string>();
const inUse = (): Error => new Error('Another signer uses this folder');

interface Claim {
  name: string;
  /** False where the folder takes no socket: then a process id is all that tells who is there. */
  isAnswering: boolean;
  /** Makes the folder ours, once nobody else claims it. */
  rise: () => void;
  withdraw: () => void;
}

/**
 * A lock left by a process that is gone is taken over.
 * @throws Error when another signer runs.
 */
export async function lockFolder(
  folder: string,
  /** Makes room on a full disk; false where there is none. */
  makeRoom: () => boolean = () => false,
): Promise<() => void> {
  if (held.has(folder)) throw inUse();
  held.add(folder);
  try {
    await refuseHeld(folder);
    const claim = await claimFolder(folder, makeRoom);
    try {
      await waitForNobody(folder, claim);
      claim.rise();
      writeLock(folder, claim.isAnswering ? ANSWERS : '', makeRoom);
      // Only now: until then the claim says who is here.
      if (!claim.isAnswering) claim.withdraw();
    } catch (error) {
      claim.withdraw();
      throw error;
    }
    return () => {
      rmSync(join(folder, LOCK), { force: true });
      claim.withdraw();
      held.delete(folder);
    };
  } catch (error) {
    held.delete(folder);
    throw error;
  }
}

async function refuseHeld(folder: string): Promise<void> {
  if (await holderAnswers(folder))
    throw new Error(
      'Another signer answers in this folder, perhaps from another container: give each a folder of its own',
    );
}

async function claimFolder(folder: string, makeRoom: () => boolean): Promise<Claim> {
  const id = randomBytes(3).toString('hex');
  try {
    const name = `${id}.sock`;
    const { rise, fallSilent } = await answerAs(folder, name);
    return { name, isAnswering: true, rise, withdraw: fallSilent };
  } catch (error) {
    if (isFull(error) && makeRoom()) return claimFolder(folder, makeRoom);
    // Not every volume takes sockets; the process id is what there was before.
    const name = `${id}.lock`;
    writeFile(folder, name, String(process.pid), makeRoom);
    const withdraw = (): void => {
      rmSync(join(folder, name), { force: true });
    };
    return { name, isAnswering: false, rise: () => undefined, withdraw };
  }
}

/**
 * Nothing may be waited for between the last look and what follows. Of several claims the first by
 * name stays, and the others go: all of them together would have the folder for nobody.
 * @throws Error when another signer has the folder, or is to have it.
 */
async function waitForNobody(folder: string, claim: Claim): Promise<void> {
  for (let waitedMs = 0; ; waitedMs += LOOK_MS) {
    const { live, dead } = await readClaims(folder, claim.name);
    // After the claims: one that rises meanwhile is seen here.
    if (await holderAnswers(folder)) throw inUse();
    const isSilent = claim.isAnswering && readText(join(folder, LOCK)).endsWith(ANSWERS);
    // Whoever wrote it would have answered. Its number may be that of another process by now.
    if (!isSilent && isRunning(join(folder, LOCK))) throw inUse();
    if (live.length === 0) {
      // Of a path that is too long for sockets their names say nothing.
      for (const name of dead)
        if (claim.isAnswering || !name.endsWith('.sock'))
          rmSync(join(folder, name), { force: true });
      return;
    }
    if (live.some((name) => name < claim.name) || waitedMs >= GIVING_UP_MS) throw inUse();
    await pause(LOOK_MS);
  }
}

/** `dead`: what processes left behind that are gone, and what was never a claim yet. */
async function readClaims(
  folder: string,
  own: string,
): Promise<{ live: string[]; dead: string[] }> {
  const live: string[] = [];
  const dead: string[] = [];
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    // One whose process still runs finds it gone, and gives up: this folder is taken.
    if (UNFINISHED.test(name)) dead.push(name);
    if (!CLAIM.test(name) || name === own) continue;
    const isLive = name.endsWith('.sock') ? await answers(path) : isRunning(path);
    (isLive ? live : dead).push(name);
  }
  return { live, dead };
}

const writeLock = (folder: string, end: string, makeRoom: () => boolean): void => {
  writeFile(folder, LOCK, `${process.pid}${end}`, makeRoom);
};

/** It is there whole or not at all: a lock that names nobody would be taken over. */
function writeFile(folder: string, name: string, text: string, makeRoom: () => boolean): void {
  const next = join(folder, `${randomBytes(3).toString('hex')}.next`);
  try {
    const handle = openSync(next, 'wx', 0o600);
    try {
      writeAll(handle, Buffer.from(text), DISK);
    } finally {
      closeSync(handle);
    }
    renameSync(next, join(folder, name));
  } catch (error) {
    // Whoever has taken the folder has cleared it away.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') throw inUse();
    rmSync(next, { force: true });
    if (!isFull(error) || !makeRoom()) throw error;
    writeFile(folder, name, text, makeRoom);
  }
}

/** Whether the process that wrote this file is there, and is a signer. */
function isRunning(path: string): boolean {
  const pid = Number(readText(path));
  if (!Number.isInteger(pid) || pid <= 0) return false;
  // Ours: of a process before us that had the same number, as the first in a container has.
  if (pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return /signer/.test(readText(`/proc/${pid}/cmdline`) || 'signer');
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
