/**
 * Every act of the screens pressed in real Chromium against the real server, and each screen held
 * to contrast and calm.
 */
import { readFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Page } from 'playwright-core';
import { controlled, openBrowser, type Browser } from '../support/browser.ts';
import { seriousOnPage } from '../support/browser-axe.ts';
import { hold, holdKey } from '../support/hold.ts';
import { pressTargets } from '../support/press-targets.ts';
import { shiftsOf, watchShifts } from '../support/shifts.ts';
import {
  callApi,
  createUser,
  startServer,
  type TestServer,
  type TestUser,
} from '../support/server.ts';
import { replayTape } from '../support/tape.ts';
import { until } from '../support/until.ts';

let server: TestServer;
let browser: Browser;
let page: Page;
let user: TestUser;
const tape = replayTape();
/** Answers of 400 and above that no test asked for. */
const refused: string[] = [];

const agents = async () => (await callApi(server.url, user.idToken, 'agents')).agents;
const portfolio = () => callApi(server.url, user.idToken, 'portfolio');

async function create(
  name: string,
  profile: 'Aggressive' | 'Moderate' = 'Aggressive',
): Promise<string> {
  const { agent } = await callApi(server.url, user.idToken, 'createAgent', {
    body: {
      name,
      trading_pairs: ['BTC/USDT', 'ETH/USDT', 'SOL/USDT'],
      risk_profile: profile,
      max_position_size: 2000,
      execution_interval: '5-minute',
      enabled: false,
    },
  });
  return agent.id;
}

/** Tab until the focus is on what is named; the path that a keyboard has. */
async function tabTo(name: RegExp): Promise<void> {
  for (let presses = 0; presses < 60; presses += 1) {
    await page.keyboard.press('Tab');
    const focused = await page.evaluate(() => {
      const one = document.activeElement;
      const labelled = one instanceof HTMLInputElement ? one.labels?.[0]?.textContent : null;
      return {
        name: one?.getAttribute('aria-label') ?? labelled ?? one?.textContent ?? '',
        outlined: one !== null && getComputedStyle(one).outlineStyle !== 'none',
      };
    });
    if (!name.test(focused.name.trim())) continue;
    expect(focused.outlined, `the focus on ${focused.name} is seen`).toBe(true);
    return;
  }
  throw new Error(`No way by Tab to ${String(name)} on ${page.url()}`);
}

beforeAll(async () => {
  server = await startServer({ env: { ...tape.env, REPLAY_SPEED: '1200' } });
  user = await createUser(server.url);
  await callApi(server.url, user.idToken, 'trialStart', { body: { userId: user.uid } });
  await create('Harbour');
  browser = await openBrowser({ viewport: { width: 1440, height: 900 } });
  await watchShifts(browser.context);
  page = await browser.page();
  page.on('response', (response) => {
    if (response.status() >= 400)
      refused.push(
        `${response.status()} ${response.request().method()} ${new URL(response.url()).pathname}`,
      );
  });
});
afterAll(async () => {
  await browser?.close();
  await server?.stop();
  tape.remove();
});
afterEach(async (context) => {
  if (context.task.result?.state === 'fail')
    console.log(
      `${page.url()}\n${(
        await page
          .locator('body')
          .innerText()
          .catch(() => '')
      ).slice(0, 2_500)}\n${browser.errors.slice(-8).join('\n')}\n${refused.join('\n')}`,
    );
});

describe('the screens, pressed', () => {
  it('sends a password reset without saying whether there is an account (R7-28)', async () => {
    await page.goto(`${server.url}/login`);
    await page.getByRole('button', { name: 'Forgot password?' }).click();
    await page.getByRole('dialog').getByLabel('Email').fill(user.email);
    await page.getByRole('button', { name: 'Send link' }).click();
    await page.getByText(/has an account, an email with a link is on its way/).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
  });

  it('goes from login to a running agent by keys alone, with the focus seen, Escape closing and a hold by Enter', async () => {
    await page.goto(`${server.url}/login`);
    await tabTo(/^Email$/);
    await page.keyboard.type(user.email);
    await tabTo(/^Password$/);
    await page.keyboard.type(user.password);
    await page.keyboard.press('Enter');
    await page.waitForURL('**/dashboard');
    await page.getByText('Harbour').first().waitFor();
    await tabTo(/^Harbour/);
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/agents\/.+/);
    await page.getByRole('button', { name: 'Start', exact: true }).waitFor();
    await tabTo(/^Start$/);
    await page.keyboard.press('Enter');
    await page.getByText('Maximum loss per pair at the stop').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    await page.keyboard.press('Enter');
    await page.getByText('Maximum loss per pair at the stop').waitFor();
    await tabTo(/^Hold to start/);
    await holdKey(page, 'Enter');
    await until(agents, ([agent]) => agent?.status === 'running');
  });

  it('closes a position by a hold, and downloads the trades', async () => {
    const before = await until(portfolio, ({ positions }) => positions.length > 0, 60_000);
    await page.goto(`${server.url}/portfolio`);
    await page
      .getByRole('button', { name: `Explain ${before.positions[0]?.pair.split('/')[0] ?? ''}` })
      .first()
      .click();
    await hold(page.getByRole('dialog').getByRole('button', { name: /^Close position/ }));
    await page
      .getByText(/ sold\.$/)
      .first()
      .waitFor();
    const { fills } = await callApi(server.url, user.idToken, 'history', { query: { limit: 50 } });
    expect(fills.some((fill) => fill.reason === 'closed')).toBe(true);
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'CSV' }).click(),
    ]);
    expect(readFileSync(await file.path(), 'utf8')).toContain('filledAt,pair,side');
  });

  it('sorts the trades by a header and by key, keeps its headers in sight, and remembers the order over a reload', async () => {
    await page.goto(`${server.url}/portfolio`);
    const trades = page.getByRole('table', { name: 'Trades' });
    const header = (name: string) =>
      trades
        .getByRole('columnheader')
        .filter({ has: page.getByRole('button', { name: `Sort by ${name}`, exact: true }) });
    await trades.getByRole('row').nth(1).waitFor();
    expect(await header('Time').getAttribute('aria-sort')).toBe('descending');
    await header('Quantity').getByRole('button').focus();
    await page.keyboard.press('Enter');
    await until(
      () => header('Quantity').getAttribute('aria-sort'),
      (way) => way === 'descending',
    );
    const at = (await trades.getByRole('columnheader').allInnerTexts()).findIndex(
      (text) => text.trim() === 'Quantity',
    );
    const quantities = await trades.locator(`tbody tr > :nth-child(${at + 1})`).allInnerTexts();
    const numbers = quantities.map((text) => Number(text.replaceAll(',', '')));
    expect(numbers).toEqual([...numbers].sort((a, b) => b - a));
    await trades.getByRole('row').last().scrollIntoViewIfNeeded();
    await page.evaluate(() => {
      scrollTo(0, document.documentElement.scrollHeight);
    });
    const box = await header('Quantity').boundingBox();
    expect(box?.y).toBeGreaterThanOrEqual(0);
    await page.reload();
    await until(
      () => header('Quantity').getAttribute('aria-sort'),
      (way) => way === 'descending',
    );
  });

  it('gives every target on a phone at least 24 px', async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    const small: string[] = [];
    for (const path of [
      '/portfolio',
      '/dashboard',
      '/market',
      '/performance',
      '/analytics',
      '/agents',
    ]) {
      await page.goto(`${server.url}${path}`);
      await page.getByRole('heading', { level: 1 }).first().waitFor({ state: 'attached' });
      await page.waitForTimeout(500);
      const targets = await pressTargets(page);
      expect(targets.length, path).toBeGreaterThan(8);
      small.push(
        ...targets
          .filter(({ width, height }) => Math.min(width, height) < 24)
          .map(({ name, width, height }) => `${path} ${name}: ${width} x ${height}`),
      );
    }
    expect(small).toEqual([]);
  });

  it('shows the curve by range and as a table, and says what it brought above the plot', async () => {
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.goto(`${server.url}/portfolio`);
    // The first frame may be replaced between two measurements: then neither is of this picture.
    const gap = async (): Promise<number> => {
      const plot = await page.getByRole('slider', { name: /^Equity in USDT/ }).boundingBox();
      const said = await page.locator('figure p', { hasText: /held/ }).first().boundingBox();
      return plot === null || said === null ? Number.NaN : plot.y - said.y - said.height;
    };
    await expect.poll(gap).toBeGreaterThanOrEqual(-1);
    await page.getByRole('button', { name: '1D', exact: true }).click();
    expect(
      await page.getByRole('button', { name: '1D', exact: true }).getAttribute('aria-pressed'),
    ).toBe('true');
    await page.getByRole('button', { name: 'Table', exact: true }).click();
    await page.getByRole('region', { name: /Equity in USDT: table/ }).waitFor();
  });

  it('lets a vertical swipe over a chart move the page, and goes back in time at its first candle', async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    await page.goto(`${server.url}/market/ETH-USDT`);
    const chart = page.getByRole('slider', { name: /^Candles of ETH/ });
    await chart.locator('canvas').first().waitFor();
    const box = await chart.boundingBox();
    if (box === null) throw new Error('The chart has no place');
    const session = await page.context().newCDPSession(page);
    await session.send('Emulation.setTouchEmulationEnabled', { enabled: true, maxTouchPoints: 1 });
    // All at once, as a finger that does not rest: one that rests reads the candles instead.
    const at = (part: number) => [
      { x: Math.round(box.x + box.width / 2), y: Math.round(box.y + box.height / 2 - 300 * part) },
    ];
    await Promise.all(
      Array.from({ length: 16 }, (_none, step) =>
        session.send('Input.dispatchTouchEvent', {
          type: step === 0 ? 'touchStart' : 'touchMove',
          touchPoints: at(step / 15),
        }),
      ),
    );
    await session.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
    await until(
      () => page.evaluate<number>('scrollY'),
      (y) => y > 150,
    );
    await session.send('Emulation.setTouchEmulationEnabled', { enabled: false });
    const older = page.waitForResponse((response) => response.url().includes('before='));
    for (let press = 0; press < 6; press += 1)
      await page.getByRole('button', { name: 'More candles' }).click();
    expect((await older).status()).toBe(200);
    await session.detach();
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.goto(`${server.url}/agents`);
  });

  it('edits an agent, and keeps what was typed when it was changed elsewhere meanwhile (R7-16)', async () => {
    const [agent] = await agents();
    await page.goto(`${server.url}/agents/${agent!.id}`);
    await page.getByRole('button', { name: 'Edit', exact: true }).click();
    const size = page.getByRole('dialog').getByLabel('Largest position');
    await size.fill('777');
    await callApi(server.url, user.idToken, 'updateAgent', {
      params: { id: agent!.id },
      body: {
        risk_profile: 'Moderate',
        max_position_size: 1500,
        execution_interval: '5-minute',
        enabled: agent!.enabled,
      },
    });
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText(/Changed on another device: Moderate, 1,500 USDT/).waitFor();
    expect(await size.inputValue()).toBe('777');
    expect((await agents())[0]?.max_position_size).toBe(1500);
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await until(agents, ([now]) => now?.max_position_size === 777);
  });

  it('saves an edit without starting an agent that was stopped while its answer was lost (R7-16, R7-17)', async () => {
    const id = (await agents())[0]!.id;
    const command = { params: { id }, body: {} };
    const wasRunning = (await agents())[0]!.status === 'running';
    await callApi(server.url, user.idToken, 'startAgent', command);
    await page.goto(`${server.url}/agents/${id}`);
    await page.getByRole('button', { name: 'Edit', exact: true }).click();
    await page.getByRole('dialog').getByLabel('Largest position').fill('888');
    await page.route(
      '**/api/agents/*/settings*',
      async (route) => {
        await callApi(server.url, user.idToken, 'stopAgent', command);
        await route.abort('internetdisconnected');
      },
      { times: 1 },
    );
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await until(agents, ([now]) => now?.max_position_size === 888);
    expect((await agents())[0]?.status).toBe('stopped');
    if (wasRunning) await callApi(server.url, user.idToken, 'startAgent', command);
  });

  it('tests an agent on past candles beside the page, ends a test, and does it again without a network', async () => {
    const [harbour] = await agents();
    await page.goto(`${server.url}/agents/${harbour?.id ?? ''}`);
    await controlled(page);
    const box = page.getByRole('region', { name: 'Backtest', exact: true });
    const result = box.getByText('Result from');
    await box.getByRole('button', { name: '3M' }).click();
    await box.getByRole('button', { name: 'Run backtest' }).click();
    await box.getByRole('button', { name: 'Cancel' }).click();
    await box.getByRole('button', { name: 'Run backtest' }).waitFor();
    await box.getByRole('button', { name: '1W' }).click();
    await box.getByRole('button', { name: 'Run backtest' }).press('Enter');
    await result.waitFor();
    const online = await box.locator('dl').innerText();
    expect(online).toMatch(/Round trips\s+\d+/);
    expect(
      await box
        .getByRole('button', { name: 'Run again' })
        .evaluate((button) => button === document.activeElement),
    ).toBe(true);
    expect(await seriousOnPage(page)).toEqual([]);
    await browser.context.setOffline(true);
    try {
      await page
        .getByText(/^Offline\. /)
        .first()
        .waitFor();
      await box.getByRole('button', { name: 'Run again' }).click();
      await box.getByText('Candles saved on this device').waitFor();
      expect(await box.locator('dl').innerText()).toBe(online);
      await box.getByRole('button', { name: '1M' }).click();
      await box.getByRole('button', { name: 'Run backtest' }).click();
      await box
        .getByText("You're offline and this device has no candles for this backtest.")
        .waitFor();
    } finally {
      await browser.context.setOffline(false);
    }
    await page
      .getByText(/^Offline\. /)
      .first()
      .waitFor({ state: 'hidden' });
  });

  it('stops and sells by a hold, then deletes (R7-17)', async () => {
    const [agent] = await agents();
    await page.goto(`${server.url}/agents/${agent!.id}`);
    const sell = page.getByRole('button', { name: /^Stop and sell/ });
    if (
      await sell.waitFor({ timeout: 8_000 }).then(
        () => true,
        () => false,
      )
    ) {
      // On this tape a position may be gone before the hold is over; a person would hold again.
      await until(
        async () => {
          if (await sell.isVisible()) await hold(sell);
          return agents();
        },
        ([one]) => one?.status === 'stopped' && one.openPositions === 0,
      );
    } else await page.getByRole('button', { name: 'Stop', exact: true }).click();
    await until(agents, ([one]) => one?.status === 'stopped' && one.openPositions === 0);
    await page.reload();
    await hold(page.getByRole('button', { name: /^Delete/ }));
    await page.waitForURL('**/agents');
    await until(agents, (list) => list.length === 0);
  });

  it('starts all by a hold, and stops all by one press under the words of what it does (R7-18)', async () => {
    await create('Ebb', 'Moderate');
    await create('Drift', 'Moderate');
    await page.goto(`${server.url}/agents`);
    await page.getByRole('button', { name: /^Start all/ }).click();
    await hold(page.getByRole('dialog').getByRole('button', { name: /^Hold to start/ }));
    await until(agents, (list) => list.every((agent) => agent.status === 'running'));
    await page.goto(`${server.url}/stop-all`);
    await page.getByText(/^Stops Ebb/).waitFor();
    await page.getByRole('main').getByRole('button', { name: 'Stop all', exact: true }).click();
    await until(agents, (list) => list.every((agent) => agent.status === 'stopped'));
  });

  it('keeps no edit of one agent open on the page of another (R7-16)', async () => {
    const [one, other] = await agents();
    await page.goto(`${server.url}/agents/${one!.id}`);
    await page.getByRole('heading', { level: 1, name: one!.name }).waitFor();
    await page.evaluate((path) => {
      history.pushState(null, '', path);
    }, `/agents/${other!.id}`);
    await page.getByRole('heading', { level: 1, name: other!.name }).waitFor();
    await page.getByRole('button', { name: 'Edit', exact: true }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Largest position').fill('300');
    await page.goBack();
    await page.getByRole('heading', { level: 1, name: one!.name }).waitFor();
    await dialog.waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: 'Edit', exact: true }).click();
    await page.getByRole('dialog', { name: `Edit ${one!.name}` }).waitFor();
    expect(Number(await dialog.getByLabel('Largest position').inputValue())).toBe(
      one!.max_position_size,
    );
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'hidden' });
  });

  it('searches and sorts the market, saves settings, and begins a new paper book (R7-27)', async () => {
    await page.goto(`${server.url}/market`);
    await page.getByRole('searchbox').fill('eth');
    const pairs = page.getByRole('table', { name: 'Pairs' });
    await pairs.getByRole('link', { name: /^ETH/ }).waitFor();
    expect(await pairs.getByRole('link', { name: /^BTC/ }).count()).toBe(0);
    await page.getByRole('searchbox').fill('');
    await page.getByRole('button', { name: /^Sort by Price/ }).click();
    await page.goto(`${server.url}/trading`);
    await page.getByLabel('Maximum per order').fill('4321');
    await page.getByRole('button', { name: 'Save settings' }).click();
    await page.getByText('Trading settings saved.').waitFor();
    expect(
      (await callApi(server.url, user.idToken, 'tradingSettings')).settings.maxTradeAmount,
    ).toBe(4321);
    const { book } = await portfolio();
    await page.goto(`${server.url}/portfolio`);
    await hold(page.getByRole('button', { name: /^Reset paper account/ }));
    await page.getByText('New paper account opened. The old account is kept.').waitFor();
    expect((await portfolio()).book).toBe(book + 1);
  });
});

const ROUTES = [
  '/dashboard',
  '/agents',
  '/market',
  '/market/BTC-USDT',
  '/portfolio',
  '/analytics',
  '/alerts',
  '/performance',
  '/trading',
  '/subscription',
  '/security',
  '/settings',
  '/wallet',
  '/live/connect',
  '/guided-setup',
  '/library',
];

describe('the screens, looked at', () => {
  // The matrix visits each of them in its short form too; here it is the account that has traded.
  it.runIf(process.env.MATRIX === 'full').each([
    ['light', 390, 844],
    ['dark', 1440, 900],
  ] as const)(
    'have no serious finding and hold still in %s at %i by %i',
    async (colorScheme, width, height) => {
      await page.setViewportSize({ width, height });
      await page.emulateMedia({ colorScheme });
      const findings: string[] = [];
      for (const path of ROUTES) {
        await page.goto(`${server.url}${path}`);
        await page.getByRole('heading', { level: 1 }).first().waitFor({ state: 'attached' });
        await page.waitForTimeout(700);
        const { total, moved } = await shiftsOf(page);
        if (total >= 0.02)
          findings.push(`${path} moved by ${total.toFixed(3)}: ${moved.join(' | ')}`);
        findings.push(...(await seriousOnPage(page)).map((fault) => `${path} ${fault}`));
      }
      expect(findings).toEqual([]);
    },
    60_000,
  );

  it('signs out, and nothing failed unnoticed (R4-07)', async () => {
    await page.goto(`${server.url}/security`);
    const logOut = page.getByRole('button', { name: 'Log out', exact: true });
    await logOut.waitFor();
    const before = refused.length;
    await logOut.click();
    await page.waitForURL(`${server.url}/`);
    // Meant to be refused: the edit on an older version, a reading that met its agent's deletion,
    // and what was under way when the session ended.
    const meant = (line: string, index: number): boolean =>
      /^409 PUT |^404 GET \S+\/performance$/.test(line) ||
      (index >= before && line.startsWith('401 '));
    expect(refused.filter((line, index) => !meant(line, index))).toEqual([]);
    expect(
      browser.errors.filter((line) => !/409|404|401|ERR_INTERNET_DISCONNECTED/.test(line)),
    ).toEqual([]);
  });
});
