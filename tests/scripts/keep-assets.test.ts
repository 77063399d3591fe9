/** Chunks of the two builds before stay beside the new one, and no older ones. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { keepingAssets, readBuilds } from '../../scripts/keep-assets.ts';

let dist = '';
beforeEach(() => {
  dist = join(mkdtempSync(join(tmpdir(), 'tradewind-keep-')), 'dist');
});
afterEach(() => {
  rmSync(join(dist, '..'), { recursive: true, force: true });
});

/** What Vite does to its folder: empties it, then writes. */
const building =
  (files: Record<string, string>) =>
  (into: string): Promise<void> => {
    rmSync(into, { recursive: true, force: true });
    mkdirSync(join(into, 'assets'), { recursive: true });
    for (const [name, text] of Object.entries(files))
      writeFileSync(join(into, 'assets', name), text);
    return Promise.resolve();
  };
const kept = (): string[] => readdirSync(join(dist, 'assets')).sort();

describe('earlier chunks', () => {
  it("of two builds are kept, a third is let go, and a name that the new build has is the new build's", async () => {
    await keepingAssets(
      dist,
      building({ 'one-1.js': '1', 'one-1.js.br': 'b', 'one-1.js.map': 'm', 'same-0.js': 'old' }),
    );
    await keepingAssets(dist, building({ 'two-2.js': '2', 'same-0.js': 'new' }));
    expect(kept()).toEqual(['one-1.js', 'one-1.js.br', 'same-0.js', 'two-2.js']);
    expect(readFileSync(join(dist, 'assets', 'same-0.js'), 'utf8')).toBe('new');
    await keepingAssets(dist, building({ 'three-3.js': '3' }));
    expect(kept()).toEqual(['one-1.js', 'one-1.js.br', 'same-0.js', 'three-3.js', 'two-2.js']);
    await keepingAssets(dist, building({ 'four-4.js': '4' }));
    expect(kept()).toEqual(['four-4.js', 'same-0.js', 'three-3.js', 'two-2.js']);
  });

  it('of the same build made again push out nothing', async () => {
    await keepingAssets(dist, building({ 'one-1.js': '1' }));
    await keepingAssets(dist, building({ 'two-2.js': '2' }));
    for (let again = 0; again < 3; again += 1)
      await keepingAssets(dist, building({ 'three-3.js': '3' }));
    expect(kept()).toEqual(['one-1.js', 'three-3.js', 'two-2.js']);
  });

  it('and the present ones stay as they are until the new build is whole, and where it fails', async () => {
    await keepingAssets(dist, building({ 'one-1.js': '1' }));
    const failing = keepingAssets(dist, async (into) => {
      await building({ 'two-2.js': '2' })(into);
      expect(kept()).toEqual(['one-1.js']);
      throw new Error('no room');
    });
    await expect(failing).rejects.toThrow('no room');
    expect([kept(), readdirSync(join(dist, '..'))]).toEqual([['one-1.js'], ['dist']]);
  });

  it('are found without a list, and a list that does not read counts as none', async () => {
    await building({ 'one-1.js': '1' })(dist);
    expect(readBuilds(dist)).toEqual([['one-1.js']]);
    await keepingAssets(dist, building({ 'two-2.js': '2' }));
    expect(kept()).toEqual(['one-1.js', 'two-2.js']);
    writeFileSync(join(dist, '.builds.json'), '{');
    expect(readBuilds(dist)).toEqual([]);
  });
});
