/** Closes one position at its owner's request, once and at a current price. */
import { and, eq } from 'drizzle-orm';
import { Refusal } from '../../contract/errors.ts';
import type { Fill } from '../../contract/trading.ts';
import type { Depth } from '../../engine/market-types.ts';
import type { TradingDeps } from '../trading-deps.ts';
import { asAgentRow, isId } from '../agents/read-agents.ts';
import { publishChanged } from '../agents/transitions.ts';
import type { Db, Tx } from '../db/database.ts';
import { accounts, agents, positions } from '../db/schema.ts';
import type { Venue } from '../venues/venue.ts';
import { lockOpenPosition, sellPosition } from './exits.ts';
import { lockAccount } from './marks.ts';

/** The agent, account and pair of the person's position; undefined where there is none. */
async function findOwn(db: Db, deps: TradingDeps, uid: string, id: string) {
  if (!isId(id)) return undefined;
  const [found] = await db
    .select({ agentId: positions.agentId, accountId: positions.accountId, pair: positions.pair })
    .from(positions)
    .innerJoin(accounts, eq(accounts.id, positions.accountId))
    .where(
      and(eq(positions.id, id), eq(accounts.uid, uid), eq(accounts.source, deps.market.source.id)),
    );
  return found;
}

/** The pair to be sold, read ahead of selling it: none where the position is nobody's. */
export async function pairOfPosition(
  deps: TradingDeps,
  uid: string,
  id: string,
): Promise<string[]> {
  const found = await findOwn(deps.database.on('command').db, deps, uid, id);
  return found === undefined ? [] : [found.pair];
}

/** @throws Refusal where there is no price, or no depth was read for the pair. */
export async function closePosition(
  tx: Tx,
  deps: TradingDeps,
  { venue, depths }: { venue: Venue; depths: ReadonlyMap<string, Depth> },
  uid: string,
  id: string,
): Promise<Fill> {
  const found = await findOwn(tx.db, deps, uid, id);
  if (found === undefined) throw new Refusal('not_found', 'Position not found.');
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
  const depth = depths.get(found.pair);
  if (quote === null) throw unavailable;
  if (depth === undefined)
    throw new Refusal(
      'market_unavailable',
      `The market data of ${found.pair} cannot be read now. The position stays open and keeps its stop loss.`,
    );
  const fill = await sellPosition(tx, deps, venue, uid, {
    position,
    quote,
    depth,
    reason: 'closed',
    tickId: `close:${id}`,
  });
  if (fill === null) throw unavailable;
  const [agent] = await tx.db.select().from(agents).where(eq(agents.id, found.agentId));
  if (agent !== undefined) await publishChanged(tx, deps, uid, [asAgentRow(agent)]);
  return fill;
}
