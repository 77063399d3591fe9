/** Servers over a stand-in for Stripe, and people who have a plan there. */
import { randomUUID } from 'node:crypto';
import { billingHandlers } from '../../../server/billing/billing-handlers.ts';
import { previewChange } from '../../../server/billing/change-preview.ts';
import { Reconciliation } from '../../../server/billing/reconciliation.ts';
import { StripePayments, type StripeSettings } from '../../../server/billing/stripe-payments.ts';
import type { Log } from '../../../server/log.ts';
import {
  startStripeStandIn,
  type StandInSubscription,
  type StripeStandIn,
} from '../../support/stripe-server.ts';
import { caller, openWorld, ORIGIN, quietLog, type World } from './world.ts';

const PERIOD_S = 30 * 86_400;
const PRICES: StripeSettings['prices'] = {
  starter: ['price_starter'],
  standard: [],
  pro: ['price_pro'],
  'pro-max': [],
};

export interface StripeWorld {
  world: World;
  stripe: StripeStandIn;
  /** A server with these prices, and what its log reports to the operator. */
  server(prices?: Partial<StripeSettings['prices']>): ReturnType<typeof serverOf>;
  /** Somebody who pays for Pro from now on, and what Stripe has of it. */
  subscriber(): Promise<{ uid: string; held: StandInSubscription }>;
  close(): Promise<void>;
}

function serverOf(world: World, stripe: StripeStandIn, prices: StripeSettings['prices']) {
  const errors: string[] = [];
  const log: Log = {
    ...quietLog,
    error: (_fields: object, text?: string) => {
      errors.push(text ?? '');
    },
  };
  const payments = new StripePayments(
    {
      secretKey: 'sk_test_stand_in',
      webhookSecret: 'whsec_x',
      apiBase: stripe.base,
      publicOrigin: ORIGIN,
      // A machine that is busy with other tests is no fault of Stripe's.
      timeoutMs: 60_000,
      prices,
    },
    world.clock,
    log,
  );
  const deps = { ...world, log, payments, trialDays: 14, publicOrigin: ORIGIN, coupon: null };
  return {
    deps,
    payments,
    call: caller(world, billingHandlers(deps)),
    preview: (uid: string, planId: string) => previewChange(deps, uid, planId),
    reconciliation: new Reconciliation(deps),
    errors,
  };
}

/** Stripe as it is with a price for Starter and for Pro, in hundredths. */
export async function openStripeWorld(): Promise<StripeWorld> {
  const [world, stripe] = [await openWorld(), await startStripeStandIn()];
  for (const [id, unit_amount] of [
    ['price_starter', 1_900],
    ['price_pro', 9_900],
  ] as const)
    stripe.prices.set(id, { unit_amount, currency: 'eur', interval: 'month' });
  return {
    world,
    stripe,
    server: (prices = {}) => serverOf(world, stripe, { ...PRICES, ...prices }),
    async subscriber() {
      const uid = await world.person();
      const nowS = Math.floor(world.clock.at / 1_000);
      const held: StandInSubscription = {
        id: `sub_${randomUUID()}`,
        customer: `cus_${uid}`,
        status: 'active',
        priceId: 'price_pro',
        uid,
        periodStart: nowS,
        periodEnd: nowS + PERIOD_S,
        cancelAtPeriodEnd: false,
      };
      stripe.subscriptions.set(held.id, held);
      stripe.events.push({
        id: `evt_${randomUUID()}`,
        type: 'customer.subscription.created',
        created: nowS,
        data: { object: { id: held.id, object: 'subscription' } },
      });
      return { uid, held };
    },
    async close() {
      await stripe.close();
      await world.close();
    },
  };
}
