/** The tunnel in real Chromium: every screen without its server, what waits and what needs the person; refuses stand-ins. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Page } from 'playwright-core';
import type { Agent } from '../../contract/agents.ts';
import { controlled, openBrowser, type Browser } from '../support/browser.ts';
import { callApi, createUser, startServer, type TestServer, type TestUser } from '../support/server.ts';

const MINUTE = 60_000;
let server: TestServer;
let browser: Browser;
let user: TestUser;
let page: Page;
let running: Agent;
let idle: Agent;

async function agent(name: string, start: boolean): Promise<Agent> {
  const { agent: made } = await callApi(server.url, user.idToken, 'createAgent', {
    body: { name, trading_pairs: [], risk_profile: 'Moderate', max_position_size: 500, execution_interval: 'daily', enabled: false, pool: 'all_pools' },
  });
  return start ? (await callApi(server.url, user.idToken, 'startAgent', { params: { id: made.id }, body: {} })).agent : made;
}

/** Pictures for a person to look at, where a folder is named. */
async function picture(name: string): Promise<void> {
  const folder = process.env.TUNNEL_SHOTS;
  if (folder === undefined) return;
  for (const [width, height] of [[390, 844], [1440, 900]] as const) {
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.setViewportSize({ width, height });
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      await new Promise((resolve) => { setTimeout(resolve, 150); });
      await page.screenshot({ path: `${folder}/${name}-${width}-${colorScheme}.png` });
    }
  }
  await page.setViewportSize({ width: 1280, height: 800 });
}

const go = async (path: string): Promise<string> => {
  await page.evaluate((to) => { history.pushState(null, '', to); dispatchEvent(new PopStateEvent('popstate')); }, path);
  await page.getByText('Loading...', { exact: true }).waitFor({ state: 'detached' });
  await page.locator('main h1').first().waitFor({ state: 'attached' });
  return page.locator('main').innerText();
};

const stopFor = (name: string) => page.getByRole('button', { name: new RegExp(`^Stop( ${name}.*)?$`) });

beforeAll(async () => {
  server = await startServer();
  user = await createUser(server.url);
  await callApi(server.url, user.idToken, 'trialStart', { body: { userId: user.uid } });
  running = await agent('Harbour', true);
  idle = await agent('Drift', false);
  browser = await openBrowser();
  page = await browser.page();
  await page.clock.install();
  await page.goto(`${server.url}/login`);
  await page.getByLabel('Email').fill(user.email);
  await page.getByLabel('Password', { exact: true }).fill(user.password);
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.waitForURL('**/dashboard');
  await controlled(page);
  await page.getByText('Harbour').first().waitFor();
  await page.goto(`${server.url}/analytics`);
  await page.getByText('Sharpe').first().waitFor();
  await page.goto(`${server.url}/market`);
  await page.getByText('BTC').first().waitFor();
  await page.goto(`${server.url}/agents`);
  await page.getByText('Harbour').first().waitFor();
  await server.kill9();
  await page.reload();
  await page.getByText(/^Offline\./).waitFor();
});
afterAll(async () => {
  await browser?.close();
  await server?.stop();
});

const SCREENS = ['/dashboard', '/standard-dashboard', '/pro-dashboard', '/getting-started', '/trading', '/analytics', '/agents', '/referrals', '/subscription', '/market', '/guided-setup',
  '/library', '/support', '/security', '/performance', '/portfolio', '/stop-all', '/market/BTC-USD'];

describe('in the tunnel', () => {
  it('opens every protected screen with what is known or with the word of what is missing, and never a blank (R4-06)', async () => {
    const blank: string[] = [];
    for (const path of [...SCREENS, `/agents/${running.id}`]) {
      const text = await go(path);
      await picture(`offline${path.replaceAll('/', '-').slice(0, 30)}`);
      if (path !== '/pro-dashboard' && /Authentication Required|Feature Unavailable|Upgrade Required|Access Denied|Invalid route|Something went wrong/.test(text)) blank.push(`${path} guarded: ${text}`);
      if (text.trim().length < 40) blank.push(`${path}: ${text}`);
    }
    expect(blank).toEqual([]);
  });

  it('offers Stop on every screen where a running agent shows', async () => {
    for (const path of ['/dashboard', '/standard-dashboard', '/agents', `/agents/${running.id}`, '/performance']) {
      await go(path);
      await stopFor('Harbour').first().waitFor();
    }
    await go('/stop-all');
    await page.getByRole('button', { name: /Hold to stop all/ }).waitFor();
    expect(await page.locator('main').innerText()).toContain('Stops Harbour, and whatever another device has started.');
  });

  it('saves a stop and a start, takes the start back, and asks about a start that has waited too long', async () => {
    await go(`/agents/${running.id}`);
    await page.getByRole('button', { name: 'Stop', exact: true }).click();
    await page.getByText('Stop saved on this device. Not yet received by the server.').first().waitFor();
    await picture('queued-stop');
    await page.getByRole('button', { name: 'Undo' }).first().click();
    await page.getByText('Taken back. Nothing was sent.').waitFor();
    await go(`/agents/${idle.id}`);
    await page.getByRole('button', { name: 'Start', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Start', exact: true }).click();
    await page.getByText('Start saved on this device.', { exact: false }).first().waitFor();
    await page.clock.fastForward(45 * MINUTE);
    await page.reload();
    await page.getByRole('button', { name: 'Review the start' }).click();
    const dialog = page.getByRole('dialog', { name: 'Start Drift after all?' });
    await dialog.waitFor();
    await picture('needs-you');
    const words = await dialog.innerText();
    expect(words).toContain('waited for more than 30 minutes');
    expect(words).toMatch(/Worst loss in one pair, at the stop\s+[▼]?\s*−\d/);
    expect(words).toContain('Nobody has changed it since, as far as this device knows.');
    expect(await dialog.getByRole('row').count()).toBeGreaterThan(3);
    await dialog.getByRole('button', { name: 'Do not start' }).click();
    await page.getByText('Not started. Nothing was sent.').waitFor();
  });

  it('turns each kind of data stale in its own time', async () => {
    await go('/portfolio');
    await picture('after-45-min-portfolio');
    await page.clock.fastForward(120 * MINUTE);
    const old: string[] = [];
    for (const path of ['/portfolio', '/market', '/agents', '/analytics', '/subscription']) {
      await go(path);
      await picture(`after-3-h${path.replaceAll('/', '-')}`);
      old.push(await page.locator('header .text-amber').first().innerText());
    }
    expect(old.every((text) => /2 h ago/.test(text))).toBe(true);
  });
});
