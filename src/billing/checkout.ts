/** Opens the checkout or the billing portal for a plan. */
import { ApiError } from '../api/api-error.ts';
import { api } from '../api/api.ts';
import type { CheckoutReply, Plan, Subscription } from '../../contract/subscription.ts';
import type { PaidTier } from '../../contract/tiers.ts';
import type { Tier } from '../../contract/permission.ts';
import { environment } from '../environment.ts';
import { session } from '../identity/session.ts';

/** Checkout and portal both return to the dashboard. */
const SUCCESS_PATH = '/dashboard?subscription=success';
const CANCEL_PATH = '/dashboard?subscription=canceled';
const PORTAL_RETURN_PATH = '/dashboard';
/** A change of plan returns to where it was started. */
const CHANGE_RETURN_PATH = '/dashboard?billing=portal';

export type Destination =
  | { kind: 'page'; url: string }
  | { kind: 'embedded'; clientSecret: string };

const isPaid = (tier: Tier): tier is PaidTier => tier !== 'free' && tier !== 'trial';

/**
 * The price id of a plan, from the plans list. A build with other price ids sells nothing: it was
 * made for another account of the provider. @throws ApiError 'No price ID found for plan: {plan}'
 * (400).
 */
export function priceIdFor(
  plans: readonly Plan[],
  planId: string,
  built: Record<PaidTier, string> = environment.stripePrices,
): string {
  const plan = plans.find((candidate) => candidate.id === planId);
  const expected = plan !== undefined && isPaid(plan.tier) ? built[plan.tier] : '';
  if (
    plan === undefined ||
    plan.priceId === null ||
    (expected !== '' && expected !== plan.priceId)
  ) {
    const text = `No price ID found for plan: ${planId}`;
    throw new ApiError(text, { code: 'no_price_id', status: 400, text });
  }
  return plan.priceId;
}

/**
 * A valid address to leave for: http or https, resolved against the back end. @throws ApiError for
 * anything else.
 */
export function safeAddress(url: string, base: string): string {
  if (URL.canParse(url, base)) {
    const address = new URL(url, base);
    if (address.protocol === 'https:' || address.protocol === 'http:') return address.href;
  }
  throw new ApiError('Bad address', {
    code: 'bad_reply',
    status: 0,
    text: 'The payment page has no valid address.',
  });
}

const backEnd = (): string => (environment.apiUrl === '' ? location.origin : environment.apiUrl);

/**
 * Opens a checkout for a plan. Embedded needs a publishable key and the network; the server may
 * still answer with a page.
 */
export async function openCheckout(plans: readonly Plan[], planId: string): Promise<Destination> {
  const embedded = environment.stripePublishableKey !== '' && navigator.onLine;
  const coupon =
    environment.couponEnabled && environment.couponId !== ''
      ? { coupon: environment.couponId }
      : {};
  const reply = await api.call('createCheckout', {
    body: {
      priceId: priceIdFor(plans, planId),
      successUrl: SUCCESS_PATH,
      cancelUrl: CANCEL_PATH,
      embedded,
      ...coupon,
    },
  });
  return destinationOf(reply, backEnd());
}

export function destinationOf(
  reply: Pick<CheckoutReply, 'url' | 'clientSecret'>,
  base: string,
): Destination {
  if (reply.clientSecret !== null) return { kind: 'embedded', clientSecret: reply.clientSecret };
  return { kind: 'page', url: safeAddress(reply.url ?? '', base) };
}

/** The address of the billing portal; with a plan's id it opens at that change. */
export async function openPortal(planId?: string): Promise<string> {
  const { url } = await api.call('customerPortal', {
    body:
      planId === undefined
        ? { returnUrl: PORTAL_RETURN_PATH }
        : { returnUrl: CHANGE_RETURN_PATH, planId },
  });
  return safeAddress(url, backEnd());
}

/**
 * Cancels the plan: at the end of the paid time, or at once where that is over. Returns what is left
 * of it. @throws ApiError also without a signed-in user.
 */
export async function endPlan(): Promise<Subscription | null> {
  const uid = session.user?.uid;
  if (uid === undefined)
    throw new ApiError('Not authenticated', {
      code: 'not_authenticated',
      status: 401,
      text: 'Not authenticated',
    });
  const reply = await api.call('subscribe', { body: { userId: uid, planId: 'free' } });
  return reply.subscription;
}
