/** One question to Stripe and what becomes of its failures; refuses to let Stripe's own words reach a person. */
import Stripe from 'stripe';
import { Refusal } from '../../contract/errors.ts';
import type { Log } from '../log.ts';

const BUSY_RETRY_MS = 10_000;

/** Every failure of Stripe's becomes a refusal with a sentence of ours; its own text goes to the log alone. */
export async function ask<T>(log: Log, what: string, request: () => Promise<T>): Promise<T> {
  try {
    return await request();
  } catch (error) {
    if (!(error instanceof Stripe.errors.StripeError)) throw error;
    log.error({ what, type: error.type, code: error.code, status: error.statusCode, requestId: error.requestId }, 'stripe refused or did not answer');
    throw refusalOf(error);
  }
}

function refusalOf(error: InstanceType<typeof Stripe.errors.StripeError>): Refusal {
  if (error instanceof Stripe.errors.StripeCardError || error.statusCode === 402) {
    return new Refusal('payment_required', 'The payment was declined. Nothing was charged. Try another card.');
  }
  if (error instanceof Stripe.errors.StripeRateLimitError || error.statusCode === 429) {
    return new Refusal('subscription_unavailable', 'The payment provider is busy. Nothing was charged. Try again in a moment.', { retryAfterMs: BUSY_RETRY_MS });
  }
  return new Refusal('subscription_unavailable', 'The payment provider did not answer. Nothing was charged. Try again in a moment.');
}

/** Null where Stripe has no such thing (any more). */
export async function unlessGone<T>(request: Promise<T>): Promise<T | null> {
  try {
    return await request;
  } catch (error) {
    if (isGone(error)) return null;
    throw error;
  }
}

export const isGone = (error: unknown): boolean =>
  error instanceof Stripe.errors.StripeInvalidRequestError && (error.statusCode === 404 || error.code === 'resource_missing');
