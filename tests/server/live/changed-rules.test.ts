/** An exchange that changes a pair's step while something is held: sale and stop follow it at once. */
import { afterEach, describe, expect, it } from 'vitest';
import { floorToStep, parseFixed } from '../../../contract/money.ts';
import { LiveExchange } from '../../../contract/signer.ts';
import { restingStops } from '../../support/live/live-findings.ts';
import { account, type LiveWorld, openLiveWorld, PERSON } from '../../support/live/live-world.ts';

let world: LiveWorld | null = null;
afterEach(async () => {
  await world?.close();
  world = null;
});

/** What is bought is no multiple of it; Kraken's steps are powers of ten. */
const NEW_STEPS: Record<LiveExchange, string> = {
  kraken: '0.0001',
  coinbase: '0.0001',
  binance: '0.0011',
};

const rejections = ({ standIn }: LiveWorld) =>
  standIn.journal.of('rejected').map(({ reason }) => reason);

async function openWorld(dialect: LiveExchange): Promise<LiveWorld> {
  const one = await openLiveWorld({ dialect });
  world = one;
  await one.look();
  await one.startAgent();
  return one;
}

/** The step changes after the purchase was taken and before its stop is placed. */
async function buyThenChange(one: LiveWorld, step: string): Promise<void> {
  let placings = 0;
  one.interfere((act) => {
    if (act === 'place') placings += 1;
    if (act === 'place' && placings === 2)
      one.standIn.core.changeRules(one.pair, { step: parseFixed(step) });
    return null;
  });
  await one.tickUntil(async () => (await account(one)).orders.length > 0);
  for (let looks = 0; looks < 8 && rejections(one).length === 0; looks += 1) {
    await one.advance(250);
    await one.look();
  }
  one.interfere(null);
  expect(rejections(one)).toEqual(['bad-step']);
}

describe.each(LiveExchange.options)('at %s', (dialect) => {
  const newStep = NEW_STEPS[dialect];

  it('a sale rejected for an old step is made again by the new one, within a minute', async () => {
    const one = await openWorld(dialect);
    await one.tickUntil(async () => (await account(one)).positions.length > 0);
    await one.look();
    // The rules as they are were read just now.
    one.restart();
    await one.look();
    const [position] = (await account(one)).positions;
    // Once its stop is gone: before that the rules are asked for.
    one.interfere((act) => {
      if (act === 'place') one.standIn.core.changeRules(one.pair, { step: parseFixed(newStep) });
      return null;
    });
    await one.floor.call(PERSON, 'closeLivePosition', { params: { id: position?.id ?? '' } });
    for (let waited = 0; waited < 60_000; waited += 5_000) {
      await one.advance(5_000);
      await one.look();
    }
    const sold = one.standIn.journal
      .orders({ by: 'api' })
      .filter(({ accepted, filled }) => accepted.side === 'sell' && filled > 0n);
    expect(sold).toHaveLength(1);
    expect(rejections(one)).toContain('bad-step');
    // Less than the new step is left, which nobody can sell.
    for (const left of (await account(one)).positions)
      expect(parseFixed(left.quantity)).toBeLessThan(parseFixed(newStep));
  }, 180_000);

  it('a stop rejected for an old step rests by the new one within ten seconds', async () => {
    const one = await openWorld(dialect);
    await buyThenChange(one, newStep);
    for (let waited = 0; waited < 10_000 && restingStops(one).length === 0; waited += 1_000) {
      await one.advance(1_000);
      await one.look();
    }
    const [position] = (await account(one)).positions;
    const held = parseFixed(position?.quantity ?? '0');
    expect(restingStops(one).map(({ quantity }) => quantity)).toEqual([
      floorToStep(held, parseFixed(newStep)),
    ]);
    expect(rejections(one)).toEqual(['bad-step']);
  }, 180_000);

  it('a stop that the new step leaves nothing of is told, and its price watched', async () => {
    const one = await openWorld(dialect);
    await buyThenChange(one, '1');
    const told = (await account(one)).alarms.map(({ kind }) => kind);
    expect(told).toEqual(['stop_rejected']);
    for (let waited = 0; waited < 20_000; waited += 1_000) {
      await one.advance(1_000);
      await one.look();
    }
    expect(one.desk.run(one.connection.id)?.watched).toMatchObject([{ why: 'dust' }]);
    expect(rejections(one)).toEqual(['bad-step']);
  }, 180_000);
});
