/** What an exchange lets a key and an address ask is not exceeded by starting the signer again. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { sealKey } from '../../server/live/seal-key.ts';
import { ALLOWANCES } from '../../signer/exchanges/allowances.ts';
import { SpentStore } from '../../signer/spent.ts';
import { openDeskWorld, type DeskWorld } from '../support/signer/desk-world.ts';
import { KRAKEN_KEY, krakenAnswers } from '../support/signer/kraken-answers.ts';

const SHARE = 0.8;
let world: DeskWorld;
afterEach(() => world.remove());

const open = (more: object = {}): Promise<DeskWorld> =>
  openDeskWorld({
    key: KRAKEN_KEY,
    answers: (clock) => krakenAnswers({}, () => clock.now()),
    ...more,
  });

const balances = () =>
  world.desk.answer({ act: 'balances', connectionId: world.connectionId }) as Promise<{
    kind: string;
  }>;

/** The signer was killed, and a new one runs on the same folder. */
async function restart(): Promise<void> {
  const { folder, clock } = world;
  await world.close();
  world = await open({ folder, clock });
}

const spentFiles = (): string[] =>
  readdirSync(join(world.folder, 'spent')).map((name) => join(world.folder, 'spent', name));

describe('an allowance', () => {
  it.each([1, 3, 7])('of a key is not used anew by a start after every %i questions', async (n) => {
    world = await open();
    await world.connect();
    const startMs = world.clock.now();
    const { burst, perSecond } = ALLOWANCES.kraken.byKey;
    let asked = 0;
    for (let turn = 0; turn < 40; turn += 1) {
      const isRead = (await balances()).kind === 'read';
      asked += isRead ? 1 : 0;
      const elapsed = (world.clock.now() - startMs) / 1_000;
      expect(asked).toBeLessThanOrEqual((burst + elapsed * perSecond) * SHARE + 1e-6);
      if (turn % n === n - 1) await restart();
    }
    // It was given back meanwhile, and used.
    expect(asked).toBeGreaterThan(20);
  });

  it('of the address goes on where it was', async () => {
    world = await open();
    await world.connect();
    const { burst, perSecond } = ALLOWANCES.kraken.byAddress;
    const startMs = world.clock.now();
    const isPublic = (): number =>
      world.server.asked.filter(({ path }) => path.includes('/public/')).length;
    let asked = isPublic();
    for (let turn = 0; turn < 12; turn += 1) {
      await restart();
      await world.desk.answer({ act: 'pair_rules', exchange: 'kraken', symbols: [] });
      asked += isPublic();
      const elapsed = (world.clock.now() - startMs) / 1_000;
      expect(asked).toBeLessThanOrEqual((burst + elapsed * perSecond) * SHARE + 1e-6);
    }
    expect(asked).toBeGreaterThan(10);
  });

  it('is empty at first where its file cannot be read', async () => {
    world = await open();
    await world.connect();
    await balances();
    for (const path of spentFiles()) writeFileSync(path, readFileSync(path, 'utf8').slice(0, -2));
    await restart();
    const before = world.clock.now();
    expect(await balances()).toMatchObject({ kind: 'read' });
    const { perSecond } = ALLOWANCES.kraken.byKey;
    expect(world.clock.now() - before).toBeGreaterThanOrEqual(1_000 / (perSecond * SHARE));
  });

  it('of a key counts what it was asked before it was connected', async () => {
    world = await open();
    const { connectionId, ownerId, exchange, key, store, desk, clock } = world;
    const own = { connectionId, ownerId, exchange };
    const startMs = clock.now();
    const { burst, perSecond } = ALLOWANCES.kraken.byKey;
    const isPrivate = (): number =>
      world.server.asked.filter(({ path }) => path.includes('/private/')).length;
    for (let turn = 0; turn < 12; turn += 1) {
      const sealedKey = await sealKey(key, own, store.box.current);
      await desk.answer({ act: 'check_key', ...own, sealedKey });
      if (turn === 5) await world.connect();
      const elapsed = (clock.now() - startMs) / 1_000;
      expect(isPrivate()).toBeLessThanOrEqual((burst + elapsed * perSecond) * SHARE + 1e-6);
    }
  });

  it('that is kept names no key', async () => {
    world = await open();
    await world.connect();
    await balances();
    const kept = spentFiles().map((path) => `${path} ${readFileSync(path, 'utf8')}`);
    expect(kept).toHaveLength(3);
    for (const text of kept) {
      expect(text).not.toContain(KRAKEN_KEY.apiKey);
      expect(text).not.toContain(KRAKEN_KEY.apiKey.replaceAll('/', '_').replaceAll('+', '-'));
    }
  });
});

describe('what was noted of an allowance', () => {
  it('is read as it was, and null where nothing was', async () => {
    world = await open();
    const spent = new SpentStore(join(world.folder, 'spent'));
    const record = spent.record('kraken.address');
    expect(record.last).toBeNull();
    for (const level of [7.25, -3.5, 1e-9, 0]) {
      record.note({ level, atMs: 1_767_261_600_000.5 });
      expect(spent.record('kraken.address').last).toEqual({ level, atMs: 1_767_261_600_000.5 });
    }
  });
});
