/** Looking for an order claims no list that was not read, at any exchange: absence is believed on it. */
import { describe, expect, it } from 'vitest';
import type { LiveExchange, OrderRef } from '../../../contract/signer.ts';
import type { Searched } from '../../../contract/venue.ts';
import { openAdapter, ORDER_ID, type Said } from '../../support/signer/adapter-world.ts';
import type { Answer, Asked } from '../../support/signer/answer-server.ts';
import { failed, krakenAnswers, ok } from '../../support/signer/kraken-answers.ts';

type List = keyof Searched;
interface Exchange {
  /** Nothing is known of any order. */
  said: Said;
  /** Which list a request reads. */
  lists: (asked: Asked) => List[];
}

const every = (answer: (asked: Asked) => Answer): Said => new Proxy({}, { get: () => answer });
/** Answers by path; the time for all else. */
const answering = (answers: Record<string, Answer>, time: object): Said =>
  every(({ method, path }) => answers[`${method} ${path}`] ?? { body: time });

const V3 = '/api/v3/brokerage';
const BINANCE = '/api/v3';
const KRAKEN_LISTS: Record<string, List[]> = {
  OpenOrders: ['open'],
  ClosedOrders: ['closed'],
  TradesHistory: ['trades'],
};

const EXCHANGES: Record<LiveExchange, Exchange> = {
  kraken: {
    said: every((asked) => {
      const answer = krakenAnswers({
        QueryOrders: () => failed('EOrder:Unknown order'),
        TradesHistory: () => ok({ trades: {}, count: 0 }),
      })(asked);
      if (answer === 'drop') throw new Error('it drops nothing');
      return answer;
    }),
    lists: ({ path: at, params }) => [
      ...(KRAKEN_LISTS[at.split('/').at(-1) ?? ''] ?? []),
      ...(params.cl_ord_id === undefined ? [] : (['byClientId'] as const)),
    ],
  },
  coinbase: {
    said: answering(
      {
        [`GET ${V3}/orders/historical/batch`]: { body: { orders: [], has_next: false } },
        [`GET ${V3}/orders/historical/fills`]: { body: { fills: [], cursor: '' } },
        [`GET ${V3}/orders/historical/o-1`]: {
          status: 404,
          body: { error: 'NOT_FOUND', message: 'no such order' },
        },
      },
      { epochMillis: '1767261600000' },
    ),
    // Without a question by our id, the list of all stands for it.
    lists: ({ path: at, params }) => {
      if (at.endsWith('/historical/fills')) return ['trades'];
      if (!at.endsWith('/historical/batch')) return [];
      return params.order_status === '["OPEN"]' || params.order_status === 'OPEN'
        ? ['open']
        : ['closed', 'byClientId'];
    },
  },
  binance: {
    said: answering(
      {
        [`GET ${BINANCE}/exchangeInfo`]: {
          body: {
            symbols: [
              {
                symbol: 'SOLUSDT',
                status: 'TRADING',
                baseAsset: 'SOL',
                quoteAsset: 'USDT',
                isSpotTradingAllowed: true,
                filters: [
                  { filterType: 'PRICE_FILTER', tickSize: '0.01' },
                  { filterType: 'LOT_SIZE', minQty: '0.001', stepSize: '0.001' },
                  { filterType: 'NOTIONAL', minNotional: '5' },
                ],
              },
            ],
          },
        },
        [`GET ${BINANCE}/order`]: {
          status: 400,
          body: { code: -2013, msg: 'Order does not exist.' },
        },
        [`GET ${BINANCE}/openOrders`]: { body: [] },
        [`GET ${BINANCE}/allOrders`]: { body: [] },
        [`GET ${BINANCE}/myTrades`]: { body: [] },
      },
      { serverTime: 1767261600000 },
    ),
    lists: ({ path: at, params }) => {
      if (at.endsWith('/openOrders')) return ['open'];
      if (at.endsWith('/allOrders')) return ['closed'];
      if (at.endsWith('/myTrades')) return ['trades'];
      return params.origClientOrderId === undefined ? [] : ['byClientId'];
    },
  },
};

const THEIR_ID: Record<LiveExchange, string> = {
  kraken: 'OQCLML-BW3P3-BUCMWZ',
  coinbase: 'o-1',
  binance: 'SOLUSDT-17',
};

async function lookedFor(exchange: LiveExchange, more: Partial<OrderRef>) {
  const { said, lists } = EXCHANGES[exchange];
  const { adapter, asked, ref } = await openAdapter(exchange, said);
  const found = await adapter.lookUp(ref(more));
  return { found, read: new Set(asked.flatMap(lists)), asked };
}

describe.each(['kraken', 'coinbase', 'binance'] as const)(
  'an order looked for at %s',
  (exchange) => {
    it('by our id is claimed to be in no list after all lists were read', async () => {
      const { found, read } = await lookedFor(exchange, { clientOrderId: ORDER_ID });
      expect(found).toEqual({
        kind: 'not_found',
        searched: { byClientId: true, open: true, closed: true, trades: true },
      });
      expect([...read].toSorted()).toEqual(['byClientId', 'closed', 'open', 'trades']);
    });

    it.each([ORDER_ID, null])(
      'by the id of the exchange, and ours %s, claims the lists that were read and no other',
      async (clientOrderId) => {
        const ids = { clientOrderId, exchangeOrderId: THEIR_ID[exchange] };
        const { found, read } = await lookedFor(exchange, ids);
        expect(found).toEqual({
          kind: 'not_found',
          searched: {
            byClientId: false,
            open: read.has('open'),
            closed: read.has('closed'),
            trades: read.has('trades'),
          },
        });
      },
    );

    it('without any id is asked for nowhere, and claims nothing', async () => {
      const { found, asked } = await lookedFor(exchange, {
        clientOrderId: null,
        exchangeOrderId: null,
      });
      expect(found).toEqual({
        kind: 'not_found',
        searched: { byClientId: false, open: false, closed: false, trades: false },
      });
      expect(asked.filter(({ path: at }) => /order|trade|fill/i.test(at))).toEqual([]);
    });
  },
);
