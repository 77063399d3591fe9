/** The account measured on its daily equity, with agents and pairs that add up to it; refuses 0 where a measure is undefined. */
import { eq, sql } from 'drizzle-orm';
import { formatFixed, parseFixed, toNumber, ZERO } from '../../contract/money.ts';
import type { Fixed } from '../../contract/money.ts';
import type { Analytics, Metrics } from '../../contract/trading.ts';
import { markToMarket } from '../../engine/ledger.ts';
import { dailyEquity, metricsOf } from '../../engine/metrics.ts';
import type { Db } from '../db/database.ts';
import { fills } from '../db/schema.ts';
import type { Market } from '../market/market.ts';
import type { PositionRow } from './book.ts';
import { agentNames, NO_RESULTS, openPositionsOf, quotesOf, resultsBy, toOpenPosition, type Results } from './marks.ts';
import { equityCurve, portfolioIn, type PortfolioDeps } from './read-portfolio.ts';
import { exposureMs, resultsOfSells } from './trade-results.ts';

const POINTS = 5_000;
const SHOWN = 500;
/** A yearly figure from fewer days than this says more about the days than about the account. */
const LEAST_DAYS_FOR_A_YEAR = 30;

export async function readAnalytics(deps: PortfolioDeps, uid: string): Promise<Analytics> {
  return deps.database.transaction(async (tx) => {
    const { db } = tx;
    const portfolio = await portfolioIn(tx, deps, uid);
    const now = deps.market.now();
    const points = [...await equityCurve(db, portfolio.accountId, POINTS), [now, portfolio.equity] as [number, string]];
    const equity = points.map(([at, text]) => [at, toNumber(parseFixed(text))] as const);
    const days = dailyEquity(equity).length;
    const sells = await resultsOfSells(db, portfolio.accountId);
    const time = await exposureMs(db, portfolio.accountId, now);
    const open = await openPositionsOf(db, [portfolio.accountId]);
    const byAgent = await resultsBy(db, portfolio.accountId, 'agent_id');
    const byPair = await resultsBy(db, portfolio.accountId, 'pair');
    const unrealized = (rows: readonly PositionRow[]): Fixed => unrealizedOf(deps.market, rows);
    const agentIds = [...new Set([...byAgent.keys(), ...open.map((row) => row.agentId)])];
    const names = await agentNames(db, agentIds);
    const pairs = [...new Set([...byPair.keys(), ...open.map((row) => row.pair)])];
    return {
      quote: portfolio.quote, asOf: now,
      trades: [...byPair.values()].reduce((all, { trades }) => all + trades, 0),
      days,
      metrics: yearlyWithEnoughDays(days, metricsOf({ equity, results: sells.map((text) => toNumber(parseFixed(text))), exposedMs: time.exposed, totalMs: time.total, traded: await tradedOf(db, portfolio.accountId) })),
      equity: await equityCurve(db, portfolio.accountId, SHOWN),
      perAgent: agentIds.map((agentId) => ({ agentId, agentName: names.get(agentId) ?? '', ...shown(byAgent.get(agentId), unrealized(open.filter((row) => row.agentId === agentId))) })),
      perPair: pairs.map((pair) => ({ pair, ...shown(byPair.get(pair), unrealized(open.filter((row) => row.pair === pair))) })),
    };
  });
}

function yearlyWithEnoughDays(days: number, metrics: Metrics): Metrics {
  return days >= LEAST_DAYS_FOR_A_YEAR ? metrics : { ...metrics, cagr: null, volatility: null, sharpe: null, sortino: null, calmar: null };
}

function shown(results: Results = NO_RESULTS, unrealized: Fixed): { trades: number; realized: string; unrealized: string; fees: string } {
  return { trades: results.trades, realized: formatFixed(results.realized), unrealized: formatFixed(unrealized), fees: formatFixed(results.fees) };
}

function unrealizedOf(market: Market, rows: readonly PositionRow[]): Fixed {
  return markToMarket(ZERO, rows.map(toOpenPosition), quotesOf(market, rows.map((row) => row.pair))).unrealized;
}

async function tradedOf(db: Db, accountId: string): Promise<number> {
  const [row] = await db.select({ traded: sql<string>`coalesce(sum(${fills.notional}), 0)::text` }).from(fills).where(eq(fills.accountId, accountId));
  return toNumber(parseFixed(row?.traded ?? '0'));
}
