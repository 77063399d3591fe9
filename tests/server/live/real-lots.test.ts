/** Tax lots of real fills: apart from paper, and without what the exchange took of the coin. */
import { afterEach, expect, it } from 'vitest';
import { add, parseFixed, subtract, sum } from '../../../contract/money.ts';
import { LiveTaxLots } from '../../../contract/live.ts';
import { venueFills } from '../../../server/db/schema-live.ts';
import { openLiveWorld, PERSON, type LiveWorld } from '../../support/live/live-world.ts';

let world: LiveWorld;
afterEach(async () => {
  await world.close();
});

const lots = async (held: 'yes' | 'no' = 'yes') =>
  LiveTaxLots.parse(
    await world.floor.call(PERSON, 'liveTaxLots', {
      params: { id: world.connection.id },
      query: { held },
    }),
  );

it.each(['binance', 'kraken'] as const)(
  'are of what was really bought and sold at %s',
  async (dialect) => {
    world = await openLiveWorld({ dialect });
    const id = await world.startAgent();
    await world.tickUntil(async () => (await lots()).rows.length > 0);
    const trades = await world.floor.database.db.select().from(venueFills);
    const coin = world.pair.split('/')[0] ?? '';
    const feesIn = (asset: string) =>
      sum(
        trades.flatMap(({ fees }) =>
          (fees as { asset: string; amount: string }[])
            .filter((fee) => fee.asset === asset)
            .map(({ amount }) => parseFixed(amount)),
        ),
      );
    const bought = sum(trades.map(({ quantity }) => parseFixed(quantity)));
    const held = (await lots()).held[0];
    expect(parseFixed(held?.quantity ?? '0')).toBe(subtract(bought, feesIn(coin)));
    if (dialect === 'binance') expect(feesIn(coin) > 0n).toBe(true);
    await world.floor.call(PERSON, 'liquidateAgent', { params: { id } });
    for (let i = 0; i < 6; i += 1) {
      await world.look();
      await world.advance(5_000);
    }
    const report = await lots();
    expect(report).toMatchObject({
      live: true,
      connectionId: world.connection.id,
      exchange: dialect,
      quote: world.quote,
    });
    expect(report).not.toHaveProperty('paper');
    // What the account calls realised is the gain of the lots, and what is held of them.
    const apart = report.held.map(({ averageCost, basis }) =>
      subtract(parseFixed(averageCost), parseFixed(basis)),
    );
    expect(add(parseFixed(report.all.gain), sum(apart))).toBe(parseFixed(report.realized));
    const account = await world.floor.call(PERSON, 'liveAccount', {
      params: { id: world.connection.id },
    });
    expect(report.realized).toBe(account.realized);
    expect(report.rows.filter(({ gain }) => gain !== null).length).toBeGreaterThan(0);
    const paper = await world.floor.call(PERSON, 'taxLots', { query: { held: 'yes' } });
    expect(paper).toMatchObject({ paper: true, total: 0 });
  },
  60_000,
);
