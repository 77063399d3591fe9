/** Nothing appears and nothing is lost: whatever happens at the stand-in, each coin adds up exactly. */
import { describe, expect, it } from 'vitest';
import { ZERO, add, negate, parseFixed, subtract, type Fixed } from '../../contract/money.ts';
import { drawFaults } from '../support/exchange/fault-plan.ts';
import { FAULT_NAMES } from '../support/exchange/faults.ts';
import type { Journal } from '../support/exchange/journal.ts';
import { DIALECTS } from '../support/exchange/ccxt-trader.ts';
import type { OrderIntent } from '../support/exchange/orders.ts';
import { StandIn } from '../support/exchange/stand-in.ts';
import fc from '../support/property.ts';

type Deed =
  | {
      do: 'place';
      intent: Pick<OrderIntent, 'side' | 'type' | 'timeInForce'>;
      size: number;
      off: number;
    }
  | { do: 'cancel'; pick: number }
  | { do: 'price'; percent: number }
  | { do: 'path' }
  | { do: 'wait'; ms: number }
  | { do: 'deposit' | 'withdraw'; coin: number; size: number };

const deeds: fc.Arbitrary<Deed> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('place' as const),
      intent: fc.record({
        side: fc.constantFrom('buy' as const, 'sell' as const),
        type: fc.constantFrom('market', 'limit', 'stop', 'stop-limit'),
        timeInForce: fc.constantFrom('gtc', 'ioc', 'fok'),
      }) as fc.Arbitrary<Pick<OrderIntent, 'side' | 'type' | 'timeInForce'>>,
      size: fc.integer({ min: 1, max: 60 }),
      off: fc.integer({ min: -8, max: 8 }),
    }),
  },
  fc.record({ do: fc.constant('cancel' as const), pick: fc.nat(30) }),
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('price' as const),
      percent: fc.integer({ min: -9, max: 9 }),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('path' as const) }) },
  fc.record({ do: fc.constant('wait' as const), ms: fc.integer({ min: 1, max: 90_000 }) }),
  fc.record({
    do: fc.constantFrom('deposit' as const, 'withdraw' as const),
    coin: fc.nat(2),
    size: fc.integer({ min: 1, max: 100 }),
  }),
);

/** Deposits, fills, fees and withdrawals of each coin, added up from the fills and not from the movements. */
function expected(journal: Journal, account: string): Map<string, Fixed> {
  const totals = new Map<string, Fixed>();
  const book = (coin: string, amount: Fixed): void => {
    totals.set(coin, add(totals.get(coin) ?? ZERO, amount));
  };
  for (const one of journal.of('movement'))
    if (one.account === account && (one.cause === 'deposit' || one.cause === 'withdrawal'))
      book(one.coin, one.amount);
  for (const fill of journal.fillsOf({ account })) {
    const [base = '', quote = ''] = fill.symbol.split('/');
    const sign = fill.side === 'buy' ? (one: Fixed): Fixed => one : negate;
    book(base, sign(fill.quantity));
    book(quote, negate(sign(fill.cost)));
    book(fill.feeCoin, negate(fill.fee));
  }
  return totals;
}

const nonZero = (map: Map<string, Fixed>): Record<string, Fixed> =>
  Object.fromEntries([...map].filter(([, amount]) => amount !== ZERO));

const UNIT_SIZE = parseFixed('0.00041234');

async function carryOut(
  standIn: StandIn,
  symbol: string,
  deed: Deed,
  number: number,
): Promise<void> {
  const { core, person, accounts } = standIn;
  const instrument = standIn.instrument(symbol);
  const mid = standIn.prices.mid(symbol);
  const priced = (percent: number): Fixed => {
    const moved = (mid * BigInt(100 + percent)) / 100n;
    return ((moved / instrument.tick) * instrument.tick) as Fixed;
  };
  switch (deed.do) {
    case 'place': {
      const { intent, size, off } = deed;
      const quantity = (UNIT_SIZE * BigInt(size)) as Fixed;
      const isLimit = intent.type === 'limit' || intent.type === 'stop-limit';
      const isStop = intent.type === 'stop' || intent.type === 'stop-limit';
      const placed: OrderIntent = {
        ...intent,
        clientOrderId: number.toString(16).padStart(32, '0'),
        symbol,
        quantity: ((quantity / instrument.step) * instrument.step) as Fixed,
        spend: null,
        limit: isLimit ? priced(off) : null,
        stop: isStop
          ? priced(intent.side === 'sell' ? -Math.abs(off) - 1 : Math.abs(off) + 1)
          : null,
        expiresAtMs: null,
        postOnly: false,
        deadlineMs: null,
        feeCoin: null,
      };
      core.place('main', placed, { by: 'api', request: null, arrivedMs: standIn.clock.now() });
      return;
    }
    case 'cancel': {
      const order = core.ordersOf('main')[deed.pick];
      if (order !== undefined) core.cancel('main', order.id, 'api', 'User requested');
      return;
    }
    case 'price':
      core.setPrice(symbol, priced(deed.percent));
      return;
    case 'path':
      standIn.nextPrice(symbol);
      return;
    case 'wait':
      await standIn.advance(deed.ms);
      return;
    case 'deposit':
    case 'withdraw': {
      const coin = [instrument.base, instrument.quote, 'BNB'][deed.coin] ?? 'BNB';
      const amount = parseFixed('0.01') * BigInt(deed.size);
      if (deed.do === 'deposit') core.transfer('main', coin, amount as Fixed, `in-${number}`);
      else person.withdrawShare('main', coin, (amount > 10n ** 12n ? 10n ** 12n : amount) as Fixed);
      expect(accounts.get('main').free(coin)).toBeGreaterThanOrEqual(0n);
      return;
    }
    default:
      deed satisfies never;
  }
}

function check(standIn: StandIn): void {
  const { journal, accounts, core } = standIn;
  const account = accounts.get('main');
  const truth = nonZero(journal.balancesOf('main'));
  expect(truth).toEqual(nonZero(expected(journal, 'main')));
  expect(truth).toEqual(nonZero(new Map(account.coins.map((coin) => [coin, account.total(coin)]))));
  const holds = new Map<string, Fixed>();
  for (const { state, hold } of core.ordersOf('main'))
    if (state === 'open') holds.set(hold.coin, add(holds.get(hold.coin) ?? ZERO, hold.amount));
  for (const coin of account.coins) {
    expect(account.held(coin)).toBe(holds.get(coin) ?? ZERO);
    expect(subtract(account.total(coin), account.held(coin))).toBeGreaterThanOrEqual(0n);
  }
  for (const order of journal.orders({ account: 'main' })) {
    expect(order.filled).toBeLessThanOrEqual(order.accepted.quantity);
    if (order.end?.end === 'filled') expect(order.filled).toBe(order.accepted.quantity);
  }
}

describe.each(DIALECTS)('%s', (dialect) => {
  it('balances are deposits plus fills less fees and withdrawals, to the last digit', async () => {
    const seen = { fills: 0, coins: new Set<string>(), ends: new Set<string>() };
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 1_000_000 }),
        fc.array(deeds, { minLength: 30, maxLength: 60 }),
        async (seed, list) => {
          const quote = dialect === 'binance' ? 'USDT' : 'USD';
          const symbol = `BTC/${quote}`;
          const balances = { [quote]: '20000', BTC: '0.4', BNB: '0.02' };
          const standIn = new StandIn({
            dialect,
            seed,
            accounts: [{ name: 'main', balances }],
            faults: drawFaults({
              seed,
              dialect,
              count: 12,
              symbols: [symbol],
              from: FAULT_NAMES.filter((name) => name !== 'step-change'),
            }).map((fault, index) => ({ ...fault, when: { afterMs: index * 3_000 } })),
          });
          for (const [index, deed] of list.entries()) {
            await carryOut(standIn, symbol, deed, index);
            check(standIn);
          }
          await standIn.advance(3_600_000);
          check(standIn);
          for (const { feeCoin } of standIn.journal.fillsOf()) {
            seen.fills += 1;
            seen.coins.add(feeCoin);
          }
          for (const { end } of standIn.journal.of('ended')) seen.ends.add(end);
          await standIn.close();
        },
      ),
      { numRuns: 60 },
    );
    // It was put to the test: many fills, every way an order ends, every coin a fee can be in.
    expect(seen.fills).toBeGreaterThan(200);
    expect(seen.ends).toEqual(new Set(['filled', 'cancelled', 'expired']));
    const coins = { kraken: ['USD', 'BTC'], coinbase: ['USD'], binance: ['USDT', 'BTC', 'BNB'] };
    expect(seen.coins).toEqual(new Set(coins[dialect]));
  });
});
