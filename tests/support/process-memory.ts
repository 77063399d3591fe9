/**
 * Searches what a process has in memory and what lies on a disk for secrets, in every form in which
 * they may stand there.
 */
import { execFileSync } from 'node:child_process';
import {
  closeSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  rmSync,
  statSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Needle {
  /** Whose, and in which form. */
  name: string;
  bytes: Buffer;
}

/** A text as it may stand in base64: what is certain whatever stands before and after it. */
function base64Pieces(text: string): Buffer[] {
  return [0, 1, 2].map((before) => {
    const encoded = Buffer.from(`${'\0'.repeat(before)}${text}`).toString('base64');
    return Buffer.from(encoded.slice(before === 0 ? 0 : 4, -4));
  });
}

/** A secret's forms: as it is, as V8 keeps it, and as it is written down. */
export function needlesOf(name: string, secret: string): Needle[] {
  const forms: [string, Buffer][] = [
    ['text', Buffer.from(secret)],
    ['utf-16', Buffer.from(secret, 'utf16le')],
    ['JSON', Buffer.from(JSON.stringify(secret).slice(1, -1))],
    ['in an address', Buffer.from(encodeURIComponent(secret))],
    ['hex', Buffer.from(Buffer.from(secret).toString('hex'))],
    ...base64Pieces(secret).map((bytes): [string, Buffer] => ['base64', bytes]),
    // Kraken's secret is base64: the bytes that it stands for sign.
    ['its bytes', Buffer.from(secret, 'base64')],
  ];
  return forms
    .filter(([form, bytes]) => bytes.length >= 16 && (form !== 'its bytes' || isBase64(secret)))
    .map(([form, bytes]) => ({ name: `${name}: ${form}`, bytes }));
}

const isBase64 = (text: string): boolean =>
  text.length % 4 === 0 && /^[A-Za-z0-9+/]+={0,2}$/.test(text);

/** How often each needle was found, by its name; those that were not are left out. */
export type Found = Record<string, number>;

function count(found: Found, bytes: Buffer, needles: readonly Needle[], from: number): void {
  for (const { name, bytes: needle } of needles)
    // What begins before `from` was counted with the piece before.
    for (let at = bytes.indexOf(needle); at !== -1; at = bytes.indexOf(needle, at + 1))
      if (at + needle.length > from) found[name] = (found[name] ?? 0) + 1;
}

const PIECE = 16 * 1024 * 1024;

/** Reads a file of any size in pieces that overlap by the longest needle. */
function countInFile(
  found: Found,
  path: string,
  needles: readonly Needle[],
  begin = 0n,
  length = BigInt(statSync(path).size),
): void {
  const overlap = Math.max(...needles.map(({ bytes }) => bytes.length)) - 1;
  const file = openSync(path, 'r');
  const buffer = Buffer.alloc(PIECE + overlap);
  try {
    let kept = 0;
    for (let at = 0n; at < length;) {
      const wanted = Number(length - at < BigInt(PIECE) ? length - at : BigInt(PIECE));
      let read = 0;
      try {
        read = readSync(file, buffer, kept, wanted, begin + at);
      } catch {
        // A page that cannot be read holds nothing either.
        return;
      }
      if (read === 0) return;
      const filled = buffer.subarray(0, kept + read);
      count(found, filled, needles, kept);
      kept = Math.min(overlap, filled.length);
      filled.copyWithin(0, filled.length - kept);
      at += BigInt(read);
    }
  } finally {
    closeSync(file);
  }
}

/** The readable parts of a process that are in memory at all. */
function regionsOf(pid: number): { begin: bigint; length: bigint }[] {
  const regions: { begin: bigint; length: bigint }[] = [];
  let current: { begin: bigint; length: bigint } | null = null;
  for (const line of readFileSync(`/proc/${pid}/smaps`, 'utf8').split('\n')) {
    const [, from, to, rights = ''] = /^([0-9a-f]+)-([0-9a-f]+) (\S+)/.exec(line) ?? [];
    if (from !== undefined && to !== undefined) {
      const begin = BigInt(`0x${from}`);
      const length = BigInt(`0x${to}`) - begin;
      current = rights.startsWith('r') && !line.includes('[v') ? { begin, length } : null;
    } else if (current !== null && /^Rss:\s+[1-9]/.test(line)) regions.push(current);
  }
  return regions;
}

/** While it stands still, so that nothing moves out of the way. */
export function searchMemory(pid: number, needles: readonly Needle[]): Found {
  const found: Found = {};
  process.kill(pid, 'SIGSTOP');
  try {
    for (const { begin, length } of regionsOf(pid))
      countInFile(found, `/proc/${pid}/mem`, needles, begin, length);
  } finally {
    process.kill(pid, 'SIGCONT');
  }
  return found;
}

/** The same with a core dump of gdb's, which is as large as the process. */
export function searchCoreDump(pid: number, needles: readonly Needle[]): Found {
  const prefix = join(tmpdir(), `tradewind-core-${pid}`);
  const path = `${prefix}.${pid}`;
  try {
    execFileSync('gcore', ['-o', prefix, String(pid)], { stdio: 'ignore', timeout: 300_000 });
    const found: Found = {};
    countInFile(found, path, needles);
    return found;
  } finally {
    rmSync(path, { force: true });
  }
}

/** Every file below a folder. */
export function searchFolder(folder: string, needles: readonly Needle[]): Found {
  const found: Found = {};
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true }))
    if (entry.isFile()) countInFile(found, join(entry.parentPath, entry.name), needles);
  return found;
}

export function searchText(text: string, needles: readonly Needle[]): Found {
  const found: Found = {};
  count(found, Buffer.from(text), needles, 0);
  return found;
}
