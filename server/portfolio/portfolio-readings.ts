/** Readings of a user's money: facts are kept until they change, prices are put on them each time. */
import { eq } from 'drizzle-orm';
import { HISTORY_LIMIT_DEFAULT } from '../../contract/limits.ts';
import type { History } from '../../contract/trading.ts';
import { users } from '../db/schema.ts';
import type { Facts, Turn } from '../reads/known-facts.ts';
import { candleOf, pricesOf, type ReadingDeps, type Readings } from '../reads/reading.ts';
import type { TradingDeps } from '../trading-deps.ts';
import { tierOfPlan } from '../billing/entitlement.ts';
import { accountByNumber } from './closed-account.ts';
import { countFills, readFills } from './fills-view.ts';
import { openAccountOf } from './open-account.ts';
import { analyticsFrom, loadAnalytics, readHeld } from './read-analytics.ts';
import {
  loadPortfolio,
  pairsPriced,
  portfolioFrom,
  type PortfolioFacts,
} from './read-portfolio.ts';

/** The portfolio without prices; `turn` says when it may be read from the database. */
export const knownPortfolio = (
  deps: ReadingDeps,
  uid: string,
  book?: number,
  turn: Turn = deps.turn,
): Promise<Facts<PortfolioFacts>> =>
  deps.known.read(uid, {
    name: `portfolio ${book ?? ''}`,
    on: ['marks', 'day'],
    turn,
    load: () => loadPortfolio(deps, uid, book),
  });

/** Fills and their count; without prices. */
export async function loadHistory(
  { database: { db }, market }: TradingDeps,
  uid: string,
  query: { book?: number | undefined; limit?: number | undefined; before?: string | undefined },
): Promise<Omit<History, 'asOf'>> {
  const [user] = await db
    .select({ sequence: users.sequence })
    .from(users)
    .where(eq(users.uid, uid));
  const sequence = user?.sequence ?? 0;
  const account =
    query.book === undefined
      ? await openAccountOf(db, uid, market.source.id)
      : await accountByNumber(db, uid, market.source.id, query.book);
  if (account === null) return { fills: [], sequence, total: 0 };
  const limit = query.limit ?? HISTORY_LIMIT_DEFAULT;
  const before = query.before === undefined ? {} : { before: query.before };
  const fills = await readFills(db, account.id, limit, before);
  const { book, quote } = account;
  // Who pages knows how many there are: to count them costs a walk over all of them.
  const total = query.before === undefined ? { total: await countFills(db, account.id) } : {};
  return { fills, sequence, book, quote, ...total };
}

export function portfolioReadings(deps: ReadingDeps): Readings {
  const { known, market, clock, turn } = deps;
  return {
    portfolio: async ({ caller, query }) => {
      const { version, facts } = await knownPortfolio(deps, caller.uid, query.book);
      return {
        validator: `${version} ${candleOf(market)} ${pricesOf(market, pairsPriced(facts))}`,
        reply: () => portfolioFrom(deps, facts),
      };
    },
    analytics: async ({ caller, query }) => {
      const { version, facts } = await known.read(caller.uid, {
        name: `analytics ${query.book ?? ''}`,
        on: ['marks', 'day'],
        turn,
        load: () => loadAnalytics(deps, caller.uid, query.book),
      });
      const prices = pricesOf(market, pairsPriced(facts.account));
      return {
        validator: `${version} ${candleOf(market)} ${tierOfPlan(facts.plan, clock.now())} ${prices}`,
        ask: async () => {
          const prices = await readHeld(deps, facts);
          return () => analyticsFrom(deps, facts, prices);
        },
      };
    },
    history: async ({ caller, query }) => {
      const name = `history ${JSON.stringify([query.book, query.limit, query.before])}`;
      const { version, facts } = await known.read(caller.uid, {
        name,
        on: [],
        once: query.before !== undefined,
        turn,
        load: () => loadHistory(deps, caller.uid, query),
      });
      return {
        validator: `${version} ${candleOf(market)}`,
        reply: () => ({ ...facts, asOf: market.now() }),
      };
    },
  };
}
