/** What Kraken was recorded to answer, through the adapter, and requests of ours beside recorded ones. */
import { describe, expect, it } from 'vitest';
import { formatFixed, parseFixed } from '../../../contract/money.ts';
import {
  COINS,
  LOOKED_UP_CLOSED,
  LOOKED_UP_CLOSED_ID,
  LOOKED_UP_OPEN,
  LOOKED_UP_OPEN_ID,
  OPEN,
  PAIRS,
  PLACED,
  TICKER,
  TRADE_ID,
} from '../../support/exchange/recorded/recorded-kraken.ts';
import { openAdapter, type Said } from '../../support/signer/adapter-world.ts';
import type { Answer, Asked } from '../../support/signer/answer-server.ts';
import { handClock } from '../../support/signer/desk-world.ts';
import { krakenAnswers, krakenTradeAnswer, ok } from '../../support/signer/kraken-answers.ts';

const PRIVATE = 'POST /0/private';

function open(said: Record<string, (asked: Asked) => Answer> = {}) {
  const start = handClock();
  const recorded = {
    Assets: () => ok(COINS),
    AssetPairs: () => ok(PAIRS),
    AddOrder: () => ok(PLACED),
  };
  const answers = krakenAnswers({ ...recorded, ...said }, () => start.now());
  const routes: Said = new Proxy({}, { get: () => (asked: Asked) => answers(asked) as Answer });
  return openAdapter('kraken', routes);
}

const MARKET = { type: 'market', limitPrice: null } as const;
const LTC = { symbol: 'LTC/USDT', quantity: parseFixed('0.1') } as const;

describe('recorded answers of Kraken', () => {
  it('confirm a purchase at market with the id that Kraken gave it', async () => {
    const { adapter, order } = await open();
    expect(await adapter.place(order({ ...LTC, ...MARKET }))).toEqual({
      kind: 'confirmed',
      exchangeOrderId: 'OL7LNO-R4SAD-6UINEU',
      replay: false,
    });
  });

  it('show an order that was looked up while it rests, with no id of ours', async () => {
    const { adapter, ref, sentTo } = await open({
      QueryOrders: () => ok({ [LOOKED_UP_OPEN_ID]: LOOKED_UP_OPEN }),
    });
    expect(await adapter.lookUp(ref({ exchangeOrderId: LOOKED_UP_OPEN_ID }))).toEqual({
      kind: 'found',
      order: {
        exchangeOrderId: LOOKED_UP_OPEN_ID,
        clientOrderId: null,
        symbol: 'LTC/USDT',
        side: 'buy',
        type: 'limit',
        quantity: parseFixed('0.1'),
        limitPrice: parseFixed('50'),
        stopPrice: null,
        filled: 0n,
        status: 'open',
        updatedAtMs: 1_705_259_439_563,
      },
      fills: [],
    });
    expect(sentTo(`${PRIVATE}/TradesHistory`)).toEqual([]);
  });

  it('show one that was filled, with the trade that it names', async () => {
    // The trade was not recorded: what its order says of it, in the row of a trade.
    const trade = krakenTradeAnswer({
      ordertxid: LOOKED_UP_CLOSED_ID,
      pair: 'LTCUSDT',
      time: 1_705_260_547.472_865_8,
      ordertype: 'market',
      price: '71.05741',
      cost: '7.105741',
      fee: '0.018475',
      vol: '0.10000000',
    });
    const { adapter, ref } = await open({
      QueryOrders: () => ok({ [LOOKED_UP_CLOSED_ID]: LOOKED_UP_CLOSED }),
      TradesHistory: () => ok({ trades: { [TRADE_ID]: trade }, count: 1 }),
    });
    const found = await adapter.lookUp(ref({ exchangeOrderId: LOOKED_UP_CLOSED_ID }));
    expect(found).toMatchObject({
      kind: 'found',
      order: {
        clientOrderId: null,
        symbol: 'LTC/USDT',
        side: 'buy',
        type: 'market',
        quantity: parseFixed('0.1'),
        limitPrice: null,
        stopPrice: null,
        filled: parseFixed('0.1'),
        status: 'closed',
        updatedAtMs: 1_705_260_547_472,
      },
      fills: [
        {
          tradeId: 'TWA6QJ-ZO4EM-6QIHQJ',
          exchangeOrderId: LOOKED_UP_CLOSED_ID,
          quantity: parseFixed('0.1'),
          price: parseFixed('71.05741'),
          quoteAmount: parseFixed('7.105741'),
          fees: [{ asset: 'USDT', amount: parseFixed('0.018475') }],
        },
      ],
    });
  });

  it.each([
    ['listed', PAIRS],
    ['listed no more', {}],
  ])('show every kind of open order of the person’s in pairs that are %s', async (_how, pairs) => {
    const { adapter } = await open({
      OpenOrders: () => ok({ open: { ...OPEN, [LOOKED_UP_OPEN_ID]: LOOKED_UP_OPEN } }),
      AssetPairs: () => ok(pairs),
    });
    const shown = await adapter.openOrders([]);
    const text = (price: Parameters<typeof formatFixed>[0] | null) =>
      price === null ? null : formatFixed(price);
    expect(
      shown.map((one) => [
        one.exchangeOrderId,
        one.clientOrderId,
        one.symbol,
        `${one.side} ${formatFixed(one.quantity)} ${one.type}`,
        text(one.limitPrice),
        text(one.stopPrice),
        one.updatedAtMs,
      ]),
    ).toEqual([
      ['OXCZ7B-EMVZQ-MTJTQJ', null, 'LTC/USDT', 'sell 0.1 stop', null, '120', 1_705_260_203_583],
      ['OIIQBL-6PV3A-7M2AJJ', null, 'LTC/USDT', 'sell 0.1 stop', '54', '55', 1_705_260_464_973],
      // A trailing stop's price is a distance: no price at all.
      ['OF7S76-H2IMS-N2ML4U', null, 'XRP/USD', 'buy 10 stop', null, null, 1_706_895_177_107],
      [LOOKED_UP_OPEN_ID, null, 'LTC/USDT', 'buy 0.1 limit', '50', null, 1_705_259_439_563],
    ]);
  });

  it('tell what was traded in a day by its average price', async () => {
    const { data } = await open({ Ticker: () => ok({ XBTUSDT: TICKER }) });
    // 598.03698452 × 71501.57520
    expect(await data.dayVolume('BTC/USDT')).toBe(parseFixed('42760586.421038015904'));
  });

  it('tell the best prices of a pair', async () => {
    const { data } = await open({ Ticker: () => ok({ XBTUSDT: TICKER }) });
    const best = { bid: parseFixed('73380.6'), ask: parseFixed('73380.7') };
    expect(await data.bestPrices(['BTC/USDT'])).toEqual(new Map([['BTC/USDT', best]]));
  });

  it('name the pairs as everybody does, with their rules', async () => {
    const { data } = await open();
    const rules = [...(await data.rules()).values()].map((pair) => [
      pair.symbol,
      formatFixed(pair.quantityStep),
      formatFixed(pair.priceTick),
      formatFixed(pair.minQuantity),
      formatFixed(pair.minNotional),
      pair.status,
    ]);
    const step = '0.00000001';
    expect(rules).toEqual([
      ['BTC/USDT', step, '0.1', '0.0001', '0.5', 'trading'],
      ['BTC/USD', step, '0.1', '0.0001', '0.5', 'trading'],
      ['ETH/USDT', step, '0.01', '0.01', '0.5', 'trading'],
      ['ADA/USDT', step, '0.000001', '20', '0.5', 'trading'],
      ['LTC/USDT', step, '0.00001', '0.08', '0.5', 'trading'],
      ['XRP/USDT', step, '0.00001', '10', '0.5', 'trading'],
      ['DOGE/USDT', step, '0.00001', '80', '0.5', 'trading'],
      ['XRP/USD', step, '0.00001', '10', '0.5', 'trading'],
    ]);
  });
});

describe('requests that were recorded to Kraken', () => {
  it.each([
    [
      'a stop',
      { type: 'stop', side: 'sell', stopPrice: parseFixed('55'), limitPrice: null },
      { pair: 'LTCUSDT', type: 'sell', ordertype: 'stop-loss', volume: '0.1', price: '55' },
    ],
    [
      'a stop with a limit',
      {
        type: 'stop',
        side: 'sell',
        stopPrice: parseFixed('55'),
        limitPrice: parseFixed('54'),
      },
      {
        pair: 'LTCUSDT',
        type: 'sell',
        ordertype: 'stop-loss-limit',
        volume: '0.1',
        price: '55',
        price2: '54',
      },
    ],
  ] as const)('are ours for %s, with our own fields beside', async (_kind, more, recorded) => {
    const { adapter, order, sentTo } = await open();
    await adapter.place(order({ ...LTC, ...more }));
    const [sent] = sentTo(`${PRIVATE}/AddOrder`);
    expect(sent?.params).toMatchObject(recorded);
    const ours = Object.keys(sent?.params ?? {}).filter((name) => !(name in recorded));
    expect(ours.sort()).toEqual(['cl_ord_id', 'deadline', 'nonce', 'oflags']);
    expect(sent?.origin).toBe('https://api.kraken.com');
  });

  it('are ours for a cancellation, open orders, trades and balances', async () => {
    const { adapter, ref, sentTo } = await open();
    await adapter.cancel(ref({ exchangeOrderId: 'OF7S76-H2IMS-N2ML4U' }));
    await adapter.openOrders([]);
    await adapter.tradesSince(1_699_457_638_000, []);
    await adapter.balances();
    const params = (call: string) => {
      const { nonce, ...rest } = sentTo(`${PRIVATE}/${call}`)[0]?.params ?? {};
      expect(nonce).toMatch(/^\d+$/);
      return rest;
    };
    expect(params('CancelOrder')).toEqual({ txid: 'OF7S76-H2IMS-N2ML4U' });
    expect(params('OpenOrders')).toEqual({});
    // A second before: Kraken leaves out what was at the moment itself.
    expect(params('TradesHistory')).toEqual({ start: '1699457637', ofs: '0' });
    expect(params('BalanceEx')).toEqual({});
  });
});
