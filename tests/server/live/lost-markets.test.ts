/** What an agent holds when its key is revoked, or its pair delisted: no order leaves, the person is told. */
import { afterEach, describe, expect, it } from 'vitest';
import { LiveExchange } from '../../../contract/signer.ts';
import { expectBooksEqual, restingStops } from '../../support/live/live-findings.ts';
import { account, type LiveWorld, openLiveWorld, PERSON } from '../../support/live/live-world.ts';

let world: LiveWorld | null = null;
afterEach(async () => {
  await world?.close();
  world = null;
});

const MINUTE_MS = 60_000;

const placings = ({ standIn }: LiveWorld) =>
  standIn.journal.of('request').filter(({ call }) => call === 'place').length;

async function holding(dialect: LiveExchange): Promise<LiveWorld> {
  const one = await openLiveWorld({ dialect });
  world = one;
  await one.look();
  await one.startAgent();
  await one.tickUntil(async () => (await account(one)).positions.length > 0);
  await settle(one, 5_000);
  expect(restingStops(one)).not.toEqual([]);
  return one;
}

/** As the server does each second, with candles in between. */
async function settle(one: LiveWorld, ms: number, stepMs = 2_500): Promise<void> {
  for (let waited = 0; waited < ms; waited += stepMs) {
    await one.advance(stepMs);
    await one.look();
  }
}

describe.each(LiveExchange.options)('at %s', (dialect) => {
  it('a key that is revoked with a position open sends no order, and the person is told (F72)', async () => {
    const one = await holding(dialect);
    const [key] = one.standIn.accounts.keysOf('main');
    one.standIn.person.revokeKey(key?.apiKey ?? '');
    const before = placings(one);
    const stops = restingStops(one);
    for (let candle = 0; candle < 4; candle += 1) {
      await one.tick();
      await settle(one, 4 * MINUTE_MS, 20_000);
    }
    const shown = await account(one);
    expect(shown.alarms.map(({ kind }) => kind)).toEqual(['key_refused']);
    expect(shown.positions).toHaveLength(1);
    // Stops rest at the exchange whatever becomes of the key.
    expect(restingStops(one)).toEqual(stops);
    expect(one.desk.run(one.connection.id)?.gate.kind).toBe('closed');
    expect(placings(one)).toBe(before);
    // What the person asks for waits, and leaves nothing behind at the exchange.
    const [position] = shown.positions;
    await one.floor.call(PERSON, 'closeLivePosition', { params: { id: position?.id ?? '' } });
    one.restart();
    await settle(one, 2 * MINUTE_MS, 10_000);
    expect(placings(one)).toBe(before);
    expect(restingStops(one)).toEqual(stops);
    await expectBooksEqual(one);
  }, 240_000);

  it('a pair that is delisted with a position open is told, and nothing of it is ordered (F73)', async () => {
    const one = await holding(dialect);
    one.standIn.faults.strike({ name: 'delist', symbol: one.pair });
    await settle(one, 20 * MINUTE_MS, 10_000);
    const kinds = new Set((await account(one)).alarms.map(({ kind }) => kind));
    // Binance answers no question about such a pair: its stop stays as it was last seen.
    const ofStop = dialect === 'binance' ? [] : ['cancelled_at_exchange'];
    expect(kinds).toEqual(new Set([...ofStop, 'pair_delisted', 'daily_loss']));
    // What it cost is lost, and everything else is known and goes on.
    const state = await one.client.ask({ act: 'state', connectionId: one.connection.id });
    expect(state.kind === 'read' && state.value.lossToday).toBeGreaterThan(0n);
    const before = placings(one);
    const [position] = (await account(one)).positions;
    await one.floor.call(PERSON, 'closeLivePosition', { params: { id: position?.id ?? '' } });
    await settle(one, 10 * MINUTE_MS, 10_000);
    expect(placings(one) - before).toBeLessThanOrEqual(1);
    // What is held is still held, and every other pair goes on.
    expect((await account(one)).positions).toHaveLength(1);
    expect(one.desk.run(one.connection.id)?.gate.kind).toBe('open');
    one.restart();
    await settle(one, 4 * MINUTE_MS, 10_000);
    expect(one.desk.run(one.connection.id)?.gate.kind).toBe('open');
    await expectBooksEqual(one);
  }, 240_000);
});
