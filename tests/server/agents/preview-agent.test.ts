/**
 * What would it do now: the same as the next tick decides on that candle, and nothing on the server
 * is changed by asking.
 */
import { and, asc, eq, sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CallBody } from '../../../contract/calls.ts';
import { formatFixed, parseFixed } from '../../../contract/money.ts';
import { AgentPreviewBody, type AgentPreview } from '../../../contract/preview.ts';
import type { Database } from '../../../server/db/database.ts';
import { openEmptyDatabase } from '../../support/empty-database.ts';
import { decisions, fills } from '../../../server/db/schema.ts';
import { subscriptions } from '../../../server/db/schema-plans.ts';
import { rowsOf } from '../../../server/db/sql-rows.ts';
import { ensureUser } from '../../../server/users/ensure-user.ts';
import { AGGRESSIVE, openFloor, type Floor } from '../../support/trading.ts';

let database: Database;
let tapes = 0;
beforeAll(async () => {
  database = await openEmptyDatabase();
});
afterAll(async () => {
  await database.close();
});

async function newFloor(
  options: { seed?: number; pairs?: string[]; drift?: number } = {},
): Promise<Floor> {
  tapes += 1;
  return openFloor({ candles: 400, sourceId: `preview${tapes}`, ...options }, database);
}

/** The journal keeps nine digits of a strength. */
const rounded = (strength: number | null): number | null =>
  strength === null ? null : Number(strength.toFixed(6));

/**
 * Pairs in order, as the journal has them: what was decided, why, by which strength, and what was
 * traded.
 */
const seen = (preview: AgentPreview) =>
  preview.pairs
    .map(({ pair, action, reason, strength, threshold, text, order }) => ({
      pair,
      action,
      reason,
      strength: rounded(strength),
      threshold,
      text,
      order,
    }))
    .sort((a, b) => a.pair.localeCompare(b.pair));

async function journal(agentId: string, close: number): Promise<ReturnType<typeof seen>> {
  const decided = await database.db
    .select()
    .from(decisions)
    .where(and(eq(decisions.agentId, agentId), eq(decisions.atMarketMs, close)))
    .orderBy(asc(decisions.pair));
  const traded = await database.db
    .select()
    .from(fills)
    .where(and(eq(fills.agentId, agentId), eq(fills.decidedMarketMs, close)));
  const exact = (text: string): string => formatFixed(parseFixed(text));
  return decided
    .map(({ pair, action, reason, strength, threshold, text }) => {
      const fill = traded.find((one) => one.pair === pair && !one.tickId.startsWith('stop:'));
      return {
        pair,
        action: action as AgentPreview['pairs'][number]['action'],
        reason,
        strength: rounded(strength),
        threshold,
        text,
        order:
          fill === undefined
            ? null
            : {
                side: fill.side as 'buy' | 'sell',
                quantity: exact(fill.quantity),
                price: exact(fill.price),
                notional: exact(fill.notional),
                fee: exact(fill.fee),
              },
      };
    })
    .sort((a, b) => a.pair.localeCompare(b.pair));
}

const TERMS: NonNullable<CallBody<'previewAgent'>['terms']> = {
  trading_pairs: [...AGGRESSIVE.trading_pairs],
  risk_profile: 'Aggressive',
  max_position_size: AGGRESSIVE.max_position_size,
  execution_interval: '5-minute',
  pool: 'momentum_24h',
  trading_frequency: 'high',
};
const SIX = ['BTC/USDT', 'ETH/USDT', 'SOL/USDT', 'XRP/USDT', 'ADA/USDT', 'LINK/USDT'];

describe('a preview', () => {
  it.each([
    ['momentum_24h', 5, 'high', 30, true],
    ['momentum_24h', 23, 'optimized', 14, true],
    ['base_ecosystem', 7, 'high', 12, true],
    ['all_pools', 11, 'high', 12, true],
    ['all_pools', 31, 'daily', 2, false],
  ] as const)(
    'says what the next tick decides and trades on the same candle: %s, tape %i, %s, %i ticks',
    async (pool, seed, trading_frequency, ticks, trades) => {
      const floor = await newFloor({ seed, pairs: SIX, drift: 0.0006 });
      const uid = `twin${tapes}`;
      await floor.join(uid);
      const terms = { ...TERMS, trading_pairs: SIX, pool, trading_frequency };
      const { agent } = await floor.call(uid, 'createAgent', {
        body: { ...terms, name: 'Twin', enabled: true },
      });
      const scheduler = floor.scheduler();
      await scheduler.open();
      let acted = 0;
      let held = 0;
      for (let tick = 0; tick < ticks; tick += 1) {
        floor.market.step();
        await scheduler.settled();
        const preview = await floor.call(uid, 'previewAgent', { body: { agentId: agent.id } });
        // Before its first look the agent is no more than its terms.
        if (tick === 0)
          expect(seen(await floor.call(uid, 'previewAgent', { body: { terms } }))).toEqual(
            seen(preview),
          );
        await scheduler.runOnce();
        expect(seen(preview)).toEqual(await journal(agent.id, preview.close));
        expect(preview.pairs.map(({ pair }) => pair)).toEqual(SIX);
        acted += preview.pairs.filter(({ order }) => order !== null).length;
        held += preview.pairs.filter(({ atStop }) => atStop !== null).length;
        const { positions } = await floor.call(uid, 'portfolio');
        expect(
          preview.pairs
            .flatMap(({ pair, stopPrice }) => (stopPrice === null ? [] : [`${pair} ${stopPrice}`]))
            .sort(),
        ).toEqual(positions.map(({ pair, stopPrice }) => `${pair} ${stopPrice}`).sort());
      }
      expect(held > 0).toBe(trades);
      expect(acted > 0).toBe(trades);
      expect(floor.errors).toEqual([]);
    },
    60_000,
  );

  it('leaves every table as it was, for somebody without an account too', async () => {
    const floor = await newFloor();
    const uid = `quiet${tapes}`;
    await floor.join(uid);
    const { agent } = await floor.call(uid, 'createAgent', {
      body: { ...AGGRESSIVE, enabled: false },
    });
    const bare = `bare${tapes}`;
    await database.transaction(async (tx) => {
      await ensureUser(tx, { uid: bare, email: null }, floor.clock);
      await tx.db.insert(subscriptions).values({
        uid: bare,
        provider: 'test',
        status: 'active',
        tier: 'pro-max',
        updatedAt: floor.clock.now(),
      });
    });
    const tables = await rowsOf<{ name: string }>(
      database.db,
      sql`select table_name as name from information_schema.tables where table_schema = 'public' order by 1`,
    );
    const all = async (): Promise<string[]> =>
      Promise.all(
        tables.map(async ({ name }) => {
          const [row] = await rowsOf<{ sum: string }>(
            database.db,
            sql`select ${name}::text || ' ' || count(*) || ' ' || coalesce(md5(string_agg(t::text, '|' order by t::text)), '') as sum from ${sql.identifier(name)} t`,
          );
          return row?.sum ?? '';
        }),
      );
    const before = await all();
    expect(before.length).toBeGreaterThan(10);
    await floor.call(uid, 'previewAgent', { body: { agentId: agent.id } });
    const terms = await floor.call(uid, 'previewAgent', { body: { terms: TERMS } });
    // The book that is opened at the first need has the same deposit.
    expect(await floor.call(bare, 'previewAgent', { body: { terms: TERMS } })).toMatchObject({
      equity: '10000',
      freeCash: '10000',
      pairs: terms.pairs,
    });
    expect(await all()).toEqual(before);
  });

  it('states the loss at the stop with both fees, and never more than the profile lets one pair lose beside costs', async () => {
    const floor = await newFloor({ pairs: SIX });
    const uid = `loss${tapes}`;
    await floor.join(uid);
    for (const [profile, most] of [
      ['Conservative', 0.0025],
      ['Moderate', 0.005],
      ['Aggressive', 0.01],
    ] as const) {
      const preview = await floor.call(uid, 'previewAgent', {
        body: { terms: { ...TERMS, trading_pairs: SIX, risk_profile: profile } },
      });
      const entered = preview.pairs.filter(({ action }) => action === 'enter');
      expect(entered.length, profile).toBeGreaterThan(0);
      for (const { order, stopPrice, atStop } of entered) {
        const [paid, fee, stop, quantity] = [
          order?.notional,
          order?.fee,
          stopPrice,
          order?.quantity,
        ].map(Number) as [number, number, number, number];
        const fall = paid - quantity * stop;
        // Entry fee, exit fee, and what the sale itself moves the price.
        expect(-Number(atStop)).toBeGreaterThanOrEqual(fall + fee + quantity * stop * 0.00099);
        expect(-Number(atStop)).toBeLessThan(fall + fee + quantity * stop * 0.02);
        expect(fall).toBeLessThan(10_000 * most * 1.01);
      }
      expect(Number(preview.atStop)).toBeCloseTo(
        entered.reduce((total, { atStop }) => total + Number(atStop), 0),
        6,
      );
    }
  });

  it('says for now only that candles could not be read, and asks for them again (F82)', async () => {
    const floor = await newFloor();
    const uid = `unread${tapes}`;
    await floor.join(uid);
    const history = floor.market.history.bind(floor.market);
    floor.market.history = async () => {
      throw new Error('GET candles: request timed out (10000 ms)');
    };
    const ask = () => floor.call(uid, 'previewAgent', { body: { terms: TERMS } });
    await expect(ask()).rejects.toMatchObject({ code: 'market_unavailable' });
    floor.market.history = history;
    expect((await ask()).pairs.map(({ pair }) => pair)).toEqual([...AGGRESSIVE.trading_pairs]);
  });

  it('is held to what creating and owning are held to (R6-03, R6-05)', async () => {
    const floor = await newFloor();
    const [pro, plain, free, other] = ['p', 's', 'f', 'o'].map((name) => `${name}${tapes}`) as [
      string,
      string,
      string,
      string,
    ];
    await floor.join(pro, 'pro');
    await floor.join(plain, 'standard');
    await floor.join(free, null);
    await floor.join(other, 'pro');
    const ask = async (uid: string, body: CallBody<'previewAgent'>): Promise<unknown> =>
      floor.call(uid, 'previewAgent', { body }).then(
        () => 'answered',
        (error: { code?: string }) => error.code,
      );
    expect(await ask(pro, { terms: TERMS })).toBe('answered');
    expect(await ask(plain, { terms: TERMS })).toBe('insufficient_permissions');
    expect(await ask(plain, { terms: { ...TERMS, pool: 'all_pools' } })).toBe('answered');
    expect(await ask(free, { terms: { ...TERMS, pool: 'all_pools' } })).toBe(
      'insufficient_permissions',
    );
    expect(await ask(pro, { terms: { ...TERMS, trading_pairs: ['BTC/EUR'] } })).toBe('wrong_quote');
    const { agent } = await floor.call(pro, 'createAgent', {
      body: { ...AGGRESSIVE, enabled: false },
    });
    expect(await ask(pro, { agentId: agent.id })).toBe('answered');
    expect(await ask(other, { agentId: agent.id })).toBe('not_found');
    expect(await ask(pro, { agentId: 'nothing' })).toBe('not_found');
    expect(AgentPreviewBody.safeParse({}).success).toBe(false);
  });

  it('of an agent that waits says why it would open nothing: a plan that ended, a paused account, a pair without a price', async () => {
    const floor = await newFloor();
    const uid = `idle${tapes}`;
    await floor.join(uid);
    const { agent } = await floor.call(uid, 'createAgent', {
      body: { ...AGGRESSIVE, enabled: false },
    });
    floor.market.step(1, ['ETH/USDT']);
    const preview = await floor.call(uid, 'previewAgent', { body: { agentId: agent.id } });
    expect(preview.pairs.find(({ pair }) => pair === 'ETH/USDT')).toMatchObject({
      action: 'skip',
      reason: 'no_price',
      order: null,
      atStop: null,
    });
    expect(preview.pairs.some(({ action }) => action === 'enter')).toBe(true);
    // Other terms of the same agent, as an edit would save them.
    const careful = await floor.call(uid, 'previewAgent', {
      body: { agentId: agent.id, terms: { ...TERMS, max_position_size: 50 } },
    });
    for (const { order } of careful.pairs)
      expect(Number(order?.notional ?? 0)).toBeLessThan(50 * 1.001);
    await database.db
      .update(subscriptions)
      .set({ status: 'canceled' })
      .where(eq(subscriptions.uid, uid));
    const lapsed = await floor.call(uid, 'previewAgent', { body: { agentId: agent.id } });
    expect(lapsed.pairs.map(({ reason }) => reason)).toContain('entries_stopped');
    expect(lapsed.pairs.every(({ order }) => order === null)).toBe(true);
    expect(lapsed.pairs.find(({ reason }) => reason === 'entries_stopped')?.text).toContain(
      'your plan has ended',
    );
  });
});
