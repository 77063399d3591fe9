/**
 * Answers that are lost and processes that end: an order takes effect at most once, none is lost
 * track of, and the books equal the exchange's.
 */
import { eq } from 'drizzle-orm';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { liveAlarms, liveOrderEvents, liveOrders } from '../../../server/db/schema-live.ts';
import { openLiveWorld, type Interference, type LiveWorld } from '../../support/live/live-world.ts';

const FIRST_PLACE = { call: 'place', nth: 1 } as const;

let world: LiveWorld;
beforeEach(async () => {
  world = await openLiveWorld();
  await world.startAgent();
  await world.look();
  await world.tickUntil(async () => (await orders()).length > 0);
}, 60_000);
afterEach(async () => {
  await world.close();
});

const orders = () =>
  world.floor.database.db.select().from(liveOrders).orderBy(liveOrders.plannedAt);
const sent = () => world.standIn.journal.orders({ by: 'api' });
const firstOrder = async () => {
  const [order] = await orders();
  if (order === undefined) throw new Error('No order was planned');
  return order;
};

async function expectBooksEqual(): Promise<void> {
  for (const [coin, [ledger, exchange]] of Object.entries(await world.books()))
    expect([coin, ledger]).toEqual([coin, exchange]);
  expect(await world.problems()).toEqual([]);
}

/** The process ends at the first question of this kind; the next one knows nothing of it. */
async function killAt(act: string, when: 'die_before' | 'die_after'): Promise<void> {
  const once: Interference = (asked) => (asked === act ? when : null);
  world.interfere(once);
  const died = world.desk.runAll();
  const reached = async (): Promise<boolean> =>
    when === 'die_before' ? (await firstOrder()).state === 'sending' : sent().length > 0;
  while (!(await reached())) await new Promise((resolve) => setTimeout(resolve, 10));
  world.interfere(null);
  void died;
  world.restart();
}

/** Time passes in steps, and every connection is looked after in each. */
async function wait(ms: number, stepMs = 10_000): Promise<void> {
  for (let waited = 0; waited < ms; waited += stepMs) {
    await world.advance(stepMs);
    await world.look();
  }
}

describe('an order', () => {
  it('whose answer is dropped is found, booked and not sent again (F68)', async () => {
    world.standIn.faults.add({ name: 'drop-response', when: FIRST_PLACE });
    await world.look();
    const { clientOrderId } = await firstOrder();
    await wait(60_000);
    expect(await firstOrder()).toMatchObject({ state: 'filled', attempts: 1 });
    const mine = sent().filter((one) => one.accepted.clientOrderId === clientOrderId);
    expect(mine).toHaveLength(1);
    const kinds = (await eventsOf(clientOrderId)).map(({ kind }) => kind);
    expect(kinds.slice(0, 3)).toEqual(['planned', 'send_started', 'outcome_unknown']);
    await expectBooksEqual();
  }, 60_000);

  it('that never arrived is held unknown until its absence is proved, then let go (F69)', async () => {
    world.standIn.faults.add({ name: 'drop-response', effect: 'none', when: FIRST_PLACE });
    await world.look();
    const { clientOrderId } = await firstOrder();
    expect(await firstOrder()).toMatchObject({ state: 'unknown' });
    await wait(60_000);
    // Lists may lag for minutes: nothing is believed yet.
    expect(world.floor.clock.at).toBeLessThan((await firstOrder()).deadlineMs + 180_000);
    expect(await firstOrder()).toMatchObject({ state: 'unknown', attempts: 1 });
    await wait(180_000);
    expect(await firstOrder()).toMatchObject({
      state: 'expired',
      ending: 'absent',
      attempts: 1,
      reserved: '0.000000000000',
    });
    expect(world.standIn.journal.ordersByClientId(clientOrderId)).toHaveLength(0);
    await expectBooksEqual();
  }, 60_000);

  it('is sent by the next process where the first ended before it', async () => {
    // Planned and committed; the process that decided it is gone.
    world.restart();
    expect(await firstOrder()).toMatchObject({ state: 'planned', attempts: 0 });
    await world.look();
    expect(await firstOrder()).toMatchObject({ state: 'filled', attempts: 1 });
    await expectBooksEqual();
  }, 60_000);

  it('expires unsent where nobody was there before its deadline', async () => {
    world.restart();
    await world.advance(31_000);
    await world.look();
    expect(await firstOrder()).toMatchObject({ state: 'expired', ending: 'unsent', attempts: 0 });
    expect(sent()).toHaveLength(0);
    await expectBooksEqual();
  }, 60_000);

  it('between commit and send of a killed process is proved absent, and not sent (F42)', async () => {
    await killAt('place', 'die_before');
    await world.look();
    expect(await firstOrder()).toMatchObject({ state: 'unknown', attempts: 1 });
    await wait(270_000);
    expect(await firstOrder()).toMatchObject({ state: 'expired', ending: 'absent', attempts: 1 });
    expect(sent()).toHaveLength(0);
    await expectBooksEqual();
  }, 60_000);

  it('between send and answer of a killed process is found and booked once (F42)', async () => {
    await killAt('place', 'die_after');
    await world.look();
    const { clientOrderId } = await firstOrder();
    await wait(40_000);
    expect(await firstOrder()).toMatchObject({ state: 'filled', attempts: 1 });
    expect(world.standIn.journal.ordersByClientId(clientOrderId)).toHaveLength(1);
    await expectBooksEqual();
  }, 60_000);

  it('unknown for five minutes is told once and still reserves (F60)', async () => {
    world.standIn.faults.add({ name: 'drop-response', when: FIRST_PLACE });
    let isStruck = false;
    world.interfere((act) => {
      if (act === 'look_up' && !isStruck) {
        isStruck = true;
        world.standIn.faults.strike({ name: 'maintenance', forMs: 400_000 });
      }
      return null;
    });
    await world.look();
    await wait(330_000, 30_000);
    const order = await firstOrder();
    expect(order.state).toBe('unknown');
    expect(order.reserved).toBe(order.reservationAmount);
    const alarms = await world.floor.database.db
      .select()
      .from(liveAlarms)
      .where(eq(liveAlarms.about, order.clientOrderId));
    expect(alarms.map(({ kind }) => kind)).toEqual(['unknown_for_minutes']);
    await wait(150_000, 30_000);
    expect((await firstOrder()).state).toBe('filled');
    await expectBooksEqual();
  }, 60_000);
});

const eventsOf = (clientOrderId: string) =>
  world.floor.database.db
    .select()
    .from(liveOrderEvents)
    .where(eq(liveOrderEvents.clientOrderId, clientOrderId))
    .orderBy(liveOrderEvents.id);
