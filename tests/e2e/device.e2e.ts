/**
 * The installed app in real Chromium: what the browser says of it, and the icon's "Stop all"
 * without a server.
 */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
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
import { until } from '../support/until.ts';

let server: TestServer;
let browser: Browser;
let user: TestUser;
let page: Page;

const statuses = async (): Promise<string[]> =>
  (await callApi(server.url, user.idToken, 'agents')).agents.map(({ status }) => status);

async function startedAgent(name: string): Promise<void> {
  const { agent } = await callApi(server.url, user.idToken, 'createAgent', {
    body: {
      name,
      trading_pairs: [],
      risk_profile: 'Moderate',
      max_position_size: 500,
      execution_interval: 'daily',
      enabled: true,
      pool: 'all_pools',
    },
  });
  await callApi(server.url, user.idToken, 'startAgent', { params: { id: agent.id }, body: {} });
}

const pressStopAll = (target: Page): Promise<void> =>
  target.getByRole('main').getByRole('button', { name: 'Stop all', exact: true }).click();

/**
 * Deletes what is kept of the server's words, as another life of this device would not have them;
 * the queue stays.
 */
const forgetSnapshots = (target: Page): Promise<void> =>
  target.evaluate(async (uid) => {
    await new Promise<void>((resolve, reject) => {
      const request = indexedDB.open(`tradewind-${uid}`);
      request.onsuccess = () => {
        const transaction = request.result.transaction('snapshots', 'readwrite');
        transaction.objectStore('snapshots').clear();
        transaction.oncomplete = () => {
          request.result.close();
          resolve();
        };
      };
      request.onerror = () => {
        reject(request.error ?? new Error('open failed'));
      };
    });
  }, user.uid);

beforeAll(async () => {
  server = await startServer({
    env: process.env.DIST_DIR === undefined ? {} : { DIST_DIR: process.env.DIST_DIR },
  });
  user = await createUser(server.url);
  await callApi(server.url, user.idToken, 'trialStart', { body: { userId: user.uid } });
  await startedAgent('Harbour');
  await startedAgent('Ebb');
  browser = await openBrowser({ viewport: { width: 390, height: 844 } });
  page = await browser.page();
  await logIn(page, server.url, user);
  await controlled(page);
});
afterAll(async () => {
  await browser?.close();
  await server?.stop();
});

afterEach(async (context) => {
  if (context.task.result?.state !== 'fail') return;
  const text = await page
    .locator('body')
    .innerText()
    .catch(() => '');
  console.log(`${page.url()}\n${text.slice(0, 2_500)}\n${browser.errors.slice(-8).join('\n')}`);
});

describe('the app on the device', () => {
  it('has nothing that keeps Chromium from installing it, and a manifest that Chromium reads without a complaint', async () => {
    const session = await browser.context.newCDPSession(page);
    await session.send('Page.enable');
    const { installabilityErrors } = (await session.send('Page.getInstallabilityErrors')) as {
      installabilityErrors: { errorId: string }[];
    };
    // A context of the test's own counts as incognito; nothing else may be wrong.
    expect(
      installabilityErrors.map(({ errorId }) => errorId).filter((id) => id !== 'in-incognito'),
    ).toEqual([]);
    const manifest = (await session.send('Page.getAppManifest')) as {
      url: string;
      errors: unknown[];
      data?: string;
    };
    expect(manifest.errors).toEqual([]);
    expect(new URL(manifest.url).pathname).toBe('/manifest.webmanifest');
    for (const { src } of (JSON.parse(manifest.data ?? '{}') as { screenshots: { src: string }[] })
      .screenshots) {
      const picture = await fetch(`${server.url}${src}`);
      expect([picture.status, picture.headers.get('content-type')]).toEqual([200, 'image/png']);
    }
  });

  it('is installed, opens each shortcut of its icon in a window of its own, and leads back from there without the browser', async () => {
    await browser.installApp(server.url);
    const { shortcuts } = (await fetch(`${server.url}/manifest.webmanifest`).then((response) =>
      response.json(),
    )) as { shortcuts: { name: string; url: string }[] };
    expect(shortcuts).toHaveLength(3);
    for (const { name, url } of shortcuts) {
      const window = await browser.launchApp(server.url, url);
      await window.getByRole('heading', { name, level: 1 }).waitFor();
      expect([
        new URL(window.url()).pathname,
        await window.evaluate(() => matchMedia('(display-mode: standalone)').matches),
      ]).toEqual([url, true]);
      const back = window.getByRole('button', { name: 'Back', exact: true });
      // A screen of the bottom bar is no place to leave.
      expect(await back.isVisible()).toBe(url === '/stop-all');
      if (url === '/stop-all') {
        await window.setViewportSize({ width: 360, height: 780 });
        expect(
          await window.evaluate(() => document.documentElement.scrollWidth - innerWidth),
        ).toBeLessThanOrEqual(0);
        if (process.env.SHOTS !== undefined)
          await window.screenshot({ path: `${process.env.SHOTS}/back-control.png` });
        await back.click();
        await window.waitForURL('**/dashboard');
        await window.getByRole('link', { name: 'Agents' }).first().click();
        await window
          .getByRole('link', { name: /Harbour/ })
          .first()
          .click();
        await window.waitForURL('**/agents/*');
        await back.click();
        await window.waitForURL('**/agents');
      }
      await window.close();
    }
    // In a tab the browser has its own.
    await page.goto(`${server.url}/stop-all`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    expect(await page.getByRole('button', { name: 'Back', exact: true }).isVisible()).toBe(false);
  });

  it('is its own title bar where the system lets it: it can be taken hold of, and leaves the window’s buttons free', async () => {
    await page.setViewportSize({ width: 1_440, height: 900 });
    await page.goto(`${server.url}/agents`);
    await page.getByText('Harbour').first().waitFor();
    const bar = await page.evaluate(async () => {
      // A browser without windows has no such mode: the app's own sheet is read again with a title
      // bar's values in their place.
      const sheets = await Promise.all(
        [...document.querySelectorAll('link[rel="stylesheet"]')].map((link) =>
          fetch((link as HTMLLinkElement).href).then((response) => response.text()),
        ),
      );
      const value: Record<string, string> = {
        x: '0px',
        y: '0px',
        width: 'calc(100vw - 138px)',
        height: '33px',
      };
      const style = document.createElement('style');
      style.textContent = sheets
        .join('')
        .replace(/\(display-mode:\s*window-controls-overlay\)/g, 'all')
        .replace(
          /env\(titlebar-area-(\w+)(?:,[^()]*)?\)/g,
          (_all, name: string) => value[name] ?? '',
        );
      document.head.append(style);
      const header = document.querySelector('#root > header');
      const parts = [...(header?.querySelectorAll('a, button') ?? [])].filter(
        (part) => part.getBoundingClientRect().width > 0,
      );
      const region = (part: Element): string =>
        getComputedStyle(part).getPropertyValue('app-region') ||
        getComputedStyle(part).getPropertyValue('-webkit-app-region');
      return {
        taken: header === null ? '' : region(header),
        pressed: [...new Set(parts.map(region))],
        right: Math.max(
          ...[...(header?.querySelectorAll('*') ?? [])].map(
            (part) => part.getBoundingClientRect().right,
          ),
        ),
        height: header?.getBoundingClientRect().height ?? 0,
      };
    });
    expect(bar).toMatchObject({ taken: 'drag', pressed: ['no-drag'] });
    expect(bar.right).toBeLessThanOrEqual(1_440 - 138);
    expect(bar.height).toBeGreaterThanOrEqual(33);
    if (process.env.SHOTS !== undefined)
      await page.screenshot({ path: `${process.env.SHOTS}/title-bar.png` });
    await page.setViewportSize({ width: 390, height: 844 });
  });

  it('keeps clear of notch and home bar, upright and on its side', async () => {
    const session = await browser.context.newCDPSession(page);
    const inset = (insets: Record<string, number>): Promise<unknown> =>
      session.send('Emulation.setSafeAreaInsetsOverride' as never, { insets } as never);
    const edges = (): Promise<number[]> =>
      page.evaluate(() => {
        const box = (selector: string): DOMRect =>
          document.querySelector(selector)?.getBoundingClientRect() ?? new DOMRect();
        const logo = box('#root > header a');
        const bar = [...document.querySelectorAll('#root > nav[aria-label="Screens"] a')].map(
          (link) => link.getBoundingClientRect(),
        );
        return [
          logo.top,
          logo.left,
          innerHeight - Math.max(...bar.map(({ bottom }) => bottom)),
          Math.min(...bar.map(({ left }) => left)),
        ];
      });
    await page.goto(`${server.url}/agents`);
    await page.getByText('Harbour').first().waitFor();
    await inset({ top: 47, bottom: 34, left: 50, right: 50 });
    const [top = 0, left = 0, bottom = 0, barLeft = 0] = await until(
      edges,
      ([first = 0]) => first >= 47,
    );
    expect([top >= 47, left >= 50, bottom >= 34, barLeft >= 50]).toEqual([true, true, true, true]);
    await inset({});
  });

  it('opens Stop all from the icon with the server gone, and keeps the stop of one press', async () => {
    await page.goto(`${server.url}/stop-all`);
    await page.getByText('Harbour', { exact: true }).waitFor();
    await server.kill9();
    await page.close();
    page = await browser.page();
    await page.goto(`${server.url}/stop-all`);
    await page
      .getByText(/^Stops (Harbour, Ebb|Ebb, Harbour) and any agents started on other devices\./)
      .waitFor();
    await pressStopAll(page);
    await page
      .getByText(/saved on this (device|phone)/i)
      .first()
      .waitFor();
  });

  it('opens with no agents known too: it says so and can still stop, and the server, once back, has stopped all of them', async () => {
    await page.getByRole('main').getByRole('button', { name: 'Undo' }).click();
    await page.getByText('Undone. Nothing was sent.').waitFor();
    await forgetSnapshots(page);
    await page.reload();
    await page.getByText('Your agents are not loaded on this device').waitFor();
    await pressStopAll(page);
    await page
      .getByText(/saved on this (device|phone)/i)
      .first()
      .waitFor();
    await server.restart();
    await until(statuses, (all) => all.length === 2 && all.every((status) => status === 'stopped'));
    await page.getByText('The server confirms: 2 agents stopped.').waitFor();
  });
});
