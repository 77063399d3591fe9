/** A stand-in that is reached without a socket says and does the same. */
import ccxt from 'ccxt';
import { afterEach, describe, expect, it } from 'vitest';
import { DIALECTS, clientId, openTrader, type Trader } from '../support/exchange/ccxt-trader.ts';

let trader: Trader | null = null;
afterEach(async () => {
  await trader?.close();
  trader = null;
});

const SELL = { id: clientId(1), side: 'sell', quantity: 0.01 } as const;

describe.each(DIALECTS)('%s', (dialect) => {
  const heard = async (
    inProcess: boolean,
    name: 'drop-response' | 'gateway-timeout' | 'garbage',
  ) => {
    trader = await openTrader(dialect, { client: { inProcess } });
    trader.strike({ name });
    const outcome = await trader.place(SELL).then(
      ({ id }) => id,
      (error: unknown) => (error as Error).constructor.name,
    );
    const { journal } = trader.standIn;
    const { request } = journal.ordersByClientId(SELL.id)[0]?.accepted ?? {};
    const { status, fault, delivered } = journal.answerTo(request ?? 0) ?? {};
    await trader.close();
    trader = null;
    return { outcome, status, fault, delivered };
  };

  it.each(['drop-response', 'gateway-timeout', 'garbage'] as const)('%s', async (name) => {
    expect(await heard(true, name)).toEqual(await heard(false, name));
  });

  it('trades, lists and holds an answer for virtual time', async () => {
    trader = await openTrader(dialect, { client: { inProcess: true } });
    const { client, standIn, symbol } = trader;
    const { id } = await trader.place(SELL);
    expect((await client.fetchMyTrades(symbol)).map(({ order }) => order)).toEqual([id]);
    trader.strike({ name: 'slow-answer' });
    const asking = client.fetchOpenOrders(symbol);
    while (standIn.journal.of('fault').length === 0)
      await new Promise((resolve) => setImmediate(resolve));
    await standIn.advance(60_000);
    expect(await asking).toEqual([]);
  });

  it('lets a client give up', async () => {
    trader = await openTrader(dialect, { client: { inProcess: true } });
    trader.client.timeout = 50;
    trader.strike({ name: 'slow-answer' });
    await expect(trader.place(SELL)).rejects.toBeInstanceOf(ccxt.RequestTimeout);
  });
});
