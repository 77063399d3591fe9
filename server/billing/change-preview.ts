/**
 * Previews what another plan, or none, would mean for a user's agents and money. Changes nothing.
 */
import { and, eq, sql } from 'drizzle-orm';
import { consequencesOf, type AgentFacts } from '../../contract/consequences.ts';
import { Refusal } from '../../contract/errors.ts';
import type { ChangeKind, ChangePreview } from '../../contract/plan-change.ts';
import type { Plan } from '../../contract/subscription.ts';
import { sanitiseIdentifier } from '../../contract/text.ts';
import { tierRank } from '../../contract/tiers.ts';
import type { WallClock } from '../clock.ts';
import { asAgentRow, takesPlace } from '../agents/read-agents.ts';
import type { Database, Db } from '../db/database.ts';
import { agents, positions } from '../db/schema.ts';
import type { Market } from '../market/market-source.ts';
import { readSubscription, readTrial } from './entitlement.ts';
import { firstCoupon } from './first-coupon.ts';
import { refuseInFreeDays } from './free-days.ts';
import type { Payments } from './payments.ts';
import type { SubscriptionRow } from './subscription-record.ts';
import { subscriptionStateOf, trialCounts } from './subscription-state.ts';

export interface PreviewDeps {
  database: Database;
  clock: WallClock;
  payments: Payments;
  market: Market;
  coupon: string | null;
}

/** The person's agents on this market, oldest first, with what each holds. */
async function agentFacts(db: Db, uid: string, source: string): Promise<AgentFacts[]> {
  const held =
    sql<number>`(select count(*) from ${positions} where ${positions.agentId} = ${agents.id} and ${positions.closedMarketMs} is null)`.mapWith(
      Number,
    );
  const rows = await db
    .select({ agent: agents, held })
    .from(agents)
    .where(and(eq(agents.uid, uid), takesPlace(source)))
    .orderBy(agents.createdAt, agents.id);
  return rows.map(({ agent, held: openPositions }) => {
    const { id, name, status, createdAt } = asAgentRow(agent);
    return { id, name, status, openPositions, createdAt };
  });
}

function kindOf(plan: Plan, currentState: ChangePreview['standing']): ChangeKind {
  const { state, tier } = currentState;
  if (plan.priceId === null) return state === 'free' || state === 'lapsed' ? 'none' : 'end';
  if (state === 'free' || state === 'lapsed' || state === 'trial') return 'start';
  return plan.tier === tier
    ? 'none'
    : tierRank(plan.tier) > tierRank(tier)
      ? 'upgrade'
      : 'downgrade';
}

/**
 * When a plan or trial is over that is cancelled now. Where our record says that what was paid for
 * has run out, the provider is asked: a payment that it has not told us of yet pays for more.
 */
async function endOf(
  payments: Payments,
  row: SubscriptionRow | null,
  { state, until }: ChangePreview['standing'],
  now: number,
): Promise<number> {
  if (state !== 'grace' && (until === null || until > now)) return until ?? now;
  const id = row?.providerSubscriptionId ?? null;
  const seen = id === null ? null : await payments.fetchSubscription(id);
  return Math.max(now, (seen ?? row)?.currentPeriodEnd ?? now);
}

export async function previewChange(
  deps: PreviewDeps,
  uid: string,
  asked: string,
): Promise<ChangePreview> {
  const {
    database: { db },
    clock,
    payments,
    market,
  } = deps;
  const planId = sanitiseIdentifier(asked);
  const plans = await payments.plans();
  const plan = planId === null ? undefined : plans.find((candidate) => candidate.id === planId);
  if (plan === undefined)
    throw new Refusal('invalid_subscription_parameters', 'Invalid subscription parameters', {
      field: 'planId',
    });
  const now = clock.now();
  const row = await readSubscription(db, uid);
  refuseInFreeDays(row, plan, now);
  const trial = await readTrial(db, uid);
  const standing = subscriptionStateOf(row, trial, now);
  const kind = kindOf(plan, standing);
  const effectiveAt = kind === 'end' ? await endOf(payments, row, standing, now) : now;
  // A plan that ends gives way to what follows it: a trial may still be running.
  const after = trialCounts(trial, effectiveAt) ? 'trial' : 'free';
  const to = kind === 'none' ? standing.tier : kind === 'end' ? after : plan.tier;
  const living = kind === 'upgrade' || kind === 'downgrade' ? row : null;
  const charge =
    kind === 'end' || kind === 'none' || plan.priceId === null
      ? null
      : await payments.previewCharge({
          uid,
          plan,
          customerId: row?.provider === payments.provider ? row.customerId : null,
          living:
            living?.providerSubscriptionId == null
              ? null
              : {
                  subscriptionId: living.providerSubscriptionId,
                  plan: plans.find(({ id }) => id === living.planId) ?? null,
                  paidUntil: living.currentPeriodEnd,
                },
          coupon: living === null ? firstCoupon(row, deps.coupon) : null,
        });
  return {
    ...consequencesOf(standing.tier, to, await agentFacts(db, uid, market.source.id)),
    planId: plan.id,
    kind,
    from: standing.tier,
    standing,
    effectiveAt,
    charge,
    servedAt: now,
  };
}
