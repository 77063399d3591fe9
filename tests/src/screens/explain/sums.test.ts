/**
 * Every figure that opens: whatever the account, the rows add up to their total to the last digit,
 * all the way down.
 */
import fc from '../../../support/property.ts';
import { describe, expect, it } from 'vitest';
import { formatFixed, parseFixed, subtract, sum, type Fixed } from '../../../../contract/money.ts';
import {
  VENUE_RULES,
  type Analytics,
  type Fill,
  type Portfolio,
} from '../../../../contract/trading.ts';
import { OLDER, ofDay } from '../../../../src/screens/explain/account-sums.ts';
import { explain, type Ask } from '../../../../src/screens/explain/explain-figure.ts';
import { equation, sumOf, type Explanation } from '../../../../src/screens/explain/equation.ts';
import { heatWeeks } from '../../../../src/screens/analytics/heat-weeks.ts';
import {
  compared,
  deepestFall,
  sortCompared,
} from '../../../../src/screens/performance/compare-agents.ts';
import { allocationOf } from '../../../../src/screens/portfolio/Allocation.tsx';
import { filterFills, EVERY_TRADE } from '../../../../src/screens/portfolio/trade-filter.ts';
import { moneyOf } from '../../../../src/stores/agent-money.ts';

const DAY = 86_400_000;
const T0 = Date.UTC(2026, 0, 5);
const money = fc
  .bigInt({ min: -(10n ** 18n), max: 10n ** 18n })
  .map((units) => formatFixed(units as Fixed));
const paid = fc.bigInt({ min: 1n, max: 10n ** 17n }).map((units) => formatFixed(units as Fixed));
const minus = (a: string, b: string): string => formatFixed(subtract(parseFixed(a), parseFixed(b)));

interface Made {
  portfolio: Portfolio;
  fills: Fill[];
  analytics: Analytics;
}

/**
 * A consistent account: sells with their parts, positions with their marks, and sums made of them.
 */
const account: fc.Arbitrary<Made> = fc
  .record({
    sells: fc.array(
      fc.record({
        agent: fc.integer({ min: 0, max: 2 }),
        pair: fc.constantFrom('BTC/USDT', 'ETH/USDT'),
        notional: paid,
        fee: paid,
        cost: paid,
        at: fc.integer({ min: 1, max: 3 * DAY }),
      }),
      { maxLength: 12 },
    ),
    held: fc.array(
      fc.record({ agent: fc.integer({ min: 0, max: 2 }), value: fc.option(paid), cost: paid }),
      { maxLength: 5 },
    ),
    cash: paid,
    opening: money,
    missing: fc.integer({ min: 0, max: 3 }),
  })
  .map(({ sells, held, cash, opening, missing }) => {
    const fills = sells
      .map((sell, index): Fill => ({
        id: `f${index}`,
        orderId: 'o',
        agentId: `a${sell.agent}`,
        agentName: `Agent ${sell.agent}`,
        pair: sell.pair,
        side: 'sell',
        quantity: '1',
        price: sell.notional,
        notional: sell.notional,
        fee: sell.fee,
        feeBps: '10',
        slippageBps: '1',
        costBasis: sell.cost,
        realized: minus(minus(sell.notional, sell.fee), sell.cost),
        reason: 'signal',
        decidedAt: T0 + sell.at,
        filledAt: T0 + sell.at,
        tickId: 't',
      }))
      .sort((a, b) => b.filledAt - a.filledAt);
    const positions = held.map((one, index): Portfolio['positions'][number] => ({
      id: `p${index}`,
      agentId: `a${one.agent}`,
      agentName: `Agent ${one.agent}`,
      pair: index % 2 === 0 ? 'BTC/USDT' : 'ETH/USDT',
      quantity: '1',
      averageCost: one.cost,
      cost: one.cost,
      price: one.value,
      priceAt: T0,
      value: one.value,
      unrealized: one.value === null ? null : minus(one.value, one.cost),
      stopPrice: null,
      openedAt: T0,
    }));
    const results = [0, 1, 2].map((index) => ({
      agentId: `a${index}`,
      agentName: `Agent ${index}`,
      pairs: ['BTC/USDT', 'ETH/USDT'].map((pair) => {
        const mine = fills.filter((fill) => fill.agentId === `a${index}` && fill.pair === pair);
        return {
          pair,
          trades: mine.length,
          sells: mine.length,
          realized: sumOf(mine.map((fill) => fill.realized)),
          fees: sumOf(mine.map((fill) => fill.fee)),
        };
      }),
    }));
    const realized = sumOf(fills.map((fill) => fill.realized));
    const unrealized = sumOf(positions.map((one) => one.unrealized));
    const positionsValue = sumOf(positions.map((one) => one.value ?? one.cost));
    const equity = sumOf([cash, positionsValue]);
    const today = {
      start: T0 + 2 * DAY,
      opening,
      closing: equity,
      realized: '1.5',
      unrealizedChange: minus(minus(equity, opening), '1.5'),
      fees: '0.1',
      trades: 1,
    };
    const first = {
      start: T0 + DAY,
      opening: '10000',
      closing: opening,
      realized: '0',
      unrealizedChange: minus(opening, '10000'),
      fees: '0',
      trades: 0,
    };
    const group = (of: (row: { agentId: string; pair: string }) => boolean) => ({
      trades: fills.filter(of).length,
      realized: sumOf(fills.filter(of).map((fill) => fill.realized)),
      unrealized: sumOf(positions.filter(of).map((one) => one.unrealized)),
      fees: sumOf(fills.filter(of).map((fill) => fill.fee)),
    });
    return {
      fills: fills.slice(0, Math.max(0, fills.length - missing)),
      portfolio: {
        accountId: 'a',
        book: 1,
        paper: true,
        sourceId: 's',
        quote: 'USDT',
        sequence: 1,
        asOf: T0 + 3 * DAY,
        servedAt: T0,
        cash,
        positionsValue,
        equity,
        deposits: minus(minus(equity, realized), unrealized),
        realized,
        unrealized,
        fees: sumOf(fills.map((fill) => fill.fee)),
        dayChange: minus(equity, opening),
        dayChangePercent: 1,
        today,
        unpriced: [],
        positions,
        results,
        equityCurve: [
          [T0, '10000'],
          [T0 + DAY - 1, opening],
          [T0 + 2 * DAY, '9000'],
        ],
      },
      analytics: {
        quote: 'USDT',
        asOf: T0,
        trades: fills.length,
        days: 2,
        equity: [],
        daily: [first, today],
        metrics: {
          totalReturn: null,
          cagr: null,
          volatility: null,
          maxDrawdown: null,
          sharpe: null,
          sortino: null,
          calmar: null,
          profitFactor: null,
          winRate: null,
          expectancy: null,
          exposure: null,
          turnover: null,
        },
        perAgent: results.map(({ agentId, agentName }) => ({
          agentId,
          agentName,
          ...group((row) => row.agentId === agentId),
        })),
        perPair: ['BTC/USDT', 'ETH/USDT'].map((pair) => ({
          pair,
          ...group((row) => row.pair === pair),
        })),
        perHour: [...new Set(fills.map((fill) => new Date(fill.filledAt).getUTCHours()))].map(
          (hour) => {
            const mine = fills.filter((fill) => new Date(fill.filledAt).getUTCHours() === hour);
            return {
              hour,
              sells: mine.length,
              wins: 0,
              realized: sumOf(mine.map((fill) => fill.realized)),
            };
          },
        ),
      },
    };
  });

/** Follows every row, and answers the labels of rows that stand for what is not explained. */
function walk(explanation: Explanation): string[] {
  return explanation.equations.flatMap((one) => {
    expect(sumOf(one.rows.map(({ value }) => value))).toBe(one.total.value);
    return one.rows.flatMap((row) => {
      const inside = row.open?.();
      // What a row opens into ends in the row's own value.
      if (inside !== undefined && inside.equations.length > 0)
        expect(inside.equations.map(({ total }) => total.value)).toContain(row.value);
      return [
        ...(row.key === 'rest' ? [row.label] : []),
        ...(inside === undefined ? [] : walk(inside)),
      ];
    });
  });
}

describe('a figure that opens', () => {
  it('adds up to the last digit for every account, on every level; only trades that were not read are left over', () => {
    fc.assert(
      fc.property(account, ({ portfolio, fills, analytics }) => {
        const agents = ['a0', 'a1', 'a2']
          .map((id) => ({
            id,
            name: id,
            realized: sumOf(
              portfolio.results
                ?.find(({ agentId }) => agentId === id)
                ?.pairs.map((pair) => pair.realized) ?? [],
            ),
            unrealized: sumOf(
              portfolio.positions
                .filter(({ agentId }) => agentId === id)
                .map((one) => one.unrealized),
            ),
          }))
          .map((agent) => ({ ...agent, total: sumOf([agent.realized, agent.unrealized]) }));
        const asks: Ask[] = [
          ...(
            [
              'equity',
              'today',
              'result',
              'realized',
              'unrealized',
              'fees',
              'agents',
              'agents-realized',
              'agents-unrealized',
              'drawdown',
              'days',
              'by-agent',
              'by-pair',
              'by-hour',
            ] as const
          ).map((of) => ({ of })),
          ...agents.map((agent): Ask => ({
            of: 'agent',
            id: agent.id,
            name: agent.name,
            shown: agent.total,
          })),
          ...portfolio.positions.map(({ id }): Ask => ({ of: 'position', id })),
          ...fills.map((fill): Ask => ({ of: 'sale', fill, quote: 'USDT' })),
          { of: 'held', title: 'BTC', ids: portfolio.positions.map(({ id }) => id) },
          { of: 'since', marketAt: T0 + DAY },
          { of: 'agents', ids: ['a1'] },
          { of: 'day', start: T0 + DAY },
          { of: 'pair', pair: 'BTC/USDT' },
        ];
        for (const ask of asks)
          for (const rest of walk(explain(ask, { portfolio, fills, analytics, agents })))
            expect(rest).toBe('older trades not loaded');
        expect(
          explain({ of: 'today' }, { portfolio, fills, analytics, agents }).equations[0]?.total
            .value,
        ).toBe(portfolio.dayChange);
      }),
      { numRuns: 120 },
    );
  });

  it('of a closed account claims no price at which its positions were valued', () => {
    fc.assert(
      fc.property(account, ({ portfolio, fills }) => {
        const pairs = [...new Set(portfolio.positions.map(({ pair }) => pair))];
        const book = {
          fills,
          portfolio: {
            ...portfolio,
            unpriced: pairs,
            positions: portfolio.positions.map((one) => ({ ...one, value: null, price: null })),
            books: [{ book: 1, openedAt: T0, closedAt: T0 + DAY, equity: portfolio.equity }],
          },
        };
        for (const of of ['equity', 'unrealized'] as const) {
          const found = explain({ of, book }, { portfolio, fills, analytics: null, agents: [] });
          expect(found.words).toBe('Valued as a whole when the account closed.');
          walk(found);
        }
      }),
      { numRuns: 30 },
    );
  });

  it('tells of a sale at an exchange that it is of real money, and no quote that nobody knows', () => {
    const paper: Fill = {
      ...{ id: 'f', orderId: 'o', agentId: 'a', agentName: 'Ebb', pair: 'BTC/USD', side: 'sell' },
      ...{ quantity: '1', price: '110', notional: '110', fee: '1', feeBps: '90.9' },
      ...{ slippageBps: '0', quoteBid: '110', quoteAsk: '110', ruleVersion: 1 },
      ...{ realized: '9', costBasis: '100', reason: 'signal', tickId: 't' },
      decidedAt: T0,
      filledAt: T0,
    };
    const of = (fill: Fill) =>
      explain(
        { of: 'sale', fill, quote: 'USD' },
        { portfolio: null, fills: [], analytics: null, agents: [] },
      );
    const labels = (fill: Fill) => of(fill).facts?.map(({ label }) => label);
    const real = { ...paper, ruleVersion: VENUE_RULES };
    expect(of(paper).isLive).toBe(false);
    expect(labels(paper)).toContain('Slippage from mid price');
    expect(of(real).isLive).toBe(true);
    expect(labels(real)).toEqual(['Fee rate']);
  });

  it('counts what came after the mark before the visit, and says where trades do not reach back to it', () => {
    fc.assert(
      fc.property(account, ({ portfolio, fills, analytics }) => {
        const since = explain(
          { of: 'since', marketAt: T0 + DAY },
          { portfolio, fills, analytics, agents: [] },
        );
        expect(since.equations[0]?.total.value).toBe(
          minus(portfolio.equity, portfolio.equityCurve[1]?.[1] ?? ''),
        );
        const after = fills.filter(({ decidedAt }) => decidedAt > T0 + DAY - 1);
        expect(since.equations[1]?.rows[0]?.value ?? '0').toBe(
          sumOf(after.map(({ realized }) => realized)),
        );
        expect(since.facts?.[0]?.text).toBe(
          `${after.length > 0 && after.length === fills.length ? 'at least ' : ''}${after.length}`,
        );
        expect(
          explain({ of: 'since', marketAt: T0 - 1 }, { portfolio, fills, analytics, agents: [] })
            .equations,
        ).toEqual([]);
      }),
    );
  });

  it('leaves a sale that was decided at a valuation to the time before it, however late it was filled', () => {
    fc.assert(
      fc.property(account, ({ portfolio, fills, analytics }) => {
        const [sale] = fills;
        fc.pre(sale !== undefined);
        const at = T0 + 2 * DAY;
        const late = [{ ...sale, decidedAt: at, filledAt: at + 3_000 }];
        const { today = null } = portfolio;
        const own = { ...portfolio, today: today && { ...today, realized: '0' } };
        const of = (ask: Ask) =>
          explain(ask, { portfolio: own, fills: late, analytics, agents: [] });
        const sales = of({ of: 'today' }).equations[1]?.rows[0]?.open?.();
        expect(sales?.equations.flatMap(({ rows }) => rows)).toEqual([]);
        expect(of({ of: 'since', marketAt: at + 60_000 }).facts?.[0]?.text).toBe('0');
      }),
    );
  });

  it('measures a fall from the highest value there was, also where the curve lacks it', () => {
    fc.assert(
      fc.property(account, money, ({ portfolio, fills, analytics }, peak) => {
        const drawdown = { peak, peakAt: T0, deepest: 0, deepestAt: T0 };
        const of = (own: Partial<Portfolio>) =>
          explain(
            { of: 'drawdown' },
            { portfolio: { ...portfolio, ...own }, fills, analytics, agents: [] },
          );
        expect(of({ drawdown }).equations[0]?.total.value).toBe(minus(portfolio.equity, peak));
        expect(of({})).toMatchObject({ words: 'Available after the next update.', equations: [] });
      }),
    );
  });

  it('says a remainder as a row of its own, and folds what nobody would read', () => {
    fc.assert(
      fc.property(fc.array(money, { maxLength: 90 }), money, (values, total) => {
        const made = equation(
          'x',
          values.map((value, index) => ({ key: String(index), label: 'row', value })),
          { label: 'total', value: total },
        );
        expect(sumOf(made.rows.map(({ value }) => value))).toBe(total);
        expect(made.rows.length).toBeLessThanOrEqual(43);
      }),
    );
  });
});

describe('what stands beside it', () => {
  it('divides the equity into assets and cash that are all of it', () => {
    fc.assert(
      fc.property(account, ({ portfolio }) => {
        expect(
          formatFixed(sum(allocationOf(portfolio).map(({ value }) => parseFixed(value)))),
        ).toBe(portfolio.equity);
      }),
    );
  });

  it('takes an agent’s money from the newer word', () => {
    fc.assert(
      fc.property(account, ({ portfolio }) => {
        const agent = {
          id: 'a0',
          realized: '7',
          unrealized: '1',
          fees: '2',
          total: '8',
        } as Parameters<typeof moneyOf>[0];
        expect(moneyOf(agent, { sequence: 2, asOf: 0 }, { portfolio, account: null })).toBe(agent);
        const told = moneyOf(agent, { sequence: 1, asOf: 0 }, { portfolio, account: null });
        expect(told.total).toBe(sumOf([told.realized, told.unrealized]));
        expect(told.unrealized).toBe(
          sumOf(
            portfolio.positions
              .filter(({ agentId }) => agentId === 'a0')
              .map((one) => one.unrealized),
          ),
        );
      }),
    );
  });

  it('ranks agents, the unknown last either way round', () => {
    const view = (id: string, total: string) => ({
      agent: { id, name: id, total, realized: '0', unrealized: '0', fees: '0' } as Parameters<
        typeof moneyOf
      >[0],
    });
    const rows = compared([view('a', '1'), view('b', '5'), view('c', '3')], {
      series: [
        {
          agentId: 'a',
          points: [
            [1, 4],
            [2, -2],
            [3, 1],
          ],
        },
      ],
      figures: [
        { agentId: 'a', trades: 3, sells: 2, wins: 1, profitFactor: 2, exposure: 0.5 },
        { agentId: 'b', trades: 1, sells: 0, wins: 0, profitFactor: null, exposure: 1 },
      ],
    });
    expect(sortCompared(rows, { key: 'total', down: true }).map(({ agent }) => agent.id)).toEqual([
      'b',
      'c',
      'a',
    ]);
    expect(sortCompared(rows, { key: 'winRate', down: true }).map(({ agent }) => agent.id)[0]).toBe(
      'a',
    );
    expect(
      sortCompared(rows, { key: 'winRate', down: false }).map(({ agent }) => agent.id)[0],
    ).toBe('a');
    expect(rows[0]).toMatchObject({ winRate: 0.5, drawdown: -6, trades: 3 });
    expect(rows[2]).toMatchObject({ trades: 0, winRate: null, exposure: null, drawdown: null });
    expect(
      deepestFall([
        [0, 1],
        [1, 2],
      ]),
    ).toBe(0);
  });

  it('shows in a day every sale since the valuation that it began with, and none of after its last', () => {
    const sale = (id: string, decidedAt: number): Fill => ({
      ...{ id, orderId: 'o', agentId: 'a', agentName: 'Ebb', pair: 'BTC/USDT', side: 'sell' },
      ...{ quantity: '1', price: '50', notional: '50', fee: '0', feeBps: '0', slippageBps: '0' },
      ...{ realized: '-50', costBasis: '100', reason: 'stop_loss', tickId: id },
      ...{ decidedAt, filledAt: decidedAt },
    });
    const HOUR = 3_600_000;
    const day = {
      start: T0,
      opening: '100',
      closing: '50',
      realized: '-50',
      unrealizedChange: '0',
    };
    const salesOf = (valued: { openingAt?: number; closingAt?: number }, fills: Fill[]) =>
      ofDay({ ...day, fees: '0', trades: 1, ...valued }, fills, 'USDT', 'Today')
        .equations[1]?.rows.find(({ key }) => key === 'realized')
        ?.open?.()
        .equations[0]?.rows.map(({ label, key }) => (label === OLDER ? label : key));
    // Missed at 23:00, after the last valuation at 22:00, and booked in the morning.
    const missed = sale('missed', T0 - HOUR);
    expect(salesOf({ openingAt: T0 - 2 * HOUR }, [missed])).toEqual(['missed']);
    expect(salesOf({}, [missed])).toEqual([OLDER]);
    // The day before ends with that valuation: the sale is none of its.
    const late = sale('late', T0 + DAY - HOUR);
    const evening = { openingAt: T0, closingAt: T0 + DAY - 2 * HOUR };
    expect(salesOf(evening, [late, sale('noon', T0 + 12 * HOUR)])).toEqual(['noon']);
  });

  it('does not call a valuation of days ago that of midnight', () => {
    const day = { start: T0, opening: '100', closing: '95', realized: '0', fees: '0', trades: 0 };
    const labelOf = (openingAt?: { openingAt: number }) =>
      ofDay(
        { ...day, unrealizedChange: '-5', ...openingAt },
        [],
        'USDT',
        'Today',
      ).equations[0]?.rows.find(({ key }) => key === 'opening')?.label;
    expect([labelOf(), labelOf({ openingAt: T0 - 60_000 })]).toEqual([
      'At 00:00 UTC',
      'At 00:00 UTC',
    ]);
    expect(labelOf({ openingAt: T0 - 2 * DAY })).toMatch(/^Last valuation before 00:00 UTC, .*\d/);
  });

  it('lays days out as weeks from Monday, a day without a mark among them', () => {
    const day = (offset: number, closing: string) => ({
      start: T0 + offset * DAY,
      opening: '100',
      closing,
      realized: '0',
      unrealizedChange: '0',
      fees: '0',
      trades: 0,
    });
    const weeks = heatWeeks([day(0, '110'), day(2, '95'), day(8, '100')]);
    expect(weeks.map((week) => week.days.map((one) => one?.change ?? null))).toEqual([
      [10, null, -5, null, null, null, null],
      [null, 0, null, null, null, null, null],
    ]);
    expect(weeks[0]?.days[0]?.level).toBe(4);
    expect(weeks[1]?.days[1]?.level).toBe(0);
  });

  it('filters trades by agent, pair, side, outcome and local days', () => {
    fc.assert(
      fc.property(account, ({ fills }) => {
        expect(filterFills(fills, EVERY_TRADE)).toEqual(fills);
        const gains = filterFills(fills, { ...EVERY_TRADE, outcome: 'gain' });
        const losses = filterFills(fills, { ...EVERY_TRADE, outcome: 'loss' });
        expect(gains.length + losses.length).toBe(
          fills.filter((fill) => fill.realized !== '0').length,
        );
        expect(filterFills(fills, { ...EVERY_TRADE, side: 'buy' })).toEqual([]);
        expect(
          filterFills(fills, { ...EVERY_TRADE, agentId: 'a1', pair: 'ETH/USDT' }).every(
            (fill) => fill.agentId === 'a1' && fill.pair === 'ETH/USDT',
          ),
        ).toBe(true);
        expect(filterFills(fills, { ...EVERY_TRADE, from: '2030-01-01' })).toEqual([]);
        expect(filterFills(fills, { ...EVERY_TRADE, to: '2030-01-01' })).toEqual(fills);
      }),
    );
  });
});
