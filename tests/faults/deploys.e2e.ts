/**
 * Builds that come and go under open pages, with a real server, real workers and real Chromium;
 * refuses a build that is only pretended.
 */
import { appendFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Page } from 'playwright-core';
import type { Agent } from '../../contract/agents.ts';
import { CONTRACT_HEADER } from '../../contract/version.ts';
import { START_PATHS } from '../../sw/routing.ts';
import { cachedAddresses, controlled, openBrowser, type Browser } from '../support/browser.ts';
import {
  BAD_WORKER,
  buildsIn,
  headerOf,
  layBuilds,
  look,
  type Deployments,
} from '../support/builds.ts';
import type { Fault } from '../support/fault-proxy.ts';
import { COMMAND, openFaultWorld, walk, type FaultWorld } from '../support/fault-world.ts';
import type { TestUser } from '../support/server.ts';

const BUILDS = ['v1', 'v2', 'v3', 'v4', 'v5', 'v6'] as const;
/**
 * Chromium looks for a newer worker a second after a visit, and anew from each: visits must leave
 * it the time.
 */
const VISIT_MS = 3_000;
type Harm = (path: string, host: string) => Fault | null | Promise<null>;

let builds: Deployments;
let world: FaultWorld;
let browser: Browser;
let user: TestUser;
let page: Page;
/** How often the page has loaded. */
let loads = 0;
let harm: Harm = () => null;
/** Builds whose contract the server does not take any more. */
const tooOld = new Set<string>();
/** Commands that came to the proxy, with the build that sent them. */
const sent: { build: string; commandId: string }[] = [];

const seen = (target: Page, text: string | RegExp) =>
  target.getByText(text).filter({ visible: true }).first();
const notice = (target: Page) => target.getByRole('region', { name: 'Update' });
const stopButton = () => page.getByRole('button', { name: 'Stop', exact: true });
/** Another origin of the same server, whose pages no worker serves. */
const bare = (): string => world.proxy.url.replace('localhost', '127.0.0.1');

/** Presses "Update" and waits until the page has loaded of that build alone. */
async function update(to: string): Promise<void> {
  const before = loads;
  await notice(page).getByRole('button', { name: 'Update' }).click();
  await expect.poll(() => loads).toBe(before + 1);
  await expect.poll(() => buildsIn(page)).toEqual([to]);
}

/** Takes the server's build, whatever the page has now. */
async function bring(to: string, as = to): Promise<void> {
  builds.deploy(to);
  if ((await look(page)) === 'none') return;
  await notice(page).waitFor();
  await update(as);
}

/** Every start of the app without a network is of this build alone, and none is blank. */
async function opensOffline(build: string): Promise<void> {
  const before = harm;
  harm = () => 'drop-request';
  for (const path of ['/dashboard', '/agents', '/faq']) {
    await page.goto(`${world.proxy.url}${path}`);
    await page.getByRole('heading').filter({ visible: true }).first().waitFor();
    expect([path, await buildsIn(page)]).toEqual([path, [build]]);
  }
  harm = before;
}

async function savedStop(name: string): Promise<Agent> {
  const agent = await world.agentOf(user, name);
  await page.goto(`${world.proxy.url}/agents/${agent.id}`);
  await stopButton().waitFor();
  harm = (path) =>
    path.startsWith('/api/') || path.startsWith('/healthz') ? 'drop-request' : null;
  await stopButton().click();
  await seen(page, /^Stop saved on this device/).waitFor();
  return agent;
}

async function stoppedOnce(agent: Agent): Promise<void> {
  await expect.poll(async () => (await world.agent(user, agent.id)).status).toBe('stopped');
  expect((await world.agent(user, agent.id)).generation).toBe(agent.generation + 1);
}

beforeAll(async () => {
  builds = await layBuilds(BUILDS);
  world = await openFaultWorld({ DIST_DIR: builds.dist });
  world.proxy.watch(({ path, method, headers }) => {
    const build = BUILDS.find((name) => headers[headerOf(name)] !== undefined);
    if (build === undefined) return;
    headers[CONTRACT_HEADER] = tooOld.has(build) ? '0' : String(headers[headerOf(build)]);
    if (method === 'POST' && COMMAND.test(path))
      sent.push({ build, commandId: String(headers['idempotency-key']) });
  });
  world.proxy.harm(({ path, headers }) => harm(path.split('?', 1)[0] ?? '', headers.host ?? ''));
  browser = await openBrowser();
  user = await world.trader();
});
beforeEach(() => {
  harm = () => null;
  sent.length = 0;
});
afterAll(async () => {
  await browser?.close();
  await world?.close();
  builds?.close();
});

describe('a page that no worker serves', () => {
  const noWorker: Harm = (path, host) =>
    path === '/sw.js' && host.startsWith('127.0.0.1') ? 'drop-request' : null;
  const faq = (target: Page) => target.getByRole('heading', { level: 1, name: /questions|FAQ/i });
  async function opened(build: string): Promise<{ page: Page; loads: () => number }> {
    harm = noWorker;
    builds.deploy(build);
    const opening = await browser.page();
    let count = 0;
    opening.on('domcontentloaded', () => {
      count += 1;
    });
    // What it loads ahead when it is idle belongs to the build it came with.
    await opening.goto(`${bare()}/login`, { waitUntil: 'networkidle' });
    await opening.locator('#built-page').waitFor({ state: 'detached' });
    await opening.getByRole('heading', { level: 1 }).waitFor();
    return { page: opening, loads: () => count };
  }

  it.each(['v2', 'v3'])(
    'of build %s goes on with its own parts after v4 was deployed',
    async (build) => {
      const { page: old, loads: count } = await opened(build);
      builds.deploy('v4');
      await walk(old, '/faq');
      await faq(old).waitFor();
      expect([count(), await buildsIn(old)]).toEqual([1, [build]]);
      await old.close();
    },
  );

  it('of a build whose parts are gone loads the newest, once (F24)', async () => {
    const { page: old, loads: count } = await opened('v1');
    builds.deploy('v4');
    await walk(old, '/faq');
    await expect.poll(() => buildsIn(old)).toEqual(['v4']);
    await faq(old).waitFor();
    expect(count()).toBe(2);
    await old.close();
  });

  /** A part that this browser has not had: what it has had lies in its cache. */
  const without =
    (part: string, kind: '500' | '404'): Harm =>
    (path, host) =>
      path === builds.part('v4', part) ? kind : noWorker(path, host);
  const missing = (target: Page) => target.getByText('This screen could not be loaded.');

  it('loads nothing anew where a part stays away, says so, and goes on when it is back (F24, F95)', async () => {
    const { page: old, loads: count } = await opened('v4');
    harm = without('RegisterScreen', '500');
    await walk(old, '/register');
    await missing(old).waitFor();
    await walk(old, '/faq');
    await faq(old).waitFor();
    await walk(old, '/register');
    await missing(old).waitFor();
    harm = noWorker;
    await old.getByRole('button', { name: 'Try again' }).click();
    await old.getByLabel('Email').waitFor();
    expect([count(), await buildsIn(old)]).toEqual([1, ['v4']]);
    await old.close();
  });

  it('loads once and no more where a part is gone from the newest build too, which then shows its own page of it (F24)', async () => {
    const { page: old, loads: count } = await opened('v4');
    harm = without('LearnMoreScreen', '404');
    await walk(old, '/learn-more');
    await expect.poll(count).toBe(2);
    // The build's page has its whole text without any code, and stays.
    await old.getByRole('heading', { level: 1 }).waitFor();
    // Past the moment at which it fetches the app by itself.
    await old.waitForTimeout(6_000);
    expect(await old.locator('#built-page').count()).toBe(1);
    expect([count(), await buildsIn(old)]).toEqual([2, ['v4']]);
    await old.close();
  });
});

describe('a page with its worker', () => {
  beforeAll(async () => {
    harm = () => null;
    builds.deploy('v2');
    page = await browser.page();
    page.on('domcontentloaded', () => {
      loads += 1;
    });
    await world.logIn(page, user);
    await controlled(page);
  });

  it('two builds behind sends what it has saved, goes on with its own parts, and takes the new build when told to', async () => {
    const agent = await savedStop('Two behind');
    builds.deploy('v4');
    harm = () => null;
    await stoppedOnce(agent);
    expect(new Set(sent.map(({ build }) => build))).toEqual(new Set(['v2']));
    await page.goto(`${world.proxy.url}/dashboard`);
    await notice(page).waitFor();
    expect(await buildsIn(page)).toEqual(['v2']);
    await opensOffline('v2');
    await notice(page).waitFor();
    await update('v4');
    await opensOffline('v4');
  });

  it('ahead of the server, which was rolled back, sends what it has saved and goes back when told to, with nothing of the newer build', async () => {
    const agent = await savedStop('Rolled back');
    builds.deploy('v3');
    harm = () => null;
    await page.goto(`${world.proxy.url}/agents`);
    await stoppedOnce(agent);
    expect(await buildsIn(page)).toEqual(['v4']);
    await notice(page).waitFor();
    await update('v3');
    await opensOffline('v3');
    const kept = (await cachedAddresses(page))
      .map((address) => new URL(address).pathname)
      .filter((path) => path.startsWith('/assets/'));
    expect(kept.filter((path) => !builds.parts('v3').includes(path))).toEqual([]);
    expect(
      await page.evaluate(
        async () =>
          (await caches.keys()).filter((name) => name.startsWith('tradewind-shell-')).length,
      ),
    ).toBe(1);
  });

  it('whose new worker differs by itself alone is served one page all the same', async () => {
    appendFileSync(join(builds.derive('twin', 'v3'), 'sw.js'), '/* same page */\n');
    await bring('twin', 'v3');
    await opensOffline('v3');
  });

  it('keeps the old version while a part of the new one cannot be had, and takes it at the next try (F27)', async () => {
    builds.deploy('v5');
    const part = builds.part('v5', 'FaqScreen');
    harm = (path) => (path === part ? '500' : null);
    expect(await look(page)).toBe('redundant');
    await opensOffline('v3');
    expect(await notice(page).count()).toBe(0);
    harm = () => null;
    expect(await look(page)).toBe('installed');
    await notice(page).waitFor();
    await update('v5');
    await opensOffline('v5');
  });

  it('does not take the page of one build with the parts of another, when a deployment comes between', async () => {
    builds.deploy('v2');
    const between: string[] = [];
    harm = (path) => {
      if (path !== '/index.html' || between.length > 0) return null;
      between.push(path);
      builds.deploy('v3');
      return null;
    };
    expect(await look(page)).toBe('redundant');
    expect(between).toEqual(['/index.html']);
    await opensOffline('v5');
    await bring('v3');
    await opensOffline('v3');
  });

  it('loses nothing of a build that is being laid down while another takes over', async () => {
    builds.deploy('v4');
    expect(await look(page)).toBe('installed');
    await notice(page).waitFor();
    builds.deploy('v6');
    let release: () => void = () => undefined;
    let asked = false;
    const released = new Promise<null>((resolve) => {
      release = () => {
        resolve(null);
      };
    });
    harm = (path) => {
      if (path !== builds.part('v6', 'FaqScreen')) return null;
      asked = true;
      return released;
    };
    const looking = look(page).catch(() => null);
    await expect.poll(() => asked).toBe(true);
    await update('v4');
    release();
    await looking;
    await expect
      .poll(() => page.evaluate(async () => (await navigator.serviceWorker.ready).waiting !== null))
      .toBe(true);
    harm = () => null;
    await notice(page).waitFor();
    await update('v6');
    await opensOffline('v6');
  });

  it('gets the page back that was thrown out of its cache, and opens without a network again', async () => {
    await page.evaluate(async () => {
      for (const name of await caches.keys())
        if (name.startsWith('tradewind-shell-')) await caches.delete(name);
    });
    await browser.stopWorkers();
    await page.goto(`${world.proxy.url}/agents`);
    await expect
      .poll(() =>
        page.evaluate(async () =>
          (await caches.keys()).some((name) => name.startsWith('tradewind-shell-')),
        ),
      )
      .toBe(true);
    await expect
      .poll(async () =>
        (await cachedAddresses(page)).some((address) => new URL(address).pathname === '/stop-all'),
      )
      .toBe(true);
    await opensOffline('v6');
  });

  it('too old for the server keeps its queue, asks to be updated, and the new build delivers once (F25)', async () => {
    await bring('v3');
    const agent = await world.agentOf(user, 'Too old');
    await page.goto(`${world.proxy.url}/agents/${agent.id}`);
    await stopButton().waitFor();
    builds.deploy('v4');
    tooOld.add('v3');
    await stopButton().click();
    await seen(page, /waits to be received after an update/).waitFor();
    await seen(page, 'This version is too old for the server. Unsent commands are kept.').waitFor();
    expect((await world.agent(user, agent.id)).status).toBe('running');
    const before = new Set(sent.map(({ commandId }) => commandId));
    await update('v4');
    await stoppedOnce(agent);
    const after = sent.filter(({ build }) => build === 'v4');
    expect([after.length, after.every(({ commandId }) => before.has(commandId))]).toEqual([
      1,
      true,
    ]);
    await expect.poll(() => notice(page).count()).toBe(0);
    tooOld.clear();
  });

  it('is not disturbed by the notice in a form or in a send: the update waits for the answer, another tab for its person (F78)', async () => {
    const agent = await world.agentOf(user, 'In a form');
    const other = await browser.page();
    let otherLoads = 0;
    other.on('domcontentloaded', () => {
      otherLoads += 1;
    });
    await other.goto(`${world.proxy.url}/library`);
    const field = other.getByRole('searchbox');
    await field.fill('draw');
    otherLoads = 0;

    await page.goto(`${world.proxy.url}/agents/${agent.id}`);
    await stopButton().waitFor();
    builds.deploy('v3');
    expect(await look(page)).toBe('installed');
    await notice(page).waitFor();
    let release: () => void = () => undefined;
    const released = new Promise<null>((resolve) => {
      release = () => {
        resolve(null);
      };
    });
    harm = (path) => (COMMAND.test(path) ? released : null);
    await stopButton().click();
    await expect.poll(() => sent.length).toBe(1);
    const before = loads;
    await notice(page).getByRole('button', { name: 'Update' }).click();
    // The worker has had the word: it answers this only after it.
    await page.evaluate(async () => {
      await (await navigator.serviceWorker.ready).update().catch(() => undefined);
    });
    expect([loads, (await world.agent(user, agent.id)).status]).toEqual([before, 'running']);
    release();
    await stoppedOnce(agent);
    await expect.poll(() => buildsIn(page)).toEqual(['v3']);
    expect(sent.length).toBe(1);

    await notice(other).waitFor();
    expect([otherLoads, await field.inputValue(), await buildsIn(other)]).toEqual([
      0,
      'draw',
      ['v4'],
    ]);
    await other.bringToFront();
    await field.press('End');
    await other.keyboard.type('down');
    await notice(other).getByRole('button', { name: 'Update' }).click();
    await seen(other, 'Updating discards your entries on this page.').waitFor();
    expect([otherLoads, await field.inputValue()]).toEqual([0, 'drawdown']);
    await notice(other).getByRole('button', { name: 'Update anyway' }).click();
    await expect.poll(() => buildsIn(other)).toEqual(['v3']);
    await other.close();
  });

  it('is freed of a worker that fails every request and shows an empty page, and what it had saved arrives once (F26)', async () => {
    const agent = await savedStop('Bad worker');
    const bad = builds.derive('bad', 'v4');
    writeFileSync(join(bad, 'sw.js'), BAD_WORKER);
    builds.deploy('bad');
    await look(page).catch(() => null);
    await expect
      .poll(
        async () => {
          await page.goto(`${world.proxy.url}/dashboard`).catch(() => null);
          return page.title();
        },
        { interval: VISIT_MS },
      )
      .toBe('Broken');
    expect(
      await page.goto(`${world.proxy.url}/agents`).then(
        () => 'opened',
        () => 'failed',
      ),
    ).toBe('failed');

    writeFileSync(join(bad, 'sw-kill'), '');
    await expect
      .poll(
        async () => {
          await page.goto(`${world.proxy.url}/dashboard`).catch(() => null);
          return page.title();
        },
        { interval: VISIT_MS },
      )
      .not.toBe('Broken');
    await expect.poll(() => buildsIn(page)).toEqual(['v4']);
    expect(
      await page.evaluate(async () => (await caches.keys()).filter((name) => name !== 'bad')),
    ).toEqual([]);
    harm = () => null;
    await page.goto(`${world.proxy.url}/agents`);
    await stoppedOnce(agent);
    // With the mark still there each visit is served by the server alone, and none reloads itself.
    loads = 0;
    await page.goto(`${world.proxy.url}/agents`);
    await page.getByRole('heading', { name: 'Agents' }).first().waitFor();
    // The page registers its worker at each visit, so one that does nothing may be found; nothing
    // is kept or answered.
    await expect.poll(() => page.evaluate(() => caches.keys())).toEqual([]);
    expect([await buildsIn(page), loads]).toEqual([['v4'], 1]);

    rmSync(join(bad, 'sw-kill'));
    builds.deploy('v4');
    await page.goto(`${world.proxy.url}/agents`);
    await controlled(page);
    // The retired worker serves the page too: the new one has its parts when it has the page.
    await expect.poll(() => cachedAddresses(page)).toContain(`${world.proxy.url}/dashboard`);
    // It has them a moment before it takes the retired one's place.
    await expect
      .poll(() =>
        page.evaluate(async () => {
          const found = await navigator.serviceWorker.getRegistration();
          return [found?.installing ?? null, found?.waiting ?? null, found?.active?.state];
        }),
      )
      .toEqual([null, null, 'activated']);
    await opensOffline('v4');
  });

  it('has never had a private answer in Cache Storage, and its worker one address that is always asked again', async () => {
    const found = (await cachedAddresses(page)).map((address) => new URL(address).pathname);
    expect(
      found
        .filter(
          (path) =>
            !/^\/(index\.html|pages\/[\w-]+\.html|manifest\.webmanifest|assets\/[^/]+|icons\/[^/]+)$/.test(
              path,
            ),
        )
        .sort(),
    ).toEqual([...START_PATHS].sort());
    const worker = await fetch(`${world.proxy.url}/sw.js`);
    expect([worker.status, worker.headers.get('cache-control')]).toEqual([200, 'no-cache']);
    expect(
      await page.evaluate(async () => {
        const { active, updateViaCache } = await navigator.serviceWorker.ready;
        return [new URL(active?.scriptURL ?? '').pathname, updateViaCache];
      }),
    ).toEqual(['/sw.js', 'imports']);
  });
});
