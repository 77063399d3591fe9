/**
 * The whole path with real money, on a phone and by touch: from a key that is not taken to a sale
 * whose outcome was unknown. Kraken's stand-in keeps the journal that decides what really happened.
 */
import type { Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { formatFixed, parseFixed, ZERO } from '../../contract/money.ts';
import { openBrowser, type Browser } from '../support/browser.ts';
import { openFinger, type Finger } from '../support/finger.ts';
import {
  LIVE_ACCOUNT,
  LIVE_PAIR,
  startLiveProcesses,
  type LiveProcesses,
} from '../support/live/live-processes.ts';
import { callApi, createUser, signIn, type TestUser } from '../support/server.ts';
import { buyPlan, logIn } from '../support/sign-in.ts';
import { PHONE } from '../support/touch.ts';
import { until } from '../support/until.ts';
import { openVirtualPasskey, type VirtualPasskey } from '../support/virtual-passkey.ts';

const NAME = 'Harbour';

let world: LiveProcesses;
let browser: Browser;
let page: Page;
let finger: Finger;
let user: TestUser;
let passkey: VirtualPasskey;

beforeAll(async () => {
  world = await startLiveProcesses({ balances: { USD: '1000' } });
  browser = await openBrowser({ viewport: PHONE });
  user = await createUser(world.server.url);
  await buyPlan(world.server.url, user, 'pro');
  page = await browser.page();
  finger = await openFinger(page);
  passkey = await openVirtualPasskey(page);
  await logIn(page, world.server.url, user);
});
afterAll(async () => {
  await browser.close();
  await world.close();
});

/** What the person saw when a step failed, for whoever reads the log. */
afterEach(async (context) => {
  if (context.task.result?.state !== 'fail') return;
  const seen = await page
    .locator('body')
    .innerText()
    .catch(() => '');
  console.log(`${page.url()}\n${seen.slice(0, 4_000)}\n${browser.errors.slice(-10).join('\n')}`);
  console.log(world.server.logs().slice(-3_000));
});

const text = (content: string | RegExp): Locator => page.getByText(content).first();
const button = (name: string | RegExp): Locator => page.getByRole('button', { name }).first();
const token = async (): Promise<string> =>
  (await signIn(world.server.url, user.email, user.password)).idToken;
const agent = async () => {
  const { agents } = await callApi(world.server.url, await token(), 'agents');
  const found = agents.find(({ name }) => name === NAME);
  if (found === undefined) throw new Error('No such agent');
  return found;
};
/** Digits as they stand on screen, without the marks of a locale. */
const digits = (shown: string): string => shown.replace(/[^\d.]/g, '');
const exact = (shown: string): string => formatFixed(parseFixed(digits(shown)));
const reallyHeld = (coin: string): string =>
  formatFixed(world.standIn.journal.balancesOf(LIVE_ACCOUNT).get(coin) ?? ZERO);
/** Orders that the exchange accepted and that have not ended. */
const resting = () =>
  world.standIn.journal
    .orders({ account: LIVE_ACCOUNT })
    .filter(({ end }) => end === null)
    .map(({ accepted }) => accepted);
const placed = (): number =>
  world.standIn.journal.of('request').filter(({ call }) => call === 'place').length;

async function paste({ apiKey, secret }: { apiKey: string; secret: string }): Promise<void> {
  await finger.type(page.getByLabel('API key'), apiKey);
  await finger.type(page.getByLabel('Private key'), secret);
  await finger.tap(button('Check this key'));
}

describe('real money on a phone', () => {
  it('says nothing of it to a person without an exchange account but one entry in Settings', async () => {
    await page.goto(`${world.server.url}/dashboard`);
    await page.getByText('PAPER', { exact: true }).first().waitFor();
    expect(await page.getByText('LIVE', { exact: true }).count()).toBe(0);
    await page.goto(`${world.server.url}/settings`);
    await finger.tap(page.getByRole('link', { name: /Connect an exchange/ }).first());
    await page.waitForURL('**/live/connect');
  });

  it('rejects a key that can withdraw, with the names of Kraken’s own rights', async () => {
    await finger.tap(button('Next: create a key'));
    await text('Create & Modify Orders').waitFor();
    await paste(world.standIn.issueKey(LIVE_ACCOUNT, { withdraw: true }));
    await text(/This key can withdraw money, so Tradewind does not take it\./).waitFor();
    expect(await page.getByRole('alert').first().innerText()).toContain('Withdraw Funds');
    const { connections } = await callApi(world.server.url, await token(), 'liveConnections');
    expect(connections).toEqual([]);
  });

  it('takes a good key, shows what was found, and connects with limits and a passkey', async () => {
    await finger.tap(button('Try another key'));
    const good = world.standIn.issueKey(LIVE_ACCOUNT);
    await paste(good);
    const balances = page.locator('[aria-label="Balances"]');
    await balances.waitFor();
    expect(await balances.innerText()).toContain('1,000');
    await finger.tap(button('Next: limits'));
    await finger.type(page.getByLabel('Name of this account'), 'Main');
    await finger.tap(button('Next: confirmation'));
    await finger.tap(button('Make a passkey and connect'));
    await page.waitForURL(/\/live\/[0-9a-f-]{36}$/);
    await text(/Compared with Kraken/).waitFor();
    expect(await passkey.made()).toBe(1);
    await page.getByText('LIVE', { exact: true }).first().waitFor();
    // What was pasted is on no page, in no address and in no store of the browser.
    const kept = await page.evaluate(
      () => `${document.documentElement.outerHTML}${location.href}${JSON.stringify(localStorage)}`,
    );
    expect(kept).not.toContain(good.secret);
    expect(kept).not.toContain(good.apiKey);
  });

  it('creates an agent in that account, which trades nothing until it is confirmed', async () => {
    await callApi(world.server.url, await token(), 'updateTradingSettings', {
      body: await settings(),
    });
    await page.goto(`${world.server.url}/agents`);
    await finger.tap(button('New agent'));
    await finger.tap(page.getByRole('radio', { name: /^Aggressive/ }));
    await finger.tap(button('Next: name and pairs'));
    await finger.type(page.getByLabel('Name', { exact: true }), NAME);
    await page.getByLabel('Pool').selectOption('momentum_24h');
    await finger.tap(button(LIVE_PAIR));
    await page.getByLabel('Largest position').fill('90');
    await page.getByLabel('Checks the market').selectOption('5-minute');
    await finger.tap(button('Next: preview'));
    await finger.tap(button('Create agent'));
    await page.waitForURL(/\/agents\/[0-9a-f-]{36}$/);
    expect(await agent()).toMatchObject({ status: 'stopped', account: { kind: 'live' } });
    expect(placed()).toBe(0);
  });

  it('says in money what can be lost, and starts by the passkey alone', async () => {
    await finger.tap(button('Start'));
    const dialog = page.getByRole('dialog');
    await dialog.locator('[data-figure="at-stops"]').waitFor();
    const atStops = digits(await dialog.locator('[data-figure="at-stops"]').innerText());
    const inGap = digits(await dialog.locator('[data-figure="in-gap"]').innerText());
    expect(Number(atStops)).toBeGreaterThan(0);
    expect(Number(inGap)).toBeGreaterThan(Number(atStops));
    await passkey.recognise(false);
    await finger.tap(dialog.getByRole('button', { name: 'Start with passkey' }));
    await dialog.getByRole('alert').waitFor();
    expect((await agent()).status).toBe('stopped');
    await passkey.recognise(true);
    await finger.tap(dialog.getByRole('button', { name: 'Start with passkey' }));
    await text(/^Running/).waitFor();
    expect((await agent()).status).toBe('running');
  });

  it('shows a fill once Kraken has confirmed it, to the last digit', async () => {
    await world.untilCandle();
    const held = page.locator(`[data-quantity="${LIVE_PAIR}"]`);
    await held.waitFor();
    await until(
      async () => exact(await held.innerText()),
      (shown) => shown === reallyHeld('BTC'),
    );
    await text(/resting at Kraken/).waitFor();
    expect(world.standIn.journal.doubledIds()).toEqual([]);
  });

  it('saves a Stop offline, and calls the agent stopped only at the server’s word', async () => {
    await browser.context.setOffline(true);
    await text(/^Offline\./).waitFor();
    await finger.tap(button('Stop'));
    await text(/Stop saved on this device\. Not yet received by the server\./).waitFor();
    expect(await page.getByText(/^Stopped/).count()).toBe(0);
    expect((await agent()).status).toBe('running');
    await browser.context.setOffline(false);
    await text(/^Stopped/).waitFor();
    expect((await agent()).status).toBe('stopped');
    // Its stop loss stays at the exchange.
    expect(resting().map(({ type }) => type)).toEqual(['stop-limit']);
  });

  it('shows a sale as unknown that was out when the server was killed, and settles it', async () => {
    const before = placed();
    world.standIn.faults.add({
      name: 'slow-answer',
      when: { call: 'place', nth: before + 1 },
      effect: 'now',
      realHoldMs: 20_000,
    });
    world.standIn.faults.strike({ name: 'not-found', forMs: 100_000 });
    await finger.hold(button('Stop and sell'));
    await until(
      () => Promise.resolve(placed()),
      (count) => count > before,
    );
    await world.server.kill9();
    await world.server.restart();
    await page.reload();
    await text(/Outcome unknown/).waitFor();
    await text(/It is never sent again until that is clear/).waitFor();
    expect(placed()).toBe(before + 1);
    await world.jump(110_000);
    await until(
      () => page.locator(`[data-quantity="${LIVE_PAIR}"]`).count(),
      (count) => count === 0,
    );
    expect(await page.getByText(/Outcome unknown for/).count()).toBe(0);
    expect(placed()).toBe(before + 1);
  });

  it('ends with the same figures on screen as in the exchange’s journal, to the last digit', async () => {
    await page.goto(`${world.server.url}/dashboard`);
    const cash = page.locator('[data-coin="USD"] [data-money="live"]').last();
    await until(
      async () => exact(await cash.innerText()),
      (shown) => shown === reallyHeld('USD'),
    );
    expect(world.standIn.journal.doubledIds()).toEqual([]);
    const sold = world.standIn.journal
      .fillsOf({ account: LIVE_ACCOUNT })
      .filter(({ side }) => side === 'sell');
    expect(sold.length).toBeGreaterThan(0);
    expect(resting()).toEqual([]);
    await page.getByText('LIVE', { exact: true }).first().waitFor();
  });

  it('lowers a limit at once, and raises it by the passkey alone', async () => {
    await page.goto(`${world.server.url}/live/${(await openConnection()).id}`);
    const shown = page.locator('[data-limit="maxOrder"]');
    const dialog = page.getByRole('dialog');
    // An order that ends makes that list longer, and moves nothing that is pressed.
    const placeOf = async (target: Locator): Promise<number> =>
      (await target.boundingBox())?.y ?? NaN;
    await button('Change limits').waitFor();
    expect(await placeOf(page.getByRole('heading', { name: 'Ended orders' }))).toBeGreaterThan(
      await placeOf(button(/^Delete key/)),
    );
    const change = async (amount: string): Promise<void> => {
      await finger.tap(button('Change limits'));
      await dialog.getByLabel('Largest order').fill(amount);
      await finger.tap(dialog.getByRole('button', { name: 'Save' }));
    };
    await change('50');
    await until(
      async () => digits(await shown.innerText()),
      (limit) => limit === '50.00',
    );
    await dialog.waitFor({ state: 'hidden' });
    await change('80');
    const raise = dialog.getByRole('button', { name: 'Raise limits with passkey' });
    await passkey.recognise(false);
    await finger.tap(raise);
    await dialog.getByRole('alert').waitFor();
    expect((await openConnection()).limits.maxOrder).toBe('50');
    await passkey.recognise(true);
    await finger.tap(raise);
    await dialog.waitFor({ state: 'hidden' });
    await until(
      async () => digits(await shown.innerText()),
      (limit) => limit === '80.00',
    );
    expect((await openConnection()).limits.maxOrder).toBe('80');
  });

  it('saves the tax lots of real fills as a file that says LIVE and names the account', async () => {
    await finger.tap(button('Tax lots'));
    const dialog = page.getByRole('dialog', { name: 'Tax lots' });
    await dialog.getByText('Proceeds after fees').waitFor();
    const connection = await openConnection();
    const { sums } = await callApi(world.server.url, await token(), 'liveTaxLots', {
      params: { id: connection.id },
    });
    expect(sums.lots).toBeGreaterThan(0);
    expect(digits(await dialog.getByText(/^\d+ lots?$/).innerText())).toBe(String(sums.lots));
    const download = page.waitForEvent('download');
    await finger.tap(dialog.getByRole('button', { name: 'Save CSV' }));
    expect((await download).suggestedFilename()).toMatch(/^LIVE-tradewind-fifo-lots-Kraken-Main-/);
    await dialog.getByText(/saved by your browser/).waitFor();
    await finger.tap(dialog.getByRole('button', { name: 'Close' }).first());
    await dialog.waitFor({ state: 'hidden' });
  });

  it('ends live trading by a hold, and forgets the key by another', async () => {
    await finger.hold(button(/^End live trading/));
    await text(/Asked to end/).waitFor();
    await finger.hold(button(/^Delete key/));
    await page.waitForURL('**/dashboard');
    await page.getByText('PAPER', { exact: true }).first().waitFor();
    const { connections } = await callApi(world.server.url, await token(), 'liveConnections');
    expect(connections.filter(({ state }) => state === 'open')).toEqual([]);
    expect((await agent()).status).toBe('stopped');
  });

  it('connects again by the password, and starts by the right one alone', async () => {
    await page.goto(`${world.server.url}/live/connect`);
    await finger.tap(button('Next: create a key'));
    await paste(world.standIn.issueKey(LIVE_ACCOUNT));
    await finger.tap(button('Next: limits'));
    await finger.type(page.getByLabel('Name of this account'), 'Second');
    await finger.tap(button('Next: confirmation'));
    await page.getByLabel('Current password').fill(user.password);
    await finger.tap(button('Connect with password'));
    await page.waitForURL(/\/live\/[0-9a-f-]{36}$/);
    const { id, stepUpKeys } = await openConnection();
    expect(stepUpKeys.map(({ kind }) => kind)).toEqual(['ed25519']);
    const made = await callApi(world.server.url, await token(), 'createAgent', {
      body: { name: 'Anchor', connectionId: id, ...SECOND_AGENT },
    });
    await page.goto(`${world.server.url}/agents/${made.agent.id}`);
    await finger.tap(button('Start'));
    const dialog = page.getByRole('dialog');
    const confirm = async (password: string): Promise<void> => {
      await dialog.getByLabel('Current password').fill(password);
      await finger.tap(dialog.getByRole('button', { name: 'Start with password' }));
    };
    const status = async () =>
      (await callApi(world.server.url, await token(), 'agents')).agents.find(
        (one) => one.id === made.agent.id,
      )?.status;
    await confirm(`${user.password}-not`);
    await dialog.getByRole('alert').waitFor();
    expect(await status()).toBe('stopped');
    await confirm(user.password);
    await text(/^Running/).waitFor();
    expect(await status()).toBe('running');
    expect(world.server.logs()).not.toContain(user.password);
  });
});

const SECOND_AGENT = {
  pool: 'momentum_24h' as const,
  risk_profile: 'Aggressive' as const,
  trading_pairs: [LIVE_PAIR],
  max_position_size: 70,
  execution_interval: '5-minute' as const,
  enabled: false,
};
async function openConnection() {
  const { connections } = await callApi(world.server.url, await token(), 'liveConnections');
  const open = connections.find(({ state }) => state === 'open');
  if (open === undefined) throw new Error('No exchange account is open');
  return open;
}

/** New agents rebalance at every check, so that one candle is enough. */
async function settings() {
  const present = await callApi(world.server.url, await token(), 'tradingSettings');
  return { ...present.settings, tradingFrequency: 'high' as const, version: present.version };
}
