/** The stand-in's streams as ccxt watches them, and what goes wrong with them. */
import type { Exchange } from 'ccxt';
import { afterEach, describe, expect, it } from 'vitest';
import { formatFixed } from '../../contract/money.ts';
import { DIALECTS, clientId, openTrader, type Trader } from '../support/exchange/ccxt-trader.ts';

let trader: Trader | null = null;
afterEach(async () => {
  await trader?.close();
  trader = null;
});

const id = clientId(1);
const SELL = { id, side: 'sell', quantity: 0.01 } as const;
const BUY_LOW = { id, side: 'buy', type: 'limit', quantity: 0.01, limit: 60_000 } as const;
/** Coinbase tells fills only as changes of their order. */
const TELLS_FILLS = ['kraken', 'binance'] as const;

interface Watching {
  trader: Trader;
  watcher: Exchange;
  /** Ids of the trades, or of the orders, in the order in which they were told. */
  told: string[];
}

/** Watches trades (orders at Coinbase) with a client of its own and collects what it is told. */
async function watch(dialect: Trader['dialect']): Promise<Watching> {
  trader = await openTrader(dialect);
  const watcher = await trader.another({ streams: true });
  await watcher.loadMarkets();
  const told: string[] = [];
  const next = (): Promise<{ id?: string }[]> =>
    dialect === 'coinbase' ? watcher.watchOrders() : watcher.watchMyTrades();
  const listen = async (): Promise<void> => {
    for (;;) for (const one of await next()) told.push(one.id ?? '');
  };
  void listen().catch(() => undefined);
  await until(() => (trader?.standIn.hub.size ?? 0) > 0);
  return { trader, watcher, told };
}

async function until(is: () => boolean): Promise<void> {
  while (!is()) await new Promise((resolve) => setTimeout(resolve, 5));
}

/** Long enough on loopback for whatever was sent to have been read. */
const settle = (): Promise<unknown> => new Promise((resolve) => setTimeout(resolve, 120));

const sent = (one: Trader, what: 'sent' | 'withheld'): string[] =>
  one.standIn.journal
    .of('stream')
    .filter((entry) => entry.what === what && entry.topic === 'fills')
    .map(({ ref }) => ref);

describe.each(DIALECTS)('%s', (dialect) => {
  it('tells a fill to whoever watches the account', async () => {
    const { trader: one, told } = await watch(dialect);
    const { id: orderId } = await one.place(SELL);
    const [fill] = one.standIn.journal.fillsOf({ clientOrderId: id });
    const expected = dialect === 'coinbase' ? orderId : fill?.id;
    await until(() => told.includes(expected ?? ''));
  });

  it('tells orders as they open and end', async () => {
    const { trader: one, watcher } = await watch(dialect);
    const states: string[] = [];
    const listen = async (): Promise<void> => {
      for (;;)
        for (const order of await watcher.watchOrders())
          states.push(`${order.id ?? ''} ${order.status ?? ''}`);
    };
    void listen().catch(() => undefined);
    // Until ccxt listens, what is told is told to nobody.
    let orderId = '';
    for (let number = 1; !states.includes(`${orderId} open`); number += 1) {
      ({ id: orderId } = await one.place({ ...BUY_LOW, id: clientId(number), quantity: 0.001 }));
      await settle();
    }
    await one.client.cancelOrder(orderId, one.symbol);
    await until(() => states.includes(`${orderId} canceled`));
  });

  it('stream-silent: the connection stays, and nothing comes for ten minutes', async () => {
    const { trader: one, told } = await watch(dialect);
    one.strike({ name: 'stream-silent' });
    await one.place(SELL);
    await settle();
    expect(told).toEqual([]);
    expect(one.standIn.hub.size).toBe(1);
    expect(sent(one, 'withheld')).toHaveLength(1);
    await one.standIn.advance(600_000);
    await one.place({ ...SELL, id: clientId(2) });
    await until(() => told.length > 0);
  });

  it('stream-dropped: the connection is cut, and REST has the fill', async () => {
    const { trader: one } = await watch(dialect);
    one.strike({ name: 'stream-dropped' });
    await until(() => one.standIn.hub.size === 0);
    await one.place(SELL);
    expect(await one.client.fetchMyTrades(one.symbol)).toHaveLength(1);
  });

  it('fill-before-ack: the stream tells the fill before the placing is answered', async () => {
    const { trader: one } = await watch(dialect);
    one.strike({ name: 'fill-before-ack' });
    await one.place(SELL);
    const { journal } = one.standIn;
    const { request } = journal.ordersByClientId(id)[0]?.accepted ?? {};
    const answer = journal.answerTo(request ?? 0)?.seq ?? 0;
    const told = journal.of('stream').find(({ topic }) => topic === 'fills')?.seq ?? Infinity;
    expect(told).toBeLessThan(answer);
  });

  it('otherwise the answer comes first', async () => {
    const { trader: one, told } = await watch(dialect);
    await one.place(SELL);
    await until(() => told.length > 0);
    const { journal } = one.standIn;
    const { request } = journal.ordersByClientId(id)[0]?.accepted ?? {};
    const answer = journal.answerTo(request ?? 0)?.seq ?? Infinity;
    const first = journal.of('stream').find(({ topic }) => topic === 'fills')?.seq ?? 0;
    expect(answer).toBeLessThan(first);
  });

  it('fills-by-rest-only: the stream says nothing of a fill, REST does', async () => {
    const { trader: one } = await watch(dialect);
    one.strike({ name: 'fills-by-rest-only' });
    await one.place(SELL);
    await settle();
    expect(sent(one, 'sent')).toEqual([]);
    expect(sent(one, 'withheld')).toHaveLength(1);
    expect(await one.client.fetchMyTrades(one.symbol)).toHaveLength(1);
  });

  it('fills-twice: the same fill is told twice, and moved money once', async () => {
    const { trader: one } = await watch(dialect);
    one.strike({ name: 'fills-twice' });
    await one.place(SELL);
    await until(() => sent(one, 'sent').length === 2);
    expect(new Set(sent(one, 'sent')).size).toBe(1);
    expect(one.standIn.journal.fillsOf()).toHaveLength(1);
  });

  it('fills-late: the stream tells it when it is no news any more', async () => {
    const { trader: one } = await watch(dialect);
    one.strike({ name: 'fills-late', lateMs: 20_000 });
    await one.place(SELL);
    await settle();
    expect(sent(one, 'sent')).toEqual([]);
    await one.standIn.advance(20_000);
    expect(sent(one, 'sent')).toHaveLength(1);
  });

  it('fills-out-of-order: what happened later is told first', async () => {
    const { trader: one } = await watch(dialect);
    one.strike({ name: 'fills-out-of-order' });
    await one.place(BUY_LOW);
    one.standIn.setPrice(one.symbol, '59000');
    await one.standIn.advance(120_000);
    await until(() => sent(one, 'sent').length > 0);
    const refs = one.standIn.journal
      .of('stream')
      .filter(({ what, topic }) => what === 'sent' && topic !== 'balances')
      .map(({ topic }) => topic);
    expect(refs.indexOf('fills')).toBe(0);
  });
});

describe.each(TELLS_FILLS)('%s', (dialect) => {
  it('tells price, quantity and fee of a fill to the last digit', async () => {
    const { trader: one, watcher } = await watch(dialect);
    const watched = watcher.watchMyTrades();
    await one.place({ ...SELL, quantity: 0.01234 });
    const [trade] = await watched;
    const [fill] = one.standIn.journal.fillsOf({ clientOrderId: id });
    if (fill === undefined || trade === undefined) throw new Error('No fill was told');
    expect(trade).toMatchObject({
      id: fill.id,
      order: fill.orderId,
      amount: Number(formatFixed(fill.quantity)),
      price: Number(formatFixed(fill.price)),
      fee: { cost: Number(formatFixed(fill.fee)), currency: fill.feeCoin },
    });
  });

  it('tells balances when they change', async () => {
    const { trader: one, watcher } = await watch(dialect);
    const totals: unknown[] = [];
    const listen = async (): Promise<void> => {
      for (;;) totals.push((await watcher.watchBalance()).BTC?.total);
    };
    void listen().catch(() => undefined);
    // Until ccxt listens, what is told is told to nobody.
    while (totals.length === 0) {
      one.standIn.person.withdraw('main', 'BTC', '0.001');
      await settle();
    }
    await one.place(SELL);
    const truth = one.standIn.journal.balancesOf('main').get('BTC') ?? (0n as never);
    await until(() => totals.includes(Number(formatFixed(truth))));
  });
});
