/** What the signer keeps to when nobody else does: once, within limits, and without a word of a key. */
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { parseFixed } from '../../contract/money.ts';
import type { StepUpStatement } from '../../contract/signer.ts';
import type { PlaceOutcome } from '../../contract/venue.ts';
import { sealKey } from '../../server/live/seal-key.ts';
import { AuditChain } from '../../signer/audit-log.ts';
import { FIRST_WEEK_MS } from '../../signer/limits.ts';
import { keyOf } from '../support/signer/adapter-world.ts';
import type { Answer, Answerer, Asked } from '../support/signer/answer-server.ts';
import {
  handClock,
  limitsOf,
  newOrderId,
  openDeskWorld,
  stepUpDevice,
  type DeskWorld,
} from '../support/signer/desk-world.ts';
import {
  failed,
  KRAKEN_KEY,
  krakenAnswers,
  krakenOrderAnswer,
  krakenTradeAnswer,
  ok,
} from '../support/signer/kraken-answers.ts';

type Said = Partial<Record<string, (asked: Asked) => Answer | 'drop'>>;
let world: DeskWorld;
async function connected(said: Said = {}, more: Partial<Parameters<typeof openDeskWorld>[0]> = {}) {
  world = await openDeskWorld({
    key: KRAKEN_KEY,
    answers: (clock): Answerer => krakenAnswers(said, () => clock.now()),
    ...more,
  });
  const report = await world.connect();
  return { ...world, report };
}
afterEach(async () => {
  await world.remove();
});

const place = (one: DeskWorld, more: Parameters<DeskWorld['intent']>[0] = {}) =>
  one.desk.answer({ act: 'place', intent: one.intent(more) }) as Promise<PlaceOutcome>;

describe('an order', () => {
  it('is on disk before it leaves', async () => {
    let journal = '';
    const signer = await connected({
      AddOrder: ({ params }) => {
        journal = readFileSync(join(signer.folder, 'journal.jsonl'), 'utf8');
        expect(journal).toContain(params.cl_ord_id);
        return ok({ txid: ['O1'] });
      },
    });
    expect(await place(signer)).toMatchObject({ kind: 'confirmed' });
    expect(journal).toContain('"sending"');
  });

  it.each([
    ['the connection breaks', (): 'drop' => 'drop', 'connection'],
    ['a 504 comes back', (): Answer => ({ status: 504, body: 'late' }), 'server_error'],
    ['garbage comes back', (): Answer => ({ body: '<html>' }), 'unreadable'],
    [
      'an unlisted code comes back',
      () => failed('EGeneral:Internal error'),
      'unlisted:EGeneral:Internal error',
    ],
  ] as [string, () => Answer | 'drop', string][])(
    'stays unknown when %s, and is never sent again',
    async (_name, AddOrder, cause) => {
      const signer = await connected({ AddOrder });
      const intent = signer.intent();
      const ask = { act: 'place', intent } as const;
      expect(await signer.desk.answer(ask)).toEqual({ kind: 'unknown', cause });
      expect(await signer.desk.answer(ask)).toEqual({ kind: 'unknown', cause });
      expect(signer.sent()).toHaveLength(1);
    },
  );

  it('asked for fifty times at once goes out once', async () => {
    const signer = await connected();
    const intent = signer.intent();
    const outcomes = await Promise.all(
      Array.from({ length: 50 }, () => signer.desk.answer({ act: 'place', intent })),
    );
    expect(signer.sent()).toHaveLength(1);
    expect(outcomes).toHaveLength(50);
  });

  it('whose id belongs to another order is refused', async () => {
    const signer = await connected();
    const intent = signer.intent();
    await signer.desk.answer({ act: 'place', intent });
    const other = { ...intent, quantity: parseFixed('0.0005') };
    expect(await signer.desk.answer({ act: 'place', intent: other })).toMatchObject({
      kind: 'refused',
      code: 'id_used',
    });
    expect(signer.sent()).toHaveLength(1);
  });

  it('that was being sent when the signer was killed is unknown afterwards, and not sent', async () => {
    const clock = handClock();
    const first = await connected({ AddOrder: () => 'drop' }, { clock });
    const intent = first.intent();
    // What a kill leaves behind between the write and the answer.
    first.store.journal.write({
      kind: 'sending',
      atMs: clock.now(),
      intent,
      worstPrice: parseFixed('60100'),
    });
    await first.close();
    world = await openDeskWorld({
      key: KRAKEN_KEY,
      answers: () => krakenAnswers({}, () => clock.now()),
      folder: first.folder,
      clock,
    });
    expect(await world.desk.answer({ act: 'place', intent })).toEqual({
      kind: 'unknown',
      cause: 'connection',
    });
    expect(world.sent()).toEqual([]);
    expect(await world.desk.answer({ act: 'state', connectionId: 'connection-1' })).toMatchObject({
      value: { unresolved: [intent.clientOrderId], exposure: parseFixed('60.1') },
    });
  });
});

describe('a row that cannot be read', () => {
  const trades = (...rows: object[]): Said => ({
    TradesHistory: () =>
      ok({
        trades: Object.fromEntries(rows.map((row, at) => [`T${at}`, krakenTradeAnswer(row)])),
        count: rows.length,
      }),
  });
  const tokens = { pair: 'AAPLxUSD', ordertxid: 'OTHER' };
  const read = () =>
    world.desk.answer({ act: 'trades', connectionId: 'connection-1', symbols: [], sinceMs: 0 });

  it('is left out and told once where it is the person’s own (F88)', async () => {
    const signer = await connected(trades(tokens, {}));
    await place(signer);
    for (let looks = 0; looks < 2; looks += 1)
      expect(await read()).toMatchObject({ kind: 'read', value: [{ tradeId: 'T1' }] });
    const told = signer.logged.filter((line) => line.includes('AAPLx'));
    expect(told).toHaveLength(1);
    expect(told[0]).not.toContain(KRAKEN_KEY.apiKey);
  });

  it('keeps the list unread where it is of an order of ours, or may be (F88)', async () => {
    const unread = { kind: 'unknown', cause: 'unreadable' };
    const signer = await connected(trades({ vol: 'some' }));
    await place(signer);
    expect(await read()).toEqual(unread);
    await signer.remove();
    const other = { ordertxid: 'OTHER', pair: 'XXBTZUSD', vol: 'some' };
    const lost = await connected({ ...trades(other), AddOrder: () => 'drop' });
    expect(await read()).toMatchObject({ kind: 'read', value: [] });
    // It went out, and by which id the exchange knows it is not known.
    await place(lost);
    expect(await read()).toEqual(unread);
  });
});

describe('Coinbase, which answers a repeated id with the original order', () => {
  const V3 = '/api/v3/brokerage';
  const product = {
    product_id: 'BTC-USD',
    base_currency_id: 'BTC',
    quote_currency_id: 'USD',
    base_increment: '0.00000001',
    quote_increment: '0.01',
    base_min_size: '0.00000001',
    quote_min_size: '1',
    status: 'online',
    price: '60000',
    volume_24h: '1000',
  };
  const coinbase =
    (placing: () => Answer | 'drop', clock: { now: () => number }): Answerer =>
    ({ path, method }) => {
      const usual: Record<string, () => Answer | 'drop'> = {
        [`GET ${V3}/time`]: () => ({ body: { epochMillis: String(clock.now()) } }),
        [`GET ${V3}/market/products`]: () => ({ body: { products: [product] } }),
        [`GET ${V3}/market/products/BTC-USD`]: () => ({ body: product }),
        [`GET ${V3}/market/product_book`]: () => ({
          body: {
            pricebook: {
              bids: [{ price: '59990', size: '5' }],
              asks: [{ price: '60010', size: '5' }],
            },
          },
        }),
        [`GET ${V3}/key_permissions`]: () => ({
          body: { can_view: true, can_trade: true, can_transfer: false, portfolio_uuid: 'p' },
        }),
        [`GET ${V3}/accounts`]: () => ({ body: { accounts: [], has_next: false } }),
        [`POST ${V3}/orders`]: placing,
      };
      return usual[`${method} ${path}`]?.() ?? { status: 404, body: { error: 'NOT_FOUND' } };
    };
  const placed = {
    body: { success: true, success_response: { order_id: 'the-one-order' } },
  };
  const open = async (placing: () => Answer | 'drop', more: { folder?: string } = {}) => {
    const clock = handClock();
    world = await openDeskWorld({
      exchange: 'coinbase',
      key: keyOf('coinbase'),
      answers: () => coinbase(placing, clock),
      clock,
      ...more,
    });
    return world;
  };

  it('is sent the same order again while its outcome is unknown, and only the same', async () => {
    let turn = 0;
    const signer = await open(() => (turn++ === 0 ? 'drop' : placed));
    await signer.connect();
    const intent = signer.intent();
    expect(await signer.desk.answer({ act: 'place', intent })).toMatchObject({ kind: 'unknown' });
    const other = { ...intent, quantity: parseFixed('0.0009') };
    expect(await signer.desk.answer({ act: 'place', intent: other })).toMatchObject({
      code: 'id_used',
    });
    const outcome = { kind: 'confirmed', exchangeOrderId: 'the-one-order', replay: true };
    expect(await signer.desk.answer({ act: 'place', intent })).toEqual(outcome);
    expect(await signer.desk.answer({ act: 'place', intent })).toEqual(outcome);
    expect(signer.sent()).toHaveLength(2);
    expect(new Set(signer.sent().map(({ body }) => body)).size).toBe(1);
  });

  it('is not sent it again after the deadline, nor does a refusal then undo what is unknown', async () => {
    const signer = await open(() => 'drop');
    await signer.connect();
    const intent = signer.intent();
    await signer.desk.answer({ act: 'place', intent });
    signer.clock.at = intent.deadlineMs;
    expect(await signer.desk.answer({ act: 'place', intent })).toMatchObject({ kind: 'unknown' });
    expect(signer.sent()).toHaveLength(1);
  });

  it('is sent it again after a crash while it was out', async () => {
    const first = await open(() => placed);
    await first.connect();
    const intent = first.intent();
    first.store.journal.write({
      kind: 'sending',
      atMs: first.clock.now(),
      intent,
      worstPrice: parseFixed('60100'),
    });
    await first.close();
    const again = await open(() => placed, { folder: first.folder });
    expect(await again.desk.answer({ act: 'place', intent })).toMatchObject({
      kind: 'confirmed',
      replay: true,
    });
  });
});

describe('what is in the market', () => {
  it('counts orders that may exist, until they are proved not to', async () => {
    const signer = await connected({ AddOrder: () => 'drop' });
    const lost = signer.intent({ quantity: parseFixed('0.0016') });
    for (let turn = 0; turn < 5; turn += 1) await place(signer, { quantity: parseFixed('0.0016') });
    await signer.desk.answer({ act: 'place', intent: lost });
    const outcome = await place(signer);
    expect(outcome).toMatchObject({ kind: 'refused', code: 'exposure_limit' });
    expect(signer.sent()).toHaveLength(5);
  });

  it('is freed by absence that is proved after the deadline, not before', async () => {
    const signer = await connected({ AddOrder: () => 'drop' });
    const intent = signer.intent();
    await signer.desk.answer({ act: 'place', intent });
    const exposure = async () => {
      const state = await signer.desk.answer({ act: 'state', connectionId: 'connection-1' });
      return (state as { value: { exposure: bigint } }).value.exposure;
    };
    const lookUp = () =>
      signer.desk.answer({
        act: 'look_up',
        connectionId: 'connection-1',
        order: {
          clientOrderId: intent.clientOrderId,
          exchangeOrderId: null,
          symbol: 'BTC/USD',
          sinceMs: signer.clock.now() - 60_000,
        },
      });
    expect(await lookUp()).toMatchObject({ kind: 'not_found' });
    expect(await exposure()).toBe(parseFixed('60.1'));
    signer.clock.at += 6 * 60_000;
    expect(await lookUp()).toMatchObject({ kind: 'not_found' });
    expect(await exposure()).toBe(0n);
  });

  it('may be sold as far as it was bought here, and the person’s own coins not at all', async () => {
    const id = newOrderId();
    const signer = await connected({
      ClosedOrders: () => ok({ closed: { O1: krakenOrderAnswer(id) }, count: 1 }),
      TradesHistory: () => ok({ trades: { T1: krakenTradeAnswer({ ordertxid: 'O1' }) }, count: 1 }),
      AddOrder: () => ok({ txid: ['O1'] }),
    });
    // A quarter of a bitcoin of the person's own lies in the account.
    const sale = { side: 'sell', type: 'market', limitPrice: null } as const;
    expect(await place(signer, sale)).toMatchObject({ code: 'not_held' });
    await place(signer, { clientOrderId: id });
    await signer.desk.answer({
      act: 'look_up',
      connectionId: 'connection-1',
      order: { clientOrderId: id, exchangeOrderId: null, symbol: 'BTC/USD', sinceMs: 0 },
    });
    expect(await place(signer, { ...sale, quantity: parseFixed('0.00100001') })).toMatchObject({
      code: 'not_held',
    });
    expect(await place(signer, sale)).toMatchObject({ kind: 'confirmed' });
    // Already on sale.
    expect(await place(signer, { ...sale, quantity: parseFixed('0.0001') })).toMatchObject({
      code: 'not_held',
    });
  });

  it('may be sold again once a lost sale of it was looked for everywhere, which nobody has to ask for', async () => {
    const id = newOrderId();
    let isLost = false;
    const signer = await connected({
      ClosedOrders: ({ params }) =>
        params.cl_ord_id === undefined || params.cl_ord_id === id
          ? ok({ closed: { O1: krakenOrderAnswer(id) }, count: 1 })
          : ok({ closed: {}, count: 0 }),
      QueryOrders: () => ok({ O1: krakenOrderAnswer(id) }),
      TradesHistory: () => ok({ trades: { T1: krakenTradeAnswer({ ordertxid: 'O1' }) }, count: 1 }),
      AddOrder: () => (isLost ? 'drop' : ok({ txid: ['O1'] })),
    });
    await place(signer, { clientOrderId: id });
    const own = { clientOrderId: id, exchangeOrderId: null, symbol: 'BTC/USD', sinceMs: 0 };
    await signer.desk.answer({ act: 'look_up', connectionId: 'connection-1', order: own });
    const sale = { side: 'sell', type: 'market', limitPrice: null } as const;
    isLost = true;
    expect(await place(signer, sale)).toMatchObject({ kind: 'unknown' });
    isLost = false;
    // It may exist: the server is told to come again, not that the coins are not held.
    expect(await place(signer, sale)).toMatchObject({ kind: 'refused', code: 'busy' });
    signer.clock.at += 6 * 60_000;
    expect(await place(signer, sale)).toMatchObject({ kind: 'refused', code: 'busy' });
    await expect
      .poll(async () => (await place(signer, sale)).kind, { timeout: 10_000 })
      .toBe('confirmed');
  });

  it('larger than the book shows goes no lower than the collar, and the next one waits (F93)', async () => {
    let size = '5';
    const id = newOrderId();
    const signer = await connected({
      Depth: () => ok({ XXBTZUSD: { asks: [['60010.0', '5', 1]], bids: [['59990.0', size, 1]] } }),
      ClosedOrders: () => ok({ closed: { O1: krakenOrderAnswer(id) }, count: 1 }),
      TradesHistory: () => ok({ trades: { T1: krakenTradeAnswer({ ordertxid: 'O1' }) }, count: 1 }),
      AddOrder: () => ok({ txid: ['O1'] }),
    });
    await place(signer, { clientOrderId: id });
    const own = { clientOrderId: id, exchangeOrderId: null, symbol: 'BTC/USD', sinceMs: 0 };
    await signer.desk.answer({ act: 'look_up', connectionId: 'connection-1', order: own });
    size = '0.0001';
    signer.clock.at += 3_000;
    const atMarket = { side: 'sell', type: 'market', limitPrice: null } as const;
    const sale = { ...atMarket, quantity: parseFixed('0.0004') };
    expect(await place(signer, sale)).toMatchObject({ kind: 'confirmed' });
    expect(signer.sent().at(-1)?.params).toMatchObject({
      ordertype: 'limit',
      price: '57000',
      timeinforce: 'IOC',
    });
    signer.clock.at += 3_000;
    expect(await place(signer, sale)).toMatchObject({ kind: 'refused', code: 'busy' });
    // What the book can take whole waits for nothing.
    const small = { ...sale, quantity: parseFixed('0.0001') };
    expect(await place(signer, small)).toMatchObject({ kind: 'confirmed' });
    expect(signer.sent().at(-1)?.params).toMatchObject({ ordertype: 'limit', timeinforce: 'IOC' });
    signer.clock.at += 8_000;
    expect(await place(signer, sale)).toMatchObject({ kind: 'confirmed' });
  });

  it('that the book speaks against is judged by a new one the next time', async () => {
    let bid = '30000.0';
    const signer = await connected({
      Depth: () => ok({ XXBTZUSD: { asks: [['60010.0', '5', 1]], bids: [[bid, '5', 1]] } }),
    });
    const purchase = { type: 'market', limitPrice: null } as const;
    expect(await place(signer, purchase)).toMatchObject({ kind: 'refused', code: 'price_collar' });
    bid = '59990.0';
    signer.clock.at += 500;
    expect(await place(signer, purchase)).toMatchObject({ kind: 'confirmed' });
  });

  it('is judged by the book as its last order has left it (F93)', async () => {
    let bids: [string, string, number][] = [['59990.0', '5', 1]];
    const id = newOrderId();
    const signer = await connected({
      Depth: () => ok({ XXBTZUSD: { asks: [['60010.0', '5', 1]], bids } }),
      ClosedOrders: () => ok({ closed: { O1: krakenOrderAnswer(id) }, count: 1 }),
      TradesHistory: () => ok({ trades: { T1: krakenTradeAnswer({ ordertxid: 'O1' }) }, count: 1 }),
      AddOrder: ({ params }) => {
        if (params.type === 'sell') bids = [['30000.0', '5', 1]];
        return ok({ txid: ['O1'] });
      },
    });
    await place(signer, { clientOrderId: id });
    const own = { clientOrderId: id, exchangeOrderId: null, symbol: 'BTC/USD', sinceMs: 0 };
    await signer.desk.answer({ act: 'look_up', connectionId: 'connection-1', order: own });
    signer.clock.at += 3_000;
    bids = [
      ['59990.0', '0.0003', 1],
      ['30000.0', '5', 1],
    ];
    const atMarket = { side: 'sell', type: 'market', limitPrice: null } as const;
    const sale = { ...atMarket, quantity: parseFixed('0.0003') };
    expect(await place(signer, sale)).toMatchObject({ kind: 'confirmed' });
    expect(signer.sent().at(-1)?.params).toMatchObject({ ordertype: 'limit', timeinforce: 'IOC' });
    // The middle has moved to 45,005: 30,000 is below the collar around it.
    signer.clock.at += 500;
    const rest = { ...sale, quantity: parseFixed('0.0001') };
    expect(await place(signer, rest)).toMatchObject({ kind: 'refused', code: 'price_collar' });
  });

  it('has lost too much for today when its price has fallen, and may be bought again tomorrow', async () => {
    let bid = 60_000;
    const id = newOrderId();
    const signer = await connected({
      Depth: () =>
        ok({
          XXBTZUSD: {
            asks: [[`${bid + 10}.0`, '5.000', 1]],
            bids: [[`${bid}.0`, '5.000', 1]],
          },
        }),
      Ticker: () =>
        ok({
          XXBTZUSD: {
            a: [`${bid + 10}.0`, '5', '5.000'],
            b: [`${bid}.0`, '5', '5.000'],
            v: ['100.5', '1912.2'],
            p: ['60010.1', '60020.2'],
          },
        }),
      ClosedOrders: () => ok({ closed: { O1: krakenOrderAnswer(id) }, count: 1 }),
      TradesHistory: () => ok({ trades: { T1: krakenTradeAnswer({ ordertxid: 'O1' }) }, count: 1 }),
      AddOrder: () => ok({ txid: ['O1'] }),
    });
    await signer.desk.answer({
      act: 'set_limits',
      connectionId: 'connection-1',
      limits: limitsOf('100', '500', '5'),
      stepUp: null,
    });
    await place(signer, { clientOrderId: id });
    await signer.desk.answer({
      act: 'look_up',
      connectionId: 'connection-1',
      order: { clientOrderId: id, exchangeOrderId: null, symbol: 'BTC/USD', sinceMs: 0 },
    });
    bid = 54_000;
    signer.clock.at += 60_000;
    const cheap = { limitPrice: parseFixed('54010') };
    expect(await place(signer, cheap)).toMatchObject({ kind: 'refused', code: 'loss_limit' });
    signer.clock.at += 24 * 60 * 60_000;
    expect(await place(signer, cheap)).toMatchObject({ kind: 'confirmed' });
  });
});

/** What a key needs for what is compared. */
const READS = ['query-funds', 'query-open-trades', 'query-closed-trades'];

describe('a key', () => {
  it('that can withdraw is not taken, and it is said how to make one that cannot (F74)', async () => {
    const { report, ...signer } = await connected({
      GetApiKeyInfo: () =>
        ok({ permissions: [...READS, 'modify-trades', 'withdraw-funds'], ipAllowlist: [] }),
    });
    expect(report).toMatchObject({
      kind: 'read',
      value: {
        accepted: false,
        faults: ['can_withdraw'],
        advice: { forbid: ['Withdraw Funds'] },
      },
    });
    expect(readdirSync(join(signer.folder, 'keys'))).toEqual([]);
    expect(await place(signer)).toMatchObject({ code: 'no_connection' });
  });

  it('that cannot read what is compared is not taken, and it is said what it lacks (F74)', async () => {
    const { report, ...signer } = await connected({
      GetApiKeyInfo: () => ok({ permissions: ['query-funds', 'modify-trades'] }),
    });
    expect(report).toMatchObject({
      kind: 'read',
      value: {
        accepted: false,
        faults: ['cannot_read'],
        permissions: { missing: ['Query Open Orders & Trades', 'Query Closed Orders & Trades'] },
      },
    });
    expect(readdirSync(join(signer.folder, 'keys'))).toEqual([]);
  });

  it('that the exchange does not know is told apart from one that could not be asked', async () => {
    const wrong = await connected({ GetApiKeyInfo: () => failed('EAPI:Invalid key') });
    expect(wrong.report).toMatchObject({ value: { faults: ['invalid_key'] } });
    await world.remove();
    const away = await connected({ GetApiKeyInfo: () => 'drop' });
    expect(away.report).toEqual({ kind: 'unknown', cause: 'connection' });
  });

  it('that gains a right later buys nothing any more, and still sells', async () => {
    let permissions = [...READS, 'modify-trades'];
    const id = newOrderId();
    const signer = await connected({
      GetApiKeyInfo: () => ok({ permissions }),
      AddOrder: () => ok({ txid: ['O1'] }),
      ClosedOrders: () => ok({ closed: { O1: krakenOrderAnswer(id) }, count: 1 }),
      TradesHistory: () => ok({ trades: { T1: krakenTradeAnswer({ ordertxid: 'O1' }) }, count: 1 }),
    });
    await place(signer, { clientOrderId: id });
    await signer.desk.answer({
      act: 'trades',
      connectionId: 'connection-1',
      symbols: [],
      sinceMs: 0,
    });
    permissions = [...READS, 'modify-trades', 'withdraw-funds'];
    signer.clock.at += 25 * 60 * 60_000;
    await signer.desk.recheckAll(24 * 60 * 60_000);
    expect(await place(signer)).toMatchObject({ code: 'key_not_accepted' });
    expect(await place(signer, { side: 'sell', type: 'market', limitPrice: null })).toMatchObject({
      kind: 'confirmed',
    });
  });

  it('that was refused once by mistake is read again at the next look, and buys again', async () => {
    let mistaken = false;
    const signer = await connected({
      GetApiKeyInfo: () =>
        mistaken ? failed('EAPI:Invalid key') : ok({ permissions: [...READS, 'modify-trades'] }),
      AddOrder: () => ok({ txid: ['O1'] }),
    });
    const dayMs = 24 * 60 * 60_000;
    signer.clock.at += dayMs + 1;
    mistaken = true;
    await signer.desk.recheckAll(dayMs);
    expect(await place(signer)).toMatchObject({ code: 'key_not_accepted', detail: 'invalid_key' });
    mistaken = false;
    signer.clock.at += 10 * 60_000;
    await signer.desk.recheckAll(dayMs);
    expect(await place(signer)).toMatchObject({ kind: 'confirmed' });
  });

  it('that cannot be opened keeps no other from being read again', async () => {
    const first = await connected();
    const { folder, key, store, exchange } = first;
    const other = { connectionId: 'connection-2', ownerId: 'person-2', exchange };
    const sealedKey = await sealKey(key, other, store.box.current);
    await first.desk.answer({
      act: 'connect',
      ...other,
      accountId: 'account-2',
      sealedKey,
      limits: null,
      stepUpKeys: [],
    });
    await first.close();
    const path = join(folder, 'keys', 'connection-1.json');
    const kept = JSON.parse(readFileSync(path, 'utf8')) as { sealed: unknown };
    writeFileSync(path, JSON.stringify({ ...kept, sealed: sealedKey }));
    world = await openDeskWorld({
      key,
      folder,
      clock: first.clock,
      answers: (clock) =>
        krakenAnswers(
          {
            GetApiKeyInfo: () => ok({ permissions: [...READS, 'modify-trades', 'withdraw-funds'] }),
          },
          () => clock.now(),
        ),
    });
    world.clock.at += 25 * 60 * 60_000;
    await world.desk.recheckAll(24 * 60 * 60_000);
    const faults = (id: string) => world.store.journal.ledger.connections.get(id)?.faults;
    expect(faults('connection-2')).toEqual(['can_withdraw']);
    expect(faults('connection-1')).toEqual([]);
    expect(world.logged.filter((line) => line.includes('connection-1'))).toHaveLength(1);
    expect(world.logged.join('')).not.toContain(key.secret);
  });

  it('sealed for one connection opens for no other', async () => {
    const signer = await connected();
    const kept = JSON.parse(
      readFileSync(join(signer.folder, 'keys', 'connection-1.json'), 'utf8'),
    ) as { sealed: never };
    expect(
      await signer.desk.answer({
        act: 'connect',
        connectionId: 'connection-2',
        ownerId: 'thief',
        exchange: 'kraken',
        accountId: 'account-2',
        sealedKey: kept.sealed,
        limits: null,
        stepUpKeys: [],
      }),
    ).toMatchObject({ kind: 'refused', code: 'cannot_unseal' });
  });

  it('is gone from the disk when it is removed', async () => {
    const signer = await connected();
    await signer.desk.answer({ act: 'disconnect', connectionId: 'connection-1' });
    expect(readdirSync(join(signer.folder, 'keys'))).toEqual([]);
    expect(await place(signer)).toMatchObject({ code: 'no_connection' });
    // Nor does it come back: who connects again gets a connection of their own.
    expect(await signer.connect(limitsOf('1', '1', '1'))).toMatchObject({ code: 'other_key' });
    expect(readdirSync(join(signer.folder, 'keys'))).toEqual([]);
  });

  it('is sealed anew when the pair of keys changes, and works as before', async () => {
    const signer = await connected();
    const before = signer.store.box.current.id;
    for (let turn = 1; turn <= 3; turn += 1)
      await signer.store.keys.rotate(signer.clock.now() + turn);
    expect(signer.store.box.current.id).not.toBe(before);
    expect(readdirSync(join(signer.folder, 'box'))).toHaveLength(2);
    expect(readFileSync(join(signer.folder, 'keys', 'connection-1.json'), 'utf8')).not.toContain(
      before,
    );
    await expect(signer.store.keys.opened('connection-1')).resolves.toEqual(KRAKEN_KEY);
  });

  it('appears in nothing that is written: files, log, answers, errors', async () => {
    // An exchange that throws back what it was sent, in every way it can.
    const echo = ({ headers }: Asked): Answer =>
      failed(
        `EOrder:Insufficient funds`,
        `EGeneral:${String(headers['api-key'])} ${KRAKEN_KEY.secret}`,
      );
    const signer = await connected({ AddOrder: echo, ClosedOrders: echo });
    const answers: unknown[] = [
      signer.report,
      await place(signer),
      await signer.desk.answer({
        act: 'closed_orders',
        connectionId: 'connection-1',
        symbols: [],
        sinceMs: 0,
      }),
      await signer.desk.answer({ act: 'state', connectionId: 'connection-1' }),
    ];
    const files = readdirSync(signer.folder, { recursive: true, withFileTypes: true })
      .filter((file) => file.isFile())
      .map((file) => join(file.parentPath, file.name));
    expect(files.length).toBeGreaterThan(4);
    for (const file of files) expect(statSync(file).mode & 0o077, file).toBe(0);
    const written = [
      ...files.map((file) => readFileSync(file, 'utf8')),
      ...signer.logged,
      ...answers.map((one) =>
        JSON.stringify(one, (_key, value: unknown) =>
          typeof value === 'bigint' ? String(value) : value,
        ),
      ),
    ].join('\n');
    expect(written).toContain(signer.intent().connectionId);
    for (const secret of [KRAKEN_KEY.apiKey, KRAKEN_KEY.secret, 'canary'])
      expect(written.includes(secret), secret.slice(0, 8)).toBe(false);
  });
});

describe('limits', () => {
  const statement = (more: Partial<StepUpStatement> = {}): StepUpStatement => ({
    purpose: 'raise_limits',
    connectionId: 'connection-1',
    accountId: 'account-1',
    agentId: null,
    limits: limitsOf('1000', '5000', '250'),
    nonce: newOrderId(),
    issuedAtMs: world.clock.now(),
    ...more,
  });
  const raise = (stepUp: ReturnType<ReturnType<typeof stepUpDevice>['agree']> | null) =>
    world.desk.answer({
      act: 'set_limits',
      connectionId: 'connection-1',
      limits: limitsOf('1000', '5000', '250'),
      stepUp,
    });

  it('go down without a word and up only with a step-up that is bound, fresh and unused', async () => {
    const device = stepUpDevice();
    const thief = stepUpDevice();
    await connected({}, { stepUpKeys: [device.key] });
    expect(await raise(null)).toMatchObject({ code: 'step_up_needed' });
    const wrong: [StepUpStatement, string][] = [
      [statement({ limits: limitsOf('999', '5000', '250') }), 'step_up_invalid'],
      [statement({ connectionId: 'connection-2' }), 'step_up_invalid'],
      [statement({ accountId: 'account-2' }), 'step_up_invalid'],
      [statement({ agentId: 'agent-1' }), 'step_up_invalid'],
      [statement({ purpose: 'start_agent' }), 'step_up_invalid'],
      [statement({ issuedAtMs: world.clock.now() - 300_001 }), 'step_up_expired'],
      [statement({ issuedAtMs: world.clock.now() + 60_000 }), 'step_up_expired'],
    ];
    for (const [one, code] of wrong)
      expect(await raise(device.agree(one))).toMatchObject({ kind: 'refused', code });
    expect(await raise(thief.agree(statement()))).toMatchObject({ code: 'step_up_invalid' });
    const token = device.agree(statement());
    const changed = { ...token, statement: { ...token.statement, nonce: newOrderId() } };
    expect(await raise(changed)).toMatchObject({ code: 'step_up_invalid' });
    expect(await raise(token)).toEqual({ kind: 'done' });
    await world.desk.answer({
      act: 'set_limits',
      connectionId: 'connection-1',
      limits: limitsOf('10', '20', '1'),
      stepUp: null,
    });
    expect(await raise(token)).toMatchObject({ code: 'step_up_used' });
  });

  it('cannot be raised by anybody where no key is enrolled', async () => {
    await connected();
    expect(await raise(stepUpDevice().agree(statement()))).toMatchObject({
      code: 'step_up_invalid',
    });
  });

  it('raised in the first week hold after it', async () => {
    const device = stepUpDevice();
    await connected({}, { stepUpKeys: [device.key] });
    await raise(device.agree(statement()));
    const inForce = async () => {
      const state = await world.desk.answer({ act: 'state', connectionId: 'connection-1' });
      return (state as { value: { limitsInForce: unknown } }).value.limitsInForce;
    };
    expect(await inForce()).toEqual(limitsOf('100', '500', '25'));
    world.clock.at += FIRST_WEEK_MS;
    expect(await inForce()).toEqual(limitsOf('1000', '5000', '250'));
  });

  it('keep out an agent whose start nobody confirmed', async () => {
    const device = stepUpDevice();
    const signer = await connected({}, { stepUpKeys: [device.key] });
    expect(await place(signer)).toMatchObject({ code: 'agent_not_started' });
    const start = statement({
      purpose: 'start_agent',
      agentId: 'agent-1',
      limits: limitsOf('100', '500', '25'),
    });
    const ask = {
      act: 'start_agent',
      connectionId: 'connection-1',
      stepUp: device.agree(start),
    } as const;
    expect(await signer.desk.answer(ask)).toEqual({ kind: 'done' });
    expect(await place(signer)).toMatchObject({ kind: 'confirmed' });
    expect(await place(signer, { agentId: 'agent-2' })).toMatchObject({
      code: 'agent_not_started',
    });
    expect(await signer.desk.answer(ask)).toMatchObject({ code: 'step_up_used' });
  });
});

function brokenAt(lines: readonly unknown[]): number | null {
  const chain = new AuditChain();
  for (const line of lines) chain.take(line);
  return chain.brokenAt;
}

describe('the audit log', () => {
  it('says who asked for what, and shows a changed or missing entry', async () => {
    const signer = await connected();
    await place(signer);
    const lines = readFileSync(join(signer.folder, 'audit.jsonl'), 'utf8')
      .trim()
      .split('\n')
      .map((line): unknown => JSON.parse(line));
    expect(lines).toMatchObject([
      { who: 'server', what: 'key connected', about: { ownerId: 'person-1' } },
      { who: 'server', what: 'order sent', about: { symbol: 'BTC/USD', side: 'buy' } },
      { who: 'signer', what: 'order confirmed' },
    ]);
    expect(brokenAt(lines)).toBeNull();
    expect(brokenAt(lines.toSpliced(1, 1))).toBe(1);
    const changed = structuredClone(lines) as { about: Record<string, string> }[];
    if (changed[1] !== undefined) changed[1].about.symbol = 'SHIB/USD';
    expect(brokenAt(changed)).toBe(1);
  });
});

describe('a fill', () => {
  it('carries our id, which the exchange leaves out', async () => {
    const signer = await connected({
      TradesHistory: () =>
        ok({
          trades: {
            T1: krakenTradeAnswer(),
            T2: krakenTradeAnswer({ ordertxid: 'BY-HAND' }),
          },
          count: 2,
        }),
    });
    const intent = signer.intent();
    await signer.desk.answer({ act: 'place', intent });
    const trades = await signer.desk.answer({
      act: 'trades',
      connectionId: 'connection-1',
      symbols: [],
      sinceMs: 0,
    });
    expect(trades).toMatchObject({
      value: [
        { tradeId: 'T1', clientOrderId: intent.clientOrderId },
        { tradeId: 'T2', clientOrderId: null },
      ],
    });
  });

  it('read three times counts once', async () => {
    const signer = await connected({
      TradesHistory: () => ok({ trades: { T1: krakenTradeAnswer() }, count: 1 }),
    });
    await place(signer);
    const ask = {
      act: 'trades' as const,
      connectionId: 'connection-1',
      symbols: [],
      sinceMs: 0,
    };
    await signer.desk.answer(ask);
    const once = readFileSync(join(signer.folder, 'journal.jsonl'), 'utf8');
    await signer.desk.answer(ask);
    await signer.desk.answer(ask);
    expect(readFileSync(join(signer.folder, 'journal.jsonl'), 'utf8')).toBe(once);
  });
});

describe('a list', () => {
  it('goes no further back than the connection, however far a server asks', async () => {
    const starts: number[] = [];
    const note = ({ params }: Asked) => {
      starts.push(Number(params.start));
      return ok({ trades: {}, closed: {}, count: 0 });
    };
    const signer = await connected({ TradesHistory: note, ClosedOrders: note });
    const state = await signer.desk.answer({ act: 'state', connectionId: 'connection-1' });
    const { connectedAtMs } = (state as { value: { connectedAtMs: number } }).value;
    for (const act of ['trades', 'closed_orders'] as const)
      await signer.desk.answer({ act, connectionId: 'connection-1', symbols: [], sinceMs: 0 });
    expect(starts).toHaveLength(2);
    for (const start of starts) {
      expect(start * 1_000).toBeLessThanOrEqual(connectedAtMs);
      expect(start * 1_000).toBeGreaterThan(connectedAtMs - 2 * 60 * 60_000);
    }
  });
});

describe('a long list', () => {
  /** So many, half an hour before the account was connected; in pages, as Kraken gives them. */
  const many = (count: number, asked: number[]) => ({
    TradesHistory: ({ params }: Asked) => {
      const [start, from] = [Number(params.start), Number(params.ofs)];
      const time = Date.parse('2026-01-01T09:30:00Z') / 1_000;
      const all = time < start ? 0 : count;
      asked.push(start);
      const rows = Array.from({ length: Math.max(0, Math.min(50, all - from)) }, (_, at) => [
        `T${from + at}`,
        krakenTradeAnswer({ time, ordertxid: 'BY-HAND' }),
      ]);
      return ok({ trades: Object.fromEntries(rows) as object, count: all });
    },
  });
  const read = async () => {
    const of = { connectionId: 'connection-1', symbols: [], sinceMs: 0 };
    return ((await world.desk.answer({ act: 'trades', ...of })) as { value: unknown[] }).value
      .length;
  };

  it('that is asked for again while it is read is read once, and then what is newer', async () => {
    const asked: number[] = [];
    await connected(many(1_000, asked));
    expect(await Promise.all([read(), read()])).toEqual([1_000, 1_000]);
    // A page has 50 of them.
    expect(asked).toHaveLength(20 + 1);
    expect(asked.at(-1)).toBeGreaterThan((asked[0] ?? 0) + 50 * 60);
    expect(await read()).toBe(1_000);
    expect(asked).toHaveLength(20 + 2);
  });

  it('is read anew where the one before was short', async () => {
    const asked: number[] = [];
    await connected(many(60, asked));
    expect(await Promise.all([read(), read()])).toEqual([60, 60]);
    expect(await read()).toBe(60);
    expect(new Set(asked).size).toBe(1);
    expect(asked).toHaveLength(6);
  });
});

describe('a cancellation', () => {
  it('reaches only orders that were sent from here', async () => {
    const signer = await connected();
    const order = {
      clientOrderId: newOrderId(),
      exchangeOrderId: 'OTHERS-OWN-ORDER',
      symbol: 'BTC/USD',
      sinceMs: 0,
    };
    const cancel = (one: typeof order) =>
      signer.desk.answer({ act: 'cancel', connectionId: 'connection-1', order: one });
    expect(await cancel(order)).toMatchObject({ kind: 'refused', code: 'not_ours' });
    const intent = signer.intent();
    await signer.desk.answer({ act: 'place', intent });
    const { clientOrderId } = intent;
    expect(await cancel({ ...order, clientOrderId })).toMatchObject({ code: 'not_ours' });
    expect(
      await cancel({ ...order, clientOrderId, exchangeOrderId: 'OQCLML-BW3P3-BUCMWZ' }),
    ).toEqual({ kind: 'confirmed' });
  });
});
