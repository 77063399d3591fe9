/** The call that stops an agent and sells what it holds: depths are read, then one transaction. */
import { handlersFor } from '../http/handlers.ts';
import type { TradingDeps } from '../trading-deps.ts';
import { PaperVenue } from '../venues/paper.ts';
import { readDepths } from '../venues/read-depths.ts';
import { liquidateAgent, pairsToSell } from './liquidate.ts';

export function liquidateHandler(deps: TradingDeps) {
  const venue = new PaperVenue(deps.market);
  return handlersFor({
    liquidateAgent: async ({ caller, commandId, params, once }) => {
      const pairs = await pairsToSell(deps, caller.uid, params.id);
      const depths = await readDepths({ venue, log: deps.log }, pairs);
      return once(async (tx) => ({
        commandId,
        ...(await liquidateAgent(tx, deps, { venue, depths }, caller.uid, params.id)),
      }));
    },
  });
}
