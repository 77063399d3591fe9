/** Display choices on the device: read in the form of their name, and as none in any other. */
import { IDBFactory, IDBKeyRange } from 'fake-indexeddb';
import { beforeEach, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { SYMBOL_CHOICES_MAX } from '../../../contract/limits.ts';
import {
  changePreference,
  readPreference,
  type PreferenceName,
} from '../../../src/offline/device-preferences.ts';
import { openUserDatabase } from '../../../src/offline/user-database.ts';
import { variants } from '../../support/variants.ts';

const key = z.string().check(z.maxLength(40));
/** The forms of all choices in the language of schemas. */
const FORMS: Record<PreferenceName, z.ZodMiniType> = {
  favourites: z.array(key).check(z.maxLength(SYMBOL_CHOICES_MAX)),
  chart: z.object({
    interval: z.nullable(z.string()),
    sma: z.array(z.number()).check(z.maxLength(8)),
    ema: z.array(z.number()).check(z.maxLength(8)),
    rsi: z.nullable(z.number()),
    volume: z.boolean(),
  }),
  marketView: z.object({ columns: z.array(z.string()), favouritesFirst: z.boolean() }),
  tables: z.record(
    z.string(),
    z.object({
      sort: z.optional(z.object({ key, down: z.boolean() })),
      columns: z.optional(z.array(key).check(z.maxLength(40))),
    }),
  ),
  account: z.object({
    chosen: z.nullable(z.string()),
    known: z.array(
      z.object({
        id: z.string(),
        exchange: z.enum(['kraken', 'coinbase', 'binance']),
        label: z.string(),
      }),
    ),
  }),
};
const SAMPLES: Record<PreferenceName, unknown> = {
  favourites: ['BTC/USDT'],
  chart: {
    interval: '1h',
    sma: [20],
    ema: Array.from({ length: 8 }, () => 5),
    rsi: 14,
    volume: true,
  },
  marketView: { columns: ['price'], favouritesFirst: true },
  tables: { fills: { sort: { key: 'time', down: true }, columns: ['time'] }, none: {} },
  account: { chosen: null, known: [{ id: 'a', exchange: 'kraken', label: 'Kraken' }] },
};

beforeEach(() => {
  Object.assign(globalThis, { indexedDB: new IDBFactory(), IDBKeyRange });
});

it.each(Object.keys(FORMS) as PreferenceName[])(
  'reads and writes %s in its own form alone',
  async (name) => {
    const database = openUserDatabase(`of-${name}`, { mayCreate: () => true });
    const { uid } = database;
    expect(await readPreference(uid, name)).toBeNull();
    let taken = 0;
    for (const raw of variants(SAMPLES[name])) {
      await database.transact(['meta'], 'readwrite', (transaction) => {
        transaction.objectStore('meta').put(raw, name);
      });
      const parsed = FORMS[name].safeParse(raw);
      if (parsed.success) taken += 1;
      expect([raw, await readPreference(uid, name)]).toEqual([raw, parsed.data ?? null]);
    }
    expect(taken).toBeGreaterThan(1);
    const before = await readPreference(uid, name);
    expect(await changePreference(uid, name, () => ({ nothing: 1 }) as never)).toBeNull();
    expect(await readPreference(uid, name)).toEqual(before);
  },
);
