/** What becomes of one agent's decided trades within its account's limits, without a database. */
import { describe, expect, it } from 'vitest';
import { divide, multiply, parseFixed, ZERO, type Fixed } from '../../../contract/money.ts';
import type { PairRules } from '../../../contract/venue.ts';
import { readMemory } from '../../../engine/execution/agent-memory.ts';
import type { AgentOutcome, TradeDraft } from '../../../engine/execution/agent-types.ts';
import type { ConnectionRow } from '../../../server/live/live-accounts.ts';
import {
  LiveAccountState,
  toLiveTrades,
  type EntryTerms,
} from '../../../server/live/live-batch.ts';
import type { LivePort } from '../../../server/live/live-deps.ts';

const money = parseFixed;
const rulesOf = (symbol: string): PairRules => ({
  symbol,
  quantityStep: money('0.0001'),
  priceTick: money('0.01'),
  minQuantity: money('0.0001'),
  minNotional: money('5'),
  status: 'trading',
});
const port: LivePort = {
  rules: (_exchange, symbol) => rulesOf(symbol),
  entriesOff: () => null,
  isCompared: () => true,
  ended: () => undefined,
  poke: () => undefined,
};

interface Account {
  cash: string;
  exposure: string;
  ordersThisHour: number;
  maxOrder: string;
}

function accountOf(given: Partial<Account> = {}, terms: Partial<ConnectionRow> = {}) {
  const { cash, exposure, ordersThisHour, maxOrder } = {
    ...{ cash: '100000', exposure: '0', ordersThisHour: 0, maxOrder: '1000' },
    ...given,
  };
  const connection = {
    id: 'c1',
    exchange: 'kraken',
    state: 'open',
    entriesOffSince: null,
    keyFaults: [],
    maxOrder,
    maxExposure: '50000',
    maxDailyLoss: '500',
    maxOrdersPerHour: 30,
    ...terms,
  } as unknown as ConnectionRow;
  const none = new Set<string>();
  return new LiveAccountState(
    ...([connection, money(cash), ZERO, ZERO, ZERO, money(exposure)] as const),
    ...([ordersThisHour, ZERO, false, none] as const),
  );
}

const ASK = money('100');

/** A purchase for so much money at the ask, on top of so much of the pair. */
function purchase(pair: string, amount: string, before: Fixed = ZERO): TradeDraft {
  const quantity = divide(money(amount), ASK, 'down');
  return {
    fill: {
      ...{ pair, side: 'buy', wanted: quantity, quantity, price: ASK, notional: money(amount) },
      ...{ fee: ZERO, feeBps: ZERO, slippageBps: ZERO, quoteBid: ASK, quoteAsk: ASK },
      ...{ ruleVersion: 1, realized: null, costBasis: null, reason: 'entered', filledAt: 0 },
    },
    after: { pair, quantity: (before + quantity) as Fixed, cost: money(amount), stopPrice: null },
  };
}

function decided(trades: readonly TradeDraft[]): AgentOutcome {
  const decisions = trades.map(({ fill: { pair, side } }) => ({
    ...{ pair, action: side === 'buy' ? ('enter' as const) : ('exit' as const), reason: 'x' },
    ...{ strength: 1, threshold: 0.5, text: side === 'buy' ? 'Bought 1 X: x.' : 'Sold: x.' },
  }));
  return { decisions, trades: [...trades], memory: {}, hold: null };
}

/** A sale of all that is held of a pair. */
function sale(pair: string, amount: string): TradeDraft {
  const { fill } = purchase(pair, amount);
  return {
    fill: { ...fill, side: 'sell', reason: 'signal_left' },
    after: { pair, quantity: ZERO, cost: ZERO, stopPrice: null },
  };
}

const PAIRS = ['A', 'B', 'C', 'D', 'E', 'F', 'G', 'H'].map((base) => `${base}/USD`);
const TERMS: EntryTerms = {
  memory: {},
  tradingFrequency: 'monthly',
  maxTradeAmount: money('1000000'),
  maxPositionSize: money('1000000'),
};

function trade(
  state: LiveAccountState,
  trades: readonly TradeDraft[],
  terms: Partial<EntryTerms> = {},
) {
  const { outcome, live } = toLiveTrades(state, port, decided(trades), { ...TERMS, ...terms });
  return {
    bought: live.entries.map(({ trade: { fill }, planned }) => [fill.pair, planned.quantity]),
    texts: outcome.decisions.map(({ action, text }) => `${action}: ${text}`),
    owed: readMemory(outcome.memory).owed,
  };
}

it('places no more purchases at one close than orders are left in the hour', () => {
  const state = accountOf({ ordersThisHour: 2 }, { maxOrdersPerHour: 3 });
  const made = trade(
    state,
    PAIRS.map((pair) => purchase(pair, '100')),
  );
  expect(made.bought.map(([pair]) => pair)).toEqual(['A/USD']);
  expect(made.texts[0]).toBe('enter: Ordered 1 X: x.');
  expect(new Set(made.texts.slice(1))).toEqual(
    new Set([
      'skip: No order: this exchange account has placed as many orders this hour as you allow.',
    ]),
  );
  // The hour passes, and with it why they were not bought.
  expect(made.owed).toEqual(PAIRS.slice(1));
});

describe('a purchase whose cash is not there yet', () => {
  const rotation = [sale('A/USD', '100'), purchase('B/USD', '100')];

  it.each([
    ['cash', { cash: '1' }, 'too little cash is free in this exchange account.'],
    ['room', { exposure: '50000' }, 'the most you allow in the market is used up.'],
  ])('is owed to a pair that rotates, for want of %s', (_, given, why) => {
    const made = trade(accountOf(given), rotation);
    expect(made.bought).toEqual([]);
    expect(made.texts).toEqual([
      'exit: To be sold: x.',
      `skip: No order: ${why} It is decided again when the orders under way have ended.`,
    ]);
    expect(made.owed).toEqual(['B/USD']);
  });

  it('is owed the rest of it where it was cut', () => {
    const made = trade(accountOf({ cash: '50' }), rotation);
    expect(made.bought).toEqual([['B/USD', money('0.4843')]]);
    expect(made.owed).toEqual(['B/USD']);
  });

  it('is owed nothing where every evaluation rebalances', () => {
    expect(trade(accountOf({ cash: '1' }), rotation, { tradingFrequency: 'high' }).owed).toEqual(
      [],
    );
  });

  it('is decided where nothing of the account is under way', () => {
    const made = trade(accountOf({ cash: '1' }), [purchase('B/USD', '100')]);
    expect(made.texts).toEqual([
      'skip: No order: too little cash is free in this exchange account.',
    ]);
    expect(made.owed).toEqual([]);
  });
});

describe("a person's own maximum", () => {
  /** What it may cost where the market moves by all that the signer lets pass. */
  const worst = (quantity: unknown) => multiply(quantity as Fixed, money('102'), 'up');
  const most = money('100');

  it('per order is not exceeded at the worst price either', () => {
    const made = trade(accountOf(), [purchase('A/USD', '100')], { maxTradeAmount: most });
    expect(made.bought).toEqual([['A/USD', money('0.9803')]]);
    expect(worst(made.bought[0]?.[1])).toBeLessThanOrEqual(most);
  });

  it('per position counts what is held', () => {
    const terms = { maxPositionSize: most };
    const made = trade(accountOf(), [purchase('A/USD', '40', money('0.6'))], terms);
    expect(made.bought).toEqual([['A/USD', money('0.3921')]]);
    expect(worst(made.bought[0]?.[1])).toBeLessThanOrEqual(money('40'));
  });

  it('is named where it leaves too little for an order', () => {
    const made = trade(accountOf(), [purchase('A/USD', '5')], { maxTradeAmount: money('5') });
    expect(made.texts).toEqual([
      'skip: No order: your own maximum per order or position leaves too little.',
    ]);
    expect(made.owed).toEqual([]);
  });
});
