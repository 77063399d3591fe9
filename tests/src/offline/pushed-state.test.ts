/**
 * What a push does to what is kept: newer wins, gaps are said, nothing is made for who is not here.
 */
import 'fake-indexeddb/auto';
import { describe, expect, it } from 'vitest';
import type { Agent } from '../../../contract/agents.ts';
import type { EntriesOff } from '../../../contract/halts.ts';
import { PushedPortfolio, type PushPayload } from '../../../contract/push.ts';
import { databaseStore, EMPTY_META } from '../../../src/offline/queue-store.ts';
import { openUserDatabase, type UserDatabase } from '../../../src/offline/user-database.ts';
import { noteClockOffset } from '../../../src/offline/server-clock.ts';
import { keepPushed, pushedSequence } from '../../../src/offline/pushed-state.ts';
import { keepSnapshots, readSnapshot, writeSnapshot } from '../../../src/offline/snapshots.ts';
import { portfolio, T0 } from './samples.ts';

/** A push reported something that the saved list of agents lacks. */
async function isBehindPush(uid: string, db: UserDatabase): Promise<boolean> {
  const pushed = await pushedSequence(uid, db);
  const saved = await readSnapshot(uid, 'agents', db);
  return pushed !== null && pushed > (saved?.value.sequence ?? 0);
}

const agent = (id: string, status: Agent['status'] = 'running'): Agent => ({
  id,
  name: id,
  trading_pairs: [],
  risk_profile: 'Moderate',
  max_position_size: 500,
  execution_interval: '5-minute',
  enabled: true,
  pool: 'all_pools',
  tradingFrequency: 'optimized',
  status,
  hold: null,
  generation: 1,
  version: 1,
  quote: 'USDT',
  openPositions: 0,
  realized: '0',
  unrealized: '0',
  fees: '0',
  total: '0',
  createdAt: 1,
  startedAt: 1,
  stoppedAt: null,
  lastRunAt: null,
  nextRunAt: null,
});
let people = 0;
function database(mayCreate = true): UserDatabase {
  people += 1;
  return openUserDatabase(`pushed-${people}`, { mayCreate: () => mayCreate });
}
function payload(
  uid: string,
  sequence: number,
  agents: Agent[],
  wholeAgents: boolean,
  more: Partial<PushPayload['state']> = {},
): PushPayload {
  const head = PushedPortfolio.parse(portfolio(T0 + sequence, '9000'));
  return {
    version: 1,
    id: `${uid}-${sequence}`,
    uid,
    kind: 'stopLoss',
    facts: { agentId: null, agentName: null },
    showDetails: false,
    sentAt: T0 + 5,
    sequence,
    state: {
      agents,
      wholeAgents,
      asOf: T0,
      portfolio: { ...head, asOf: T0 + 1 },
      fill: null,
      ...more,
    },
  };
}

describe('a push', () => {
  it('with a whole list stands for what is kept, and adds its mark to the equity curve', async () => {
    const db = database();
    await writeSnapshot(db.uid, 'portfolio', portfolio(T0), T0, db);
    expect(await keepPushed(payload(db.uid, 5, [agent('a', 'stopped')], true), db, T0 + 9)).toBe(
      'fresh',
    );
    expect(await readSnapshot(db.uid, 'agents', db)).toMatchObject({
      savedAt: T0 + 5,
      value: { sequence: 5, agents: [{ id: 'a', status: 'stopped' }] },
    });
    expect((await readSnapshot(db.uid, 'portfolio', db))?.value).toMatchObject({
      cash: '9000',
      equityCurve: [
        [T0, '10000'],
        [T0 + 1, '9000'],
      ],
    });
  });

  it('with a part is laid over a list that lacks nothing else', async () => {
    const db = database();
    const entriesOff: EntriesOff[] = [
      {
        scope: 'venue',
        by: 'operator',
        agentId: null,
        reason: 'Late prices',
        since: T0,
        until: null,
      },
    ];
    await writeSnapshot(
      db.uid,
      'agents',
      { agents: [agent('a'), agent('b')], sequence: 4, asOf: T0, entriesOff },
      T0,
      db,
    );
    expect(await keepPushed(payload(db.uid, 5, [agent('b', 'halted')], false), db, T0 + 9)).toBe(
      'fresh',
    );
    // A message says nothing of what is switched off: what was known of it stays.
    expect(await readSnapshot(db.uid, 'agents', db)).toMatchObject({
      savedAt: T0 + 5,
      value: {
        sequence: 5,
        entriesOff,
        agents: [
          { id: 'a', status: 'running' },
          { id: 'b', status: 'halted' },
        ],
      },
    });
  });

  it('with a part after a gap says that the device is behind, and makes the list no younger than it is', async () => {
    const db = database();
    await writeSnapshot(db.uid, 'agents', { agents: [agent('a')], sequence: 2, asOf: T0 }, T0, db);
    expect(await keepPushed(payload(db.uid, 5, [agent('a', 'halted')], false), db, T0 + 9)).toBe(
      'behind',
    );
    expect(await readSnapshot(db.uid, 'agents', db)).toMatchObject({
      savedAt: T0,
      value: { sequence: 2, agents: [{ status: 'halted' }] },
    });
    expect(await isBehindPush(db.uid, db)).toBe(true);
    expect(
      await keepPushed(payload(db.uid, 6, [agent('a')], true, { portfolio: null }), db, T0 + 9),
    ).toBe('behind');
    // The agents are whole again; what lags now is the portfolio, which has its own age.
    expect(await isBehindPush(db.uid, db)).toBe(false);
  });

  it.each(['a part', 'the whole list'])(
    'that waited while a stop was answered takes that stop back by no word, with %s (F80)',
    async (what) => {
      const db = database();
      const agents = [{ ...agent('a', 'stopped'), generation: 2 }, agent('b')];
      await writeSnapshot(db.uid, 'agents', { agents, sequence: 4, asOf: T0 }, T0, db);
      const waited = [agent('a'), agent('b', 'halted')];
      await keepPushed(payload(db.uid, 5, waited, what === 'the whole list'), db, T0 + 9);
      expect(await readSnapshot(db.uid, 'agents', db)).toMatchObject({
        value: {
          sequence: 5,
          agents: [
            { id: 'a', status: 'stopped', generation: 2 },
            { id: 'b', status: 'halted' },
          ],
        },
      });
    },
  );

  it('that comes late changes nothing, and one that comes twice is known', async () => {
    const db = database();
    await writeSnapshot(
      db.uid,
      'agents',
      { agents: [agent('a', 'stopped')], sequence: 8, asOf: T0 },
      T0,
      db,
    );
    await keepPushed(payload(db.uid, 5, [agent('a')], true), db, T0 + 9);
    expect(await readSnapshot(db.uid, 'agents', db)).toMatchObject({
      savedAt: T0,
      value: { sequence: 8, agents: [{ status: 'stopped' }] },
    });
    expect(await keepPushed(payload(db.uid, 5, [agent('a')], true), db, T0 + 9)).toBe('again');
  });

  describe('that a push service held for three hours', () => {
    const HOURS = 3 * 3_600_000;
    const held = (uid: string): PushPayload => ({
      ...payload(uid, 5, [agent('a', 'halted')], true),
      sentAt: T0 - HOURS,
    });
    const dates = async (db: UserDatabase): Promise<(number | undefined)[]> => [
      (await readSnapshot(db.uid, 'agents', db))?.savedAt,
      (await readSnapshot(db.uid, 'portfolio', db))?.savedAt,
    ];

    it('is as old as its sending', async () => {
      const db = database();
      expect(await keepPushed(held(db.uid), db, T0)).toBe('fresh');
      expect(await dates(db)).toEqual([T0 - HOURS, T0 - HOURS]);
    });

    it.each([
      ['behind the server’s is dated by it', 3_600_000, -4 * 3_600_000],
      ['ahead of the server’s is dated by it', -3_600_000, -2 * 3_600_000],
      ['so far ahead that it would be of a time to come is dated by its receipt', -2 * HOURS, 0],
    ])('on a device whose clock is %s', async (_title, clockOffsetMs, savedAt) => {
      const db = database();
      const meta = { ...EMPTY_META, clockOffsetMs };
      await databaseStore(db).change(({ entries }) => ({ entries, meta, result: null }));
      await keepPushed(held(db.uid), db, T0);
      expect(await dates(db)).toEqual([T0 + savedAt, T0 + savedAt]);
    });

    it('is dated by the clock that the page has learnt, on a device whose queue never sent anything (F20)', async () => {
      const db = database();
      const taken = ['0b6f2f6e-93a5-4c1c-9f4a-000000000001'];
      await noteClockOffset(db.uid, 3_600_000);
      await keepPushed(held(db.uid), db, T0);
      expect(await dates(db)).toEqual([T0 - 4 * 3_600_000, T0 - 4 * 3_600_000]);
      // What the queue has noted stays.
      const store = databaseStore(db);
      await store.change(({ entries, meta }) => ({
        entries,
        meta: { ...meta, taken },
        result: null,
      }));
      await noteClockOffset(db.uid, -60_000);
      expect((await store.read()).meta).toEqual({ ...EMPTY_META, taken, clockOffsetMs: -60_000 });
      await noteClockOffset('nobody', 1);
    });

    it('goes by the server’s order where a clock was wrong, and makes nothing older', async () => {
      const db = database();
      const list = { agents: [agent('a', 'stopped')], sequence: 4, asOf: T0 };
      await writeSnapshot(db.uid, 'agents', list, T0 - 3_600_000, db);
      await writeSnapshot(db.uid, 'portfolio', portfolio(T0), T0 - 3_600_000, db);
      expect(await keepPushed(held(db.uid), db, T0)).toBe('fresh');
      expect(await dates(db)).toEqual([T0 - 3_600_000, T0 - 3_600_000]);
      expect(await readSnapshot(db.uid, 'agents', db)).toMatchObject({ value: { sequence: 5 } });
    });

    it('is not taken for older by what two clocks differ, and makes nothing older', async () => {
      const db = database();
      const list = { agents: [agent('a')], sequence: 4, asOf: T0 };
      await writeSnapshot(db.uid, 'agents', list, T0 - HOURS + 1_500, db);
      expect(await keepPushed(held(db.uid), db, T0)).toBe('fresh');
      expect(await dates(db)).toEqual([T0 - HOURS + 1_500, T0 - HOURS]);
      expect(await readSnapshot(db.uid, 'agents', db)).toMatchObject({ value: { sequence: 5 } });
    });
  });

  it('keeps nothing where nothing is wanted, and makes nothing for a person who is not here', async () => {
    const db = database();
    await keepSnapshots(db.uid, false);
    expect(await keepPushed(payload(db.uid, 5, [agent('a')], true), db, T0)).toBe('not-kept');
    expect(await readSnapshot(db.uid, 'agents', db)).toBeNull();
    const stranger = database(false);
    expect(await keepPushed(payload(stranger.uid, 5, [agent('a')], true), stranger, T0)).toBe(
      'signed-out',
    );
    expect((await indexedDB.databases()).map(({ name }) => name)).not.toContain(
      `tradewind-${stranger.uid}`,
    );
  });
});
