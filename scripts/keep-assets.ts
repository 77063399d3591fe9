/** Keeps the hashed files of earlier builds beside a new one, for pages that are still open; refuses to keep more than it is told. */
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A page of the build before the last finds its chunks; an older one reloads. */
const BUILDS_KEPT = 2;
const LIST = '.builds.json';
const ASSETS = 'assets';

/** The files of each build under `assets`, newest first. */
export type Builds = string[][];

export function readBuilds(dist: string): Builds {
  const list = join(dist, LIST);
  if (!existsSync(list)) return existsSync(join(dist, ASSETS)) ? [readdirSync(join(dist, ASSETS))] : [];
  try {
    const value: unknown = JSON.parse(readFileSync(list, 'utf8'));
    return Array.isArray(value) ? value.filter((build): build is string[] => Array.isArray(build) && build.every((name) => typeof name === 'string')) : [];
  } catch {
    return [];
  }
}

/** Maps are for whoever debugs the present build. */
const isServed = (name: string): boolean => !/\.map(\.|$)/.test(name);

/** Runs `build`, which empties `dist`, and lays the chunks of the two builds before it beside what it made. */
export async function keepingAssets(dist: string, build: () => Promise<unknown>): Promise<void> {
  const before = readBuilds(dist).slice(0, BUILDS_KEPT).map((names) => names.filter(isServed));
  const aside = mkdtempSync(join(tmpdir(), 'tradewind-assets-'));
  try {
    const present = (name: string): boolean => existsSync(join(dist, ASSETS, name));
    for (const name of new Set(before.flat().filter(present))) cpSync(join(dist, ASSETS, name), join(aside, name), { preserveTimestamps: true });
    await build();
    const made = readdirSync(join(dist, ASSETS));
    mkdirSync(join(dist, ASSETS), { recursive: true });
    for (const name of readdirSync(aside)) if (!made.includes(name)) cpSync(join(aside, name), join(dist, ASSETS, name), { preserveTimestamps: true });
    writeFileSync(join(dist, LIST), JSON.stringify([made, ...before]));
  } finally {
    rmSync(aside, { recursive: true, force: true });
  }
}
