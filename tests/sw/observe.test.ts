/** What the worker makes of an answer that lay in a device which slept. */
import { IDBFactory, IDBKeyRange } from 'fake-indexeddb';
import { expect, it } from 'vitest';
import { SEND_TIMEOUT_MS } from '../../contract/limits.ts';
import { readSnapshot } from '../../src/offline/snapshots.ts';
import { UserDatabase } from '../../src/offline/user-database.ts';
import { keep } from '../../sw/observe.ts';

const HOUR_MS = 3_600_000;

it('keeps no answer that was slept over, as the page takes none; a slow one it does (F104)', async () => {
  Object.assign(globalThis, { indexedDB: new IDBFactory(), IDBKeyRange });
  const database = new UserDatabase('ada', { mayCreate: () => true });
  const now = Date.now();
  const trial = (servedAt: number): Response =>
    Response.json({ isActive: true, endDate: null, hasUsed: true, servedAt });
  const kept = (askedAt: number): Promise<boolean> =>
    keep(trial(askedAt), { uid: 'ada', kind: 'trial' }, database, now, askedAt);
  expect(await kept(now - 5 * HOUR_MS)).toBe(false);
  expect(await kept(now - SEND_TIMEOUT_MS - 2_001)).toBe(false);
  expect(await readSnapshot('ada', 'trial', database)).toBeNull();
  expect(await kept(now - SEND_TIMEOUT_MS)).toBe(true);
  expect(await readSnapshot('ada', 'trial', database)).toMatchObject({ savedAt: now });
});
