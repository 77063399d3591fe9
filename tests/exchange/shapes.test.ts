/**
 * The stand-in's answers have the fields of real ones, each of the kind that it has there: as ccxt's
 * recordings of the three exchanges have them (tests/support/exchange/recorded).
 */
import type { Exchange } from 'ccxt';
import { afterEach, describe, expect, it } from 'vitest';
import { clientId, openTrader, type Trader } from '../support/exchange/ccxt-trader.ts';
import type { DialectName } from '../support/exchange/instruments.ts';
import { differences, without } from '../support/exchange/recorded/differences.ts';
import * as binance from '../support/exchange/recorded/recorded-binance.ts';
import * as coinbase from '../support/exchange/recorded/recorded-coinbase.ts';
import * as kraken from '../support/exchange/recorded/recorded-kraken.ts';
import { krakenTradeAnswer } from '../support/signer/kraken-answers.ts';

let trader: Trader | null = null;
afterEach(async () => {
  await trader?.close();
  trader = null;
});

async function open(dialect: DialectName): Promise<Trader> {
  trader = await openTrader(dialect);
  return trader;
}

/** What the exchange answered last. */
const last = (): unknown => JSON.parse(trader?.standIn.journal.of('answer').at(-1)?.body ?? 'null');

type Implicit = Record<string, (params?: Record<string, unknown>) => Promise<unknown>>;
/** ccxt's raw calls, which its types do not list. */
const raw = (client: Exchange): Implicit => client;

const SELL = { id: clientId(1), side: 'sell', quantity: 0.01 } as const;
const BUY_LOW = {
  id: clientId(2),
  side: 'buy',
  type: 'limit',
  quantity: 0.01,
  limit: 60_000,
} as const;

describe('kraken', () => {
  /** Kraken added it after the recordings were made. */
  const LATER = ['cl_ord_id'];
  const answered = (result: unknown) => ({ error: [], result });
  const [stop] = Object.values(kraken.OPEN).filter(
    ({ descr }) => descr.ordertype === 'stop-loss-limit',
  );

  it('answers a placing, and a look-up of what was filled and of what rests', async () => {
    const { client, symbol, place } = await open('kraken');
    const filled = await place(SELL);
    expect(differences(last(), answered(kraken.PLACED))).toEqual([]);
    await client.fetchOrder(filled.id, symbol);
    const closed = answered({ [filled.id]: kraken.LOOKED_UP_CLOSED });
    expect(differences(last(), closed, LATER)).toEqual([]);
    const resting = await place(BUY_LOW);
    await client.fetchOrder(resting.id, symbol);
    const looked = answered({ [resting.id]: kraken.LOOKED_UP_OPEN });
    expect(differences(last(), looked, LATER)).toEqual([]);
  });

  it('lists what is open and what has ended', async () => {
    const { client, symbol, place } = await open('kraken');
    const filled = await place(SELL);
    // Only a look-up names an order's trades.
    const ended = without(kraken.LOOKED_UP_CLOSED, 'trades');
    await client.fetchClosedOrders(symbol);
    const closed = answered({ closed: { [filled.id]: ended }, count: 1 });
    expect(differences(last(), closed, LATER)).toEqual([]);
    const resting = await client.createOrder(symbol, 'limit', 'sell', 0.1, 54_000, {
      stopLossPrice: 55_000,
    });
    await client.fetchOpenOrders(symbol);
    const open_ = answered({ open: { [resting.id ?? '']: stop } });
    expect(differences(last(), open_, LATER)).toEqual([]);
  });

  it("has Kraken's sentence for a stop, word for word", async () => {
    const { client, symbol } = await open('kraken');
    await client.createOrder(symbol, 'limit', 'sell', 0.1, 54_000, { stopLossPrice: 55_000 });
    const [order] = await client.fetchOpenOrders(symbol);
    expect(stop?.descr.order).toBe(
      'sell 0.10000000 LTCUSDT @ stop loss 55.00000 -> limit 54.00000',
    );
    expect((order?.info as { descr?: unknown } | undefined)?.descr).toMatchObject({
      ordertype: 'stop-loss-limit',
      price: '55000.0',
      price2: '54000.0',
      order: 'sell 0.10000000 XBTUSD @ stop loss 55000.0 -> limit 54000.0',
    });
    expect(order).toMatchObject({ stopLossPrice: 55_000, price: 54_000, type: 'limit' });
  });

  it('tells prices, coins and the rules of pairs', async () => {
    const { client, symbol } = await open('kraken');
    await client.fetchTicker(symbol);
    expect(differences(last(), answered({ XXBTZUSD: kraken.TICKER }))).toEqual([]);
    await raw(client).publicGetAssets?.();
    const coins = (last() as { result: Record<string, unknown> }).result;
    expect(Object.keys(coins)).toContain('XXBT');
    for (const coin of Object.values(coins))
      expect(differences(coin, kraken.COINS.XXBT)).toEqual([]);
    await raw(client).publicGetAssetPairs?.();
    const pairs = (last() as { result: Record<string, unknown> }).result;
    expect(Object.keys(pairs)).toContain('XXBTZUSD');
    for (const pair of Object.values(pairs))
      expect(differences(pair, kraken.PAIRS.XXBTZUSD)).toEqual([]);
  });

  /** As ccxt's source quotes them: they are in none of its recordings. */
  it('tells balances and trades', async () => {
    const { client, standIn, symbol, place } = await open('kraken');
    await place(SELL);
    await client.fetchBalance();
    const balance = { balance: '0.2500000000', hold_trade: '0.0000000000' };
    const held = answered({ XXBT: balance, ZUSD: balance, BNB: balance });
    expect(differences(last(), held)).toEqual([]);
    await client.fetchMyTrades(symbol);
    const [fill] = standIn.journal.fillsOf();
    const trade = { ...krakenTradeAnswer(), leverage: '0' };
    const listed = answered({ trades: { [fill?.id ?? '']: trade }, count: 1 });
    expect(differences(last(), listed)).toEqual([]);
  });
});

describe("a key of Kraken's", () => {
  it('is described as in its reference, which no recording has', async () => {
    const { client } = await open('kraken');
    await raw(client).privatePostGetApiKeyInfo?.();
    const described = {
      apiKeyName: 'my-api-key',
      apiKey: 'an api key',
      nonce: '1772627060997',
      nonceWindow: 0,
      permissions: ['query-funds', 'modify-trades'],
      iban: 'AA88 N84G WOAK NMOI',
      validUntil: '0',
      queryFrom: '0',
      queryTo: '0',
      createdTime: '1772542900',
      modifiedTime: '1772543095',
      ipAllowlist: [],
      lastUsed: '1772627061',
    };
    expect(differences(last(), { error: [], result: described })).toEqual([]);
  });
});

describe('coinbase', () => {
  it('lists what has ended and its fills, a page at a time', async () => {
    const { client, symbol, place } = await open('coinbase');
    await place(SELL);
    await place({ ...SELL, id: clientId(3) });
    await client.fetchClosedOrders(symbol, undefined, 1);
    expect(differences(last(), coinbase.CLOSED_ORDERS)).toEqual([]);
    await client.fetchMyTrades(symbol, undefined, 1);
    expect(differences(last(), coinbase.FILLS)).toEqual([]);
  });

  it('looks one order up in the same row', async () => {
    const { client, symbol, place } = await open('coinbase');
    const { id } = await place(SELL);
    await client.fetchOrder(id, symbol);
    expect(differences(last(), { order: coinbase.CLOSED_ORDER })).toEqual([]);
  });

  it('tells prices and the rules of pairs', async () => {
    const { client, symbol } = await open('coinbase');
    await client.fetchTicker(symbol);
    expect(differences(last(), coinbase.TICKER)).toEqual([]);
    const [product] = coinbase.PRODUCTS;
    await raw(client).v3PublicGetBrokerageMarketProducts?.({ product_type: 'SPOT' });
    expect(differences(last(), { products: [product], num_products: 1 })).toEqual([]);
    await raw(client).v3PublicGetBrokerageMarketProductsProductId?.({ product_id: 'BTC-USD' });
    expect(differences(last(), product)).toEqual([]);
  });

  it('tells balances, in both versions', async () => {
    const { client } = await open('coinbase');
    const amount = { value: '0.1', currency: 'BTC' };
    await client.fetchBalance();
    /** As ccxt's source quotes it: of this version it has no recording. */
    const account = {
      uuid: '4b1b95ad-9b1b-5a8d-a9c1-d1ea4ee3f3a6',
      name: 'BTC Wallet',
      currency: 'BTC',
      available_balance: amount,
      default: true,
      active: true,
      created_at: '2023-01-04T06:20:06.456Z',
      updated_at: '2023-01-04T06:20:07.181Z',
      deleted_at: null,
      type: 'ACCOUNT_TYPE_CRYPTO',
      ready: false,
      hold: amount,
    };
    expect(
      differences(last(), { accounts: [account], has_next: false, cursor: '', size: 1 }, [
        'retail_portfolio_id',
        'platform',
      ]),
    ).toEqual([]);
    client.options.fetchBalance = 'v2PrivateGetAccounts';
    await client.fetchBalance();
    expect(differences(last(), coinbase.OLD_ACCOUNTS)).toEqual([]);
  });
});

describe('binance', () => {
  it('answers a placing, a look-up and lists', async () => {
    const { client, symbol, place } = await open('binance');
    const { id } = await place(BUY_LOW);
    // Only an order that shows a part of itself has it.
    expect(differences(last(), without(binance.PLACED, 'icebergQty'))).toEqual([]);
    await client.fetchOrder(id, symbol);
    expect(differences(last(), binance.LOOKED_UP)).toEqual([]);
    await client.fetchOpenOrders(symbol);
    expect(differences(last(), [binance.OPEN_ORDER])).toEqual([]);
    await client.cancelOrder(id, symbol);
    await client.fetchOrders(symbol);
    expect(differences(last(), [binance.CANCELLED_ORDER])).toEqual([]);
  });

  it('tells trades and balances', async () => {
    const { client, symbol, place } = await open('binance');
    await place(SELL);
    await client.fetchMyTrades(symbol);
    expect(differences(last(), [binance.TRADE])).toEqual([]);
    await client.fetchBalance();
    expect(differences(last(), binance.ACCOUNT)).toEqual([]);
  });

  it('tells depth, prices and the rules of pairs', async () => {
    const { client, symbol } = await open('binance');
    await client.fetchOrderBook(symbol);
    expect(differences(last(), binance.BOOK)).toEqual([]);
    await client.fetchTicker(symbol);
    expect(differences(last(), binance.TICKER)).toEqual([]);
    await raw(client).publicGetExchangeInfo?.({ symbol: 'BTCUSDT' });
    const [recorded] = binance.PAIRS;
    // Since then Binance tells who may trade a pair in a list of its own, and no more in this one.
    const fields = { ...without(recorded ?? {}, 'filters'), permissions: [] };
    const { symbols } = last() as { symbols: { filters: { filterType: string }[] }[] };
    expect(symbols.length).toBeGreaterThan(0);
    for (const { filters, ...pair } of symbols) {
      expect(differences(pair, fields, ['permissionSets', 'otoAllowed'])).toEqual([]);
      for (const filter of filters) {
        const same = recorded?.filters.find(({ filterType }) => filterType === filter.filterType);
        expect(differences(filter, same)).toEqual([]);
      }
    }
  });

  it('answers best prices of many pairs at once, and of none where one is not traded', async () => {
    const { client, symbol, standIn } = await open('binance');
    const { bidPrice, bidQty, askPrice, askQty } = binance.TICKER;
    await client.fetchBidsAsks([symbol, 'ETH/USDT']);
    const row = { symbol: 'BTCUSDT', bidPrice, bidQty, askPrice, askQty };
    expect(differences(last(), [row])).toEqual([]);
    expect(last()).toHaveLength(2);
    standIn.core.changeRules('ETH/USDT', { status: 'delisted' });
    await expect(client.fetchBidsAsks([symbol, 'ETH/USDT'])).rejects.toThrow('-1121');
  });
});
