/** Sales that an exchange confirmed and shows no more: what they hold back is free once that is proved. */
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { parseFixed } from '../../contract/money.ts';
import type { PlaceOutcome } from '../../contract/venue.ts';
import { sellable } from '../../signer/ledger.ts';
import { openDeskWorld, type DeskWorld } from '../support/signer/desk-world.ts';
import {
  failed,
  KRAKEN_KEY,
  krakenAnswers,
  krakenOrderAnswer,
  krakenTradeAnswer,
  ok,
} from '../support/signer/kraken-answers.ts';

const MINUTE = 60_000;
const BOUGHT = 'OQCLML-BW3P3-BUCMWZ';
const STOP = 'OSTOPS-BW3P3-BUCMWZ';
const LISTS = { connectionId: 'connection-1', sinceMs: 0, symbols: ['BTC/USD'] };

/** What the exchange shows of the stop. */
type Shown = 'nowhere' | 'by id' | 'in lists';

let shown: Shown = 'by id';
/** Whether the account shows what was bought in it. */
let showsBought = true;
/** The stop as it is shown. */
let stopIs: object = {};
let fills: object[] = [];
let bought = '';
let stopped = '';

beforeEach(() => {
  [shown, showsBought, stopIs, fills, bought, stopped] = ['by id', true, {}, [], '', ''];
});

const stopAnswer = () =>
  krakenOrderAnswer(stopped, {
    status: 'open',
    vol_exec: '0.00000000',
    trades: [],
    descr: {
      pair: 'XBTUSD',
      type: 'sell',
      ordertype: 'stop-loss-limit',
      price: '55000.0',
      price2: '49500.0',
      leverage: 'none',
      order: 'sell 0.00100000 XBTUSD @ stop loss 55000.0 -> limit 49500.0',
      close: '',
    },
    ...stopIs,
  });
const purchase = () => (showsBought ? { [BOUGHT]: krakenOrderAnswer(bought) } : {});
const isOpenStop = () => (stopAnswer() as { status: string }).status === 'open';
const listed = () => (shown === 'in lists' ? { [STOP]: stopAnswer() } : {});

const answersOf = (clock: { now: () => number }) =>
  krakenAnswers(
    {
      AddOrder: ({ params }) => {
        if (params.type === 'buy') bought = params.cl_ord_id ?? '';
        else if (stopped === '') stopped = params.cl_ord_id ?? '';
        return ok({
          txid: [params.type === 'buy' ? BOUGHT : params.cl_ord_id === stopped ? STOP : 'O3'],
        });
      },
      QueryOrders: ({ params }) => {
        if (params.txid === STOP)
          return shown === 'by id' ? ok({ [STOP]: stopAnswer() }) : failed('EOrder:Unknown order');
        return params.txid === BOUGHT && showsBought
          ? ok(purchase())
          : failed('EOrder:Unknown order');
      },
      OpenOrders: () => ok({ open: isOpenStop() ? listed() : {} }),
      ClosedOrders: ({ params }) => {
        const closed = params.cl_ord_id === undefined ? purchase() : {};
        return ok({ closed: { ...closed, ...(isOpenStop() ? {} : listed()) }, count: 1 });
      },
      TradesHistory: () =>
        ok({
          trades: {
            ...(showsBought ? { T1: krakenTradeAnswer() } : {}),
            ...Object.fromEntries(fills.map((one, at) => [`S${at}`, krakenTradeAnswer(one)])),
          },
          count: 1,
        }),
    },
    () => clock.now(),
  );

const place = (one: DeskWorld, more: Parameters<DeskWorld['intent']>[0]) =>
  one.desk.answer({ act: 'place', intent: one.intent(more) }) as Promise<PlaceOutcome>;

const MARKET = { side: 'sell', type: 'market', limitPrice: null } as const;
const sell = (one: DeskWorld) => place(one, { ...MARKET, quantity: parseFixed('0.001') });

/** Whether it would be sold now, or why not; what that sets off is waited for. */
async function trySale(one: DeskWorld): Promise<string> {
  const outcome = await sell(one);
  await one.desk.settled();
  return outcome.kind === 'refused' ? outcome.code : outcome.kind;
}

const connectionOf = ({ store }: DeskWorld) => {
  const connection = store.journal.ledger.connections.get('connection-1');
  if (connection === undefined) throw new Error('It is not connected');
  return connection;
};
const free = (one: DeskWorld) => sellable(connectionOf(one), 'BTC/USD');

/** A thousandth was bought, and a stop of all of it was confirmed. */
async function guarded(isRemoved = true): Promise<DeskWorld> {
  const one = await openDeskWorld({ key: KRAKEN_KEY, answers: answersOf });
  if (isRemoved) onTestFinished(() => one.remove());
  await one.connect();
  expect(await place(one, {})).toMatchObject({ kind: 'confirmed' });
  await one.desk.answer({ act: 'trades', ...LISTS });
  await one.desk.answer({ act: 'closed_orders', ...LISTS });
  const stop = { side: 'sell', type: 'stop', limitPrice: null } as const;
  expect(
    await place(one, { ...stop, quantity: parseFixed('0.001'), stopPrice: parseFixed('55000') }),
  ).toMatchObject({ kind: 'confirmed', exchangeOrderId: STOP });
  expect(free(one)).toBe(0n);
  return one;
}

describe('a sale that was confirmed', () => {
  it('and is denied for minutes frees what it held back, and nothing before', async () => {
    const one = await guarded();
    shown = 'nowhere';
    expect(await trySale(one)).toBe('not_held');
    one.clock.at += 4 * MINUTE;
    expect(await trySale(one)).toBe('not_held');
    one.clock.at += 2 * MINUTE;
    expect(await trySale(one)).toBe('busy');
    expect(free(one)).toBe(parseFixed('0.001'));
    expect(await trySale(one)).toBe('confirmed');
  });

  it('and rests unseen is looked for once, and goes on holding it back', async () => {
    const one = await guarded();
    one.clock.at += 30 * MINUTE;
    expect(await trySale(one)).toBe('busy');
    expect(await trySale(one)).toBe('not_held');
    expect(free(one)).toBe(0n);
  });

  it('and is in a list though its id is denied goes on holding it back', async () => {
    const one = await guarded();
    shown = 'in lists';
    one.clock.at += 30 * MINUTE;
    expect(await trySale(one)).toBe('busy');
    expect(await trySale(one)).toBe('not_held');
    expect(free(one)).toBe(0n);
  });

  it('and was shown a moment ago is proved absent by no search', async () => {
    const one = await guarded();
    one.clock.at += 30 * MINUTE;
    shown = 'in lists';
    await one.desk.answer({ act: 'open_orders', ...LISTS });
    shown = 'nowhere';
    one.clock.at += 4 * MINUTE;
    expect(await trySale(one)).toBe('not_held');
    expect(free(one)).toBe(0n);
  });

  it('is not lost by a search of a process that began a moment ago', async () => {
    const first = await guarded(false);
    shown = 'nowhere';
    first.clock.at += 30 * MINUTE;
    await first.close();
    const { folder, clock } = first;
    const one = await openDeskWorld({ key: KRAKEN_KEY, answers: answersOf, folder, clock });
    onTestFinished(() => one.remove());
    expect(await trySale(one)).toBe('busy');
    expect(free(one)).toBe(0n);
    clock.at += 6 * MINUTE;
    expect(await trySale(one)).toBe('busy');
    expect(await trySale(one)).toBe('confirmed');
  });

  it('is not lost by the word of another account, whose key a thief has connected', async () => {
    const one = await guarded();
    shown = 'nowhere';
    showsBought = false;
    await one.connect();
    one.clock.at += 30 * MINUTE;
    for (let tries = 0; tries < 2; tries += 1) expect(await trySale(one)).toBe('busy');
    expect(free(one)).toBe(0n);
    // A new key of the same account shows what was bought before.
    showsBought = true;
    expect(await trySale(one)).toBe('busy');
    expect(await trySale(one)).toBe('confirmed');
  });

  it('and proved absent counts in full again once it is shown', async () => {
    const one = await guarded();
    shown = 'nowhere';
    one.clock.at += 6 * MINUTE;
    await trySale(one);
    expect(free(one)).toBe(parseFixed('0.001'));
    shown = 'in lists';
    await one.desk.answer({ act: 'open_orders', ...LISTS });
    expect(free(one)).toBe(0n);
    expect(await trySale(one)).toBe('not_held');
  });

  it('and proved absent is booked once where its trade turns up, and brings no gain', async () => {
    const one = await guarded();
    shown = 'nowhere';
    one.clock.at += 6 * MINUTE;
    await trySale(one);
    expect(await trySale(one)).toBe('confirmed');
    const trade = { type: 'sell', price: '60050.0', cost: '60.05000', fee: '0.00000' };
    // First that of the sale in its place, and then its own.
    fills = [{ ...trade, ordertxid: 'O3' }];
    await one.desk.answer({ act: 'trades', ...LISTS });
    expect(connectionOf(one).positions.size).toBe(0);
    const won = connectionOf(one).realised.amount;
    [shown, stopIs] = ['in lists', { status: 'closed', vol_exec: '0.00100000' }];
    fills = [...fills, { ...trade, ordertxid: STOP }];
    for (let reads = 0; reads < 2; reads += 1) {
      await one.desk.answer({ act: 'closed_orders', ...LISTS });
      await one.desk.answer({ act: 'trades', ...LISTS });
    }
    expect(connectionOf(one).positions.size).toBe(0);
    expect(connectionOf(one).realised.amount).toBe(won);
    const stop = one.store.journal.ledger.order(stopped);
    expect(stop).toMatchObject({ ended: true, absent: false, booked: parseFixed('0.001') });
  });
});

it('a purchase that is denied goes on counting as money in the market', async () => {
  const one = await openDeskWorld({ key: KRAKEN_KEY, answers: answersOf });
  onTestFinished(() => one.remove());
  await one.connect();
  expect(await place(one, {})).toMatchObject({ kind: 'confirmed' });
  showsBought = false;
  one.clock.at += 60 * MINUTE;
  for (let tries = 0; tries < 2; tries += 1) {
    await place(one, { quantity: parseFixed('0.01') });
    await one.desk.settled();
  }
  expect(one.store.journal.ledger.order(bought)).toMatchObject({ ended: false });
});
