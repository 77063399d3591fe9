/** A clock that is set back: what was done "later" than now holds nothing up. */
import { afterEach, describe, expect, it } from 'vitest';
import type { SignerAsk } from '../../../contract/signer.ts';
import {
  account,
  type LiveWorld,
  openLiveWorld,
  PERSON,
  settle,
} from '../../support/live/live-world.ts';

let world: LiveWorld | null = null;
afterEach(async () => {
  await world?.close();
  world = null;
});

const HOUR_MS = 3_600_000;

describe('a clock that was an hour ahead and is set right', () => {
  it('makes the account be compared at once, and nothing waits for the hour to pass', async () => {
    const one = await openLiveWorld();
    world = one;
    await one.look();
    await one.startAgent();
    await one.tickUntil(async () => (await account(one)).orders.length > 0);
    await settle(one, 20);
    one.floor.clock.at += HOUR_MS;
    await one.look();
    const asked: SignerAsk['act'][] = [];
    one.interfere((act) => {
      asked.push(act);
      return null;
    });
    await settle(one, 20);
    expect(asked).toContain('balances');
    expect(asked).toContain('open_orders');
    expect(asked).toContain('pair_rules');
    expect(one.desk.run(one.connection.id)?.gate.kind).toBe('open');
    const [position] = (await account(one)).positions;
    await one.floor.call(PERSON, 'closeLivePosition', { params: { id: position?.id ?? '' } });
    await settle(one, 20);
    expect((await account(one)).positions).toEqual([]);
    expect(await one.problems()).toEqual([]);
  }, 60_000);

  it('has an order looked up that was waited for', async () => {
    const one = await openLiveWorld();
    world = one;
    await one.look();
    await one.startAgent();
    await one.tickUntil(async () => (await account(one)).orders.length > 0);
    await settle(one, 20);
    one.interfere((act) => (act === 'look_up' || /orders|trades/.test(act) ? 'fail' : null));
    const [position] = (await account(one)).positions;
    await one.floor.call(PERSON, 'closeLivePosition', { params: { id: position?.id ?? '' } });
    one.floor.clock.at += HOUR_MS;
    await one.look();
    const looks = { count: 0 };
    one.interfere((act) => {
      if (act === 'look_up') looks.count += 1;
      return null;
    });
    await settle(one, 20);
    expect(looks.count).toBeGreaterThan(0);
    await settle(one, 60);
    expect((await account(one)).positions).toEqual([]);
    expect(await one.problems()).toEqual([]);
  }, 60_000);

  it('has a cancellation repeated that got no answer, although its first is noted later', async () => {
    const one = await openLiveWorld();
    world = one;
    await one.look();
    await one.startAgent();
    await one.tickUntil(async () => (await account(one)).orders.length > 0);
    await settle(one, 20);
    const asked = { cancel: 0 };
    one.interfere((act) => {
      if (act !== 'cancel') return null;
      asked.cancel += 1;
      if (asked.cancel > 1) return null;
      // By less than what makes a process forget its times.
      one.floor.clock.at -= 1_500;
      return 'fail';
    });
    const [position] = (await account(one)).positions;
    await one.floor.call(PERSON, 'closeLivePosition', { params: { id: position?.id ?? '' } });
    await one.look();
    await settle(one, 60);
    expect(asked.cancel).toBeGreaterThan(1);
    expect((await account(one)).positions).toEqual([]);
    expect(await one.problems()).toEqual([]);
  }, 60_000);
});
