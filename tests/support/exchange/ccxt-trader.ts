/** One person's trading at a stand-in through ccxt, with each exchange's own parameters where ccxt does not unify them. */
import type { Exchange, Order } from 'ccxt';
import type { AccountOptions } from './accounts.ts';
import { ccxtClient, type ClientOptions } from './ccxt-client.ts';
import type { PlannedFault } from './faults.ts';
import type { DialectName } from './instruments.ts';
import { startStandIn, type Credentials, type StandIn, type StandInOptions } from './stand-in.ts';

export interface Wish {
  id: string;
  side: 'buy' | 'sell';
  type?: 'market' | 'limit' | 'stop';
  quantity: number;
  limit?: number;
  stop?: number;
  symbol?: string;
  params?: Record<string, unknown>;
}

export interface Trader {
  dialect: DialectName;
  standIn: StandIn;
  client: Exchange;
  credentials: Credentials;
  /** BTC against the dialect's usual quote coin. */
  symbol: string;
  quote: string;
  /** With an empty id where ccxt makes none of the answer. */
  place: (wish: Wish) => Promise<Order & { id: string }>;
  /** Another client of the same account, with a key of its own: Kraken counts nonces by key. */
  another: (options?: ClientOptions) => Promise<Exchange>;
  strike: (fault: Omit<PlannedFault, 'when'>) => void;
  close: () => Promise<void>;
}

export const DIALECTS = ['kraken', 'coinbase', 'binance'] as const;

/** A client order id in the product's shape. */
export const clientId = (number: number): string => number.toString(16).padStart(32, '0');

export async function openTrader(
  dialect: DialectName,
  options: Partial<StandInOptions> & { client?: ClientOptions } = {},
): Promise<Trader> {
  const quote = dialect === 'binance' ? 'USDT' : 'USD';
  const main: AccountOptions = {
    name: 'main',
    balances: { [quote]: '10000', BTC: '0.5', BNB: '3' },
  };
  const { client: clientOptions, ...rest } = options;
  const standIn = await startStandIn({ accounts: [main], ...rest, dialect });
  const credentials = standIn.issueKey('main');
  const client = await ccxtClient(standIn, credentials, clientOptions);
  await client.loadMarkets();
  const symbol = `BTC/${quote}`;
  const clients = [client];
  return {
    dialect,
    standIn,
    client,
    credentials,
    symbol,
    quote,
    place: async (wish) => {
      const order = await placeWith(client, dialect, { symbol, ...wish });
      return { ...order, id: order.id ?? '' };
    },
    another: async (own) => {
      const other = await ccxtClient(standIn, standIn.issueKey('main'), own);
      clients.push(other);
      return other;
    },
    strike: (fault) => {
      standIn.faults.strike(fault);
    },
    close: async () => {
      await Promise.all(clients.map((one) => one.close()));
      await standIn.close();
    },
  };
}

/** Coinbase has stop-limit orders only; the limit is well below the stop, so that it fills. */
const STOP_SLACK = 0.95;

export async function placeWith(
  client: Exchange,
  dialect: DialectName,
  wish: Wish & { symbol: string },
): Promise<Order> {
  const { symbol, side, type = 'market', quantity, stop } = wish;
  const named = dialect === 'coinbase' ? 'client_order_id' : 'clientOrderId';
  const params = {
    [named]: wish.id,
    ...(stop === undefined ? {} : { stopLossPrice: stop }),
    ...wish.params,
  };
  let { limit } = wish;
  if (dialect === 'coinbase' && stop !== undefined) limit ??= stop * STOP_SLACK;
  const isLimit = type === 'limit' || limit !== undefined;
  if (dialect === 'coinbase' && !isLimit && side === 'buy')
    return client.createOrder(symbol, 'market', side, quantity * 64_000, undefined, {
      ...params,
      createMarketBuyOrderRequiresPrice: false,
    });
  return client.createOrder(symbol, isLimit ? 'limit' : 'market', side, quantity, limit, params);
}
