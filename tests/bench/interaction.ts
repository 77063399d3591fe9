/**
 * Interaction to next paint: a session by finger on a phone at quarter speed, with three running
 * agents; what the browser says of each tap, hold and key (Event Timing).
 */
import type { CDPSession, Page } from 'playwright-core';
import { openBrowser } from '../support/browser.ts';
import { openFinger, type Finger } from '../support/finger.ts';
import {
  callApi,
  createUser,
  startServer,
  type TestServer,
  type TestUser,
} from '../support/server.ts';
import { logIn } from '../support/sign-in.ts';
import { PHONE } from '../support/touch.ts';
import { quantile, type Measurement } from './measurement.ts';

const SLOWDOWN = Number(process.env.BENCH_SLOWDOWN ?? 4);
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5);
const NAMES = ['Harbour', 'Drift', 'Ebb'];
/** Time between two interactions of a person who reads, ms. */
const READING_MS = 700;
/** How long one look for a target may take, at quarter speed, ms; the finger looks ten times. */
const STEP_MS = 3_000;

interface Interaction {
  id: number;
  /** From the finger to the next paint, in steps of 8 ms. */
  durationMs: number;
  /** How much of it passed before the page could begin. */
  delayMs: number;
  /** How much of it the handlers took. */
  handlersMs: number;
  target: string;
}

/** Keeps the slowest event of each interaction, on this page for as long as it lives. */
const OBSERVE = `(() => {
  const slowest = new Map();
  window.interactions = () => [...slowest.values()];
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      if (entry.interactionId === 0) continue;
      const known = slowest.get(entry.interactionId);
      if (known !== undefined && known.durationMs >= entry.duration) continue;
      const { target } = entry;
      slowest.set(entry.interactionId, {
        id: entry.interactionId,
        durationMs: entry.duration,
        delayMs: entry.processingStart - entry.startTime,
        handlersMs: entry.processingEnd - entry.processingStart,
        target: entry.name + ' ' + location.pathname.replace(/[0-9a-f-]{36}/, ':id') + ' ' +
          (target === null ? 'gone' : (target.getAttribute('aria-label') ?? target.textContent ?? '').trim().slice(0, 30)),
      });
    }
  }).observe({ type: 'event', durationThreshold: 16, buffered: true });
})()`;

async function makeAgents(server: TestServer, user: TestUser): Promise<void> {
  await callApi(server.url, user.idToken, 'trialStart', { body: { userId: user.uid } });
  for (const name of NAMES) {
    const { agent } = await callApi(server.url, user.idToken, 'createAgent', {
      body: {
        name,
        trading_pairs: ['BTC/USDT', 'ETH/USDT'],
        risk_profile: 'Conservative',
        max_position_size: 1_000,
        execution_interval: '5-minute',
        enabled: true,
      },
    });
    await callApi(server.url, user.idToken, 'startAgent', { params: { id: agent.id }, body: {} });
  }
}

/** What a person does in a minute: the screens, an agent, a chart, a search, a form, a Stop. */
async function walk(page: Page, finger: Finger, round: number): Promise<void> {
  const read = () => page.waitForTimeout(READING_MS);
  const tap = async (target: ReturnType<Page['locator']>): Promise<void> => {
    await finger.tap(target.first()).catch((cause: unknown) => {
      throw new Error(`No way on after: ${finger.trail.slice(-4).join(', ')}`, { cause });
    });
    await read();
  };
  const screen = (path: string) =>
    page.getByRole('navigation', { name: 'Screens' }).locator(`a[href="${path}"]`);
  const button = (name: string | RegExp) => page.getByRole('button', { name });

  await tap(screen('/agents'));
  await tap(page.getByRole('link', { name: NAMES[round % NAMES.length] ?? '' }));
  await tap(page.getByRole('link', { name: /Back|All agents|Agents/ }));
  await tap(button('New agent'));
  await tap(page.getByRole('radio', { name: /^Aggressive/ }));
  await tap(page.getByRole('radio', { name: /^Conservative/ }));
  await tap(page.getByRole('dialog').getByRole('button', { name: 'Close' }));
  await tap(screen('/dashboard'));
  await tap(screen('/market'));
  await finger.type(page.getByRole('searchbox', { name: 'Search pairs' }), 'sol');
  await read();
  await tap(page.getByRole('row').nth(1).getByRole('link'));
  await tap(button('1h'));
  await tap(button('5m'));
  await tap(button('Set alert'));
  await tap(button('Close'));
  await tap(screen('/portfolio'));
  await tap(button('Menu'));
  await tap(page.getByRole('dialog').getByRole('link', { name: 'Analytics' }));
  await tap(screen('/dashboard'));
  await tap(button(/^Stop /));
  await tap(button('Undo'));
}

async function measured(): Promise<{ slow: Interaction[]; count: number }> {
  const server = await startServer({
    env: process.env.DIST_DIR === undefined ? {} : { DIST_DIR: process.env.DIST_DIR },
  });
  const browser = await openBrowser({ viewport: PHONE });
  try {
    const user = await createUser(server.url);
    await makeAgents(server, user);
    const page = await browser.page();
    // A screen that lacks a step of the walk fails soon, and says where.
    page.setDefaultTimeout(STEP_MS);
    await page.addInitScript(OBSERVE);
    await logIn(page, server.url, user);
    const finger = await openFinger(page);
    // Once at full speed: what is loaded and compiled for the first time is the start's matter.
    if (process.env.BENCH_COLD === undefined) await walk(page, finger, 0);
    const session: CDPSession = await page.context().newCDPSession(page);
    await session.send('Emulation.setCPUThrottlingRate', { rate: SLOWDOWN });
    const read = () =>
      page.evaluate(() => ({
        slow: (window as unknown as { interactions: () => Interaction[] }).interactions(),
        count: (performance as unknown as { interactionCount: number }).interactionCount,
      }));
    const before = await read();
    for (let round = 1; round <= ROUNDS; round += 1) await walk(page, finger, round);
    const after = await read();
    const known = new Set(before.slow.map(({ id }) => id));
    return {
      slow: after.slow.filter(({ id }) => !known.has(id)),
      count: after.count - before.count,
    };
  } finally {
    await browser.close();
    await server.stop();
  }
}

export async function measure(): Promise<Measurement[]> {
  const { slow, count } = await measured();
  // The browser reports none that took under 16 ms.
  const all = [...slow.map(({ durationMs }) => durationMs)];
  while (all.length < count) all.push(16);
  const figure = (what: string, value: number | null, unit = 'ms'): Measurement => ({
    section: 'interaction',
    what,
    value,
    unit,
  });
  const worst = [...slow].sort((a, b) => b.durationMs - a.durationMs).slice(0, 12);
  return [
    figure(`interactions, ${SLOWDOWN}× slowdown`, count, ''),
    figure('to the next paint, median', quantile(all, 0.5)),
    figure('to the next paint, p98', quantile(all, 0.98)),
    ...worst.map(({ target, durationMs, delayMs, handlersMs }) =>
      figure(
        `slow: ${target} (waited ${Math.round(delayMs)}, handlers ${Math.round(handlersMs)})`,
        durationMs,
      ),
    ),
  ];
}
