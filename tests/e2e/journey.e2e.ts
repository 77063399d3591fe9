/** The first whole path, as a stranger walks it in real Chromium against the real server. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Page } from 'playwright-core';
import { controlled, openBrowser, type Browser } from '../support/browser.ts';
import { hold } from '../support/hold.ts';
import { callApi, signIn, startServer, type TestServer } from '../support/server.ts';
import { replayTape } from '../support/tape.ts';

const EMAIL = 'stranger@example.com';
const PASSWORD = 'correct horse 9';

let server: TestServer;
let browser: Browser;
let page: Page;
const tape = replayTape();

beforeAll(async () => {
  server = await startServer({ firstStart: true, env: { ...tape.env, REPLAY_SPEED: '1200' } });
  browser = await openBrowser({ viewport: { width: 390, height: 844 } });
  page = await browser.page();
});
afterAll(async () => {
  await browser.close();
  await server.stop();
  tape.remove();
});

/** What the person saw when a step failed, for whoever reads the log. */
afterEach(async (context) => {
  if (context.task.result?.state === 'fail')
    console.log(
      `${page.url()}\n${(
        await page
          .locator('body')
          .innerText()
          .catch(() => '')
      ).slice(0, 3000)}\n${browser.errors.slice(-10).join('\n')}`,
    );
});

const text = (content: string | RegExp) => page.getByText(content).first();
/** The agent's own row: positions and trades name it as well, and come by other readings. */
const harbour = () => page.getByRole('link', { name: /^Harbour/ }).first();
const serverAgents = async () => {
  const { idToken } = await signIn(server.url, EMAIL, PASSWORD);
  return (await callApi(server.url, idToken, 'agents')).agents;
};

describe('the first whole path', () => {
  it('registers a stranger, who lands signed in under the name that was typed (R1-01, R2-01, R2-09)', async () => {
    await page.goto(`${server.url}/`);
    await page.getByRole('link', { name: 'Get Started' }).first().click();
    await page.getByLabel('Email').fill(EMAIL);
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await page.getByLabel('Name (optional)').fill('Harbour Master');
    await page.getByRole('button', { name: 'Create account' }).click();
    await page.waitForURL('**/getting-started');
    const { idToken } = await signIn(server.url, EMAIL, PASSWORD);
    await expect
      .poll(
        async () => (await callApi(server.url, idToken, 'tradingSettings')).settings.displayName,
      )
      .toBe('Harbour Master');
  });

  it('starts the free trial once, and says so (R4-08, R4-09)', async () => {
    await page.goto(`${server.url}/subscription`);
    await page.getByRole('button', { name: 'Start free trial' }).click();
    await text('Trial started successfully!').waitFor();
    await text(/14 days remaining/).waitFor();
    expect(await page.getByRole('button', { name: 'Start free trial' }).count()).toBe(0);
  });

  it('creates an agent, starts it, and shows its first fill (R1-02, R2-12, R7-15, R7-17)', async () => {
    await page.goto(`${server.url}/agents`);
    await page.getByRole('button', { name: 'New agent' }).first().click();
    await page.getByRole('radio', { name: /^Aggressive/ }).check();
    await page.getByRole('button', { name: 'Next: name and pairs' }).click();
    await page.getByLabel('Name').fill('Harbour');
    for (const pair of ['BTC/USDT', 'ETH/USDT', 'SOL/USDT'])
      await page.getByRole('button', { name: pair, exact: true }).click();
    await page.getByLabel('Largest position').fill('5000');
    await page.getByLabel('Checks the market').selectOption('5-minute');
    await page.getByRole('button', { name: 'Next: preview' }).click();
    await text(/^Based on the candle closed/).waitFor();
    await page.getByRole('button', { name: 'Create agent' }).click();
    await page.waitForURL(/\/agents\/[0-9a-f-]{36}/);
    await page.getByRole('button', { name: 'Start', exact: true }).click();
    await hold(page.getByRole('dialog').getByRole('button', { name: /^Hold to start/ }));
    await text('Running').waitFor();
    await page.goto(`${server.url}/portfolio`);
    await text(/▲|Buy|buy/).waitFor({ timeout: 120_000 });
    const [agent] = await serverAgents();
    expect(agent).toMatchObject({ name: 'Harbour', status: 'running' });
  });

  it('paints the last portfolio with its age when the server is gone (R2-06, R7-24)', async () => {
    await page.goto(`${server.url}/dashboard`);
    await harbour().waitFor();
    await controlled(page);
    await page.reload();
    await harbour().waitFor();
    await server.kill9();
    await page.reload();
    await harbour().waitFor();
    await text(/Offline\. Showing \d{1,2}:\d{2}/).waitFor();
    expect(await page.locator('body').innerText()).toMatch(/\d[\d\s\u2009\u202f.,]* ?USDT|USDT/);
  });

  it('saves Stop on the device, does not call the agent stopped, and delivers it once (R7-17)', async () => {
    await harbour().click();
    await page.waitForURL(/\/agents\//);
    await page.getByRole('button', { name: 'Stop', exact: true }).click();
    await text(/Stop saved on this device\. Not yet received by the server\./).waitFor();
    expect(await page.getByText(/^Stopped/).count()).toBe(0);
    await page.reload();
    await text(/Stop saved on this device/).waitFor();

    await server.restart();
    await page
      .getByText(/^Stopped/)
      .first()
      .waitFor({ timeout: 60_000 });
    const [agent, ...others] = await serverAgents();
    expect(others).toEqual([]);
    expect(agent?.status).toBe('stopped');
    // One start and one stop moved it, and nothing else: created is 1.
    expect(agent?.generation).toBe(3);
    expect(
      browser.errors.filter(
        (line) => !/Failed to load resource|ERR_CONNECTION|net::|fetch/i.test(line),
      ),
    ).toEqual([]);
  });
});
