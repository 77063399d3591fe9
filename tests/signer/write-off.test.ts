/** Coins that the person took out stop counting as held, and only where the exchange shows it. */
import { afterEach, describe, expect, it } from 'vitest';
import { parseFixed, ZERO, type Fixed } from '../../contract/money.ts';
import { LiveExchange, type SignerAsk } from '../../contract/signer.ts';
import { newOrderId } from '../support/signer/desk-world.ts';
import { ACCOUNT, openTheft, type Theft } from '../support/signer/theft.ts';

const MINUTE_MS = 60_000;
const BOUGHT = parseFixed('0.001');
const HALF = parseFixed('0.0005');

let theft: Theft | null = null;
afterEach(async () => {
  await theft?.close();
  theft = null;
});

const lookUp = ({ ask, connectionId, pair }: Theft, clientOrderId: string) =>
  ask({
    act: 'look_up',
    connectionId,
    order: { clientOrderId, exchangeOrderId: null, symbol: pair, sinceMs: 0 },
  });

/** A thousandth of a bitcoin, bought through the signer minutes ago, and nothing else of it. */
async function holding(exchange: LiveExchange = 'kraken'): Promise<Theft> {
  const quote = exchange === 'binance' ? 'USDT' : 'USD';
  const accounts = [{ name: ACCOUNT, balances: { [quote]: '10000', BNB: '1' } }];
  const one = await openTheft(exchange, { accounts });
  theft = one;
  const clientOrderId = newOrderId();
  await one.ask({ act: 'place', intent: one.intent({ clientOrderId, quantity: BOUGHT }) });
  await lookUp(one, clientOrderId);
  await one.advance(5 * MINUTE_MS);
  return one;
}

const stateOf = async ({ ask, connectionId }: Theft) => {
  const state = await ask({ act: 'state', connectionId });
  if (state.kind !== 'read') throw new Error(state.kind);
  return state.value;
};
const writeOff = (
  { ask, connectionId, pair }: Theft,
  quantity: Fixed,
  more: Partial<Extract<SignerAsk, { act: 'write_off' }>> = {},
) => ask({ act: 'write_off', connectionId, writeOffId: 'one', symbol: pair, quantity, ...more });
const sale = (one: Theft, quantity: Fixed, clientOrderId = newOrderId()) =>
  one.ask({ act: 'place', intent: one.intent({ clientOrderId, side: 'sell', quantity }) });
const takeOut = ({ standIn }: Theft, share: string): Fixed =>
  standIn.person.withdrawShare(ACCOUNT, 'BTC', parseFixed(share));

describe.each(LiveExchange.options)('coins that were taken out at %s', (exchange) => {
  it('are no money in the market and cannot be sold once they are written off', async () => {
    const one = await holding(exchange);
    const taken = takeOut(one, '1');
    expect((await stateOf(one)).exposure > 0n).toBe(true);
    expect(await writeOff(one, taken, { isAsked: true })).toEqual({ kind: 'done' });
    expect((await stateOf(one)).exposure > 0n).toBe(true);
    expect(await writeOff(one, taken)).toEqual({ kind: 'done' });
    expect((await stateOf(one)).exposure).toBe(ZERO);
    expect(await sale(one, HALF)).toMatchObject({ kind: 'refused', code: 'not_held' });
  });
});

describe('a write-off', () => {
  it('counts once for an id', async () => {
    const one = await holding();
    takeOut(one, '1');
    await writeOff(one, HALF);
    const { exposure } = await stateOf(one);
    expect(await writeOff(one, HALF)).toEqual({ kind: 'done' });
    expect((await stateOf(one)).exposure).toBe(exposure);
    expect(await writeOff(one, HALF, { writeOffId: 'two' })).toEqual({ kind: 'done' });
    expect((await stateOf(one)).exposure).toBe(ZERO);
    expect(await writeOff(one, HALF, { writeOffId: 'three' })).toMatchObject({
      code: 'not_missing',
    });
  });

  it('is refused where the account has the coins, and of more than it lacks', async () => {
    const one = await holding();
    expect(await writeOff(one, HALF)).toMatchObject({ code: 'not_missing' });
    takeOut(one, '0.5');
    expect(await writeOff(one, BOUGHT)).toMatchObject({ code: 'not_missing' });
    expect(await writeOff(one, HALF)).toEqual({ kind: 'done' });
  });

  it('leaves what was lost today as it was, whatever the price', async () => {
    const one = await holding();
    await stateOf(one);
    one.standIn.setPrice(one.pair, '60000');
    await one.advance(MINUTE_MS);
    const { lossToday } = await stateOf(one);
    expect((lossToday ?? ZERO) > parseFixed('1')).toBe(true);
    await writeOff(one, takeOut(one, '1'));
    expect((await stateOf(one)).lossToday).toBe(lossToday);
  });

  it('waits while an order may have moved the coins, and after a purchase', async () => {
    const one = await holding();
    takeOut(one, '0.5');
    const clientOrderId = newOrderId();
    const stop = one.intent({
      clientOrderId,
      side: 'sell',
      type: 'stop',
      quantity: BOUGHT,
      stopPrice: parseFixed('50000'),
    });
    await one.ask({ act: 'place', intent: { ...stop, quantity: parseFixed('0.0005') } });
    await one.advance(5 * MINUTE_MS);
    // It rests, and moves nothing: what it does not cover may go.
    expect(await writeOff(one, HALF, { isAsked: true })).toEqual({ kind: 'done' });
    const bought = newOrderId();
    await one.ask({ act: 'place', intent: one.intent({ clientOrderId: bought, quantity: HALF }) });
    await lookUp(one, bought);
    expect(await writeOff(one, HALF)).toMatchObject({ code: 'busy' });
    await one.advance(5 * MINUTE_MS);
    expect(await writeOff(one, HALF)).toEqual({ kind: 'done' });
  });

  it('waits for no stop that rests, also where its placing got no answer', async () => {
    const one = await holding();
    takeOut(one, '0.5');
    const clientOrderId = newOrderId();
    one.standIn.faults.add({
      name: 'drop-response',
      when: {
        call: 'place',
        nth: one.standIn.journal.of('request').filter(({ call }) => call === 'place').length + 1,
      },
      effect: 'now',
    });
    const stop = one.intent({
      ...{ clientOrderId, side: 'sell', type: 'stop', quantity: HALF },
      stopPrice: parseFixed('50000'),
    });
    expect(await one.ask({ act: 'place', intent: stop })).toMatchObject({ kind: 'unknown' });
    expect(await lookUp(one, clientOrderId)).toMatchObject({ kind: 'found' });
    expect(await writeOff(one, HALF)).toEqual({ kind: 'done' });
  });
});

describe('a thief', () => {
  it('makes no room for purchases by a sale whose fills nobody has read', async () => {
    const one = await holding();
    const { exposure } = await stateOf(one);
    expect(await sale(one, HALF)).toMatchObject({ kind: 'confirmed' });
    const answer = await writeOff(one, HALF);
    expect(answer).toMatchObject({ kind: 'refused' });
    // The sale was read before the balance was judged by it.
    const half = (await stateOf(one)).exposure;
    expect(half > (exposure * 2n) / 5n && half < (exposure * 3n) / 5n).toBe(true);
  });

  it('makes none while the balance cannot be read', async () => {
    const one = await holding();
    const taken = takeOut(one, '1');
    // The first reading was when the key was connected.
    one.standIn.faults.add({ name: 'garbage', when: { call: 'balances', nth: 2 } });
    expect((await writeOff(one, taken)).kind).not.toBe('done');
    expect((await stateOf(one)).exposure > 0n).toBe(true);
    expect(await writeOff(one, taken)).toEqual({ kind: 'done' });
  });
});

describe('a key that took the place of another', () => {
  it.each(['kraken', 'binance'] as const)(
    'writes nothing off at %s where its account is another one',
    async (exchange) => {
      const quote = exchange === 'binance' ? 'USDT' : 'USD';
      const funds = { [quote]: '10000', BNB: '1' };
      const accounts = [
        { name: ACCOUNT, balances: funds },
        { name: 'thief', balances: funds },
      ];
      theft = await openTheft(exchange, { accounts });
      const one = theft;
      const clientOrderId = newOrderId();
      await one.ask({ act: 'place', intent: one.intent({ clientOrderId, quantity: BOUGHT }) });
      await lookUp(one, clientOrderId);
      await one.advance(5 * MINUTE_MS);
      const theirs = one.standIn.issueKey('thief');
      expect(await one.connectAgain({ key: theirs })).toMatchObject({ code: 'other_key' });
      expect((await one.replaceKey(theirs)).kind).toBe('read');
      expect((await writeOff(one, HALF)).kind).not.toBe('done');
      expect(await one.replaceKey(one.standIn.issueKey(ACCOUNT))).toMatchObject({
        value: { accepted: true },
      });
      takeOut(one, '1');
      expect(await writeOff(one, HALF)).toEqual({ kind: 'done' });
    },
  );
});
