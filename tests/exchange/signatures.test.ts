/** The stand-in really checks who asks: signatures, nonces, timestamps and what a token is for. */
import type { Exchange } from 'ccxt';
import ccxt from 'ccxt';
import { createHmac } from 'node:crypto';
import { afterEach, describe, expect, it } from 'vitest';
import { ccxtClient } from '../support/exchange/ccxt-client.ts';
import { DIALECTS, clientId, openTrader, type Trader } from '../support/exchange/ccxt-trader.ts';

let trader: Trader | null = null;
afterEach(async () => {
  await trader?.close();
  trader = null;
});

const SELL = { id: clientId(1), side: 'sell', quantity: 0.01 } as const;

async function errorOf(call: Promise<unknown>): Promise<Error> {
  try {
    await call;
  } catch (error) {
    if (error instanceof Error) return error;
  }
  throw new Error('It was expected to fail');
}

describe.each(DIALECTS)('%s', (dialect) => {
  it('refuses a request signed with another secret', async () => {
    trader = await openTrader(dialect);
    const { client, standIn } = trader;
    client.secret = standIn.issueKey('main').secret;
    expect(await errorOf(trader.place(SELL))).toBeInstanceOf(ccxt.BaseError);
    expect(standIn.journal.of('accepted')).toEqual([]);
    expect(standIn.journal.of('rejected')).toEqual([]);
  });

  it('refuses a request that was changed on the way', async () => {
    trader = await openTrader(dialect);
    const { client, standIn, symbol } = trader;
    const sign = client.sign.bind(client);
    client.sign = (...args: Parameters<Exchange['sign']>) => {
      const signed = sign(...args) as { url: string; body?: string };
      // Coinbase signs the address alone; the others sign what is asked as well.
      if (dialect === 'coinbase') signed.url = `${standIn.url}/api/v3/brokerage/accounts`;
      else if (signed.body === undefined) signed.url += '&limit=1';
      else signed.body += '&x=1';
      return signed;
    };
    expect(await errorOf(client.fetchOpenOrders(symbol))).toBeInstanceOf(ccxt.BaseError);
    expect(standIn.journal.of('answer').at(-1)?.body).toMatch(
      /Invalid signature|Unauthorized|-1022/,
    );
  });

  it('knows no key that it did not issue', async () => {
    trader = await openTrader(dialect);
    const { client, symbol } = trader;
    client.apiKey = dialect === 'coinbase' ? 'organizations/a/apiKeys/b' : 'unknown';
    expect(await errorOf(client.fetchOpenOrders(symbol))).toBeInstanceOf(ccxt.AuthenticationError);
  });
});

describe('kraken', () => {
  it('takes each nonce once, and only greater ones', async () => {
    trader = await openTrader('kraken');
    const { client, symbol } = trader;
    let nonce = 5_000_000_000_000;
    client.nonce = () => nonce;
    await client.fetchOpenOrders(symbol);
    expect(await errorOf(client.fetchOpenOrders(symbol))).toBeInstanceOf(ccxt.InvalidNonce);
    nonce -= 1;
    expect(await errorOf(client.fetchOpenOrders(symbol))).toBeInstanceOf(ccxt.InvalidNonce);
    nonce += 2;
    expect(await client.fetchOpenOrders(symbol)).toEqual([]);
  });
});

describe('binance', () => {
  it.each([
    ['1 s ahead', 1_000, '1000ms ahead'],
    ['older than recvWindow', -10_001, 'outside of the recvWindow'],
  ])('refuses a timestamp that is %s (-1021)', async (_what, offMs, words) => {
    trader = await openTrader('binance');
    const { client, standIn, symbol } = trader;
    client.nonce = () => standIn.clock.trueNow() + offMs;
    const error = await errorOf(client.fetchOpenOrders(symbol));
    expect(error).toBeInstanceOf(ccxt.InvalidNonce);
    expect(error.message).toContain(words);
  });

  it('takes no recvWindow over a minute', async () => {
    trader = await openTrader('binance');
    const { client, symbol } = trader;
    const params = { recvWindow: 60_001 };
    const error = await errorOf(client.fetchOpenOrders(symbol, undefined, undefined, params));
    expect(error.message).toContain('-1131');
  });
});

describe('coinbase', () => {
  it('takes a token for the address it was made for, and no other', async () => {
    trader = await openTrader('coinbase');
    const { client, standIn } = trader;
    const path = '/api/v3/brokerage/accounts';
    const seconds = Math.floor(standIn.clock.trueNow() / 1_000);
    const token =
      (client as unknown as Record<string, (...args: unknown[]) => string>).createAuthToken?.(
        seconds,
        'GET',
        `${standIn.url}${path}`,
      ) ?? '';
    const ask = (where: string): Promise<Response> =>
      fetch(`${standIn.url}${where}`, { headers: { authorization: `Bearer ${token}` } });
    expect((await ask(path)).status).toBe(200);
    expect((await ask('/api/v3/brokerage/key_permissions')).status).toBe(401);
  });

  it('takes no token after its two minutes', async () => {
    trader = await openTrader('coinbase');
    const { client, standIn, symbol } = trader;
    client.seconds = () => Math.floor(standIn.clock.trueNow() / 1_000) - 130;
    expect(await errorOf(client.fetchOpenOrders(symbol))).toBeInstanceOf(ccxt.AuthenticationError);
  });

  it('takes the older HMAC headers too', async () => {
    trader = await openTrader('coinbase');
    const { standIn } = trader;
    const key = standIn.accounts.issueKey('main');
    const ask = async (secret: string): Promise<number> => {
      const path = '/api/v3/brokerage/accounts';
      const timestamp = String(Math.floor(standIn.clock.trueNow() / 1_000));
      const sign = createHmac('sha256', secret).update(`${timestamp}GET${path}`).digest('hex');
      const headers = {
        'cb-access-key': key.apiKey,
        'cb-access-sign': sign,
        'cb-access-timestamp': timestamp,
      };
      return (await fetch(`${standIn.url}${path}`, { headers })).status;
    };
    expect(await ask(key.secret)).toBe(200);
    expect(await ask('another')).toBe(401);
  });

  it("gives a key the orders of its own portfolio only, and takes no other's name", async () => {
    trader = await openTrader('coinbase');
    const { standIn } = trader;
    const other = standIn.accounts.open({ name: 'other', balances: { BTC: '1' } });
    const params = { retail_portfolio_id: other.subAccountId };
    const error = await errorOf(trader.place({ ...SELL, params }));
    expect(error).toBeInstanceOf(ccxt.PermissionDenied);
    const stranger = await ccxtClient(standIn, standIn.issueKey('other'));
    expect(await stranger.fetchOpenOrders()).toEqual([]);
  });
});
