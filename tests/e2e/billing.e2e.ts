/**
 * The whole way of a plan in Chromium: trial, limit, upgrade, back with what was typed, other tab
 * and device, end, lapse, return; with the built-in test checkout and with a stand-in for Stripe.
 */
import { randomUUID } from 'node:crypto';
import Stripe from 'stripe';
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openBrowser, type Browser } from '../support/browser.ts';
import { seriousOnPage } from '../support/browser-axe.ts';
import {
  callApi,
  createUser,
  startServer,
  type TestServer,
  type TestUser,
} from '../support/server.ts';
import { fillLogIn } from '../support/sign-in.ts';
import { answerStripe, withPublishableKey } from '../support/stripe-script.ts';
import { startStripeStandIn, type StripeStandIn } from '../support/stripe-server.ts';

const SECRET = 'whsec_standing_in';
const PRICES = {
  STARTER: ['price_starter', 1_900],
  STANDARD: ['price_standard', 4_900],
  PRO: ['price_pro', 9_900],
  PRO_MAX: ['price_max', 19_900],
} as const;
let stripe: StripeStandIn;
let here: TestServer;
let paid: TestServer;
let browser: Browser;
let otherBrowser: Browser;
let device: BrowserContext;

beforeAll(async () => {
  stripe = await startStripeStandIn();
  for (const [id, cents] of Object.values(PRICES))
    stripe.prices.set(id, { unit_amount: cents, currency: 'usd', interval: 'month' });
  [here, paid, browser] = await Promise.all([
    startServer(),
    startServer({
      env: {
        STRIPE_SECRET_KEY: 'sk_test_standing_in',
        STRIPE_WEBHOOK_SECRET: SECRET,
        STRIPE_API_BASE: stripe.base,
        VITE_STRIPE_PUBLISHABLE_KEY: 'pk_test_standing_in',
        ...Object.fromEntries(
          Object.entries(PRICES).map(([name, [id]]) => [`STRIPE_PRICE_${name}`, id]),
        ),
      },
    }),
    openBrowser(),
  ]);
  otherBrowser = await openBrowser({ viewport: { width: 390, height: 844 } });
  device = otherBrowser.context;
}, 240_000);
afterAll(async () => {
  for (const one of [browser, otherBrowser]) {
    await one?.context.unrouteAll({ behavior: 'ignoreErrors' });
    await one?.close();
  }
  await Promise.all([here?.stop(), paid?.stop()]);
  await stripe?.close();
});

async function enter(page: Page, server: TestServer, user: TestUser, path: string): Promise<void> {
  await page.goto(`${server.url}/login?next=${encodeURIComponent(path)}`);
  await fillLogIn(page, user);
  await page.waitForURL(`**${path}`);
}

const makeAgent = (server: TestServer, user: TestUser, name: string) =>
  callApi(server.url, user.idToken, 'createAgent', {
    body: {
      name,
      trading_pairs: ['BTC/USDT'],
      risk_profile: 'Moderate',
      max_position_size: 500,
      execution_interval: '5-minute',
      enabled: true,
    },
  });

describe('with the built-in test checkout', () => {
  let user: TestUser;
  let page: Page;
  let otherTab: Page;
  let otherDevice: Page;

  it('starts the trial where the first agent was wanted, and goes on there at once (R4-08, R4-09)', async () => {
    user = await createUser(here.url);
    page = await browser.page();
    await enter(page, here, user, '/agents');
    await page.getByRole('button', { name: 'New agent' }).first().click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Start free trial' }).click();
    await page.getByText('Trial started successfully!').waitFor();
    await dialog.getByRole('button', { name: 'Next: name and pairs' }).click();
    await dialog.getByLabel('Name').fill('Sixth of my agents');
  });

  it('meets the limit, pays by cards that fail, ask and succeed, and is back in the wizard with what was typed (R2-30, R9-04)', async () => {
    for (const name of ['One', 'Two', 'Three', 'Four', 'Five']) await makeAgent(here, user, name);
    await page.reload();
    // The device may have kept fewer: a form that is open by then stays open.
    await page.getByText('5 of 5 running').waitFor();
    await page.getByRole('button', { name: 'New agent' }).first().click();
    await page.getByText("You have reached your plan's limit of 5 agents.").waitFor();
    [otherTab, otherDevice] = await Promise.all([browser.page(), device.newPage()]);
    await Promise.all([
      otherTab.goto(`${here.url}/subscription`),
      enter(otherDevice, here, user, '/subscription'),
    ]);
    for (const one of [otherTab, otherDevice]) await one.getByText('Limit reached.').waitFor();

    await page.getByRole('button', { name: 'Upgrade to Pro' }).click();
    await page.getByText('No real money is charged.').waitFor();
    expect(await seriousOnPage(page)).toEqual([]);
    const card = async (number: string): Promise<void> => {
      await page.getByLabel(/card number/i).fill(number);
      await page.getByRole('button', { name: /^Pay/ }).click();
    };
    await card('4000 0000 0000 0002');
    await page
      .getByRole('alert')
      .getByText('The card was declined. Nothing was charged.')
      .waitFor();
    await card('4000 0000 0000 3220');
    await page.getByRole('button', { name: 'Refuse' }).click();
    await page.getByRole('alert').getByText('The bank declined. Nothing was charged.').waitFor();
    await card('4000 0000 0000 3220');
    await page.getByRole('button', { name: 'Approve' }).press('Enter');

    await page.getByText('Pro is active: up to 10 agents.').waitFor();
    await page.waitForURL('**/agents');
    expect(await page.getByRole('dialog').getByLabel('Name').inputValue()).toBe(
      'Sixth of my agents',
    );
  });

  it('has the new cap at once in the other tab and on the other device, and on the server (R9-04)', async () => {
    for (const one of [otherTab, otherDevice]) {
      await one.getByText(/^Pro\. Renews on/).waitFor();
      await one.getByText('5 left.').waitFor();
    }
    await makeAgent(here, user, 'Six');
  });

  it('shows beforehand what an end would mean, then until when it runs, on every device', async () => {
    await otherTab.getByRole('button', { name: 'Cancel plan' }).click();
    const dialog = otherTab.getByRole('dialog');
    await dialog
      .getByText(/All 6 agents open no new positions\. All are kept, and Stop always works\./)
      .waitFor();
    await dialog.getByRole('button', { name: 'Cancel plan' }).click();
    await otherTab.getByText(/^Pro\. Ends on/).waitFor();
    await page.goto(`${here.url}/subscription`);
    await page.getByText(/^Pro\. Ends on/).waitFor();
    expect(await seriousOnPage(page)).toEqual([]);
    await page.close();
    await otherTab.close();
  });
});

describe('with a stand-in for Stripe', () => {
  let user: TestUser;
  let page: Page;
  let subscription = '';
  const script = { loads: false };
  const lastAsked = (path: string): Record<string, string> =>
    stripe.requests.findLast((request) => request.path === path)?.fields ?? {};

  /** What Stripe would tell. */
  async function tell(type: string): Promise<number> {
    const payload = JSON.stringify({
      id: `evt_${randomUUID()}`,
      object: 'event',
      type,
      data: { object: { id: subscription, object: 'subscription' } },
    });
    const signature = Stripe.webhooks.generateTestHeaderString({
      payload,
      secret: SECRET,
      timestamp: Math.floor(Date.now() / 1_000),
    });
    return (
      await fetch(`${paid.url}/webhooks/stripe`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'stripe-signature': signature },
        body: payload,
      })
    ).status;
  }
  const settle = (priceId: string): void => {
    subscription = `sub_${randomUUID()}`;
    const customer = lastAsked('/v1/checkout/sessions').customer ?? 'cus_of_the_person';
    stripe.subscriptions.set(subscription, {
      id: subscription,
      customer,
      status: 'active',
      priceId,
      uid: user.uid,
      periodEnd: Math.floor(Date.now() / 1_000) + 30 * 86_400,
      cancelAtPeriodEnd: false,
    });
  };

  it("opens the checkout inside the app, makes one session of two presses, and says when Stripe's script cannot be had (F49)", async () => {
    const context = browser.context;
    for (const one of [context, device]) {
      await answerStripe(
        one,
        {
          success: () => lastAsked('/v1/checkout/sessions').success_url ?? '',
          cancel: () => lastAsked('/v1/checkout/sessions').cancel_url ?? '',
          portalReturn: () => lastAsked('/v1/billing_portal/sessions').return_url ?? '',
        },
        script,
      );
    }
    const keyed = await withPublishableKey(context, paid.url, 'pk_test_standing_in');
    user = await createUser(paid.url);
    page = await browser.page();
    await enter(page, paid, user, '/subscription');
    const button = page.getByRole('button', { name: 'Upgrade to Starter' });
    await button.dblclick();
    await page.getByText('Could not load the checkout. Nothing was charged.').waitFor();
    script.loads = true;
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('Stand-in checkout cs_1_secret for pk_test_standing_in').waitFor();
    expect(stripe.sessions()).toBe(1);
    expect(keyed()).toBeGreaterThan(0);
  });

  it('claims nothing before the webhook, names the plan after it (R2-30)', async () => {
    settle('price_starter');
    stripe.completeNewest();
    await page.goto(
      `${paid.url}${new URL(lastAsked('/v1/checkout/sessions').return_url ?? '').pathname}?subscription=success`,
    );
    await page
      .getByText('Checkout finished. Setting up Starter. Waiting for payment confirmation.')
      .waitFor();
    expect(await page.getByText(/is active/).count()).toBe(0);
    expect(await tell('customer.subscription.created')).toBe(200);
    await page
      .getByRole('status', { name: 'Checkout' })
      .getByText('Starter is active: up to 2 agents.')
      .waitFor();
  });

  it('lapses when Stripe ends it: says what opens nothing more, refuses a start, and stops (F48)', async () => {
    const { agent } = await makeAgent(paid, user, 'Harbour');
    await page.goto(`${paid.url}/subscription`);
    await page.getByText(/^Starter\. Renews on/).waitFor();
    const ended = stripe.subscriptions.get(subscription);
    if (ended === undefined) throw new Error('No subscription at the stand-in');
    ended.status = 'canceled';
    expect(await tell('customer.subscription.deleted')).toBe(200);
    await page.getByText(/^Free\. Starter has ended/).waitFor();
    await page
      .getByRole('region', { name: 'Now, without a plan' })
      .getByText('No new positions: agents need a plan.')
      .waitFor();
    await expect(makeAgent(paid, user, 'Drift')).rejects.toMatchObject({ status: 403 });
    await page.goto(`${paid.url}/agents/${agent.id}`);
    await page.getByRole('button', { name: 'Stop', exact: true }).click();
    await page
      .getByText(/^Stopped/)
      .first()
      .waitFor();
  });

  it('goes back and forth between a hosted checkout and the app without a second session, and returns to where the start was refused with a plan (F49, R2-30)', async () => {
    const place = new URL(page.url()).pathname;
    await page.close();
    // Another device, whose build has no publishable key.
    page = await device.newPage();
    await enter(page, paid, user, place);
    await page.getByRole('button', { name: 'Start', exact: true }).click();
    await page.getByRole('dialog').getByRole('link', { name: 'View Plans' }).click();
    const take = page.getByRole('button', { name: 'Upgrade to Starter' });
    await take.click();
    await page.getByRole('link', { name: 'Cancel' }).waitFor();
    const before = stripe.sessions();
    await page.goBack();
    await take.click();
    await page.getByRole('link', { name: 'Cancel' }).click();
    await page.getByText('Checkout closed. Your current plan is under Subscription.').waitFor();
    await page.waitForURL(`**${place}`);
    expect(stripe.sessions()).toBe(before);
    await page.getByRole('button', { name: 'Start', exact: true }).click();
    await page.getByRole('dialog').getByRole('link', { name: 'View Plans' }).click();
    await take.click();
    const finish = page.getByRole('link', { name: 'Finish' });
    await finish.waitFor();
    settle('price_starter');
    await tell('checkout.session.completed');
    await tell('customer.subscription.created');
    await finish.click();
    await page.getByText('Starter is active: up to 2 agents.').waitFor();
    await page.waitForURL(`**${place}`);
    await page.getByRole('button', { name: 'Start', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Start', exact: true }).click();
    await page.getByText('Running').first().waitFor();
  });
});
