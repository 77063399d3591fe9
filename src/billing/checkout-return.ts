/**
 * Handles the return from a checkout: waits until the server confirms the plan. The address alone
 * never makes a plan active.
 */
import { proxy, subscribe } from 'valtio';
import { PLAN_NAMES } from '../../contract/plan-prices.ts';
import { agentCap } from '../../contract/tiers.ts';
import type { Tier } from '../../contract/permission.ts';
import type { CheckoutStateReply } from '../../contract/subscription.ts';
import { api } from '../api/api.ts';
import { session } from '../identity/session.ts';
import type { ConnectionStore } from '../stores/connection.ts';
import {
  checkSubscription,
  loadUsage,
  plansStore,
  subscriptionStore,
} from '../stores/subscription-store.ts';
import { pageToast } from '../stores/toast-store.ts';
import type { Outcome } from './checkout-outcome.ts';
import {
  forgetCheckout,
  readCheckout,
  rememberCheckout,
  type PendingCheckout,
} from './pending-checkout.ts';

export interface CheckoutReturn {
  /**
   * `waiting` for the server; `late` when that takes longer than usual; `active` once confirmed.
   */
  state: 'none' | 'waiting' | 'late' | 'active';
  planName: string | null;
  agents: number;
}

export const checkoutReturn = proxy<CheckoutReturn>({ state: 'none', planName: null, agents: 0 });

/**
 * Payments are confirmed by webhook, mostly within seconds. The server is asked after these delays
 * (ms), then the stream and the regular check take over.
 */
const ASK_AGAIN_MS = [2_000, 4_000, 8_000, 15_000, 30_000];
/** Late after this long, ms. */
const LATE_AFTER_MS = 25_000;

const DASHBOARD = '/dashboard';
let stop: () => void = () => undefined;

/** The confirmed plan, if it is the one that was asked for. */
function plan(asked: PendingCheckout | null): { tier: Tier; name: string } | null {
  const { entitlement, data, origin } = subscriptionStore;
  const subscription = data?.status?.subscription ?? null;
  // What was remembered on the device is older than the checkout.
  if (
    origin === 'snapshot' ||
    subscription === null ||
    !entitlement.isSubscribed ||
    entitlement.isTrialActive
  )
    return null;
  if (asked !== null && subscription.planId !== asked.planId) return null;
  const { tier } = subscription;
  return {
    tier,
    name:
      plansStore.data?.plans.find(({ id }) => id === subscription.planId)?.name ??
      asked?.planName ??
      (tier === 'free' || tier === 'trial' ? tier : PLAN_NAMES[tier]),
  };
}

function settled(
  bought: { tier: Tier; name: string },
  quietly: boolean,
  from: string | null,
  back: (path: string) => void,
): void {
  endCheckoutReturn();
  forgetCheckout();
  void loadUsage(true);
  pageToast('success', `${bought.name} is active: up to ${agentCap(bought.tier)} agents.`, {
    id: 'checkout',
  });
  // A user who has moved on to another screen stays there.
  if (quietly || location.pathname !== DASHBOARD) return;
  if (from !== null) back(from);
  else
    Object.assign(checkoutReturn, {
      state: 'active',
      planName: bought.name,
      agents: agentCap(bought.tier),
    });
}

/** Stops waiting: at log-out, or when the user hides the notice. */
export function endCheckoutReturn(): void {
  stop();
  stop = () => undefined;
  Object.assign(checkoutReturn, { state: 'none', planName: null, agents: 0 });
}

/** The dashboard was left: drop finished messages, keep waiting for pending ones. */
export function leaveCheckoutReturn(): void {
  if (checkoutReturn.state === 'active') endCheckoutReturn();
}

/** What the provider knows of the checkouts of late; null where it could not be asked. */
async function askProvider(): Promise<CheckoutStateReply['state'] | null> {
  try {
    return (await api.call('checkoutState', {})).state;
  } catch {
    return null;
  }
}

/**
 * The provider sends people back to the same address where their bank refused. A user who has moved
 * on to another screen stays there.
 */
function notPaid(uid: string, pending: PendingCheckout | null, back: (path: string) => void): void {
  const isHere = location.pathname === DASHBOARD;
  closed(
    uid,
    'canceled',
    pending === null ? null : { ...pending, returned: false },
    isHere ? back : () => undefined,
  );
}

/**
 * Waits for the server to confirm the plan that was asked for (any, if this device knows of none).
 * `quietly`: shows nothing until then, because it may never happen.
 */
function wait(
  uid: string,
  pending: PendingCheckout | null,
  quietly: boolean,
  back: (path: string) => void,
): void {
  endCheckoutReturn();
  let over = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  /** The provider has said that something was paid, or nobody waits for its word. */
  let isPaid = quietly;
  const check = (): void => {
    if (over) return;
    if (session.user?.uid !== uid) {
      endCheckoutReturn();
      return;
    }
    const bought = plan(pending);
    if (bought !== null) settled(bought, quietly, pending?.from ?? null, back);
  };
  const quit = subscribe(subscriptionStore, check);
  stop = () => {
    over = true;
    clearTimeout(timer);
    quit();
  };
  if (!quietly)
    Object.assign(checkoutReturn, { state: 'waiting', planName: pending?.planName ?? null });
  const begun = Date.now();
  const ask = (turn: number): void => {
    void Promise.all([checkSubscription(), isPaid ? null : askProvider()]).then(([, state]) => {
      check();
      if (over) return;
      if (state === 'open' || state === 'expired') {
        notPaid(uid, pending, back);
        return;
      }
      isPaid ||= state !== null;
      if (!quietly && Date.now() - begun >= LATE_AFTER_MS) checkoutReturn.state = 'late';
      const next = ASK_AGAIN_MS[turn];
      if (next !== undefined)
        timer = setTimeout(() => {
          ask(turn + 1);
        }, next);
    });
  };
  ask(0);
}

/**
 * What an address says that tells of no payment. It proves nothing either way: it may come from
 * history, and another tab may have paid.
 */
function closed(
  uid: string,
  outcome: 'canceled' | 'portal',
  pending: PendingCheckout | null,
  back: (path: string) => void,
): void {
  const isAwaited = pending?.returned === true;
  if (outcome === 'canceled')
    pageToast(
      'blank',
      isAwaited
        ? 'Checkout closed. An earlier payment is not confirmed yet. Do not pay again.'
        : 'Checkout closed. Your current plan is under Subscription.',
      { id: 'checkout' },
    );
  if (isAwaited) {
    wait(uid, pending, false, back);
    return;
  }
  forgetCheckout();
  endCheckoutReturn();
  if (outcome === 'canceled') void checkSubscription();
  else wait(uid, pending, true, back);
  if (pending !== null && (pending.from !== null || outcome === 'canceled'))
    back(pending.from ?? '/subscription');
}

/** Continues what the user had left for; `back` navigates to a path of the app. */
export function returnFromCheckout(outcome: Outcome, back: (path: string) => void): void {
  const uid = session.user?.uid;
  if (uid === undefined) return;
  const pending = readCheckout(uid);
  if (outcome === 'success') {
    if (pending !== null) rememberCheckout({ ...pending, returned: true });
    wait(uid, pending, false, back);
  } else if (outcome !== null) {
    closed(uid, outcome, pending, back);
  } else if (checkoutReturn.state === 'none' && pending?.returned === true) {
    // A reload while the payment is still awaited.
    wait(uid, pending, false, back);
  }
}

/** The message while the server has not confirmed yet. */
export function checkoutReturnText(
  { state, planName, agents }: Readonly<CheckoutReturn>,
  online: ConnectionStore['online'],
): string {
  const name = planName ?? 'Your plan';
  if (state === 'active') return `${name} is active: up to ${agents} agents.`;
  if (online === 'offline')
    return `Checkout finished. ${name} appears here once you're online and the server has confirmed it.`;
  return state === 'late'
    ? `Checkout finished, but the payment is not confirmed yet. This can take a few minutes. ${name} appears automatically. Do not pay again.`
    : `Checkout finished. Setting up ${planName ?? 'your plan'}. Waiting for payment confirmation.`;
}
