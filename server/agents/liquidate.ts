/** "Stop and sell": stops an agent and sells its positions at the current bid. */
import { and, eq, isNull } from 'drizzle-orm';
import type { Agent } from '../../contract/agents.ts';
import type { LiquidateReply } from '../../contract/trading.ts';
import { SALE_RECORDED } from '../../contract/sale-recorded.ts';
import type { Depth } from '../../engine/market-types.ts';
import type { Db, Tx } from '../db/database.ts';
import { agents, positions } from '../db/schema.ts';
import { lockOpenPosition, sellPosition } from '../portfolio/exits.ts';
import { lockAccount } from '../portfolio/marks.ts';
import { KEY_GONE, readConnection } from '../live/live-accounts.ts';
import { purchasesOut, sellHeld, withdrawEntries } from '../live/stop-live.ts';
import type { Venue } from '../venues/venue.ts';
import type { TradingDeps } from '../trading-deps.ts';
import { asAgentRow, isId, lockOwnAgent, type AgentRow } from './read-agents.ts';
import { applyEvent, outdateStarts, publishChanged } from './transitions.ts';
import { followLive } from './twins.ts';

const unsoldText = (pair: string, unread: boolean): string =>
  unread
    ? `The market data of ${pair} cannot be read now. The position keeps its stop loss; try again in a moment.`
    : `No current price for ${pair}. The position keeps its stop loss; try again when prices are back.`;

/** The pairs of which the person's agent holds paper positions, read ahead of selling them. */
export async function pairsToSell(
  deps: TradingDeps,
  uid: string,
  agentId: string,
): Promise<string[]> {
  if (!isId(agentId)) return [];
  const rows = await deps.database
    .on('command')
    .db.selectDistinct({ pair: positions.pair })
    .from(positions)
    .innerJoin(agents, eq(agents.id, positions.agentId))
    .where(
      and(
        eq(agents.id, agentId),
        eq(agents.uid, uid),
        isNull(agents.connectionId),
        isNull(positions.closedMarketMs),
      ),
    );
  return rows.map(({ pair }) => pair);
}

async function openOf(
  db: Db,
  agentId: string,
): Promise<{ id: string; pair: string; accountId: string }[]> {
  return db
    .select({ id: positions.id, pair: positions.pair, accountId: positions.accountId })
    .from(positions)
    .where(and(eq(positions.agentId, agentId), isNull(positions.closedMarketMs)))
    .orderBy(positions.openedMarketMs, positions.id);
}

const PURCHASE_OUT =
  'A purchase is out and is being cancelled. What it brings is sold. If it turns up after it was taken for ended, its stop loss guards it and you are told.';

/**
 * What is not sold stays on guard, and is listed with the reason: also what is not in `depths`. The
 * stop counts in any case.
 */
export async function liquidateAgent(
  tx: Tx,
  deps: TradingDeps,
  { venue, depths }: { venue: Venue; depths: ReadonlyMap<string, Depth> },
  uid: string,
  id: string,
): Promise<Omit<LiquidateReply, 'commandId'>> {
  const row = await lockOwnAgent(tx, uid, deps.market.source.id, id);
  if ((await applyEvent(tx, deps, row, 'stop')) === null) await outdateStarts(tx, row);
  // Before the accounts: everybody locks agents first.
  const twins = await followLive(tx, deps, [row], 'stop');
  const fills: LiquidateReply['fills'] = [];
  const unsold: LiquidateReply['unsold'] = [];
  const held = await openOf(tx.db, row.id);
  for (const accountId of [...new Set(held.map((position) => position.accountId))].sort())
    await lockAccount(tx, accountId);
  if (row.connectionId !== null) {
    const live = { id: row.id, connectionId: row.connectionId };
    if ((await readConnection(tx.db, row.connectionId))?.state === 'ended') {
      unsold.push(...held.map(({ pair }) => ({ pair, message: KEY_GONE })));
      return { agent: await told(tx, deps, uid, row.id, twins), fills, unsold };
    }
    await withdrawEntries(tx, deps, deps.live ?? null, live);
    const out = (await purchasesOut(tx, live)).filter(
      ({ pair }) => !held.some((position) => position.pair === pair),
    );
    await sellHeld(tx, deps, deps.live ?? null, live, [...held, ...out]);
    unsold.push(
      ...held.map(({ pair }) => ({ pair, message: SALE_RECORDED })),
      ...out.map(({ pair }) => ({ pair, message: PURCHASE_OUT })),
    );
    return { agent: await told(tx, deps, uid, row.id, twins), fills, unsold };
  }
  for (const { id: positionId, pair } of held) {
    const position = await lockOpenPosition(tx, positionId);
    if (position === null) continue;
    const quote = venue.price(pair);
    const depth = depths.get(pair);
    const fill =
      quote === null || depth === undefined
        ? null
        : await sellPosition(tx, deps, venue, uid, {
            position,
            quote,
            depth,
            reason: 'liquidated',
            tickId: `liquidate:${positionId}`,
          });
    if (fill === null)
      unsold.push({ pair, message: unsoldText(pair, quote !== null && depth === undefined) });
    else fills.push(fill);
  }
  return { agent: await told(tx, deps, uid, row.id, twins), fills, unsold };
}

async function told(
  tx: Tx,
  deps: TradingDeps,
  uid: string,
  id: string,
  twins: readonly AgentRow[],
): Promise<Agent> {
  const [fresh] = await tx.db.select().from(agents).where(eq(agents.id, id));
  if (fresh === undefined) throw new Error('The agent is gone');
  const [agent] = await publishChanged(tx, deps, uid, [asAgentRow(fresh), ...twins]);
  if (agent === undefined) throw new Error('The agent is gone');
  return agent;
}
