/** Chunks of the two builds before stay beside the new one, and no older ones. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { keepingAssets, readBuilds } from '../../scripts/keep-assets.ts';

let dist = '';
beforeEach(() => { dist = join(mkdtempSync(join(tmpdir(), 'tradewind-keep-')), 'dist'); });
afterEach(() => { rmSync(join(dist, '..'), { recursive: true, force: true }); });

/** What Vite does to its folder: empties it, then writes. */
const building = (files: Record<string, string>) => (): Promise<void> => {
  rmSync(dist, { recursive: true, force: true });
  mkdirSync(join(dist, 'assets'), { recursive: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(join(dist, 'assets', name), text);
  return Promise.resolve();
};
const kept = (): string[] => readdirSync(join(dist, 'assets')).sort();

describe('earlier chunks', () => {
  it('of two builds are kept, a third is let go, and a name that the new build has is the new build\'s', async () => {
    await keepingAssets(dist, building({ 'one-1.js': '1', 'one-1.js.br': 'b', 'one-1.js.map': 'm', 'same-0.js': 'old' }));
    await keepingAssets(dist, building({ 'two-2.js': '2', 'same-0.js': 'new' }));
    expect(kept()).toEqual(['one-1.js', 'one-1.js.br', 'same-0.js', 'two-2.js']);
    expect(readFileSync(join(dist, 'assets', 'same-0.js'), 'utf8')).toBe('new');
    await keepingAssets(dist, building({ 'three-3.js': '3' }));
    expect(kept()).toEqual(['one-1.js', 'one-1.js.br', 'same-0.js', 'three-3.js', 'two-2.js']);
    await keepingAssets(dist, building({ 'four-4.js': '4' }));
    expect(kept()).toEqual(['four-4.js', 'same-0.js', 'three-3.js', 'two-2.js']);
  });

  it('are found without a list, and a list that does not read counts as none', async () => {
    await building({ 'one-1.js': '1' })();
    expect(readBuilds(dist)).toEqual([['one-1.js']]);
    await keepingAssets(dist, building({ 'two-2.js': '2' }));
    expect(kept()).toEqual(['one-1.js', 'two-2.js']);
    writeFileSync(join(dist, '.builds.json'), '{');
    expect(readBuilds(dist)).toEqual([]);
  });
});
