/**
 * From the landing page to a running agent by finger on a phone: how many taps it takes, and that
 * nothing is lost or covered.
 */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Page } from 'playwright-core';
import { openBrowser, type Browser } from '../support/browser.ts';
import { openFinger, type Finger } from '../support/finger.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { replayTape } from '../support/tape.ts';

/** Fields, answers, buttons, everything: a stranger touches the screen at most this often. */
const TAPS_MOST = 12;

let server: TestServer;
let browser: Browser;
let page: Page;
let finger: Finger;
/** A tape that runs fast: the first trade comes within seconds. */
const tape = replayTape();

beforeAll(async () => {
  server = await startServer({ env: { ...tape.env, REPLAY_SPEED: '1200' } });
  browser = await openBrowser({ viewport: { width: 390, height: 844 } });
  page = await browser.page();
  finger = await openFinger(page);
});
afterAll(async () => {
  await browser.close();
  await server.stop();
  tape.remove();
});
afterEach(async (context) => {
  if (context.task.result?.state !== 'fail') return;
  console.log(
    `${page.url()}\n${finger.trail.join(' → ')}\n${(
      await page
        .locator('body')
        .innerText()
        .catch(() => '')
    ).slice(0, 3_000)}`,
  );
});

const button = (name: string | RegExp) => page.getByRole('button', { name }).first();
const heading = (name: string | RegExp) => page.getByRole('heading', { name });
/** The heading of the present step has the focus, and the page stands at its top. */
async function startsAtItsTop(name: string | RegExp): Promise<void> {
  await heading(name).waitFor();
  await expect
    .poll(() => page.evaluate(() => document.activeElement?.textContent ?? ''))
    .toMatch(name);
  expect(await page.evaluate(() => scrollY)).toBe(0);
  const box = await heading(name).boundingBox();
  expect(box !== null && box.y > 52 && box.y < 844).toBe(true);
}

describe('a stranger with a phone', () => {
  it('has a running agent within twelve taps, each step starting at its top, risks and trial on the way (R2-16, R4-08, R4-09, R7-15)', async () => {
    await page.goto(server.url);
    const began = Date.now();
    await finger.tap(page.getByRole('link', { name: 'Get Started' }));
    await finger.type(page.getByLabel('Email'), 'stranger@example.com');
    await finger.type(page.getByLabel('Password', { exact: true }), 'correct horse 9');
    await finger.tap(button('Create account'));
    await page.waitForURL('**/getting-started');
    await finger.tap(page.getByRole('link', { name: 'Set up my first agent' }));
    for (const [question, answer] of [
      [/^When might you need this money/, 'In one to five years'],
      [/^What share of your savings/, '5–25 %'],
      [/^Your account is down/, 'Wait and check again in a week'],
      [/^Which one-year outcome/, /^Between 9.000 and/],
    ] as const) {
      await heading(question).waitFor();
      await finger.tap(button(answer));
    }
    await startsAtItsTop(/^Your profile: Moderate/);
    await page.getByText('No card, no payment.').waitFor();
    await finger.tap(button('Start free trial and continue'));
    await page.getByText('Trial started successfully!').first().waitFor();
    await startsAtItsTop(/^First agent, Moderate/);
    await finger.tap(page.getByRole('checkbox', { name: /I understand the risks/ }));
    await finger.tap(button('Create and start'));
    await page.waitForURL(/\/agents\/[0-9a-f-]{36}$/);
    await page.getByText('Running', { exact: true }).first().waitFor();
    console.log(
      `${finger.taps} taps and ${((Date.now() - began) / 1_000).toFixed(1)} s to the running agent: ${finger.trail.join(' → ')}`,
    );
    expect(finger.taps).toBeLessThanOrEqual(TAPS_MOST);
  });

  it('sees the first trade with nothing over it; the offer to install comes after that, in the page’s flow, and never over Stop', async () => {
    const stop = () =>
      page
        .getByRole('button', { name: /^(Stop|Hold to stop)\b/ })
        .filter({ visible: true })
        .first();
    const offer = page.getByRole('region', { name: 'Install' });
    await page.evaluate(() => {
      dispatchEvent(
        Object.assign(new Event('beforeinstallprompt', { cancelable: true }), {
          prompt: () => Promise.resolve({ outcome: 'dismissed' }),
        }),
      );
    });
    const trade = page
      .getByRole('region', { name: 'Trades', exact: true })
      .getByText(/fee \d/)
      .first();
    await trade.waitFor();
    await finger.reach(trade);
    expect(await offer.count()).toBe(0);
    await finger.tap(
      page.getByRole('navigation', { name: 'Screens' }).getByRole('link', { name: 'Dashboard' }),
    );
    await offer.waitFor();
    for (const size of [
      { width: 390, height: 844 },
      { width: 320, height: 640 },
      { width: 720, height: 450 },
    ]) {
      await page.setViewportSize(size);
      await finger.reach(stop());
      await finger.reach(page.getByRole('button', { name: 'Not now' }));
    }
    await page.setViewportSize({ width: 390, height: 844 });
    await finger.tap(page.getByRole('button', { name: 'Not now' }));
    await offer.waitFor({ state: 'detached' });
  });

  it('finds one menu behind the header and behind More, with Settings and Wallet by name (R2-21, R2-24)', async () => {
    const contents = async (opener: string): Promise<string[]> => {
      await finger.tap(page.getByRole('button', { name: opener }));
      const menu = page.getByRole('dialog', { name: 'Menu' });
      await menu.waitFor();
      const links = await menu
        .getByRole('link')
        .evaluateAll((all) =>
          all.map((link) => `${link.textContent} ${link.getAttribute('href') ?? ''}`),
        );
      await finger.tap(menu.getByRole('button', { name: 'Close' }));
      await menu.waitFor({ state: 'detached' });
      return links;
    };
    const links = await contents('Open menu');
    expect(links).toEqual(
      expect.arrayContaining([
        'Dashboard /dashboard',
        'Trading /trading',
        'Analytics /analytics',
        'Markets /market',
        'PRO: see what PRO adds /subscription',
      ]),
    );
    expect(await contents('More')).toEqual(links);
    for (const name of ['Settings', 'Wallet'] as const) {
      await finger.tap(page.getByRole('button', { name: 'More' }));
      await finger.tap(
        page.getByRole('dialog', { name: 'Menu' }).getByRole('link', { name, exact: true }),
      );
      await page.getByRole('heading', { level: 1, name }).waitFor();
    }
  });

  it('is told when an address does not exist, and led on (R2-05)', async () => {
    await page.goto(`${server.url}/no/such/page`);
    await page.getByText('That page does not exist. This is the start page.').waitFor();
    await page.waitForURL(`${server.url}/`);
  });
});

describe('a person who stops on the way', () => {
  it('finds what was typed after reading, reloading and going back', async () => {
    await page.goto(`${server.url}/security`);
    await finger.tap(button('Log out'));
    await page.waitForURL(`${server.url}/`);
    await finger.tap(page.getByRole('link', { name: 'Get Started' }));
    await finger.type(page.getByLabel('Email'), 'reader@example.com');
    await finger.type(page.getByLabel('Password', { exact: true }), 'correct horse 9');
    await finger.tap(page.getByRole('main').getByRole('link', { name: 'Risk Disclosure' }));
    await finger.tap(page.getByRole('link', { name: 'Create an account' }));
    expect(await page.getByLabel('Email').inputValue()).toBe('reader@example.com');
    // A password is kept for nobody.
    expect(await page.getByLabel('Password', { exact: true }).inputValue()).toBe('');
    await finger.type(page.getByLabel('Password', { exact: true }), 'correct horse 9');
    await finger.tap(button('Create account'));
    await finger.tap(page.getByRole('link', { name: 'Set up my first agent' }));
    await finger.tap(button('In one to five years'));
    await finger.tap(button('5–25 %'));
    await page.reload();
    await heading(/^Your account is down/).waitFor();
    await page.goBack();
    await heading(/^What share of your savings/).waitFor();
    await page.goForward();
    await finger.tap(button('Let it run'));
    await finger.tap(button(/^Between 9.000 and/));
    await finger.tap(page.getByText('Change what it trades'));
    await page.getByLabel('Name').fill('Windward');
    // A reader of the risks is led back to the plan, a starter of the trial to the next step.
    await page.goto(`${server.url}/risk-disclosure?from=/guided-setup`);
    await finger.tap(page.getByRole('link', { name: 'Back to your setup' }));
    await finger.tap(button('Start free trial and continue'));
    await heading(/^Windward, Moderate/).waitFor();
    await page.reload();
    await finger.tap(button('Create and start'));
    await page.getByText('Confirm that you understand the risks to start the agent.').waitFor();
    await finger.tap(page.getByRole('link', { name: 'Read the full risk disclosure' }));
    await finger.tap(page.getByRole('link', { name: 'Back to your setup' }));
    await heading(/^Windward, Moderate/).waitFor();
    await page.goto(`${server.url}/dashboard`);
    await page.getByRole('link', { name: 'Continue my setup' }).waitFor();
  });

  it('begins each step of the agent made by hand at its top, with its heading focused', async () => {
    await page.goto(`${server.url}/agents`);
    await finger.tap(page.getByRole('main').getByRole('button', { name: 'New agent' }).first());
    const dialog = page.getByRole('dialog', { name: 'New agent' });
    const scrolled = () =>
      dialog.evaluate((box) =>
        Math.max(...[box, ...box.querySelectorAll('*')].map((part) => part.scrollTop)),
      );
    // The press stands at the end of a step that is longer than the screen.
    for (const [next, title] of [
      ['Next: name and pairs', '2 of 3. Name and pairs'],
      ['Next: preview', '3 of 3. Leeward, Moderate'],
    ] as const) {
      if (title.startsWith('3')) await dialog.getByLabel('Name').fill('Leeward');
      await finger.reach(dialog.getByRole('button', { name: next }));
      await finger.tap(dialog.getByRole('button', { name: next }));
      await expect
        .poll(() => page.evaluate(() => document.activeElement?.textContent ?? ''))
        .toBe(title);
      expect(await scrolled()).toBe(0);
    }
  });

  it('finds the buttons where they were when the preview comes, and when it fails', async () => {
    const dialog = page.getByRole('dialog', { name: 'New agent' });
    const act = dialog.getByRole('button', { name: 'Create agent' });
    let answer = (): void => undefined;
    const answered = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await page.route('**/api/agents/preview', async (route) => {
      await answered;
      await route.continue();
    });
    const place = async (): Promise<number> => (await act.boundingBox())?.y ?? Number.NaN;
    const waiting = dialog.getByRole('status', { name: 'Loading preview' });
    const askAgain = async (): Promise<number> => {
      await finger.tap(dialog.getByRole('button', { name: 'Back to name and pairs' }));
      await finger.tap(dialog.getByRole('button', { name: 'Next: preview' }));
      await waiting.waitFor();
      await finger.reach(act);
      return place();
    };
    const before = await askAgain();
    answer();
    await dialog.getByText(/Preview only\. Nothing will be traded\./).waitFor();
    expect(await place()).toBe(before);
    await page.unroute('**/api/agents/preview');
    await page.route('**/api/agents/preview', (route) => route.abort());
    const beforeFailing = await askAgain();
    await dialog.getByText(/Could not load the preview\./).waitFor();
    expect(await place()).toBe(beforeFailing);
    await page.unroute('**/api/agents/preview');
  });
});
