/** Keeps the hashed files of earlier builds next to a new one, for pages that are still open. */
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';

/** A page of the build before the last finds its chunks; an older one reloads. */
const BUILDS_KEPT = 2;
const LIST = '.builds.json';
const ASSETS = 'assets';

/** The files of each build under `assets`, newest first. */
export type Builds = string[][];

export function readBuilds(dist: string): Builds {
  const list = join(dist, LIST);
  if (!existsSync(list))
    return existsSync(join(dist, ASSETS)) ? [readdirSync(join(dist, ASSETS))] : [];
  try {
    const value: unknown = JSON.parse(readFileSync(list, 'utf8'));
    return Array.isArray(value)
      ? value.filter(
          (build): build is string[] =>
            Array.isArray(build) && build.every((name) => typeof name === 'string'),
        )
      : [];
  } catch {
    return [];
  }
}

/** Maps are for whoever debugs the present build. */
const isServed = (name: string): boolean => !/\.map(\.|$)/.test(name);

const served = (names: string[]): string[] => names.filter(isServed).sort();
const isSame = (one: string[], other: string[]): boolean =>
  served(one).join('\n') === served(other).join('\n');

/**
 * Has `build` write into a folder beside `dist`, lays the chunks of the two builds before it beside
 * what it made, and puts the whole in the place of `dist`: who is served meanwhile gets one build
 * or the other, and one that fails changes nothing.
 */
export async function keepingAssets(
  dist: string,
  build: (into: string) => Promise<unknown>,
): Promise<void> {
  const [next, old] = [`${dist}.next`, `${dist}.old`];
  for (const left of [next, old]) rmSync(left, { recursive: true, force: true });
  try {
    await build(next);
    mkdirSync(join(next, ASSETS), { recursive: true });
    const made = readdirSync(join(next, ASSETS));
    // The same build made again is not another one: it must not push out those that people still
    // have open.
    const before = readBuilds(dist)
      .filter((names) => !isSame(names, made))
      .slice(0, BUILDS_KEPT)
      .map(served);
    for (const name of new Set(before.flat())) {
      if (!made.includes(name) && existsSync(join(dist, ASSETS, name)))
        cpSync(join(dist, ASSETS, name), join(next, ASSETS, name), { preserveTimestamps: true });
    }
    writeFileSync(join(next, LIST), JSON.stringify([made, ...before]));
    if (existsSync(dist)) renameSync(dist, old);
    renameSync(next, dist);
  } finally {
    for (const left of [next, old]) rmSync(left, { recursive: true, force: true });
  }
}
