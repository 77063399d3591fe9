/**
 * Markup in every text that takes any letters, on every screen that shows it, in real Chromium under
 * the policy that is served: it is text, before and after the app's own frame of a cold start.
 */
import { randomUUID } from 'node:crypto';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { CallBody } from '../../contract/calls.ts';
import { hosted } from '../support/attack/victim.ts';
import { openBrowser, type Browser } from '../support/browser.ts';
import { softAuthenticator } from '../support/live/soft-authenticator.ts';
import {
  callApi,
  createUser,
  startServer,
  type TestServer,
  type TestUser,
} from '../support/server.ts';
import { logIn } from '../support/sign-in.ts';
import { until } from '../support/until.ts';

/** Each runs code where a browser takes it for what it is; none is longer than any field. */
const PAYLOADS = [
  '<img src=x data-hit onerror=window.hit=1>',
  '<svg data-hit onload=window.hit=1>',
  '"><script data-hit>window.hit=1</script>',
  "'-window.hit=1-'{{window.hit=1}}",
] as const;
/** Of the texts that they stand in, one is shown on each. */
const SCREENS = ['/alerts', '/support', '/security', '/dashboard', '/market/BTC-USDT'];

let server: TestServer;
let browser: Browser;
let user: TestUser;

async function writeAll(): Promise<void> {
  const { url } = server;
  const token = user.idToken;
  for (const [nth, note] of PAYLOADS.entries()) {
    await callApi(url, token, 'setAlert', {
      params: { id: randomUUID() },
      body: {
        symbol: 'BTC/USDT',
        condition: { kind: 'above', price: String(900_000_000 + nth) },
        repeatMinutes: null,
        note,
        active: true,
        seenVersion: null,
        seen: null,
      },
    });
    const { options } = await callApi(url, token, 'passkeyOptions');
    const response = softAuthenticator({ origin: url }).create(
      { challenge: String(options.challenge) },
      {},
    );
    const body = { label: note, response } as CallBody<'addPasskey'>;
    await callApi(url, token, 'addPasskey', { body });
    await hosted(url, token, 'openSupportRequest', {
      id: randomUUID(),
      category: 'other',
      text: note,
      diagnostics: null,
    });
  }
}

beforeAll(async () => {
  server = await startServer();
  user = await createUser(server.url);
  await writeAll();
  browser = await openBrowser();
});
afterAll(async () => {
  await browser?.close();
  await server?.stop();
});

interface Seen {
  ran: boolean;
  elements: number;
  text: string;
}

const look = (page: Page): Promise<Seen> =>
  page.evaluate(() => ({
    ran: 'hit' in window,
    elements: document.querySelectorAll('[data-hit]').length,
    text: document.body.innerText,
  }));

it('is text on every screen, at the first look and at a cold start (F51)', async () => {
  const page = await browser.page();
  await logIn(page, server.url, user);
  const shown = new Set<string>();
  for (const path of [...SCREENS, ...SCREENS]) {
    // A load of its own each time: the second is drawn from what the device has kept.
    await page.goto(`${server.url}${path}`);
    await page.getByRole('main').first().waitFor();
    const { ran, elements } = await look(page);
    expect([path, ran, elements]).toEqual([path, false, 0]);
    if (!['/alerts', '/support', '/security'].includes(path)) continue;
    const { text } = await until(
      () => look(page),
      (seen) => PAYLOADS.some((payload) => seen.text.includes(payload)),
    );
    for (const payload of PAYLOADS) if (text.includes(payload)) shown.add(`${path} ${payload}`);
    const after = await look(page);
    expect([path, after.ran, after.elements]).toEqual([path, false, 0]);
  }
  // Where nothing were shown, nothing could have run.
  expect(shown.size).toBeGreaterThanOrEqual(PAYLOADS.length * 2);
});
