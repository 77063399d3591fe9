/** The steps a person takes to get in, driven in a browser, and the plan they pay for. */
import type { Page } from 'playwright-core';
import type { PaidTier } from '../../contract/tiers.ts';
import { callApi, type TestUser } from './server.ts';

type Credentials = Pick<TestUser, 'email' | 'password'>;

/** Fills the form that is on the screen and sends it. */
export async function fillLogIn(page: Page, user: Credentials): Promise<void> {
  await page.getByLabel('Email').fill(user.email);
  await page.getByLabel('Password', { exact: true }).fill(user.password);
  await page.getByRole('button', { name: 'Log in', exact: true }).click();
}

/** Logs in by the form and waits for the dashboard. */
export async function logIn(page: Page, url: string, user: Credentials): Promise<void> {
  await page.goto(`${url}/login`);
  await fillLogIn(page, user);
  await page.waitForURL('**/dashboard');
}

/** Buys a plan by the built-in test checkout, with the card that is accepted. */
export async function buyPlan(
  url: string,
  user: Pick<TestUser, 'idToken'>,
  tier: PaidTier,
): Promise<void> {
  const { plans } = await callApi(url, user.idToken, 'plans');
  const priceId = plans.find((plan) => plan.id === tier)?.priceId;
  if (priceId === undefined || priceId === null) throw new Error(`No price for ${tier}`);
  const { url: checkout } = await callApi(url, user.idToken, 'createCheckout', {
    body: {
      priceId,
      successUrl: '/dashboard?subscription=success',
      cancelUrl: '/dashboard?subscription=canceled',
    },
  });
  if (checkout === null || checkout === undefined) throw new Error('The checkout has no page');
  const paid = await fetch(new URL(checkout, url), {
    method: 'POST',
    redirect: 'manual',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: 'card=4242424242424242',
  });
  if (paid.status !== 303) throw new Error(`The test checkout answered ${paid.status}`);
}
