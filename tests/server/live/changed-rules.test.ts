/** An exchange that changes a pair's step while something is held: the sale follows it at once. */
import { afterEach, describe, expect, it } from 'vitest';
import { parseFixed } from '../../../contract/money.ts';
import { openLiveWorld, PERSON, type LiveWorld } from '../../support/live/live-world.ts';

let world: LiveWorld | null = null;
afterEach(async () => {
  await world?.close();
  world = null;
});

const account = (one: LiveWorld) =>
  one.floor.call(PERSON, 'liveAccount', { params: { id: one.connection.id } });

describe.each(['kraken', 'coinbase'] as const)('at %s', (dialect) => {
  it('a sale rejected for an old step is made again by the new one, within a minute', async () => {
    const one = await openLiveWorld({ dialect });
    world = one;
    await one.look();
    await one.startAgent();
    await one.tickUntil(async () => (await account(one)).positions.length > 0);
    await one.look();
    // The rules as they are were read just now.
    one.restart();
    await one.look();
    const [position] = (await account(one)).positions;
    one.standIn.core.changeRules(one.pair, { step: parseFixed('0.0001') });
    await one.floor.call(PERSON, 'closeLivePosition', { params: { id: position?.id ?? '' } });
    for (let waited = 0; waited < 60_000; waited += 5_000) {
      await one.advance(5_000);
      await one.look();
    }
    const sold = one.standIn.journal
      .orders({ by: 'api' })
      .filter(({ accepted, filled }) => accepted.side === 'sell' && filled > 0n);
    expect(sold).toHaveLength(1);
    const rejected = one.standIn.journal.of('rejected').map(({ reason }) => reason);
    expect(rejected).toContain('bad-step');
    // Less than the new step is left, which nobody can sell.
    for (const left of (await account(one)).positions)
      expect(parseFixed(left.quantity)).toBeLessThan(parseFixed('0.0001'));
  }, 90_000);
});
