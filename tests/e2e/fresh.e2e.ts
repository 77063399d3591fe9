/**
 * An agent that evaluates every five market minutes, in real Chromium: what its page shows is what
 * the server has decided.
 */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Page } from 'playwright-core';
import { openBrowser, type Browser } from '../support/browser.ts';
import {
  callApi,
  createUser,
  startServer,
  type TestServer,
  type TestUser,
} from '../support/server.ts';
import { logIn } from '../support/sign-in.ts';
import { replayTape } from '../support/tape.ts';

/** Five market minutes pass in five seconds. */
const SPEED = '60';
const EVALUATION_MS = 5_000;
let server: TestServer;
let browser: Browser;
let user: TestUser;
let page: Page;
let agentId: string;
const tape = replayTape();

beforeAll(async () => {
  server = await startServer({ env: { ...tape.env, REPLAY_SPEED: SPEED } });
  user = await createUser(server.url);
  await callApi(server.url, user.idToken, 'trialStart', { body: { userId: user.uid } });
  const { agent } = await callApi(server.url, user.idToken, 'createAgent', {
    body: {
      name: 'Harbour',
      trading_pairs: ['BTC/USDT', 'ETH/USDT', 'SOL/USDT'],
      risk_profile: 'Aggressive',
      max_position_size: 5_000,
      execution_interval: '5-minute',
      enabled: true,
    },
  });
  agentId = agent.id;
  browser = await openBrowser({ viewport: { width: 390, height: 844 } });
  page = await browser.page();
  await logIn(page, server.url, user);
});
afterAll(async () => {
  await browser?.close();
  await server?.stop();
  tape.remove();
});
afterEach(async (context) => {
  if (context.task.result?.state === 'fail')
    console.log(
      (
        await page
          .locator('main')
          .innerText()
          .catch(() => '')
      ).slice(0, 3_000),
    );
});

const decisions = () => page.getByRole('region', { name: 'Decisions' });
/** Market time of the newest decision, ms: the server's, and the one on the screen. */
const decided = async (): Promise<number> => {
  const { decisions: all } = await callApi(server.url, user.idToken, 'agentPerformance', {
    params: { id: agentId },
  });
  return Math.max(0, ...all.map(({ at }) => at));
};
const shown = async (): Promise<number> => {
  const times = await decisions()
    .locator('time')
    .evaluateAll((all) => all.map((one) => Date.parse(one.getAttribute('datetime') ?? '')));
  return Math.max(0, ...times);
};
const later = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms);
  });

/** The server's newest decision after `than`. */
async function nextDecision(than: number): Promise<number> {
  await expect.poll(decided, { timeout: 60_000 }).toBeGreaterThan(than);
  return decided();
}

describe('the decisions of an agent that evaluates again and again', () => {
  it('are the server’s newest within an evaluation, while the page stays open', async () => {
    let newest = await nextDecision(0);
    await page.goto(`${server.url}/agents/${agentId}`);
    await expect.poll(shown).toBeGreaterThanOrEqual(newest);
    for (let evaluation = 0; evaluation < 3; evaluation += 1) {
      newest = await nextDecision(newest);
      await expect.poll(shown, { timeout: 2 * EVALUATION_MS }).toBeGreaterThanOrEqual(newest);
    }
  });

  it('wait behind a button while they are read, move nothing meanwhile, and come in when it is pressed', async () => {
    await page.getByRole('heading', { name: 'Decisions', exact: true }).waitFor();
    const row = decisions().getByRole('listitem').first();
    await row.evaluate((one) => {
      scrollTo(0, one.getBoundingClientRect().top + scrollY + 20);
    });
    await later(300);
    const before = await shown();
    const place = await row.boundingBox();
    await nextDecision(before);
    const button = page.getByRole('button', { name: /^\d+ new decisions?$/ });
    await button.waitFor({ timeout: 3 * EVALUATION_MS });
    expect([await shown(), (await row.boundingBox())?.y]).toEqual([before, place?.y]);
    await button.click();
    await expect.poll(shown).toBeGreaterThan(before);
    expect(await button.count()).toBe(0);
  });
});
