/** The tunnel in real Chromium: every screen without its server, what grows old there, what waits and what needs the person; refuses stand-ins. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Page } from 'playwright-core';
import type { Agent } from '../../contract/agents.ts';
import { controlled, openBrowser, type Browser } from '../support/browser.ts';
import { callApi, createUser, startServer, type TestServer, type TestUser } from '../support/server.ts';
import { logIn } from '../support/sign-in.ts';

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

/** Goes there as a link does, and waits until the screen of that path is there: its code is fetched first. */
async function go(path: string, heading: string | RegExp): Promise<void> {
  await page.evaluate((to) => {
    history.pushState(null, '', to);
    dispatchEvent(new PopStateEvent('popstate'));
  }, path);
  await page.getByRole('heading', { level: 1, name: heading, exact: true }).waitFor();
}

const stopFor = (name: string) => page.getByRole('button', { name: new RegExp(`^Stop( ${name}.*)?$`) });
/** Goes to one screen of each kind and answers on which the header's age is amber. */
async function stale(): Promise<string[]> {
  // The app's own clock beats once a second.
  await page.clock.runFor(2_000);
  const found: string[] = [];
  for (const [path, heading] of KINDS) {
    await go(path, heading);
    if (await page.locator('header .text-amber').first().isVisible()) found.push(path);
    await picture(`stale-${found.length}${path.replaceAll('/', '-')}`);
  }
  return found;
}

beforeAll(async () => {
  server = await startServer();
  user = await createUser(server.url);
  await callApi(server.url, user.idToken, 'trialStart', { body: { userId: user.uid } });
  running = await agent('Harbour', true);
  idle = await agent('Drift', false);
  browser = await openBrowser();
  page = await browser.page();
  await page.clock.install();
  await logIn(page, server.url, user);
  await controlled(page);
  await page.getByText('Harbour').first().waitFor();
  await go('/analytics', 'Analytics');
  await page.getByText('Total return').waitFor();
  await go('/market', 'Markets');
  await page.getByText('BTC').first().waitFor();
  await go('/agents', 'Agents');
  await page.getByText('Harbour').first().waitFor();
  await server.kill9();
  await page.reload();
  await page.getByText(/^Offline\. Showing /).waitFor();
});
afterAll(async () => {
  await browser?.close();
  await server?.stop();
});

/** Every protected screen: its heading, what it shows of what was known, or names as missing; and whether the header tells an age. */
const SCREENS: readonly [path: string, heading: string | RegExp, shows: RegExp, aged: boolean][] = [
  ['/dashboard', 'Dashboard', /10.000\.00[^]*Harbour\s+Running/, true],
  ['/standard-dashboard', 'Dashboard', /10.000\.00[^]*Harbour\s+Running/, true],
  // The server's last word on this person's plan: a trial has no such screen.
  ['/pro-dashboard', 'Upgrade Required', /This page requires a pro subscription\./, false],
  ['/getting-started', 'Getting started', /5 of 10 done/, false],
  ['/trading', 'Trading', /Offline\. What you type stays here; save when you are back\./, false],
  ['/analytics', 'Analytics', /Total return\s+0\.00/, true],
  ['/agents', 'Agents', /1 of 2 running[^]*Harbour\s+Running/, true],
  ['/agents/:running', 'Harbour', /Candles of BTC\/USDT: not on this device\. Comes when the server is back\.[^]*Decisions: not on this device\./, true],
  ['/referrals', 'Referrals', /Your code is not on this device/, false],
  ['/subscription', 'Subscription', /Free trial\. 14 days remaining\.[^]*Agents\s+Not on this device[^]*Plans\s+Not on this device\. Comes when the server is back\./, true],
  ['/market', 'Markets', /BTC\/USDT\s+Bitcoin\s+\d+.\d+\.\d/u, true],
  ['/market/BTC-USDT', /^BTC\/USDT/, /The last day that was kept\. Candles come when the server is back\.[^]*Bid\s+\d+.\d+\.\d/u, true],
  ['/market/NO-SUCH', 'NO/SUCH', /Not offered here/, true],
  ['/guided-setup', 'Guided setup', /Question 1 of 6/, false],
  ['/library', 'Library', /Reading the dashboard/, false],
  ['/support', 'Support', /Offline: this cannot be sent now\./, false],
  ['/security', 'Security', /What you are told: not on this device\. Comes when the server is back\./, false],
  ['/performance', 'Performance', /Harbour\s+Running/, true],
  ['/portfolio', 'Portfolio', /Cash\s+10.000\.00/, true],
  ['/stop-all', 'Stop all agents', /Stops Harbour, and whatever another device has started\. No position is open\.[^]*Known \d/, true],
];

/** One screen for each kind of data that has an age. */
const KINDS = [['/portfolio', 'Portfolio'], ['/market', 'Markets'], ['/agents', 'Agents'], ['/analytics', 'Analytics'], ['/subscription', 'Subscription']] as const;

describe('in the tunnel', () => {
  it('shows on every protected screen what was known, or says precisely what it lacks (R4-06)', async () => {
    const wrong: string[] = [];
    for (const [path, heading, shows, aged] of SCREENS) {
      await go(path.replace(':running', running.id), heading);
      let text = '';
      for (const end = Date.now() + 10_000; !shows.test(text) && Date.now() < end;) {
        if (text !== '') await new Promise((resolve) => { setTimeout(resolve, 100); });
        text = await page.locator('main').innerText();
      }
      if (!shows.test(text)) wrong.push(`${path} lacks ${shows.source}: ${text}`);
      if (/Authentication Required|Feature Unavailable|Access Denied|Something went wrong|unavailable|could not be read/.test(text)) wrong.push(`${path} blames: ${text}`);
      const age = await page.locator('header').innerText();
      if (aged && !/Data\s+(now|\d+ (s|min) ago)/.test(age)) wrong.push(`${path} tells no age: ${age}`);
      await picture(`offline${path.replaceAll('/', '-').replace(':', '')}`);
    }
    expect(wrong).toEqual([]);
  });

  it('offers Stop on every screen where a running agent shows', async () => {
    for (const [path, heading] of [['/dashboard', 'Dashboard'], ['/standard-dashboard', 'Dashboard'], ['/agents', 'Agents'], [`/agents/${running.id}`, 'Harbour'], ['/performance', 'Performance']] as const) {
      await go(path, heading);
      await stopFor('Harbour').first().waitFor();
    }
    await go('/stop-all', 'Stop all agents');
    await page.getByRole('button', { name: /Hold to stop all/ }).waitFor();
  });

  it('turns amber after two minutes what moves with prices or may be changed from elsewhere, and nothing else', async () => {
    await page.clock.fastForward(2 * MINUTE);
    expect(await stale()).toEqual(['/portfolio', '/market', '/agents']);
  });

  it('saves a stop and takes it back; a start that has waited 45 minutes asks to be confirmed, with what was seen and what is now', async () => {
    await go(`/agents/${running.id}`, 'Harbour');
    await page.getByRole('button', { name: 'Stop', exact: true }).click();
    await page.getByText('Stop saved on this device. Not yet received by the server.').first().waitFor();
    await picture('queued-stop');
    await page.getByRole('main').getByRole('button', { name: 'Undo' }).click();
    await page.getByText('Taken back. Nothing was sent.').waitFor();
    await stopFor('Harbour').first().waitFor();
    await go(`/agents/${idle.id}`, 'Drift');
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
    expect(words).toMatch(/Worst loss in one pair, at the stop, USDT\s+▼?\s*−\d/);
    expect(words).toContain('Nobody has changed it since, as far as this device knows.');
    expect(await dialog.getByRole('row').count()).toBeGreaterThan(3);
    await dialog.getByRole('button', { name: 'Do not start' }).click();
    await page.getByText('Not started. Nothing was sent.').waitFor();
  });

  it('turns every kind of data amber after two hours', async () => {
    await page.clock.fastForward(120 * MINUTE);
    expect(await stale()).toEqual(KINDS.map(([path]) => path));
    expect(await page.locator('header .text-amber').first().innerText()).toMatch(/2 h ago/);
  });
});
