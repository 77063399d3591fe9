/**
 * The server goes and comes back under an open page, in real Chromium: how soon that is noticed,
 * delivered and shown.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Page } from 'playwright-core';
import { controlled, openBrowser, type Browser } from '../support/browser.ts';
import {
  callApi,
  createUser,
  startServer,
  type TestServer,
  type TestUser,
} from '../support/server.ts';
import { logIn } from '../support/sign-in.ts';

let server: TestServer;
let browser: Browser;
let page: Page;
let user: TestUser;
/** Requests for the stream, of every page. */
const streams: string[] = [];

beforeAll(async () => {
  server = await startServer();
  user = await createUser(server.url);
  await callApi(server.url, user.idToken, 'trialStart', { body: { userId: user.uid } });
  browser = await openBrowser();
  browser.context.on('request', (request) => {
    if (new URL(request.url()).pathname === '/api/stream') streams.push(request.url());
  });
  page = await browser.page();
  await logIn(page, server.url, user);
  await controlled(page);
});
afterAll(async () => {
  await browser?.close();
  await server?.stop();
});

const offline = (target: Page) =>
  target
    .getByText(/^Offline\. Showing/)
    .filter({ visible: true })
    .first();

describe('the server going and coming back under an open page', () => {
  it("is noticed without a press, a saved Stop is delivered at once, and the screen shows the server's word (F05)", async () => {
    const { agent } = await callApi(server.url, user.idToken, 'createAgent', {
      body: {
        name: 'Harbour',
        trading_pairs: [],
        risk_profile: 'Moderate',
        max_position_size: 500,
        execution_interval: 'daily',
        enabled: true,
        pool: 'all_pools',
      },
    });
    const took: { noticed: number; delivered: number; shown: number }[] = [];
    for (let round = 0; round < Number(process.env.ROUNDS ?? 1); round += 1) {
      await callApi(server.url, user.idToken, 'startAgent', { params: { id: agent.id }, body: {} });
      await page.goto(`${server.url}/agents/${agent.id}`);
      await page.getByRole('button', { name: 'Stop', exact: true }).waitFor();
      await page.waitForTimeout(1_500);
      await server.kill9();
      const gone = Date.now();
      await offline(page).waitFor();
      const noticed = Date.now() - gone;
      await page.getByRole('button', { name: 'Stop', exact: true }).click();
      await page
        .getByText('Stop saved on this device. Not yet received by the server.')
        .first()
        .waitFor();
      const answers = (async () => {
        for (;;) {
          if (
            await fetch(`${server.url}/healthz`).then(
              (reply) => reply.ok,
              () => false,
            )
          )
            return Date.now();
          await new Promise((resolve) => {
            setTimeout(resolve, 20);
          });
        }
      })();
      const shown = page
        .getByText('Stopped', { exact: true })
        .filter({ visible: true })
        .first()
        .waitFor()
        .then(() => Date.now());
      // Awaited below; where the restart fails first, that is the reason to give.
      shown.catch(() => undefined);
      await server.restart();
      const back = await answers;
      const deliveredAt = await (async () => {
        for (;;) {
          const [first] = (await callApi(server.url, user.idToken, 'agents')).agents;
          if (first?.status === 'stopped') return Date.now();
          await new Promise((resolve) => {
            setTimeout(resolve, 50);
          });
        }
      })();
      took.push({ noticed, delivered: deliveredAt - back, shown: (await shown) - back });
      await offline(page).waitFor({ state: 'hidden' });
    }
    console.log(JSON.stringify(took));
  });

  it('leaves two tabs with one stream between them', async () => {
    const second = await browser.page();
    streams.length = 0;
    await second.goto(`${server.url}/dashboard`);
    await second
      .getByText(/10.000\.00/)
      .first()
      .waitFor();
    await second.waitForTimeout(1_000);
    expect(streams).toEqual([]);
    await page.close();
    await expect.poll(() => streams.length).toBe(1);
    page = second;
  });

  it("ends the other tab's private view with the sign-out of one", async () => {
    const other = await browser.page();
    await other.goto(`${server.url}/portfolio`);
    await other
      .getByText(/10.000\.00/)
      .first()
      .waitFor();
    await page.bringToFront();
    await page.goto(`${server.url}/security`);
    await page.getByRole('button', { name: 'Log out', exact: true }).click();
    await other.getByRole('heading', { name: 'Authentication Required' }).waitFor();
    expect(await other.getByText(/10.000\.00/).count()).toBe(0);
    await expect
      .poll(() =>
        other.evaluate(async () =>
          (await indexedDB.databases())
            .map(({ name }) => name)
            .filter((name) => name?.startsWith('tradewind-')),
        ),
      )
      .toEqual([]);
  });
});
