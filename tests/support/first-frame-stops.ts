/**
 * Cold starts of the installed app without a server, a finger on a Stop at any moment after the
 * first paint, and what became of each press.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import type { Agent } from '../../contract/agents.ts';
import { controlled, openBrowser, type Browser } from './browser.ts';
import { queueOf } from './device.ts';
import { callApi, createUser, startServer, type TestServer, type TestUser } from './server.ts';
import { logIn } from './sign-in.ts';
import { handOn, pause, PHONE, type Spot } from './touch.ts';
import { until } from './until.ts';

/** As many as the trial allows. */
const NAMES = ['Harbour', 'Drift', 'Ebb', 'Tern', 'Gale'];

export interface StopCounts {
  presses: number;
  /** Presses made before the app's code had drawn anything. */
  onFrame: number;
  /** Presses that no queue had afterwards. */
  lost: number;
  /** Presses that the queue had, or the server executed, more than once. */
  doubled: number;
}

/**
 * Brings the Stop of an agent into the middle as soon as it stands in the page, says where it is,
 * and notes when React has replaced it.
 */
const watch = (agentId: string): string => `(() => {
  const mark = ${JSON.stringify(`[data-act="stop ${agentId}"]`)};
  let first = null;
  const look = () => {
    if (first === null) {
      first = document.querySelector(mark);
      if (first === null) return;
      first.scrollIntoView({ block: 'center', behavior: 'instant' });
      const { x, y, width, height } = first.getBoundingClientRect();
      requestAnimationFrame(() => console.info('stop at', JSON.stringify({
        x: Math.round(x + width / 2), y: Math.round(y + height / 2),
      })));
    }
    if (!first.isConnected) window.isTakenOver = true;
  };
  new MutationObserver(look).observe(document, { childList: true, subtree: true });
})()`;

interface World {
  server: TestServer;
  user: TestUser;
  profile: string;
  agents: Agent[];
}

const agentsOf = async ({ server, user }: World): Promise<Agent[]> =>
  (await callApi(server.url, user.idToken, 'agents')).agents;

async function makeWorld(): Promise<World> {
  const server = await startServer({
    env: process.env.DIST_DIR === undefined ? {} : { DIST_DIR: process.env.DIST_DIR },
  });
  const user = await createUser(server.url);
  await callApi(server.url, user.idToken, 'trialStart', { body: { userId: user.uid } });
  for (const name of NAMES)
    await callApi(server.url, user.idToken, 'createAgent', {
      body: {
        name,
        trading_pairs: ['BTC/USDT'],
        risk_profile: 'Conservative',
        max_position_size: 100,
        execution_interval: 'daily',
        enabled: true,
      },
    });
  const world = {
    server,
    user,
    profile: mkdtempSync(join(tmpdir(), 'tradewind-first-frame-')),
    agents: [],
  };
  const browser = await openPhone(world);
  const page = await browser.page();
  await logIn(page, server.url, user);
  await controlled(page);
  await browser.close();
  return world;
}

const openPhone = ({ profile }: World): Promise<Browser> =>
  openBrowser({ profile, viewport: PHONE });

/** Which agents a kept frame of the dashboard was drawn with, by id and state; '' without one. */
const frameMark = (page: Page, uid: string): Promise<string> =>
  page.evaluate(
    (name) =>
      new Promise<string>((resolve) => {
        const request = indexedDB.open(name);
        request.onsuccess = () => {
          const read = request.result
            .transaction('snapshots')
            .objectStore('snapshots')
            .get('frame /agents');
          read.onsuccess = () => {
            request.result.close();
            resolve((read.result as { mark?: string } | undefined)?.mark ?? '');
          };
        };
      }),
    `tradewind-${uid}`,
  );

/** Every agent runs, the device knows it, and the frame that says so is kept. */
async function runAll(world: World): Promise<void> {
  const { server, user } = world;
  const list = await agentsOf(world);
  for (const { id } of list)
    await callApi(server.url, user.idToken, 'startAgent', { params: { id }, body: {} });
  world.agents = await agentsOf(world);
  const browser = await openPhone(world);
  const page = await browser.page();
  await page.goto(`${server.url}/agents`);
  const isDrawn = (mark: string): boolean =>
    world.agents.every(({ id, generation, version }) =>
      mark.includes(JSON.stringify([id, generation, version, 'running'])),
    );
  await until(() => frameMark(page, user.uid), isDrawn);
  await browser.close();
}

interface OneStart {
  world: World;
  agent: Agent;
  /** How long after the first paint the finger comes down, ms. */
  afterMs: number;
  slowdown: number;
}

/** Presses the Stop where the page says it is. @returns whether the frame still stood there. */
async function pressFirstStop(page: Page, url: string, afterMs: number): Promise<boolean> {
  const hand = await handOn(page);
  const said = page.waitForEvent('console', {
    predicate: (message) => message.text().startsWith('stop at'),
  });
  await page.goto(url, { waitUntil: 'commit' });
  const spot = JSON.parse((await said).text().slice('stop at '.length)) as Spot;
  await pause(afterMs);
  const pressed = hand.press(spot);
  const isTakenOver = await page.evaluate('window.isTakenOver === true');
  await pressed;
  return !isTakenOver;
}

/** One cold start and one press, watched until a frame that shows it is kept. */
async function pressOnce({ world, agent, afterMs, slowdown }: OneStart): Promise<{
  isOnFrame: boolean;
  queued: number;
}> {
  const { server, user } = world;
  const browser = await openPhone(world);
  try {
    const page = await browser.page();
    await page.addInitScript(watch(agent.id));
    const session = await browser.context.newCDPSession(page);
    await session.send('Emulation.setCPUThrottlingRate', { rate: slowdown });
    const isOnFrame = await pressFirstStop(page, `${server.url}/agents`, afterMs);
    await session.send('Emulation.setCPUThrottlingRate', { rate: 1 });
    await page.locator(`[aria-label="Stop saved: ${agent.name}"]`).first().waitFor();
    // The queue takes a press on the frame over when the app runs.
    const queue = await until(
      () => queueOf(page, user.uid),
      (entries) => entries.some(({ agentId }) => agentId === agent.id),
    );
    const waiting = queue.map(({ commandId }) => commandId);
    await until(
      () => frameMark(page, user.uid),
      (mark) => waiting.every((id) => mark.includes(id)),
    );
    const mine = queue.filter(({ agentId, intent }) => agentId === agent.id && intent === 'stop');
    return { isOnFrame, queued: mine.length };
  } finally {
    await browser.close();
  }
}

/** All that was saved is sent; returns how often the server executed the stop of each of `pressed`. */
async function deliver(world: World, pressed: readonly Agent[]): Promise<number[]> {
  const isPressed = ({ id }: Agent): boolean => pressed.some((agent) => agent.id === id);
  await world.server.restart();
  const browser = await openPhone(world);
  const page = await browser.page();
  await page.goto(`${world.server.url}/agents`);
  const after = await until(
    () => agentsOf(world),
    (list) => list.filter(isPressed).every(({ status }) => status === 'stopped'),
  );
  await until(
    () => queueOf(page, world.user.uid),
    (entries) => entries.length === 0,
  );
  await browser.close();
  return pressed.map(
    ({ id, generation }) =>
      (after.find((agent) => agent.id === id)?.generation ?? NaN) - generation,
  );
}

/** `starts` cold starts, each with one press at a random moment. `random`: in [0, 1). */
export async function pressAtColdStarts(
  starts: number,
  random: () => number,
  slowdown = 4,
): Promise<StopCounts> {
  const world = await makeWorld();
  const counts: StopCounts = { presses: 0, onFrame: 0, lost: 0, doubled: 0 };
  try {
    while (counts.presses < starts) {
      await runAll(world);
      await world.server.kill9();
      const pressed = world.agents.slice(0, starts - counts.presses);
      for (const agent of pressed) {
        const one = await pressOnce({ world, agent, afterMs: random() * 900, slowdown });
        counts.presses += 1;
        if (one.isOnFrame) counts.onFrame += 1;
        if (one.queued === 0) counts.lost += 1;
        if (one.queued > 1) counts.doubled += 1;
      }
      for (const executed of await deliver(world, pressed)) {
        if (executed < 1) counts.lost += 1;
        if (executed > 1) counts.doubled += 1;
      }
    }
    return counts;
  } finally {
    await world.server.stop();
    rmSync(world.profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  }
}
