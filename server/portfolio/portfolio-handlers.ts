/** Handlers of the calls about a user's money: portfolio, history, analytics, closing and reset. */
import type { TradingDeps } from '../trading-deps.ts';
import { handlersFor } from '../http/handlers.ts';
import { PaperVenue } from '../venues/paper.ts';
import { readDepths } from '../venues/read-depths.ts';
import { readAnalytics } from './read-analytics.ts';
import { closePosition, pairOfPosition } from './close-position.ts';
import { loadHistory } from './portfolio-readings.ts';
import { portfolioIn, readPortfolio } from './read-portfolio.ts';
import { resetAccount } from './reset.ts';
import { TaxLotReader } from './tax-lots.ts';

export function portfolioHandlers(deps: TradingDeps) {
  const { market } = deps;
  const venue = new PaperVenue(market);
  const taxLots = new TaxLotReader(deps);
  return handlersFor({
    portfolio: ({ caller, query }) => readPortfolio(deps, caller.uid, query.book),
    history: async ({ caller, query }) => ({
      ...(await loadHistory(deps, caller.uid, query)),
      asOf: market.now(),
    }),
    taxLots: ({ caller, query }) => taxLots.read(caller.uid, query),
    analytics: ({ caller, query }) => readAnalytics(deps, caller.uid, query.book),
    closePosition: async ({ caller, commandId, params, once }) => {
      const pairs = await pairOfPosition(deps, caller.uid, params.id);
      const depths = await readDepths({ venue, log: deps.log }, pairs);
      return once(async (tx) => ({
        commandId,
        fill: await closePosition(tx, deps, { venue, depths }, caller.uid, params.id),
      }));
    },
    resetPaper: ({ caller, commandId, once }) =>
      once(async (tx) => {
        await resetAccount(tx, deps, caller.uid);
        return { commandId, portfolio: await portfolioIn(tx, deps, caller.uid) };
      }),
  });
}
