/** Kraken's adapter, before answers in the shape recorded from it. */
import { describe, expect, it } from 'vitest';
import { parseFixed } from '../../../contract/money.ts';
import { openAdapter, ORDER_ID, type Said } from '../../support/signer/adapter-world.ts';
import type { Answer, Asked } from '../../support/signer/answer-server.ts';
import {
  failed,
  KRAKEN_PAIRS,
  krakenAnswers,
  krakenOrderAnswer,
  krakenTradeAnswer,
  ok,
} from '../../support/signer/kraken-answers.ts';
import { handClock } from '../../support/signer/desk-world.ts';

function open(said: Record<string, (asked: Asked) => Answer> = {}) {
  const start = handClock();
  const answers = krakenAnswers(said, () => start.now());
  const routes: Said = new Proxy({}, { get: () => (asked: Asked) => answers(asked) as Answer });
  return openAdapter('kraken', routes);
}

describe('Kraken', () => {
  it('is sent our id, a deadline by its own clock, and asked for fees in quote currency', async () => {
    const { adapter, sentTo, order, clock } = await open();
    await adapter.place(order());
    expect(sentTo('POST /0/private/AddOrder')[0]?.params).toMatchObject({
      pair: 'XBTUSD',
      type: 'buy',
      ordertype: 'limit',
      volume: '0.0015',
      price: '60100.1',
      oflags: 'fciq',
      cl_ord_id: ORDER_ID,
      // Its time is told in whole seconds: half of one is added.
      deadline: new Date(clock.now() + 20_500).toISOString(),
    });
  });

  it('is sent nothing when the deadline is nearer or further than it can keep', async () => {
    const { adapter, sentTo, order, clock } = await open();
    for (const leftMs of [1_999, 60_001])
      expect(await adapter.place(order({ deadlineMs: clock.now() + leftMs }))).toMatchObject({
        kind: 'refused',
        code: 'deadline',
      });
    expect(sentTo('POST /0/private/AddOrder')).toEqual([]);
  });

  it('rests stops, with a limit and without', async () => {
    const { adapter, sentTo, order } = await open();
    const stop = { type: 'stop', side: 'sell', stopPrice: parseFixed('50000') } as const;
    await adapter.place(order({ ...stop, limitPrice: null }));
    await adapter.place(order({ ...stop, limitPrice: parseFixed('49000') }));
    await adapter.place(
      order({ type: 'market', limitPrice: null, worstPrice: parseFixed('57095.1') }),
    );
    const sent = sentTo('POST /0/private/AddOrder').map(({ params }) => params);
    expect(sent.map(({ ordertype, price, price2 }) => [ordertype, price, price2])).toEqual([
      ['stop-loss', '50000', undefined],
      ['stop-loss-limit', '50000', '49000'],
      ['limit', '57095.1', undefined],
    ]);
  });

  it.each(['buy', 'sell'] as const)(
    'takes what is there within the price that was judged, and no more: %s',
    async (side) => {
      const { adapter, sentTo, order } = await open();
      const worstPrice = parseFixed('57095.1');
      await adapter.place(order({ type: 'market', side, limitPrice: null, worstPrice }));
      expect(sentTo('POST /0/private/AddOrder')[0]?.params).toMatchObject({
        type: side,
        ordertype: 'limit',
        price: '57095.1',
        timeinforce: 'IOC',
      });
    },
  );

  it('keeps quiet for as long as its codes say', async () => {
    const { adapter, order, asked, clock } = await open({
      AddOrder: () => failed('EAPI:Rate limit exceeded'),
    });
    expect(await adapter.place(order())).toMatchObject({ kind: 'rejected' });
    const before = asked.length;
    await expect(adapter.openOrders([])).rejects.toMatchObject({ code: 'exchange_ban' });
    expect(asked).toHaveLength(before);
    clock.at += 15_000;
    expect(await adapter.openOrders([])).toEqual([]);
  });

  it('takes no order without an id of ours for one with the id 0', async () => {
    const { adapter } = await open({
      OpenOrders: () =>
        ok({
          open: {
            O1: krakenOrderAnswer(null, { status: 'open', vol_exec: '0', closetm: null }),
          },
        }),
    });
    expect(await adapter.openOrders([])).toMatchObject([
      { exchangeOrderId: 'O1', clientOrderId: null, symbol: 'BTC/USD', status: 'open' },
    ]);
  });

  it('looks in open orders, then closed ones, then trades, and says what it searched', async () => {
    const { adapter, asked, ref } = await open({
      TradesHistory: () =>
        ok({ trades: { T1: krakenTradeAnswer({ ordertxid: 'OTHER' }) }, count: 1 }),
      QueryOrders: () => ok({ OTHER: krakenOrderAnswer('f'.repeat(32)) }),
    });
    expect(await adapter.lookUp(ref({ sinceMs: 0 }))).toEqual({
      kind: 'not_found',
      searched: { byClientId: true, open: true, closed: true, trades: true },
    });
    expect(
      asked
        .map(({ path }) => path.split('/').at(-1))
        .filter((call) => /Orders|Trades/.test(call ?? '')),
    ).toEqual(['OpenOrders', 'ClosedOrders', 'TradesHistory', 'QueryOrders']);
  });

  it('finds through its trades what no list shows', async () => {
    const { adapter, ref } = await open({
      TradesHistory: () => ok({ trades: { T1: krakenTradeAnswer() }, count: 1 }),
      QueryOrders: () => ok({ 'OQCLML-BW3P3-BUCMWZ': krakenOrderAnswer(ORDER_ID) }),
    });
    expect(await adapter.lookUp(ref({ sinceMs: 0 }))).toMatchObject({
      kind: 'found',
      order: { clientOrderId: ORDER_ID, filled: parseFixed('0.001'), updatedAtMs: 1767261591123 },
      fills: [{ tradeId: 'T1', quantity: parseFixed('0.001'), quoteAmount: parseFixed('60.05') }],
    });
  });

  it('knows no order by an id only when it says so itself', async () => {
    const unknown = await open({ QueryOrders: () => failed('EOrder:Unknown order') });
    const ref = unknown.ref({ exchangeOrderId: 'O1' });
    expect(await unknown.adapter.lookUp(ref)).toMatchObject({ kind: 'not_found' });
    const busy = await open({ QueryOrders: () => failed('EService:Busy') });
    expect(await busy.adapter.lookUp(ref)).toEqual({
      kind: 'unknown',
      cause: 'unlisted:EService:Busy',
    });
  });

  it('reads every page of trades, each once', async () => {
    const all = Array.from({ length: 120 }, (_, at) => [`T${at}`, krakenTradeAnswer()] as const);
    const { adapter } = await open({
      TradesHistory: ({ params }) => {
        const from = Number(params.ofs);
        // One more came in meanwhile: the last of a page is shown again on the next.
        return ok({
          trades: Object.fromEntries(all.slice(Math.max(0, from - 1), from + 49)),
          count: all.length + 1,
        });
      },
    });
    const fills = await adapter.tradesSince(0, []);
    expect(new Set(fills.map(({ tradeId }) => tradeId)).size).toBe(fills.length);
    expect(fills.length).toBe(120);
  });

  it('names coins as everybody does, pairs that are gone too, and rewards as their coin: Kraken sells both as one', async () => {
    const { adapter } = await open({
      TradesHistory: () => ok({ trades: { T1: krakenTradeAnswer({ pair: 'SHIBXBT' }) }, count: 1 }),
    });
    expect((await adapter.balances()).map(({ asset }) => asset)).toEqual(['USD', 'BTC']);
    expect((await adapter.tradesSince(0, []))[0]?.symbol).toBe('SHIB/BTC');
  });

  it('reads its trades and orders beside one in a pair of unknown coins (F88)', async () => {
    const descr = { ...krakenOrderAnswer(null).descr, pair: 'AAPLxUSD' };
    const { adapter } = await open({
      TradesHistory: () =>
        ok({
          trades: {
            T1: krakenTradeAnswer({ pair: 'AAPLxUSD', ordertxid: 'OTHER' }),
            T2: krakenTradeAnswer(),
          },
          count: 2,
        }),
      ClosedOrders: () =>
        ok({
          closed: { O1: krakenOrderAnswer(null, { descr }), O2: krakenOrderAnswer(ORDER_ID) },
          count: 2,
        }),
    });
    expect((await adapter.tradesSince(0, [])).map(({ tradeId }) => tradeId)).toEqual(['T2']);
    const closed = await adapter.closedOrders(0, []);
    expect(closed.map(({ exchangeOrderId }) => exchangeOrderId)).toEqual(['O2']);
    const ours = await open({
      ClosedOrders: () => ok({ closed: { O1: krakenOrderAnswer(ORDER_ID, { descr }) }, count: 1 }),
    });
    await expect(ours.adapter.closedOrders(0, [])).rejects.toMatchObject({ cause: 'unreadable' });
  });

  it('proves no absence by a trade that it cannot read, but by its order (F88)', async () => {
    const pair = 'AAPLxUSD';
    const { adapter, ref, sentTo } = await open({
      TradesHistory: () =>
        ok({ trades: { T1: krakenTradeAnswer({ pair, ordertxid: 'OTHER' }) }, count: 1 }),
      QueryOrders: () => ok({ OTHER: krakenOrderAnswer('f'.repeat(32)) }),
    });
    expect(await adapter.lookUp(ref({ sinceMs: 0 }))).toMatchObject({ kind: 'not_found' });
    expect(sentTo('POST /0/private/QueryOrders')[0]?.params.txid).toBe('OTHER');
  });

  it('sells no finer than the wallet counts the coin, whatever the pair would take', async () => {
    const coin = { aclass: 'currency', altname: 'PENGU', decimals: 4 };
    const { data } = await open({
      Assets: () =>
        ok({
          PENGU: coin,
          ZUSD: { ...coin, altname: 'USD' },
          FINE: { ...coin, altname: 'FINE', decimals: 10 },
        }),
      AssetPairs: () =>
        ok(
          Object.fromEntries(
            ['PENGU', 'FINE'].map((base) => [
              `${base}USD`,
              { altname: `${base}USD`, base, quote: 'ZUSD', lot_decimals: 5, pair_decimals: 6 },
            ]),
          ),
        ),
    });
    const rules = await data.rules();
    expect(rules.get('PENGU/USD')?.quantityStep).toBe(parseFixed('0.0001'));
    expect(rules.get('FINE/USD')?.quantityStep).toBe(parseFixed('0.00001'));
  });

  it.each([
    ['online', 'online', 'trading'],
    ['online', 'cancel_only', 'cancel_only'],
    ['online', 'post_only', 'cancel_only'],
    ['online', 'limit_only', 'trading without stops'],
    ['limit_only', 'online', 'trading without stops'],
    ['limit_only', 'cancel_only', 'cancel_only'],
    ['online', 'reduce_only', 'cancel_only'],
    ['online', 'delisting', 'halted'],
    ['cancel_only', 'online', 'cancel_only'],
    ['maintenance', 'online', 'halted'],
    ['maintenance', 'cancel_only', 'cancel_only'],
  ] as const)('where all of it is %s, a pair that is %s is %s', async (all, of, is) => {
    const { data, sentTo } = await open({
      SystemStatus: () => ok({ status: all, timestamp: '2025-12-31T09:59:47Z' }),
      AssetPairs: () => ok({ XXBTZUSD: { ...KRAKEN_PAIRS.XXBTZUSD, status: of } }),
    });
    const now = await data.rulesNow('BTC/USD');
    expect(now?.symbol).toBe('BTC/USD');
    // A stop becomes a market order.
    expect(`${now?.status}${now?.takesStops === false ? ' without stops' : ''}`).toBe(is);
    // Where all of it takes no orders, no pair has to be asked for.
    const [, ...asked] = sentTo('GET /0/public/AssetPairs');
    expect(asked.map(({ params }) => params)).toEqual(
      all === 'online' || all === 'limit_only' ? [{ pair: 'XBTUSD' }] : [],
    );
    expect(await data.rulesNow('ETH/USD')).toBeNull();
  });

  it('counts coins that earn rewards as the coin they are sold as, and no others', async () => {
    const balance = (amount: string) => ({ balance: amount, hold_trade: '0.0000000000' });
    const { adapter } = await open({
      BalanceEx: () =>
        ok({
          'XBT.F': balance('0.1000000000'),
          XXBT: { balance: '0.2500000000', hold_trade: '0.0500000000' },
          // Bonded, staked and in an older account: none of it can be sold at once.
          'XBT.B': balance('1'),
          'XBT.S': balance('2'),
          'XBT.M': balance('3'),
        }),
    });
    expect(await adapter.balances()).toEqual([
      {
        asset: 'BTC',
        total: parseFixed('0.35'),
        available: parseFixed('0.3'),
        finest: parseFixed('0.0000000001'),
      },
      ...['B', 'S', 'M'].map((kind, at) => ({
        asset: `BTC.${kind}`,
        total: parseFixed(String(at + 1)),
        available: parseFixed(String(at + 1)),
      })),
    ]);
  });
});
