/**
 * Price alerts on a phone in real Chromium: set, changed and deleted with and without the server,
 * reached and told.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AlertList } from '../../contract/alerts.ts';
import { PushPayload } from '../../contract/push.ts';
import { controlled, openBrowser, type Browser } from '../support/browser.ts';
import { databasesOf } from '../support/device.ts';
import { startPushService, type PushService } from '../support/push-service.ts';
import {
  callApi,
  createUser,
  startServer,
  type TestServer,
  type TestUser,
} from '../support/server.ts';
import { logIn } from '../support/sign-in.ts';
import { PATIENCE_MS, until } from '../support/until.ts';

const PAIR = 'BTC/USDT';
let folder: string;
let service: PushService;
let server: TestServer;
let browser: Browser;
let user: TestUser;
let page: Page;

const listOf = (): Promise<AlertList> => callApi(server.url, user.idToken, 'alerts');
const outbox = async (): Promise<unknown[]> =>
  (await databasesOf(page))[`tradewind-${user.uid}`]?.outbox ?? [];
const openPair = async (): Promise<void> => {
  await page.goto(`${server.url}/market/BTC-USDT`);
  await page.getByRole('button', { name: 'Set alert' }).waitFor();
};
const dialog = () => page.getByRole('dialog');
const row = (words: string | RegExp) =>
  page
    .getByRole('region', { name: 'Your alerts' })
    .getByRole('listitem')
    .filter({ hasText: words });
const pressIn = (name: RegExp) => page.getByRole('button', { name }).first().click();

/** Fills in and saves the form that is open, which then closes. */
async function fill(price: string, way: 'Rises to' | 'Falls to' = 'Rises to'): Promise<void> {
  await dialog().getByRole('button', { name: way }).click();
  await dialog().getByLabel('Price', { exact: true }).fill(price);
  await dialog()
    .getByRole('button', { name: /^(Set|Save) alert$/ })
    .click();
  await dialog().waitFor({ state: 'detached' });
}

/**
 * Sets alerts around the price of the moment until one is reached. A simulated price does not stand
 * still, but it can have passed all that was set before the last of them is saved: those then wait
 * until it has gone back.
 */
async function setUntilReached(): Promise<void> {
  const reached = (timeoutMs: number): Promise<AlertList> =>
    until(listOf, (list) => list.firings.length > 0, timeoutMs);
  for (let attempt = 0; attempt < 8; attempt += 1) {
    const market = await callApi(server.url, user.idToken, 'marketData', {
      query: { symbols: PAIR },
    });
    const price = Number(market.symbols[0]?.price);
    for (const [way, factor] of [
      ['Rises to', 1.0001],
      ['Falls to', 0.9999],
    ] as const) {
      await page.getByRole('button', { name: 'New alert' }).click();
      await dialog().getByLabel('Pair').selectOption(PAIR);
      await fill((price * factor).toFixed(2), way);
    }
    const isReached = await reached(15_000).then(
      () => true,
      () => false,
    );
    if (isReached) return;
  }
  await reached(PATIENCE_MS);
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tradewind-alerts-'));
  service = await startPushService();
  writeFileSync(join(folder, 'ca.pem'), service.ca);
  server = await startServer({
    env: {
      PUSH_ALLOW_LOCAL: 'true',
      NODE_EXTRA_CA_CERTS: join(folder, 'ca.pem'),
      ...(process.env.DIST_DIR === undefined ? {} : { DIST_DIR: process.env.DIST_DIR }),
    },
  });
  user = await createUser(server.url);
  browser = await openBrowser();
  await browser.context.grantPermissions(['notifications'], { origin: server.url });
  page = await browser.page();
  await page.setViewportSize({ width: 390, height: 844 });
  await logIn(page, server.url, user);
  await controlled(page);
});
afterAll(async () => {
  await browser?.close();
  await server?.stop();
  await service?.close();
  rmSync(folder, { recursive: true, force: true });
});

describe('a price alert', () => {
  it('is set on the page of its pair with a price proposed, and names what is wrong', async () => {
    await openPair();
    await page.getByRole('button', { name: 'Set alert' }).click();
    expect(
      Number(await dialog().getByLabel('Price', { exact: true }).inputValue()),
    ).toBeGreaterThan(0);
    await dialog().getByLabel('Price', { exact: true }).fill('a lot');
    await dialog().getByLabel('Note (optional)').fill('Sell half');
    await dialog().getByRole('button', { name: 'Set alert' }).click();
    await dialog().getByText('A price such as 65,000.50').waitFor();
    expect(await dialog().getByLabel('Note (optional)').inputValue()).toBe('Sell half');
    await fill('9,000,000');
    await row('Above 9').getByText('Watching', { exact: false }).waitFor();
    expect((await listOf()).alerts).toMatchObject([
      {
        symbol: PAIR,
        condition: { kind: 'above', price: '9000000' },
        note: 'Sell half',
        phase: 'watching',
        version: 1,
      },
    ]);
  });

  it('keeps what was typed when Back is pressed, and gives Back free once it is closed (A-08)', async () => {
    await page.goto(`${server.url}/alerts`);
    await page.getByRole('button', { name: 'New alert' }).waitFor();
    await openPair();
    await page.getByRole('button', { name: 'Set alert' }).click();
    const note = dialog().getByLabel('Note (optional)');
    await note.fill('Half of it');
    for (const press of ['first', 'second']) {
      await page.goBack();
      await dialog().getByText('Not saved yet.', { exact: false }).waitFor();
      expect(await note.inputValue(), `after the ${press} Back`).toBe('Half of it');
      expect(new URL(page.url()).pathname).toBe('/market/BTC-USDT');
    }
    await dialog().getByRole('button', { name: 'Close' }).click();
    await dialog().waitFor({ state: 'detached' });
    await page.goBack();
    await page.getByRole('button', { name: 'New alert' }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/alerts');
  });

  it('opens a dialog under which the page keeps its widths and stays where it is scrolled', async () => {
    await openPair();
    await page.locator('canvas').first().waitFor();
    const widths = () =>
      page.evaluate(() =>
        [document.body, ...document.querySelectorAll('main, main figure, main canvas')].map(
          (element) => element.getBoundingClientRect().width,
        ),
      );
    // The chart gives room to its scale of prices once its candles are drawn.
    await expect.poll(async () => (await widths()).filter((width) => width === 0)).toEqual([]);
    const before = await widths();
    expect(before.length).toBeGreaterThan(3);
    await page.getByRole('button', { name: 'Set alert' }).click();
    await dialog().getByLabel('Price', { exact: true }).waitFor();
    expect(await widths()).toEqual(before);
    const finger = await page.context().newCDPSession(page);
    const scrolled = () => page.evaluate(() => scrollY);
    const from = await scrolled();
    await page.mouse.move(195, 60);
    await page.mouse.wheel(0, 400);
    await finger.send('Input.synthesizeScrollGesture', {
      x: 195,
      y: 120,
      yDistance: -90,
      gestureSourceType: 'touch',
    });
    expect(await scrolled()).toBe(from);
    await page.keyboard.press('Escape');
    await dialog().waitFor({ state: 'detached' });
    expect(await widths()).toEqual(before);
    await page.mouse.wheel(0, 400);
    await expect.poll(scrolled).toBeGreaterThan(from);
  });

  it('set, changed and deleted without the server is received once, as it was last wanted', async () => {
    await openPair();
    await row('Above 9').waitFor();
    await server.kill9();
    await page.reload();
    await page.getByRole('button', { name: 'Set alert' }).click();
    await dialog()
      .getByText(
        'When you set the alert, it is saved on this device. The server watches it from when it receives it',
        {
          exact: false,
        },
      )
      .waitFor();
    await fill('8000000');
    await row('Above 8')
      .getByText('Alert saved on this device. Not yet received by the server. Not watched yet.')
      .waitFor();
    // One that comes and goes before the server has heard of it.
    await page.getByRole('button', { name: 'Set alert' }).click();
    await fill('7000000');
    await row('Above 7').waitFor();
    await pressIn(/^Delete BTC\/USDT above 7/);
    await page.getByText(/^Deleted: BTC\/USDT above 7/).waitFor();
    await pressIn(/^Edit BTC\/USDT above 8/);
    await fill('8500000');
    await pressIn(/^Edit BTC\/USDT above 9/);
    await fill('9500000');
    expect(await outbox()).toHaveLength(2);
    await page.reload();
    await row('Above 8').getByText('Not watched yet.', { exact: false }).waitFor();

    await server.restart();
    const { alerts } = await until(
      listOf,
      (list) => list.alerts.length === 2 && list.alerts[0]?.version === 2,
    );
    expect(alerts).toMatchObject([
      { condition: { price: '9500000' }, version: 2 },
      { condition: { price: '8500000' }, version: 1, phase: 'watching' },
    ]);
    await until(outbox, (left) => left.length === 0);
    await row('Above 8').getByText('Watching', { exact: false }).waitFor();
  });

  it('deleted without the server is gone once it is back, and an undone deletion changes nothing', async () => {
    await server.kill9();
    await page.reload();
    await row('Above 8').getByText('Watching when last seen', { exact: false }).waitFor();
    await pressIn(/^Delete BTC\/USDT above 8/);
    await row('Above 8')
      .getByText(/^Deletion of alert saved on this device/)
      .waitFor();
    await pressIn(/^Delete BTC\/USDT above 9/);
    await row('Above 9').getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('button', { name: /^Edit BTC\/USDT above 9/ }).waitFor();
    await server.restart();
    expect(await until(listOf, (list) => list.alerts.length === 1)).toMatchObject({
      alerts: [{ condition: { price: '9500000' }, version: 2 }],
    });
    await until(outbox, (left) => left.length === 0);
  });

  it('that is reached is said at once, kept with its time, and pushed to where its pair is', async () => {
    const subscription = service.subscribe();
    const response = await fetch(`${server.url}/callable/registerPush`, {
      method: 'POST',
      headers: { authorization: `Bearer ${user.idToken}`, 'content-type': 'application/json' },
      body: JSON.stringify({ data: { subscription } }),
    });
    expect(response.status).toBe(200);
    await page.goto(`${server.url}/alerts`);
    await page.getByRole('heading', { name: 'Alerts' }).waitFor();
    await setUntilReached();
    const [firing] = (await listOf()).firings;
    expect(firing).toMatchObject({ symbol: PAIR, late: false, simulated: true });
    await page
      .getByText(/^BTC\/USDT (rose|fell) to .* \(simulated prices\)$/)
      .first()
      .waitFor();
    await page
      .getByRole('region', { name: 'Reached' })
      .getByText('New', { exact: true })
      .first()
      .waitFor();

    const { text } = await service.wait(1);
    expect(PushPayload.parse(JSON.parse(text))).toMatchObject({
      kind: 'priceAlert',
      facts: { pair: PAIR, firing: { simulated: true } },
    });
    await browser.deliverPush(server.url, text);
    const [notification] = await until(
      () =>
        page.evaluate(async () => {
          const registration = await navigator.serviceWorker.ready;
          // In turn with the worker: `src/offline/notification-screen.ts`.
          const list = await navigator.locks.request('notifications', () =>
            registration.getNotifications(),
          );
          return list.map(({ title, body, data }) => ({
            title,
            body,
            path: (data as { path: string }).path,
          }));
        }),
      (list) => list.length > 0,
    );
    // Several that one price reaches are told in one message.
    expect(notification?.title).toMatch(
      /^(BTC\/USDT (above|below) [\d.,\s\u00a0\u202f]+|\d price alerts were reached)$/,
    );
    expect(notification?.body).toMatch(/ at \d\d:\d\d\. Simulated prices\.$/);
    expect(notification?.path).toBe('/market/BTC-USDT');
  });
});
