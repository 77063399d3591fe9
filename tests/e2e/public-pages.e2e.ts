/**
 * The public pages as the build completes them, in Chromium on a real server: what is there without
 * any code, when the app's code is fetched, and how it takes a page over.
 */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  chromium,
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  type Page,
} from 'playwright-core';
import { PUBLIC_PAGES } from '../../contract/public-pages.ts';
import { LAST_USER_KEY } from '../../src/identity/device-record.ts';
import { chromiumPath, controlled } from '../support/browser.ts';
import { createUser, startServer, type TestServer, type TestUser } from '../support/server.ts';
import { fillLogIn } from '../support/sign-in.ts';
import { PATIENCE_MS } from '../support/until.ts';

const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
/** Any part of the app: the pages' own script is not one. */
const APP_SCRIPT = /\/assets\/(?!public-page-)[\w.-]+\.js$/;
/** Longer than the page waits before it fetches anything by itself, ms. */
const IDLE_MS = 8_000;

let server: TestServer;
let browser: Browser;
let user: TestUser;
const contexts: BrowserContext[] = [];

async function visitor(options: BrowserContextOptions = {}): Promise<Page> {
  const context = await browser.newContext(options);
  contexts.push(context);
  context.setDefaultTimeout(PATIENCE_MS);
  return context.newPage();
}

/** Holds every part of the app, or those that are named, back until it is let go. */
async function holdApp(page: Page, parts = APP_SCRIPT): Promise<() => void> {
  let letGo: () => void = () => undefined;
  const gone = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  await page.route(parts, async (route) => {
    await gone;
    await route.continue();
  });
  return letGo;
}

/** A record of a sign-in some time ago, as the app keeps it. */
const remember = (page: Page, agoMs: number): Promise<unknown> =>
  page.addInitScript(
    ([key, record]) => {
      localStorage.setItem(key ?? '', record ?? '');
    },
    [
      LAST_USER_KEY,
      JSON.stringify({
        uid: user.uid,
        email: user.email,
        lastSignInTime: new Date(Date.now() - agoMs).toUTCString(),
      }),
    ],
  );

const shifted = (page: Page): Promise<number> =>
  page.evaluate(
    () =>
      new Promise((resolve) => {
        let sum = 0;
        new PerformanceObserver((list) => {
          for (const entry of list.getEntries())
            sum += (entry as unknown as { value: number }).value;
        }).observe({ type: 'layout-shift', buffered: true });
        setTimeout(() => {
          resolve(sum);
        }, 300);
      }),
  );
const takenOver = (page: Page): Promise<void> =>
  page.locator('#built-page').waitFor({ state: 'detached' });
const scriptsOf = (page: Page): string[] => {
  const asked: string[] = [];
  page.on('request', (request) => {
    if (APP_SCRIPT.test(request.url())) asked.push(request.url());
  });
  return asked;
};

beforeAll(async () => {
  server = await startServer();
  user = await createUser(server.url);
  browser = await chromium.launch({
    executablePath: chromiumPath(),
    args: ['--disable-gpu', ...(process.getuid?.() === 0 ? ['--no-sandbox'] : [])],
  });
});
afterEach(async () => {
  await Promise.all(contexts.splice(0).map((context) => context.close()));
});
afterAll(async () => {
  await browser.close();
  await server.stop();
});

describe('without any code', () => {
  it('every public page shows its whole text and says what it is (R2-01, R2-02)', async () => {
    const page = await visitor({ javaScriptEnabled: false });
    const seen = new Set<string>();
    for (const path of Object.keys(PUBLIC_PAGES)) {
      await page.goto(`${server.url}${path}`);
      expect(await page.getByRole('heading', { level: 1 }).count(), path).toBe(1);
      expect((await page.locator('main').innerText()).length, path).toBeGreaterThan(60);
      expect(await page.getByRole('contentinfo').innerText()).toContain('© 2025');
      const title = await page.title();
      const of = (selector: string, attribute: string) =>
        page.locator(selector).getAttribute(attribute);
      const description = (await of('meta[name=description]', 'content')) ?? '';
      expect(title, path).toMatch(/ · Tradewind$/);
      expect(description.length, path).toBeGreaterThan(50);
      expect(await of('link[rel=canonical]', 'href')).toBe(`${server.url}${path}`);
      expect(await of('meta[property="og:image"]', 'content')).toBe(
        `${server.url}/pictures/social.png`,
      );
      seen.add(title).add(description);
    }
    expect(seen.size).toBe(2 * Object.keys(PUBLIC_PAGES).length);
    expect((await page.request.get(`${server.url}/pictures/social.png`)).status()).toBe(200);
  });

  it('search engines are told of the pages and of nothing that needs an account', async () => {
    const read = async (path: string) => (await fetch(`${server.url}${path}`)).text();
    expect(await read('/robots.txt')).toContain(`Sitemap: ${server.url}/sitemap.xml`);
    expect(
      [...(await read('/sitemap.xml')).matchAll(/<loc>([^<]*)<\/loc>/g)].map(([, at]) => at),
    ).toEqual(Object.keys(PUBLIC_PAGES).map((path) => `${server.url}${path}`));
  });
});

describe('the landing page of a visitor', () => {
  it('runs its example under a finger, without the app', async () => {
    const page = await visitor(PHONE);
    const asked = scriptsOf(page);
    await page.goto(`${server.url}/`);
    const tunnel = page.getByRole('switch', { name: 'In a tunnel' });
    await tunnel.tap();
    await page.getByText(/^Offline\. Showing \d\d:\d\d\. Stops are sent first/).waitFor();
    await page.getByRole('button', { name: 'Stop Harbour' }).tap();
    await page.getByText('Running when last seen').waitFor();
    await page.getByText(/^Stop saved on this device\./).waitFor();
    await tunnel.tap();
    await page.getByText('Stopped, protecting 1 position').waitFor();
    await page.getByRole('button', { name: 'Undo' }).tap();
    await page.getByText('Running', { exact: true }).waitFor();
    expect(await page.getByRole('button', { name: 'Stop Harbour' }).isEnabled()).toBe(true);
    expect(asked).toEqual([]);
  });

  it('keeps the focus on what was pressed by keys', async () => {
    const page = await visitor();
    await page.goto(`${server.url}/`);
    await page.getByRole('switch', { name: 'In a tunnel' }).focus();
    await page.keyboard.press('Space');
    await page.getByText(/^Offline\. Showing/).waitFor();
    expect(await page.evaluate(() => document.activeElement?.getAttribute('role'))).toBe('switch');
  });

  it('fetches the app when a pointer comes to Get Started, which leads to the form', async () => {
    const page = await visitor();
    const asked = scriptsOf(page);
    await page.goto(`${server.url}/`);
    await page.waitForTimeout(1_000);
    expect(asked).toEqual([]);
    const link = page.getByRole('link', { name: 'Get Started' });
    await link.hover();
    await expect.poll(() => asked.some((url) => url.includes('/RegisterScreen-'))).toBe(true);
    await link.click();
    await page.waitForURL('**/register');
    await takenOver(page);
    await page.getByLabel('Email').fill(`first-${Date.now()}@example.com`);
    await page.getByLabel('Password', { exact: true }).fill('correct horse 9');
    await page.getByRole('button', { name: 'Create account' }).click();
    await page.waitForURL('**/getting-started');
  });

  it('fetches nothing by itself where data is saved', async () => {
    const page = await visitor();
    await page.addInitScript(() => {
      Object.defineProperty(navigator, 'connection', { value: { saveData: true } });
    });
    const asked = scriptsOf(page);
    await page.goto(`${server.url}/`);
    await page.waitForTimeout(IDLE_MS);
    expect(asked).toEqual([]);
    expect(
      await page.evaluate(async () => (await navigator.serviceWorker.getRegistrations()).length),
    ).toBe(0);
  });

  it('opens again without a network, and so do the others', async () => {
    const page = await visitor();
    await page.goto(`${server.url}/`);
    await controlled(page);
    await page.context().setOffline(true);
    for (const path of Object.keys(PUBLIC_PAGES)) {
      await page.goto(`${server.url}${path}`);
      await page.getByRole('heading', { level: 1 }).waitFor();
      expect(await page.locator('link[rel=canonical]').getAttribute('href')).toBe(
        `${server.url}${path}`,
      );
    }
  });

  it('has the appearance that was chosen on the device from its first picture on', async () => {
    const page = await visitor({ colorScheme: 'light' });
    await page.addInitScript(() => {
      localStorage.setItem('tradewind.appearance', '{"theme":"dark"}');
    });
    await page.goto(`${server.url}/`, { waitUntil: 'commit' });
    await page.getByRole('heading', { level: 1 }).waitFor();
    expect(
      await page.evaluate(() => getComputedStyle(document.documentElement).colorScheme),
    ).toContain('dark');
  });
});

describe('a form that is there before its code', () => {
  it('keeps what is typed, where the cursor is, and a press of Log in, and moves nothing', async () => {
    const page = await visitor();
    const letGo = await holdApp(page);
    await page.goto(`${server.url}/login`);
    await page.getByLabel('Password', { exact: true }).fill(user.password);
    await page.getByLabel('Email').pressSequentially(user.email);
    const before = await page.getByLabel('Email').boundingBox();
    letGo();
    await takenOver(page);
    expect(await page.getByLabel('Email').inputValue()).toBe(user.email);
    expect(await page.getByLabel('Password', { exact: true }).inputValue()).toBe(user.password);
    expect(await page.evaluate(() => document.activeElement?.getAttribute('name'))).toBe('email');
    expect(await page.getByLabel('Email').boundingBox()).toEqual(before);
    expect(await shifted(page)).toBe(0);
  });

  it('loses no letter that is typed while the app draws over it', async () => {
    const page = await visitor(PHONE);
    const session = await page.context().newCDPSession(page);
    await session.send('Emulation.setCPUThrottlingRate', { rate: 6 });
    const letGo = await holdApp(page);
    await page.goto(`${server.url}/login`);
    // Faster than any hand: a letter in every task that the drawing leaves room for.
    await page.evaluate(() => {
      const field = document.querySelector<HTMLInputElement>('main input[name="email"]');
      let letters = 0;
      const type = (): void => {
        if (field === null || !field.isConnected) {
          Object.assign(window, { letters });
          return;
        }
        field.value += 'x';
        letters += 1;
        setTimeout(type, 0);
      };
      type();
    });
    letGo();
    await takenOver(page);
    const letters = await page.waitForFunction(() => (window as { letters?: number }).letters);
    expect((await page.getByLabel('Email').inputValue()).length).toBe(await letters.jsonValue());
  });

  it('carries out a press of Log in that came early, and tells no address what was typed', async () => {
    const page = await visitor(PHONE);
    const letGo = await holdApp(page);
    const addresses: string[] = [];
    page.on('request', (request) => addresses.push(request.url()));
    await page.goto(`${server.url}/login`);
    await fillLogIn(page, user);
    expect(await page.getByRole('button', { name: 'Log in' }).getAttribute('aria-busy')).toBe(
      'true',
    );
    letGo();
    await page.waitForURL('**/dashboard');
    expect(addresses.filter((url) => url.includes(encodeURIComponent(user.password)))).toEqual([]);
  });

  it('stays until its own code is there, however late that comes after the app', async () => {
    const page = await visitor(PHONE);
    const itsCode = /\/assets\/LoginScreen-[\w-]+\.js$/;
    // The page itself has it first; the app, which runs by then, asks for it once more.
    let asks = 0;
    let letGo: () => void = () => undefined;
    const gone = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    await page.route(itsCode, async (route) => {
      asks += 1;
      if (asks > 1) await gone;
      await route.continue();
    });
    await page.goto(`${server.url}/login`);
    await expect.poll(() => asks).toBe(2);
    // Longer than the app waits where it has nothing to show.
    await page.waitForTimeout(1_500);
    await fillLogIn(page, user);
    expect(await page.locator('#built-page').count()).toBe(1);
    letGo();
    await page.waitForURL('**/dashboard');
  });

  it('says that its code could not be fetched, and goes on at the next press', async () => {
    const page = await visitor();
    let isDown = true;
    await page.route(APP_SCRIPT, (route) => (isDown ? route.abort() : route.continue()));
    await page.goto(`${server.url}/login`);
    await page.getByText('This page could not finish loading.').waitFor();
    isDown = false;
    await fillLogIn(page, user);
    await page.waitForURL('**/dashboard');
  });

  it('is searched as it was typed, where the questions get their code with the first letter', async () => {
    const page = await visitor();
    const letGo = await holdApp(page);
    await page.goto(`${server.url}/faq`);
    await page.getByLabel('Search questions').pressSequentially('trial');
    letGo();
    await page.getByText(/^\d+ questions found$/).waitFor();
    expect(await page.getByLabel('Search questions').inputValue()).toBe('trial');
  });
});

describe('a person who has been here', () => {
  it('is led to the dashboard from the landing page, which says so before the app is there', async () => {
    const page = await visitor();
    await page.goto(`${server.url}/login`);
    await fillLogIn(page, user);
    await page.waitForURL('**/dashboard');
    const letGo = await holdApp(page);
    await page.goto(`${server.url}/`);
    const link = page.getByRole('link', { name: 'Open the dashboard' });
    await link.waitFor();
    expect(await page.getByRole('link', { name: 'Start with paper money' }).isVisible()).toBe(
      false,
    );
    letGo();
    await takenOver(page);
    await link.click();
    await page.waitForURL('**/dashboard');
  });

  it('never sees the frame of a visitor around a page that the app frames', async () => {
    const page = await visitor();
    await remember(page, 60_000);
    const letGo = await holdApp(page);
    await page.goto(`${server.url}/terms`);
    await page.waitForTimeout(500);
    expect(await page.getByRole('link', { name: 'Get Started' }).isVisible()).toBe(false);
    letGo();
    await page.getByRole('heading', { level: 1, name: 'Terms of Service' }).waitFor();
    expect(await page.getByRole('link', { name: 'Get Started' }).count()).toBe(0);
  });

  it('is offered to start as anybody where the sign-in is over', async () => {
    const page = await visitor();
    await remember(page, 5 * 3_600_000);
    const letGo = await holdApp(page);
    await page.goto(`${server.url}/`);
    await page.getByRole('link', { name: 'Start with paper money' }).waitFor();
    letGo();
    await takenOver(page);
    await page.getByRole('link', { name: 'Start with paper money' }).waitFor();
  });
});

describe('an address that names a question', () => {
  it('finds it unfolded', async () => {
    const page = await visitor();
    await page.goto(`${server.url}/faq#stop-offline`);
    await page.locator('details#stop-offline[open]').waitFor();
    expect(await page.locator('details#real-money[open]').count()).toBe(0);
  });
});
