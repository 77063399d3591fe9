/** Whether a person's plan lets them have one more agent. */
import { and, count, eq } from 'drizzle-orm';
import { tierPermitsCall } from '../../contract/calls.ts';
import { Refusal } from '../../contract/errors.ts';
import { agentCap } from '../../contract/tiers.ts';
import type { Tier } from '../../contract/permission.ts';
import type { Tx } from '../db/database.ts';
import { agents, users } from '../db/schema.ts';
import type { TradingDeps } from '../trading-deps.ts';
import { takesPlace } from './read-agents.ts';

/**
 * The person's tier. Their row is locked, so that two calls never share a place.
 * @throws Refusal where the plan has ended or permits no new agents.
 */
export async function needPlan(
  tx: Tx,
  { entitlement }: Pick<TradingDeps, 'entitlement'>,
  uid: string,
): Promise<Tier> {
  await tx.db.select({ uid: users.uid }).from(users).where(eq(users.uid, uid)).for('update');
  const { tier, lapsed } = await entitlement.tierOf(uid, tx);
  if (lapsed)
    throw new Refusal(
      'plan_lapsed',
      'Your plan has ended. You keep your agents and history, but need a plan to create or start one.',
    );
  if (!tierPermitsCall(tier, 'createAgent'))
    throw new Refusal(
      'insufficient_permissions',
      'Insufficient permissions: you need a plan or the free trial to create agents.',
    );
  return tier;
}

/**
 * The same, and how many places are free under its cap. `advice` follows the sentence that none is.
 * @throws Refusal as above, and where no place is free.
 */
export async function needPlace(
  tx: Tx,
  deps: TradingDeps,
  uid: string,
  advice = '',
): Promise<{ tier: Tier; free: number }> {
  const tier = await needPlan(tx, deps, uid);
  const cap = agentCap(tier);
  const [row] = await tx.db
    .select({ held: count() })
    .from(agents)
    .where(and(eq(agents.uid, uid), takesPlace(deps.market.source.id)));
  const held = row?.held ?? 0;
  if (held >= cap)
    throw new Refusal(
      'agent_cap_reached',
      `Your plan allows ${cap} agents, and you have ${held}.${advice}`,
      { details: { cap } },
    );
  return { tier, free: cap - held };
}
