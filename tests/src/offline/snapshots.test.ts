/**
 * What is parsed before it is kept and what when it is read: a record that this build's schemas have
 * parsed is taken as it lies, any other only by the schemas.
 */
import { IDBFactory, IDBKeyRange } from 'fake-indexeddb';
import { get, set } from 'idb-keyval';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { CONTRACT_VERSION } from '../../../contract/version.ts';
import { PARSED_BY } from '../../../src/offline/parsed-by.ts';
import type * as Schemas from '../../../src/offline/snapshot-schemas.ts';
import { portfolio, T0 } from './samples.ts';

const SCHEMAS = '../../../src/offline/snapshot-schemas.ts';
let isReachable = true;
let loads = 0;
/** A network that is not there, as the loader of parts reports it. */
const unreachable = new Error('no network');

beforeEach(() => {
  Object.assign(globalThis, { indexedDB: new IDBFactory(), IDBKeyRange });
  isReachable = true;
  loads = 0;
  vi.doMock(SCHEMAS, async (original: () => Promise<typeof Schemas>) => {
    loads += 1;
    if (!isReachable) throw unreachable;
    return original();
  });
});
afterEach(() => {
  vi.doUnmock(SCHEMAS);
});

/** The code as a page has it that has just begun, with the database of a person. */
async function freshPage() {
  vi.resetModules();
  loads = 0;
  const snapshots = await import('../../../src/offline/snapshots.ts');
  const { openUserDatabase } = await import('../../../src/offline/user-database.ts');
  const database = openUserDatabase('ada', { mayCreate: () => true });
  return { ...snapshots, database, store: database.store('snapshots') };
}

/** Put there past the code that writes. */
async function lay(record: unknown): Promise<void> {
  const { store } = await freshPage();
  await set('portfolio', record, store);
}
const kept = (parsedBy: string | undefined, value: unknown) => ({
  version: CONTRACT_VERSION,
  savedAt: T0,
  value,
  parsedBy,
});

describe('a snapshot', () => {
  it('is written as the schema reads it, with the mark of the schemas', async () => {
    const { writeSnapshot, store } = await freshPage();
    const value = { ...portfolio(T0), beside: 1 };
    expect(await writeSnapshot('ada', 'portfolio', value, T0)).toBe(true);
    expect(PARSED_BY).toMatch(/^[0-9a-f]{16}$/);
    expect(await get('portfolio', store)).toEqual(kept(PARSED_BY, portfolio(T0)));
  });

  it('gives way to no list that knows less, however late that comes (F81)', async () => {
    const { writeSnapshot, readSnapshot } = await freshPage();
    const list = (sequence: number) => ({ fills: [], sequence, asOf: T0 });
    const write = (sequence: number, savedAt: number) =>
      writeSnapshot('ada', 'history', list(sequence), savedAt);
    expect(await write(6, T0)).toBe(true);
    // Asked for before the stream told of the sixth event, and answered after it.
    expect(await write(5, T0 + 2_000)).toBe(false);
    expect((await readSnapshot('ada', 'history'))?.value.sequence).toBe(6);
    expect(await write(7, T0 + 3_000)).toBe(true);
    // A server that begins anew is believed after a while.
    expect(await write(2, T0 + 120_000)).toBe(true);
  });

  it('is not written where the schema refuses it', async () => {
    const { writeSnapshot, store } = await freshPage();
    const value = { ...portfolio(T0), cash: 'much' };
    expect(await writeSnapshot('ada', 'portfolio', value, T0)).toBe(false);
    expect(await get('portfolio', store)).toBeUndefined();
  });

  it('is read without the schemas where they have parsed it in this build', async () => {
    await (await freshPage()).writeSnapshot('ada', 'portfolio', portfolio(T0), T0);
    isReachable = false;
    const { readSnapshot } = await freshPage();
    expect(await readSnapshot('ada', 'portfolio')).toEqual({ savedAt: T0, value: portfolio(T0) });
    expect(loads).toBe(0);
  });

  it.each([
    ['without a mark', undefined],
    ['with the mark of other schemas', '0000000000000000'],
  ])('is parsed when it is read %s', async (_what, mark) => {
    await lay(kept(mark, { ...portfolio(T0), beside: 1 }));
    const { readSnapshot } = await freshPage();
    expect(await readSnapshot('ada', 'portfolio')).toEqual({ savedAt: T0, value: portfolio(T0) });
    expect(loads).toBe(1);
  });

  it.each([
    ['another version', { ...kept(undefined, portfolio(T0)), version: CONTRACT_VERSION + 1 }],
    ['a value of another form', kept(undefined, { cash: '1' })],
    ['no record at all', 'portfolio'],
    ['an empty place', null],
  ])('of %s is deleted', async (_what, record) => {
    await lay(record);
    const { readSnapshot, store } = await freshPage();
    expect(await readSnapshot('ada', 'portfolio')).toBeNull();
    expect(await get('portfolio', store)).toBeUndefined();
  });

  it('is not deleted for what lay there before it', async () => {
    await (await freshPage()).writeSnapshot('ada', 'portfolio', portfolio(T0), T0);
    const { readSnapshots, readSnapshot, database } = await freshPage();
    const early = Promise.resolve(new Map([['portfolio', { cash: '1' }]]));
    expect(await readSnapshots('ada', ['portfolio'], database, early)).toEqual({});
    expect(await readSnapshot('ada', 'portfolio')).not.toBeNull();
  });

  it('of another build stays as it lies while the schemas cannot be loaded, and is read once they can', async () => {
    const record = kept(undefined, portfolio(T0));
    await lay(record);
    isReachable = false;
    const { readSnapshot, writeSnapshot, store } = await freshPage();
    await expect(readSnapshot('ada', 'portfolio')).rejects.toThrow();
    await expect(writeSnapshot('ada', 'portfolio', portfolio(T0 + 1), T0 + 1)).rejects.toThrow();
    expect(await get('portfolio', store)).toEqual(record);
    isReachable = true;
    const again = await freshPage();
    expect(await again.readSnapshot('ada', 'portfolio')).toEqual({
      savedAt: T0,
      value: portfolio(T0),
    });
  });
});
