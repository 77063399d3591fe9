/**
 * Wraps one request to Stripe and translates its failures; Stripe's own texts never reach a user.
 */
import Stripe from 'stripe';
import type { Log } from '../log.ts';
import { ProviderFailed } from './payments.ts';

const BUSY_RETRY_MS = 10_000;

/**
 * Every failure of Stripe's becomes a refusal with a sentence of ours; its own text goes to the log
 * alone.
 */
export async function ask<T>(log: Log, what: string, request: () => Promise<T>): Promise<T> {
  try {
    return await request();
  } catch (error) {
    if (!(error instanceof Stripe.errors.StripeError)) throw error;
    log.error(
      {
        what,
        type: error.type,
        code: error.code,
        status: error.statusCode,
        requestId: error.requestId,
      },
      'stripe rejected a request or did not answer',
    );
    throw refusalOf(error);
  }
}

function refusalOf(error: InstanceType<typeof Stripe.errors.StripeError>): ProviderFailed {
  const answered = error.statusCode !== undefined;
  if (error instanceof Stripe.errors.StripeCardError || error.statusCode === 402) {
    return new ProviderFailed(
      'payment_required',
      'The payment was declined. Nothing was charged. Try another card.',
      answered,
    );
  }
  if (error.statusCode === 429) {
    return new ProviderFailed(
      'subscription_unavailable',
      'The payment provider is busy. Nothing was charged. Try again in a moment.',
      answered,
      { retryAfterMs: BUSY_RETRY_MS },
    );
  }
  if (!answered)
    return new ProviderFailed(
      'subscription_unavailable',
      'The payment provider did not answer in time. Check your plan before you try again.',
      false,
    );
  return new ProviderFailed(
    'subscription_unavailable',
    'The payment provider could not do this. Nothing was charged. Try again in a moment.',
    answered,
  );
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
  error instanceof Stripe.errors.StripeInvalidRequestError &&
  (error.statusCode === 404 || error.code === 'resource_missing');

/** The parameter that Stripe found at fault. */
export const paramOf = (error: unknown): string | undefined =>
  error instanceof Stripe.errors.StripeError ? error.param : undefined;
