/** Dust that was left to the person stops counting as held, and a thief makes no room by it. */
import { afterEach, describe, expect, it } from 'vitest';
import { add, divide, parseFixed, subtract, ZERO, type Fixed } from '../../contract/money.ts';
import type { SignerAsk } from '../../contract/signer.ts';
import { FIRST_WEEK } from '../../signer/limits.ts';
import { newOrderId } from '../support/signer/desk-world.ts';
import { ACCOUNT, openTheft, type Theft } from '../support/signer/theft.ts';

const HOUR_MS = 3_600_000;
const BOUGHT = parseFixed('0.001');
const DUST = parseFixed('0.00000914');

let theft: Theft | null = null;
afterEach(async () => {
  await theft?.close();
  theft = null;
});

async function buy(one: Theft): Promise<void> {
  const clientOrderId = newOrderId();
  const reply = await one.ask({
    act: 'place',
    intent: one.intent({ clientOrderId, quantity: BOUGHT }),
  });
  expect(reply).toMatchObject({ kind: 'confirmed' });
  await one.ask({
    act: 'look_up',
    connectionId: one.connectionId,
    order: { clientOrderId, exchangeOrderId: null, symbol: one.pair, sinceMs: 0 },
  });
}

async function holding(): Promise<Theft> {
  const one = await openTheft('binance', {
    accounts: [{ name: ACCOUNT, balances: { USDT: '10000' } }],
  });
  theft = one;
  await buy(one);
  return one;
}

const stateOf = async ({ ask, connectionId }: Theft) => {
  const state = await ask({ act: 'state', connectionId });
  if (state.kind !== 'read') throw new Error(state.kind);
  return state.value;
};
const leave = (
  { ask, connectionId, pair }: Theft,
  quantity: Fixed,
  more: Partial<Extract<SignerAsk, { act: 'write_off' }>> = {},
) =>
  ask({
    act: 'write_off',
    ...{ connectionId, writeOffId: 'one', symbol: pair, quantity, isDust: true, ...more },
  });

describe('dust that was left to the person', () => {
  it('is no money in the market any more, with its share of the cost', async () => {
    const one = await holding();
    const { exposure } = await stateOf(one);
    expect(await leave(one, DUST, { isAsked: true })).toEqual({ kind: 'done' });
    expect((await stateOf(one)).exposure).toBe(exposure);
    expect(await leave(one, DUST)).toEqual({ kind: 'done' });
    const after = (await stateOf(one)).exposure;
    const gone = Number(subtract(exposure, after)) / Number(exposure);
    expect(gone).toBeCloseTo(Number(DUST) / Number(BOUGHT), 4);
  });

  it('counts once for an id', async () => {
    const one = await holding();
    await leave(one, DUST);
    const { exposure } = await stateOf(one);
    expect(await leave(one, DUST)).toEqual({ kind: 'done' });
    expect((await stateOf(one)).exposure).toBe(exposure);
  });

  it('leaves what was lost today as it was, whatever the price', async () => {
    const one = await holding();
    await stateOf(one);
    one.standIn.setPrice(one.pair, '60000');
    await one.advance(60_000);
    const { lossToday } = await stateOf(one);
    expect((lossToday ?? ZERO) > parseFixed('1')).toBe(true);
    expect(await leave(one, DUST)).toEqual({ kind: 'done' });
    const after = (await stateOf(one)).lossToday;
    expect(Math.abs(Number(subtract(after ?? ZERO, lossToday ?? ZERO)))).toBeLessThan(10);
  });

  it('waits while an order may still sell it', async () => {
    const one = await holding();
    const state = await one.ask({
      act: 'place',
      intent: one.intent({
        ...{ side: 'sell', type: 'stop', stopPrice: parseFixed('50000') },
        quantity: parseFixed('0.00099'),
      }),
    });
    expect(state).toMatchObject({ kind: 'confirmed' });
    // The fee was taken in the coin: what the stop leaves is less.
    expect(await leave(one, DUST)).toMatchObject({ code: 'busy' });
    expect(await leave(one, parseFixed('0.000005'))).toEqual({ kind: 'done' });
  });
});

describe('a thief', () => {
  it('fills no disk with dust of nothing', async () => {
    const one = await holding();
    for (const symbol of [one.pair, 'AAA/BBB'])
      for (const isDust of [true, false])
        expect(await leave(one, ZERO, { symbol, isDust, writeOffId: 'none' })).toMatchObject({
          code: 'not_held',
        });
    expect(await leave(one, parseFixed('1'), { symbol: 'AAA/BBB' })).toMatchObject({
      code: 'busy',
    });
  });

  it('makes no room for purchases by what is worth orders', async () => {
    const one = await holding();
    expect(await leave(one, parseFixed('0.0005'))).toMatchObject({ code: 'not_dust' });
    expect(await leave(one, BOUGHT)).toMatchObject({ kind: 'refused' });
  });

  it('makes room for no more a day than may be lost in one, by calling parts dust', async () => {
    const one = await holding();
    for (let more = 0; more < 3; more += 1) await buy(one);
    const least = parseFixed('0.00007');
    const before = (await stateOf(one)).exposure;
    let taken = 0;
    for (let part = 0; part < 20; part += 1) {
      const answer = await leave(one, least, { writeOffId: `part-${part}` });
      if (answer.kind === 'done') taken += 1;
      else expect(answer).toMatchObject({ code: 'dust_limit' });
    }
    expect(taken).toBeGreaterThan(2);
    expect(taken).toBeLessThan(10);
    const freed = subtract(before, (await stateOf(one)).exposure);
    expect(freed <= FIRST_WEEK.maxDailyLoss).toBe(true);
    expect(
      add(freed, divide(freed, parseFixed(String(taken)), 'down')) > FIRST_WEEK.maxDailyLoss,
    ).toBe(true);
    await one.advance(24 * HOUR_MS);
    expect(await leave(one, least, { writeOffId: 'tomorrow' })).toEqual({ kind: 'done' });
  });
});
