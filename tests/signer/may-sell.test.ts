/** Whether a sale would be signed in place of a stop: the judge of every order, and nothing written. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { parseFixed } from '../../contract/money.ts';
import type { Answer, Asked } from '../support/signer/answer-server.ts';
import { newOrderId, openDeskWorld, type DeskWorld } from '../support/signer/desk-world.ts';
import {
  failed,
  KRAKEN_KEY,
  krakenAnswers,
  krakenOrderAnswer,
  krakenTradeAnswer,
  ok,
} from '../support/signer/kraken-answers.ts';

let world: DeskWorld;
afterEach(async () => {
  await world.remove();
});

type Said = Partial<Record<string, (asked: Asked) => Answer | 'drop'>>;

/** Holds a thousandth of a bitcoin, all of it guarded by a stop whose id is given. */
async function holding(): Promise<{ one: DeskWorld; stopId: string; said: Said }> {
  const id = newOrderId();
  const stopId = newOrderId();
  const said: Said = {
    ClosedOrders: () => ok({ closed: { O1: krakenOrderAnswer(id) }, count: 1 }),
    TradesHistory: () => ok({ trades: { T1: krakenTradeAnswer({ ordertxid: 'O1' }) }, count: 1 }),
    AddOrder: () => ok({ txid: ['O1'] }),
  };
  world = await openDeskWorld({
    key: KRAKEN_KEY,
    answers: (clock) => krakenAnswers(said, () => clock.now()),
  });
  const one = world;
  await one.connect();
  await one.desk.answer({ act: 'place', intent: one.intent({ clientOrderId: id }) });
  await one.desk.answer({
    act: 'look_up',
    connectionId: one.connectionId,
    order: { clientOrderId: id, exchangeOrderId: null, symbol: 'BTC/USD', sinceMs: 0 },
  });
  const stop = one.intent({
    clientOrderId: stopId,
    side: 'sell',
    type: 'stop',
    limitPrice: null,
    stopPrice: parseFixed('55000'),
  });
  expect(await one.desk.answer({ act: 'place', intent: stop })).toMatchObject({
    kind: 'confirmed',
  });
  return { one, stopId, said };
}

const ask = ({ desk, connectionId }: DeskWorld, insteadOf: string) =>
  desk.answer({ act: 'may_sell', connectionId, insteadOf });

/** Takes all of Kraken's limit for public calls: each refused purchase has the book read anew. */
async function useUp({ desk, intent }: DeskWorld): Promise<void> {
  for (let turn = 0; turn < 12; turn += 1)
    expect(
      await desk.answer({ act: 'place', intent: intent({ limitPrice: parseFixed('70000') }) }),
    ).toMatchObject({ code: 'price_collar' });
}

const written = ({ folder }: DeskWorld): string[] =>
  ['journal.jsonl', 'audit.jsonl'].map((name) => readFileSync(join(folder, name), 'utf8'));

const depth = (bids: [string, string][]) =>
  ok({
    XXBTZUSD: {
      asks: [['60010.0', '5.000', 1767261590]],
      bids: bids.map((row) => [...row, 1767261590]),
    },
  });

describe('a sale in place of a stop', () => {
  it('is refused, and the stop stays, once the signer is about to end: no sale could follow', async () => {
    const { one, stopId } = await holding();
    one.desk.stop();
    expect(await ask(one, stopId)).toMatchObject({ kind: 'refused', code: 'busy' });
    const { connectionId } = one;
    const order = {
      ...{ clientOrderId: stopId, exchangeOrderId: 'O1' },
      ...{ symbol: 'BTC/USD', sinceMs: 0 },
    };
    expect(await one.desk.answer({ act: 'cancel', connectionId, order })).toMatchObject({
      kind: 'refused',
      code: 'busy',
    });
    expect(one.server.asked.some(({ path }) => path.endsWith('/CancelOrder'))).toBe(false);
  });

  it('would be signed although the stop sells all that is held, and nothing is written or sent', async () => {
    const { one, stopId } = await holding();
    const before = written(one);
    const sent = one.sent().length;
    for (let turn = 0; turn < 3; turn += 1) expect(await ask(one, stopId)).toEqual({ kind: 'yes' });
    expect(written(one)).toEqual(before);
    expect(one.sent()).toHaveLength(sent);
  });

  it.each([
    ['nobody bids near the market', () => depth([['40000.0', '5.000']]), 'price_collar'],
    ['nobody bids', () => depth([]), 'no_market_data'],
    ['the book cannot be read', () => failed('EGeneral:Internal error'), 'no_market_data'],
  ] as [string, () => Answer, string][])(
    'would be refused where %s',
    async (_what, Depth, code) => {
      const { one, stopId, said } = await holding();
      one.clock.at += 60_000;
      said.Depth = Depth;
      expect(await ask(one, stopId)).toMatchObject({ kind: 'refused', code });
    },
  );

  it.each([
    ['31 seconds before its clock', -1_000, 'refused'],
    ['31 seconds after its clock', 61_000, 'refused'],
    ['at its clock', 30_000, 'yes'],
  ])(
    'is judged by the deadline that the server would give it: %s',
    async (_where, aheadMs, kind) => {
      const { one, stopId } = await holding();
      const answer = await one.desk.answer({
        act: 'may_sell',
        connectionId: one.connectionId,
        insteadOf: stopId,
        deadlineMs: one.clock.now() + aheadMs,
      });
      expect(answer).toMatchObject(kind === 'yes' ? { kind } : { kind, code: 'deadline' });
    },
  );

  it('is judged by the time at which the market was read', async () => {
    const { one, stopId, said } = await holding();
    one.clock.at += 60_000;
    said.Depth = () => {
      one.clock.at += 31_000;
      return depth([['59990.0', '5.000']]);
    };
    const deadlineMs = one.clock.now() + 30_000;
    const { connectionId } = one;
    expect(
      await one.desk.answer({ act: 'may_sell', connectionId, insteadOf: stopId, deadlineMs }),
    ).toMatchObject({ code: 'deadline' });
  });

  it.each([
    ['an older server asks, without a deadline', null],
    ['it has a deadline', 30_000],
  ])('waits for its book where nothing is left of the limit: %s', async (_who, aheadMs) => {
    const { one, stopId } = await holding();
    one.clock.at += 60_000;
    await useUp(one);
    const deadline = aheadMs === null ? {} : { deadlineMs: one.clock.now() + aheadMs };
    const { connectionId } = one;
    expect(
      await one.desk.answer({ act: 'may_sell', connectionId, insteadOf: stopId, ...deadline }),
    ).toEqual({ kind: 'yes' });
  });

  it('is busy where its book would come too late for the sale to leave', async () => {
    const { one, stopId } = await holding();
    one.clock.at += 60_000;
    await useUp(one);
    const { connectionId } = one;
    const deadlineMs = one.clock.now() + 5_500;
    expect(
      await one.desk.answer({ act: 'may_sell', connectionId, insteadOf: stopId, deadlineMs }),
    ).toMatchObject({ kind: 'refused', code: 'busy' });
  });

  it('is answered only of a stop that was sent from here', async () => {
    const { one } = await holding();
    expect(await ask(one, newOrderId())).toMatchObject({ kind: 'refused', code: 'not_ours' });
    const purchase = one.intent();
    await one.desk.answer({ act: 'place', intent: purchase });
    expect(await ask(one, purchase.clientOrderId)).toMatchObject({ code: 'not_ours' });
  });
});
