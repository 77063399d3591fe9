/** Handlers of the calls about a user's money: portfolio, history, analytics, closing and reset. */
import { eq } from 'drizzle-orm';
import { HISTORY_LIMIT_DEFAULT } from '../../contract/limits.ts';
import type { TradingDeps } from '../trading-deps.ts';
import { users } from '../db/schema.ts';
import { handlersFor } from '../http/handlers.ts';
import { PaperVenue } from '../venues/paper.ts';
import { readAnalytics } from './read-analytics.ts';
import { accountByNumber } from './closed-account.ts';
import { closePosition } from './close-position.ts';
import { countFills, readFills } from './fills-view.ts';
import { openAccountOf } from './open-account.ts';
import { portfolioIn, readPortfolio } from './read-portfolio.ts';
import { resetAccount } from './reset.ts';
import { TaxLotReader } from './tax-lots.ts';

export function portfolioHandlers(deps: TradingDeps) {
  const { database, market } = deps;
  const venue = new PaperVenue(market);
  const taxLots = new TaxLotReader(deps);
  return handlersFor({
    portfolio: ({ caller, query }) => readPortfolio(deps, caller.uid, query.book),
    history: async ({ caller, query }) => {
      const [user] = await database.db
        .select({ sequence: users.sequence })
        .from(users)
        .where(eq(users.uid, caller.uid));
      const account =
        query.book === undefined
          ? await openAccountOf(database.db, caller.uid, market.source.id)
          : await accountByNumber(database.db, caller.uid, market.source.id, query.book);
      if (account === null)
        return { fills: [], sequence: user?.sequence ?? 0, asOf: market.now(), total: 0 };
      const fills = await readFills(
        database.db,
        account.id,
        query.limit ?? HISTORY_LIMIT_DEFAULT,
        query.before === undefined ? {} : { before: query.before },
      );
      return {
        fills,
        sequence: user?.sequence ?? 0,
        asOf: market.now(),
        total: await countFills(database.db, account.id),
      };
    },
    taxLots: ({ caller, query }) => taxLots.read(caller.uid, query),
    analytics: ({ caller, query }) => readAnalytics(deps, caller.uid, query.book),
    closePosition: ({ caller, commandId, params, once }) =>
      once(async (tx) => ({
        commandId,
        fill: await closePosition(tx, deps, venue, caller.uid, params.id),
      })),
    resetPaper: ({ caller, commandId, once }) =>
      once(async (tx) => {
        await resetAccount(tx, deps, caller.uid);
        return { commandId, portfolio: await portfolioIn(tx, deps, caller.uid) };
      }),
  });
}
