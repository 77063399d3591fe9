/** Who goes first on PGlite's one connection. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from 'drizzle-orm';
import type { Database } from '../../../server/db/database.ts';
import { LaneLock, type Lane } from '../../../server/db/lanes.ts';
import { openEmptyDatabase } from '../../support/empty-database.ts';
import fc from '../../support/property.ts';

const RANK: Record<Lane, number> = { stop: 0, command: 1, work: 2, read: 3 };

describe('the lanes', () => {
  it('let in by lane, then by time, one at a time', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom<Lane>('stop', 'command', 'work', 'read'), { maxLength: 20 }),
        async (lanes) => {
          const lock = new LaneLock();
          const order: [Lane, number][] = [];
          let inside = 0;
          const first = lock.hold('read', () => new Promise(setImmediate));
          await Promise.all([
            first,
            ...lanes.map((lane, n) =>
              lock.hold(lane, async () => {
                expect((inside += 1)).toBe(1);
                order.push([lane, n]);
                await Promise.resolve();
                inside -= 1;
              }),
            ),
          ]);
          const expected = lanes
            .map((lane, n): [Lane, number] => [lane, n])
            .sort(([a, n], [b, m]) => RANK[a] - RANK[b] || n - m);
          expect(order).toEqual(expected);
        },
      ),
    );
  });

  it('let in who has waited for long at every second turn, and a stop before them (F92)', async () => {
    let now = 0;
    const lock = new LaneLock(() => now);
    const order: string[] = [];
    const asked: Promise<void>[] = [];
    const ask = (lane: Lane, name: string): void => {
      asked.push(
        lock.hold(lane, async () => {
          order.push(name);
          await Promise.resolve();
        }),
      );
    };
    const first = lock.hold('work', () => new Promise(setImmediate));
    ask('read', 'old read');
    ask('read', 'other old read');
    now = 600;
    ask('work', 'old tick');
    now = 1_200;
    ask('stop', 'stop');
    for (let n = 1; n <= 3; n += 1) ask('command', `command ${n}`);
    ask('read', 'read');
    await Promise.all([first, ...asked]);
    expect(order).toEqual([
      ...['stop', 'old read', 'command 1', 'other old read', 'command 2'],
      ...['old tick', 'command 3', 'read'],
    ]);
  });

  it('keep nobody out for longer than their patience and the turns of those before them (F92)', async () => {
    await fc.assert(
      fc.asyncProperty(fc.constantFrom<Lane>('command', 'work'), async (flood) => {
        let now = 0;
        const lock = new LaneLock(() => now);
        let letIn: number | null = null;
        let flooding = true;
        const work = async (): Promise<void> => {
          now += 100;
          await Promise.resolve();
          if (flooding && now < 60_000) void lock.hold(flood, work);
        };
        const running = lock.hold(flood, work);
        void lock.hold(flood, work);
        const read = lock.hold('read', async () => {
          letIn = now;
        });
        await read;
        flooding = false;
        await running;
        expect(letIn).toBeLessThan(1_400);
      }),
    );
  });

  it('go on after work that failed', async () => {
    const lock = new LaneLock();
    const failed = lock.hold('work', () => Promise.reject(new Error('no')));
    const next = lock.hold('read', async () => 'yes');
    await expect(failed).rejects.toThrow('no');
    expect(await next).toBe('yes');
  });
});

describe('PGlite with many who ask', () => {
  let database: Database;
  beforeAll(async () => {
    database = await openEmptyDatabase();
  });
  afterAll(() => database.close());

  it('takes a stop before reads and ticks that have waited longer', async () => {
    const order: string[] = [];
    const asked: Promise<unknown>[] = [];
    const ask = (lane: Lane, name: string): void => {
      asked.push(
        database.on(lane).transaction(async ({ db }) => {
          await db.execute(sql`select count(*) from generate_series(1, 1000)`);
          order.push(name);
        }),
      );
    };
    ask('read', 'the read under way');
    for (let n = 0; n < 5; n += 1) ask('read', 'a read');
    ask('work', 'a tick');
    ask('command', 'a start');
    ask('stop', 'a stop');
    await Promise.all(asked);
    expect(order).toEqual([
      'the read under way',
      'a stop',
      'a start',
      'a tick',
      ...Array.from({ length: 5 }, () => 'a read'),
    ]);
  });

  it('is one database whatever the lane', async () => {
    await database.on('stop').db.execute(sql`create temporary table seen as select 1 as n`);
    const result = await database.on('read').db.execute(sql`select n from seen`);
    expect((result as { rows: unknown[] }).rows).toEqual([{ n: 1 }]);
    expect(database.on('work')).toBe(database);
    expect(database.on('stop').on('work')).toBe(database);
  });
});
