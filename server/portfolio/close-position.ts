/** Closes one position at its owner's request, once and at a current price. */
import { and, eq } from 'drizzle-orm';
import { Refusal } from '../../contract/errors.ts';
import type { Fill } from '../../contract/trading.ts';
import type { TradingDeps } from '../trading-deps.ts';
import { asAgentRow, isId } from '../agents/read-agents.ts';
import { publishChanged } from '../agents/transitions.ts';
import type { Tx } from '../db/database.ts';
import { accounts, agents, positions } from '../db/schema.ts';
import type { Venue } from '../venues/venue.ts';
import { lockOpenPosition, sellPosition } from './exits.ts';
import { lockAccount } from './marks.ts';

export async function closePosition(
  tx: Tx,
  deps: TradingDeps,
  venue: Venue,
  uid: string,
  id: string,
): Promise<Fill> {
  const notFound = new Refusal('not_found', 'Position not found.');
  if (!isId(id)) throw notFound;
  const [found] = await tx.db
    .select({ agentId: positions.agentId, accountId: positions.accountId, pair: positions.pair })
    .from(positions)
    .innerJoin(accounts, eq(accounts.id, positions.accountId))
    .where(
      and(eq(positions.id, id), eq(accounts.uid, uid), eq(accounts.source, deps.market.source.id)),
    );
  if (found === undefined) throw notFound;
  await tx.db
    .select({ id: agents.id })
    .from(agents)
    .where(eq(agents.id, found.agentId))
    .for('update');
  await lockAccount(tx, found.accountId);
  const position = await lockOpenPosition(tx, id);
  if (position === null) throw new Refusal('position_closed', 'This position is already closed.');
  const quote = venue.price(found.pair);
  const unavailable = new Refusal(
    'market_unavailable',
    `No current price for ${found.pair}. The position stays open and keeps its stop loss.`,
  );
  if (quote === null) throw unavailable;
  const fill = await sellPosition(tx, deps, venue, uid, {
    position,
    quote,
    depth: await venue.depth(found.pair),
    reason: 'closed',
    tickId: `close:${id}`,
  });
  if (fill === null) throw unavailable;
  const [agent] = await tx.db.select().from(agents).where(eq(agents.id, found.agentId));
  if (agent !== undefined) await publishChanged(tx, deps, uid, [asAgentRow(agent)]);
  return fill;
}
