/** A full disk takes no stop away that is not followed by its sale. */
import { rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseFixed } from '../../contract/money.ts';
import { AuditLog } from '../../signer/audit-log.ts';
import { Desk } from '../../signer/desk.ts';
import { Journal } from '../../signer/journal.ts';
import { openLog } from '../../signer/log.ts';
import { Reserve } from '../../signer/reserve.ts';
import { Secrets } from '../../signer/secrets.ts';
import { limitsOf, newOrderId, openDeskWorld } from '../support/signer/desk-world.ts';
import {
  failed,
  KRAKEN_KEY,
  krakenAnswers,
  krakenOrderAnswer,
  krakenTradeAnswer,
  ok,
} from '../support/signer/kraken-answers.ts';
import { makeDisk } from '../support/signer/small-disk.ts';

/** A stop guards what is held; journal and audit log stand on one disk. */
async function guarded() {
  const id = newOrderId();
  const stopId = newOrderId();
  let isStopOpen = true;
  let isBanned = false;
  const stopAnswer = () =>
    krakenOrderAnswer(stopId, {
      status: isStopOpen ? 'open' : 'canceled',
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
    });
  const world = await openDeskWorld({
    key: KRAKEN_KEY,
    answers: (clock) =>
      krakenAnswers(
        {
          ClosedOrders: () =>
            ok({
              closed: {
                O1: krakenOrderAnswer(id),
                ...(isStopOpen ? {} : { O2: stopAnswer() }),
              },
              count: 2,
            }),
          QueryOrders: () =>
            isBanned ? failed('EGeneral:Temporary lockout') : ok({ O2: stopAnswer() }),
          TradesHistory: () =>
            ok({ trades: { T1: krakenTradeAnswer({ ordertxid: 'O1' }) }, count: 1 }),
          AddOrder: ({ params }) =>
            ok({ txid: [params.ordertype === 'stop-loss-limit' ? 'O2' : 'O1'] }),
          CancelOrder: () => {
            isStopOpen = false;
            return ok({ count: 1 });
          },
        },
        () => clock.now(),
      ),
  });
  await world.connect();
  const disk = makeDisk();
  world.store.close();
  const reserve = Reserve.open(join(world.folder, 'reserve'), () => world.clock.now(), { disk });
  const options = { disk, reserve };
  const journal = new Journal(join(world.folder, 'journal.jsonl'), options);
  const audit = AuditLog.open(join(world.folder, 'audit.jsonl'), () => world.clock.now(), options);
  const secrets = new Secrets();
  const desk = new Desk({
    ...world.store,
    journal,
    audit,
    reserve,
    secrets,
    log: openLog(secrets, () => undefined),
    clock: world.clock,
    origins: { kraken: world.server.origin },
    passkeys: { rpId: '', origins: [] },
  });
  const { connectionId } = world;
  const stop = world.intent({
    clientOrderId: stopId,
    side: 'sell',
    type: 'stop',
    limitPrice: null,
    stopPrice: parseFixed('55000'),
  });
  const order = (clientOrderId: string, exchangeOrderId: string | null) => ({
    clientOrderId,
    exchangeOrderId,
    symbol: 'BTC/USD',
    sinceMs: 0,
  });
  await desk.answer({ act: 'place', intent: world.intent({ clientOrderId: id }) });
  await desk.answer({ act: 'look_up', connectionId, order: order(id, null) });
  expect(await desk.answer({ act: 'place', intent: stop })).toMatchObject({ kind: 'confirmed' });
  return {
    world,
    connectionId,
    disk,
    reserve,
    pieces: () => statSync(join(world.folder, 'reserve')).size,
    desk,
    cancelled: () => world.server.asked.filter(({ path }) => path.endsWith('/CancelOrder')).length,
    banNext: () => {
      isBanned = true;
    },
    maySell: () => desk.answer({ act: 'may_sell', connectionId, insteadOf: stopId }),
    cancel: () => desk.answer({ act: 'cancel', connectionId, order: order(stopId, 'O2') }),
    lookUp: () => desk.answer({ act: 'look_up', connectionId, order: order(stopId, 'O2') }),
    sell: () =>
      desk.answer({
        act: 'place',
        intent: world.intent({ side: 'sell', type: 'market', limitPrice: null }),
      }),
    buy: () =>
      desk.answer({ act: 'place', intent: world.intent({ quantity: parseFixed('0.0002') }) }),
    close: async () => {
      journal.close();
      audit.close();
      reserve.close();
      await world.server.close();
      rmSync(world.folder, { recursive: true, force: true });
    },
  };
}

describe('a full disk', () => {
  it('does not keep what is held from being sold in place of its stop', async () => {
    const one = await guarded();
    one.disk.room = 0;
    expect(await one.maySell()).toEqual({ kind: 'yes' });
    expect(await one.cancel()).toEqual({ kind: 'confirmed' });
    expect(await one.lookUp()).toMatchObject({ kind: 'found', order: { status: 'cancelled' } });
    expect(await one.sell()).toMatchObject({ kind: 'confirmed' });
    await one.close();
  });

  it('of which others take what the reserve gives up does neither', async () => {
    const one = await guarded();
    one.disk.room = 0;
    one.disk.othersTake = true;
    expect(await one.maySell()).toEqual({ kind: 'yes' });
    expect(await one.cancel()).toEqual({ kind: 'confirmed' });
    expect(await one.lookUp()).toMatchObject({ kind: 'found', order: { status: 'cancelled' } });
    expect(await one.sell()).toMatchObject({ kind: 'confirmed' });
    await one.close();
  });

  it('whose reserve is used up leaves the stop where it is, and nothing is sent', async () => {
    const one = await guarded();
    while (one.reserve.giveUp()) one.world.clock.at += 1;
    one.disk.room = 0;
    const sent = one.world.sent().length;
    expect(await one.maySell()).toMatchObject({ kind: 'refused', code: 'disk_full' });
    expect(await one.cancel()).toMatchObject({ kind: 'refused', code: 'disk_full' });
    expect(one.cancelled()).toBe(0);
    expect(await one.sell()).toMatchObject({ kind: 'refused', code: 'not_held' });
    expect(one.world.sent()).toHaveLength(sent);
    await one.close();
  });

  it('with a little room left of the reserve lets nothing be bought until there is enough again', async () => {
    const one = await guarded();
    one.disk.room = 0;
    one.world.clock.at += 60_000;
    expect(await one.buy()).toMatchObject({ kind: 'confirmed' });
    one.world.clock.at += 60_000;
    expect(await one.buy()).toMatchObject({ kind: 'refused', code: 'disk_full' });
    expect(await one.maySell()).toEqual({ kind: 'yes' });
    one.disk.room = null;
    one.world.clock.at += 60_000;
    expect(await one.buy()).toMatchObject({ kind: 'confirmed' });
    await one.close();
  });

  it('leaves no order in doubt that did not leave', async () => {
    const one = await guarded();
    while (one.reserve.giveUp()) one.world.clock.at += 1;
    await one.cancel();
    await one.lookUp();
    const sent = one.world.sent().length;
    // Room for the journal's line, or the log's, and not for both.
    for (const room of [0, 120, 320, 460]) {
      one.disk.room = room;
      expect(await one.sell()).toMatchObject({ kind: 'refused', code: 'disk_full' });
    }
    expect(one.world.sent()).toHaveLength(sent);
    one.disk.room = null;
    expect(await one.sell()).toMatchObject({ kind: 'confirmed' });
    await one.close();
  });

  it('that fills up while an order is out leaves its outcome told', async () => {
    const one = await guarded();
    await one.cancel();
    await one.lookUp();
    while (one.reserve.giveUp()) one.world.clock.at += 1;
    let answer: unknown = null;
    for (let room = 100; room < 3_000; room += 100) {
      one.disk.room = room;
      answer = await one.sell();
      if (one.world.sent().length > 2) break;
      expect(answer).toMatchObject({ kind: 'refused', code: 'disk_full' });
    }
    expect(one.disk.room).toBeLessThan(200);
    expect(answer).toMatchObject({ kind: 'confirmed' });
    await one.close();
  });
});

describe('the room that is kept for getting out', () => {
  it('is used by nothing else', async () => {
    const one = await guarded();
    const { connectionId, desk, disk, world } = one;
    const whole = one.pieces();
    disk.room = 0;
    const full = { kind: 'refused', code: 'disk_full' };
    const limits = limitsOf('90', '400', '20');
    expect(
      await desk.answer({ act: 'set_limits', connectionId, limits, stepUp: null }),
    ).toMatchObject(full);
    expect(await desk.answer({ act: 'recheck', connectionId })).toMatchObject(full);
    // A day later its beginning would be written down.
    world.clock.at += 24 * 60 * 60_000;
    expect(await desk.answer({ act: 'state', connectionId })).toMatchObject({
      kind: 'read',
      value: { lossToday: null, lossUnread: 'disk_full' },
    });
    expect(await one.buy()).toMatchObject(full);
    expect(one.pieces()).toBe(whole);
    expect(await one.maySell()).toEqual({ kind: 'yes' });
    expect(await one.cancel()).toEqual({ kind: 'confirmed' });
    expect(one.pieces()).toBeLessThan(whole);
    await one.close();
  });

  it('lets a ban be kept in memory where it takes no line of it', async () => {
    const one = await guarded();
    const whole = one.pieces();
    one.disk.room = 0;
    one.banNext();
    expect(await one.lookUp()).toMatchObject({ kind: 'unknown' });
    expect(one.pieces()).toBe(whole);
    expect(await one.lookUp()).toMatchObject({ kind: 'refused', code: 'exchange_ban' });
    await one.close();
  });

  it('is filled up again while nobody buys', async () => {
    const one = await guarded();
    const whole = one.pieces();
    one.reserve.giveUp();
    expect(one.pieces()).toBeLessThan(whole);
    one.world.clock.at += 600_000;
    await one.desk.recheckAll(Number.POSITIVE_INFINITY);
    expect(one.pieces()).toBe(whole);
    await one.close();
  });

  it('is used to take a key away', async () => {
    const one = await guarded();
    one.disk.room = 0;
    const { connectionId } = one;
    expect(await one.desk.answer({ act: 'disconnect', connectionId })).toEqual({ kind: 'done' });
    await one.close();
  });
});
