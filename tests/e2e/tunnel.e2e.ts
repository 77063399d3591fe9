/**
 * The tunnel in real Chromium: every screen without its server, what grows old there, what waits
 * and what needs the person.
 */
import { appendFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Page } from 'playwright-core';
import type { Agent } from '../../contract/agents.ts';
import { controlled, openBrowser, type Browser } from '../support/browser.ts';
import {
  callApi,
  createUser,
  startServer,
  type TestServer,
  type TestUser,
} from '../support/server.ts';
import { hold } from '../support/hold.ts';
import { logIn } from '../support/sign-in.ts';
import { replayTape } from '../support/tape.ts';
import { until } from '../support/until.ts';

const MINUTE = 60_000;
let server: TestServer;
let browser: Browser;
let user: TestUser;
let page: Page;
/**
 * It runs and holds something; it is stopped and holds something; it runs, and its stop waits on
 * the device.
 */
let harbour: Agent;
let drift: Agent;
let ebb: Agent;
const tape = replayTape();

const QUICK = {
  trading_pairs: ['BTC/USDT', 'ETH/USDT', 'SOL/USDT'],
  risk_profile: 'Aggressive',
  max_position_size: 2_000,
  execution_interval: '5-minute',
  enabled: true,
} as const;
const CALM = {
  trading_pairs: [],
  risk_profile: 'Moderate',
  max_position_size: 500,
  execution_interval: 'daily',
  enabled: true,
  pool: 'all_pools',
} as const;
async function agent(name: string, terms: typeof QUICK | typeof CALM): Promise<Agent> {
  return (
    await callApi(server.url, user.idToken, 'createAgent', {
      body: { ...terms, name, trading_pairs: [...terms.trading_pairs] },
    })
  ).agent;
}

/**
 * Lets a fast market run until two agents hold something, stops one of them, and goes on at the
 * pace of life.
 */
async function settle(): Promise<void> {
  const holding = async (): Promise<string[]> =>
    (await callApi(server.url, user.idToken, 'agents')).agents
      .filter((one) => one.openPositions > 0)
      .map((one) => one.name);
  const both = (names: readonly string[]): boolean =>
    names.includes('Harbour') && names.includes('Drift');
  for (const turn of ['running', 'stopped']) {
    await until(holding, both);
    if (turn === 'running')
      await callApi(server.url, user.idToken, 'stopAgent', { params: { id: drift.id }, body: {} });
  }
  await server.kill9();
  await server.restart({ REPLAY_SPEED: '1' });
  await until(holding, both);
}

/** Pictures for a person to look at, where a folder is named. */
async function picture(name: string): Promise<void> {
  const folder = process.env.TUNNEL_SHOTS;
  if (folder === undefined) return;
  for (const [width, height] of [
    [390, 844],
    [1440, 900],
  ] as const) {
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.setViewportSize({ width, height });
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      await new Promise((resolve) => {
        setTimeout(resolve, 150);
      });
      await page.screenshot({ path: `${folder}/${name}-${width}-${colorScheme}.png` });
    }
  }
  await page.setViewportSize({ width: 1280, height: 800 });
}

/**
 * Goes there as a link does, and waits until the screen of that path is there: its code is fetched
 * first.
 */
async function go(path: string, heading: string | RegExp): Promise<void> {
  await page.evaluate((to) => {
    history.pushState(null, '', to);
    dispatchEvent(new PopStateEvent('popstate'));
  }, path);
  await page.getByRole('heading', { level: 1, name: heading, exact: true }).waitFor();
}

const stopFor = (name: string) =>
  page.getByRole('button', { name: new RegExp(`^Stop( ${name}.*)?$`) });
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
  server = await startServer({ env: { ...tape.env, REPLAY_SPEED: '1200' } });
  user = await createUser(server.url);
  await callApi(server.url, user.idToken, 'trialStart', { body: { userId: user.uid } });
  harbour = await agent('Harbour', QUICK);
  drift = await agent('Drift', QUICK);
  ebb = await agent('Ebb', CALM);
  await settle();
  browser = await openBrowser();
  page = await browser.page();
  await page.clock.install();
  await logIn(page, server.url, user);
  await controlled(page);
  await page.getByText('Harbour').first().waitFor();
  await go('/analytics', 'Analytics');
  await page.getByText('Total return', { exact: true }).waitFor();
  await go('/market', 'Markets');
  await page.getByText('BTC').first().waitFor();
  // The lines of the day come after the prices, and are what a pair shows without its candles.
  await page.locator('[aria-label*="24 hours"]').first().waitFor({ state: 'attached' });
  await go('/agents', 'Agents');
  await page.getByText('Harbour').first().waitFor();
  await server.kill9();
  await page.reload();
  await page.getByText(/^Offline\. Showing /).waitFor();
});
afterAll(async () => {
  await browser?.close();
  await server?.stop();
  tape.remove();
});

interface Row {
  path: string;
  heading: string | RegExp;
  /** What it must say, in any order. */
  says: readonly RegExp[];
  /** Whether the header tells an age. */
  aged: boolean;
}
const row = (path: string, heading: string | RegExp, aged: boolean, ...says: RegExp[]): Row => ({
  path,
  heading,
  aged,
  says,
});

const HARBOUR = /Harbour\s+Running when last seen/;
const DRIFT = /Drift\s+Stopped when last seen/;
const EBB =
  /Ebb\s+Running when last seen\s+Stop saved on this device\. Not yet received by the server\./;
const PROTECTS = /protecting \d positions?\b/;
const HOW_LONG = /\d+ (?:s|min) ago|\bnow\b/;

/**
 * Every protected screen: its heading, what it says of what was known, or names as missing. What is
 * said of agents is of the last word of the server; of money and positions of the last reading of
 * the account; both with their age.
 */
const SCREENS: readonly Row[] = [
  row(
    '/dashboard',
    'Dashboard',
    true,
    /\d.\d{3}\.\d\d/,
    HARBOUR,
    DRIFT,
    EBB,
    PROTECTS,
    /2 of 3 running when last seen/,
    HOW_LONG,
  ),
  row(
    '/standard-dashboard',
    'Dashboard',
    true,
    HARBOUR,
    DRIFT,
    EBB,
    /2 of 3 running when last seen/,
  ),
  // The server's last word on this person's plan: a trial has no such screen.
  row('/pro-dashboard', 'Upgrade Required', false, /This page requires a pro subscription\./),
  row('/getting-started', 'Getting started', false, /\d of 10 done/),
  row(
    '/trading',
    'Trading',
    false,
    /You're offline\. Your entries are kept\. Save when you're back online\./,
  ),
  row('/analytics', 'Analytics', true, /Total return/, HOW_LONG),
  row(
    '/agents',
    'Agents',
    true,
    /2 of 3 running when last seen/,
    HARBOUR,
    DRIFT,
    EBB,
    PROTECTS,
    /last known check/,
  ),
  row(
    '/agents/:harbour',
    'Harbour',
    true,
    /Running when last seen\s+last known check/,
    /Candles of \w+\/USDT: not saved on this device\. Available when you’re online\./,
    /Decisions: not saved on this device\./,
    /after fees\s+Data\s+\d/,
  ),
  row(
    '/agents/:drift',
    'Drift',
    true,
    /Stopped when last seen, protecting \d positions?\s+last known check/,
  ),
  row(
    '/agents/:ebb',
    'Ebb',
    true,
    /Running when last seen\s+Stop saved on this device\. Not yet received by the server\./,
    /no closed trade yet/,
  ),
  row('/referrals', 'Referrals', false, /Your code is not saved on this device/),
  row(
    '/subscription',
    'Subscription',
    true,
    /Free trial\. 14 days remaining\./,
    /Agents\s+Not saved on this device/,
    /Plans\s+Not saved on this device\. Available when you’re online\./,
  ),
  row('/market', 'Markets', true, /BTC\/USDT/, /As counted at \d|Rising and falling, at \d/),
  row(
    '/market/BTC-USDT',
    /^BTC\/USDT/,
    true,
    /Last day saved on this device\. Candles return with the connection\./,
    /24 hours\s+Data\s+\d/,
    /Harbour\s+Running when last seen/,
    /Drift\s+Stopped when last seen, protecting/,
  ),
  row('/market/NO-SUCH', 'NO/SUCH', true, /Pair not available/),
  row('/guided-setup', 'Guided setup', false, /Question 1 of 4/),
  row('/library', 'Library', false, /Reading the dashboard/),
  row('/support', 'Support', false, /You're offline\. You can't send this now\./),
  row('/security', 'Security', false, /You need a connection to change your login\./),
  row(
    '/settings',
    'Settings',
    false,
    /Notification types: not saved on this device\. Available when you’re online\./,
  ),
  row(
    '/live/connect',
    'Connect an exchange',
    false,
    /You need a connection to connect an exchange\./,
  ),
  row('/wallet', 'Wallet', false, /The wallet needs a connection/),
  row(
    '/performance',
    'Performance',
    true,
    HARBOUR,
    /Drift\s+Stopped when last seen, protecting/,
    EBB,
    /2 of 3 running when last seen, \d+ with your plan/,
    HOW_LONG,
  ),
  row('/portfolio', 'Portfolio', true, /Cash\s+\S/, /\d open when last seen/, HOW_LONG),
  row(
    '/stop-all',
    'Stop all agents',
    true,
    /When last seen, \d positions? (?:was|were) open\. Open positions keep their stop losses/,
    /Not stopped when last seen/,
    /\nStopped when last seen\n/,
    /Data\s\d/,
  ),
];
/**
 * Words that say of this moment what only the server knows: on no screen that shows agents or
 * money.
 */
const PRESENT =
  /\bRunning\b(?! when last seen)|\d of \d running(?! when last seen)|Stopped, protecting|\bnext in\b|\blate: |nothing halted|Since you left|Evaluating/;
const ABOUT_AGENTS = [
  '/dashboard',
  '/standard-dashboard',
  '/agents',
  '/agents/:harbour',
  '/agents/:drift',
  '/agents/:ebb',
  '/market/BTC-USDT',
  '/performance',
  '/portfolio',
  '/stop-all',
  '/analytics',
];
const pathOf = (path: string): string =>
  path.replace(':harbour', harbour.id).replace(':drift', drift.id).replace(':ebb', ebb.id);

/** One screen for each kind of data that has an age. */
const KINDS = [
  ['/portfolio', 'Portfolio'],
  ['/market', 'Markets'],
  ['/agents', 'Agents'],
  ['/analytics', 'Analytics'],
  ['/subscription', 'Subscription'],
] as const;

describe('in the tunnel', () => {
  it('shows on every protected screen what was known and since when, or says precisely what it lacks, and nothing of this moment (R4-06)', async () => {
    await go(`/agents/${ebb.id}`, 'Ebb');
    await page.getByRole('button', { name: 'Stop', exact: true }).click();
    await page.getByText('Stop saved on this device.', { exact: false }).first().waitFor();
    const wrong: string[] = [];
    for (const { path, heading, says, aged } of SCREENS) {
      await go(pathOf(path), heading);
      let text = '';
      const lacks = (): RegExp[] => says.filter((one) => !one.test(text));
      for (const end = Date.now() + 10_000; lacks().length > 0 && Date.now() < end;) {
        if (text !== '')
          await new Promise((resolve) => {
            setTimeout(resolve, 100);
          });
        text = await page.locator('main').innerText();
      }
      if (lacks().length > 0)
        wrong.push(
          `${path} lacks ${lacks()
            .map((one) => one.source)
            .join(' and ')}: ${text}`,
        );
      if (ABOUT_AGENTS.includes(path) && PRESENT.test(text))
        wrong.push(`${path} says of now: ${PRESENT.exec(text)?.[0]} in ${text}`);
      if (
        /Authentication Required|Feature Unavailable|Access Denied|Something went wrong|unavailable|could not be read/.test(
          text,
        )
      )
        wrong.push(`${path} blames: ${text}`);
      const age = await page.locator('header').innerText();
      if (aged && !/Data\s+(now|\d+ (s|min) ago)/.test(age))
        wrong.push(`${path} tells no age: ${age}`);
      if (ABOUT_AGENTS.includes(path) && (await page.locator('main [data-dot="full"]').count()) > 0)
        wrong.push(`${path} has a full dot`);
      if (process.env.TUNNEL_TEXTS !== undefined)
        appendFileSync(process.env.TUNNEL_TEXTS, `\n## ${path}\n${text}\n`);
      await picture(`offline${path.replaceAll('/', '-').replace(':', '')}`);
    }
    expect(wrong).toEqual([]);
  });

  it('names the state in the palette as it was last seen', async () => {
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').fill('Harbour');
    await page.getByRole('option', { name: /Harbour\s*Running when last seen/ }).waitFor();
    await page.keyboard.press('Escape');
  });

  it('offers Stop on every screen where a running agent shows', async () => {
    for (const [path, heading] of [
      ['/dashboard', 'Dashboard'],
      ['/standard-dashboard', 'Dashboard'],
      ['/agents', 'Agents'],
      [`/agents/${harbour.id}`, 'Harbour'],
      ['/performance', 'Performance'],
    ] as const) {
      await go(path, heading);
      await stopFor('Harbour').first().waitFor();
    }
    await go('/stop-all', 'Stop all agents');
    await page.getByRole('main').getByRole('button', { name: 'Stop all', exact: true }).waitFor();
  });

  it('turns amber after two minutes what moves with prices or may be changed from elsewhere, and nothing else', async () => {
    await page.clock.fastForward(2 * MINUTE);
    expect(await stale()).toEqual(['/portfolio', '/market', '/agents']);
  });

  it('saves a stop and takes it back; a start that has waited 45 minutes asks to be confirmed, with what was seen and what is now', async () => {
    await go(`/agents/${harbour.id}`, 'Harbour');
    await page.getByRole('button', { name: 'Stop', exact: true }).click();
    await page
      .getByText(
        'Stop saved on this device. Not yet received by the server. The agent keeps trading until then.',
      )
      .first()
      .waitFor();
    await picture('queued-stop');
    await page.getByRole('main').getByRole('button', { name: 'Undo' }).click();
    await page.getByText('Undone. Nothing was sent.').waitFor();
    await stopFor('Harbour').first().waitFor();
    await go(`/agents/${drift.id}`, 'Drift');
    await page.getByRole('button', { name: 'Start', exact: true }).click();
    await hold(page.getByRole('dialog').getByRole('button', { name: /^Hold to start/ }));
    await page.getByText('Start saved on this device.', { exact: false }).first().waitFor();
    await page.clock.fastForward(45 * MINUTE);
    await page.reload();
    await page.getByRole('button', { name: 'Review start' }).click();
    const dialog = page.getByRole('dialog', { name: 'Start Drift now?' });
    await dialog.waitFor();
    await picture('needs-you');
    const words = await dialog.innerText();
    expect(words).toContain('waited for more than 30 minutes');
    expect(words).toMatch(/Maximum loss per pair at the stop, USDT\s+▼?\s*−\d/);
    expect(words).toContain('No changes since then, as far as this device knows.');
    expect(await dialog.getByRole('row').count()).toBeGreaterThan(3);
    await dialog.getByRole('button', { name: "Don't start" }).click();
    await page.getByText('Not started. Nothing was sent.').waitFor();
  });

  it('turns every kind of data amber after two hours', async () => {
    await page.clock.fastForward(120 * MINUTE);
    expect(await stale()).toEqual(KINDS.map(([path]) => path));
    expect(await page.locator('header .text-amber').first().innerText()).toMatch(/2 h ago/);
  });
});

describe('out of the tunnel', () => {
  it('says what is so again, once the server has spoken anew', async () => {
    await go('/agents', 'Agents');
    await page.getByText('2 of 3 running when last seen').waitFor();
    await server.restart({ REPLAY_SPEED: '1' });
    await page.clock.runFor(20_000);
    await page.getByText(/^[12] of 3 running$/).waitFor();
    expect(await page.locator('main').innerText()).not.toContain('when last seen');
    expect(await page.locator('main [data-dot="ring"]').count()).toBe(0);
  });
});
