/** Handlers of the calls about subscriptions. */
import { and, count, eq, gte } from 'drizzle-orm';
import type { CallReply } from '../../contract/calls.ts';
import { Refusal } from '../../contract/errors.ts';
import type { Plan } from '../../contract/subscription.ts';
import { sanitiseIdentifier } from '../../contract/text.ts';
import { agentCap } from '../../contract/tiers.ts';
import { takesPlace } from '../agents/read-agents.ts';
import type { WallClock } from '../clock.ts';
import type { Database } from '../db/database.ts';
import { accounts, agents, fills } from '../db/schema.ts';
import type { EventLog } from '../db/user-events.ts';
import { Allowance } from '../http/allowance.ts';
import { handlersFor, type CallContext } from '../http/handlers.ts';
import type { Log } from '../log.ts';
import type { Market } from '../market/market-source.ts';
import { previewChange } from './change-preview.ts';
import { checkoutStates } from './checkout-state.ts';
import { firstCoupon } from './first-coupon.ts';
import { refuseInFreeDays } from './free-days.ts';
import { keepOpened, openCheckout } from './open-checkout.ts';
import { entitledTier, readSubscription, readTrial } from './entitlement.ts';
import { subscriptionStateOf, subscriptionCounts } from './subscription-state.ts';
import type { Payments } from './payments.ts';
import { returnPath } from './return-path.ts';
import { observe, recordSubscription, subscriptionOnWire } from './subscription-record.ts';
import { offersUsedBefore } from '../users/used-offers.ts';
import { startTrial, trialOnWire } from './trial.ts';

const HOUR_MS = 3_600_000;
/**
 * Each is a question to the provider or several, whose limit is one for everybody. A page that waits
 * for a payment asks for the checkout's state six times, and fifty presses at once open one checkout.
 */
const ASKED_AN_HOUR = 60;

export interface BillingDeps {
  database: Database;
  events: EventLog;
  clock: WallClock;
  log: Log;
  payments: Payments;
  market: Market;
  trialDays: number;
  /** `https://trade.example.com`: where people come back to. */
  publicOrigin: string;
  /** The one coupon that checkouts may carry; null for none. */
  coupon: string | null;
}

export function billingHandlers(deps: BillingDeps) {
  const { database, clock, payments } = deps;
  const stateOf = checkoutStates(deps);
  const allowed = () => new Allowance(ASKED_AN_HOUR, HOUR_MS, clock);
  const [opened, states, previews] = [allowed(), allowed(), allowed()];
  const [invoices, portals, ends] = [allowed(), allowed(), allowed()];
  return handlersFor({
    plans: async ({ caller }) => {
      const coupon = firstCoupon(await readSubscription(database.db, caller.uid), deps.coupon);
      return {
        plans: await payments.plans(),
        provider: payments.provider,
        coupon: coupon === null ? null : await payments.coupon(coupon),
      };
    },

    subscriptionStatus: async ({ caller }) => {
      const now = clock.now();
      const row = await readSubscription(database.db, caller.uid);
      const state = subscriptionStateOf(row, await readTrial(database.db, caller.uid), now);
      return {
        subscription: subscriptionOnWire(row, now),
        entitledTier: state.tier,
        servedAt: now,
        standing: state,
      };
    },

    changePreview: async ({ caller, query }) => {
      previews.take(caller.uid);
      return previewChange(deps, caller.uid, query.planId);
    },

    invoices: async ({ caller }) => {
      invoices.take(caller.uid);
      const row = await readSubscription(database.db, caller.uid);
      const own = row?.provider === payments.provider ? row.customerId : null;
      return {
        ...(await payments.invoices({ uid: caller.uid, customerId: own })),
        servedAt: clock.now(),
      };
    },

    trialStatus: async ({ caller: { uid } }) => {
      const trial = await readTrial(database.db, uid);
      const before = trial.endsAt === null ? await offersUsedBefore(database.db, uid) : null;
      return trialOnWire(trial, clock.now(), deps.trialDays, before?.trial);
    },

    trialStart: (context) => beginTrial(deps, context),
    usage: ({ caller }) => readUsage(deps, caller.uid),
    subscribe: async (context) => {
      ends.take(context.caller.uid);
      return subscribe(deps, context);
    },

    createCheckout: async ({ caller, commandId, body, once }) => {
      opened.take(caller.uid);
      const checkout = await openCheckout(deps, caller, body);
      return once(async (tx) => {
        await keepOpened(tx, checkout);
        return { commandId, url: checkout.url, clientSecret: checkout.clientSecret };
      });
    },

    checkoutState: async ({ caller }) => {
      states.take(caller.uid);
      return { state: await stateOf(caller.uid) };
    },

    customerPortal: async (context) => {
      portals.take(context.caller.uid);
      return openPortal(deps, context);
    },
  });
}

/** @throws Refusal `invalid_user_id` unless the body names the caller themselves. */
function ownUserId(uid: string, given: string): void {
  if (sanitiseIdentifier(given) !== uid)
    throw new Refusal('invalid_user_id', 'Invalid user ID', { field: 'userId' });
}

/** @throws Refusal `invalid_subscription_parameters` for a plan that is none. */
async function planAsked(payments: Payments, asked: string): Promise<Plan> {
  const planId = sanitiseIdentifier(asked);
  const plan =
    planId === null
      ? undefined
      : (await payments.plans()).find((candidate) => candidate.id === planId);
  if (plan === undefined)
    throw new Refusal('invalid_subscription_parameters', 'Invalid subscription parameters', {
      field: 'planId',
    });
  return plan;
}

async function beginTrial(
  { clock, events, trialDays }: BillingDeps,
  { caller, commandId, body, once }: CallContext<'trialStart'>,
): Promise<CallReply<'trialStart'>> {
  ownUserId(caller.uid, body.userId);
  return once(async (tx) => {
    const now = clock.now();
    const row = await readSubscription(tx.db, caller.uid);
    if (row !== null && subscriptionCounts(row, now)) {
      throw new Refusal(
        'already_subscribed',
        'You already have a plan. You can still use the trial later.',
      );
    }
    const trial = await startTrial(tx, caller.uid, now, trialDays);
    await events.append(tx, caller.uid, [{ type: 'subscription.changed' }]);
    return { commandId, trial: trialOnWire(trial, now, trialDays) };
  });
}

async function openPortal(
  { database, clock, payments, publicOrigin }: BillingDeps,
  { caller, commandId, body, once }: CallContext<'customerPortal'>,
): Promise<CallReply<'customerPortal'>> {
  const path = returnPath(body.returnUrl, publicOrigin, 'returnUrl');
  const row = await readSubscription(database.db, caller.uid);
  if (row === null || row.provider !== payments.provider) {
    throw new Refusal(
      'not_found',
      'You have no billing account yet. It is created with your first plan.',
    );
  }
  const plan = body.planId === undefined ? null : await planAsked(payments, body.planId);
  const now = clock.now();
  if (plan !== null) refuseInFreeDays(row, plan, now);
  const living = subscriptionCounts(row, now);
  const url = await payments.openPortal({
    uid: caller.uid,
    commandId,
    customerId: row.customerId,
    subscriptionId: living ? row.providerSubscriptionId : null,
    returnPath: path,
    plan,
  });
  return once(() => Promise.resolve({ commandId, url }));
}

/**
 * The free plan ends a paid one when what is paid for has run out; a paid plan needs a checkout.
 */
async function subscribe(
  deps: BillingDeps,
  context: CallContext<'subscribe'>,
): Promise<CallReply<'subscribe'>> {
  const { clock, database, events, payments } = deps;
  const { body, caller, commandId, once } = context;
  ownUserId(caller.uid, body.userId);
  const plan = await planAsked(payments, body.planId);
  const row = await readSubscription(database.db, caller.uid);
  const living = row !== null && subscriptionCounts(row, clock.now()) ? row : null;
  if (plan.priceId !== null && living?.planId !== plan.id) {
    if (living !== null)
      throw new Refusal(
        'already_subscribed',
        'You already have a plan. Change it in the billing portal.',
      );
    throw new Refusal(
      'payment_required',
      `${plan.name} costs ${plan.amount} ${plan.currency} a ${plan.interval}. Use the checkout.`,
      {
        details: { priceId: plan.priceId, checkout: '/subscriptions/create-checkout' },
      },
    );
  }
  const observation = await observe(database.db, clock);
  const ended =
    plan.priceId === null &&
    living !== null &&
    !living.cancelAtPeriodEnd &&
    living.providerSubscriptionId !== null
      ? await payments.cancelAtPeriodEnd(living.providerSubscriptionId)
      : null;
  return once(async (tx) => {
    if (ended !== null)
      await recordSubscription(
        tx,
        events,
        payments.provider,
        { ...ended, uid: caller.uid },
        observation,
      );
    return {
      commandId,
      subscription: subscriptionOnWire(await readSubscription(tx.db, caller.uid), clock.now()),
    };
  });
}

/** Fills are counted by the market's month, because that is the clock they are made on. */
async function readUsage(deps: BillingDeps, uid: string): Promise<CallReply<'usage'>> {
  const { clock, market } = deps;
  const { db } = deps.database;
  const { tier } = entitledTier(
    await readSubscription(db, uid),
    await readTrial(db, uid),
    clock.now(),
  );
  const today = new Date(market.now());
  const periodStart = Date.UTC(today.getUTCFullYear(), today.getUTCMonth(), 1);
  const [made] = await db
    .select({ used: count() })
    .from(agents)
    .where(and(eq(agents.uid, uid), takesPlace(market.source.id)));
  const [traded] = await db
    .select({ fills: count() })
    .from(fills)
    .innerJoin(accounts, eq(accounts.id, fills.accountId))
    .where(
      and(
        eq(accounts.uid, uid),
        eq(accounts.source, market.source.id),
        gte(fills.filledMarketMs, periodStart),
      ),
    );
  return {
    tier,
    agents: { used: made?.used ?? 0, limit: agentCap(tier) },
    fillsThisMonth: traded?.fills ?? 0,
    periodStart,
  };
}
