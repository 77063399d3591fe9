/**
 * An app installed from an earlier commit updates to this build: it keeps its snapshots and sends
 * its queued Stop once. `npm run test:upgrade <commit>` builds the earlier app and runs this.
 */
import { mkdtempSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Page } from 'playwright-core';
import type { Agent } from '../../contract/agents.ts';
import { DIST } from '../../scripts/build-stamp.ts';
import { controlled, openBrowser, type Browser } from '../support/browser.ts';
import { look } from '../support/builds.ts';
import type { Fault } from '../support/fault-proxy.ts';
import { openFaultWorld, type FaultWorld } from '../support/fault-world.ts';
import type { TestUser } from '../support/server.ts';

const OLD_DIST = process.env.OLD_DIST ?? '';

const root = mkdtempSync(join(tmpdir(), 'tradewind-upgrade-'));
const served = join(root, 'current');
/** The deployed build's folder; the new one has none of the old one's parts. */
function deploy(folder: string): void {
  symlinkSync(folder, `${served}.next`);
  renameSync(`${served}.next`, served);
}

/** The server can't be reached; the app's own files can, as after a deployment behind a CDN. */
const withoutServer = (path: string): Fault | null =>
  /^\/(assets|icons|pages)\/|^\/(sw\.js|index\.html|manifest\.webmanifest)?$/.test(path)
    ? null
    : 'drop-request';

let world: FaultWorld;
let browser: Browser;
let user: TestUser;
let page: Page;
let agents: Agent[];
let harm: (path: string) => Fault | null = () => null;

const shown = (text: string | RegExp) => page.getByText(text).filter({ visible: true }).first();

/** The build's own scripts, by address. */
const entryOf = (): Promise<string[]> =>
  page.evaluate(() =>
    [...document.querySelectorAll('script[src]')].map((one) => one.getAttribute('src') ?? ''),
  );

/** Numbers with two decimals in the page's main part. Builds group their digits differently. */
async function amounts(): Promise<string[]> {
  const text = await page.getByRole('main').innerText();
  return [...text.matchAll(/\d[\d, \u00a0\u202f]*\.\d\d/g)].map(([amount]) =>
    amount.replace(/[^\d.]/g, ''),
  );
}

beforeAll(async () => {
  if (OLD_DIST === '') return;
  deploy(OLD_DIST);
  world = await openFaultWorld({ DIST_DIR: served });
  world.proxy.harm(({ path }) => harm(path.split('?', 1)[0] ?? ''));
  browser = await openBrowser({ viewport: { width: 390, height: 844 } });
  user = await world.trader();
  agents = await Promise.all(['Harbour', 'Lighthouse'].map((name) => world.agentOf(user, name)));
  page = await browser.page();
});
afterAll(async () => {
  await browser?.close();
  await world?.close();
  rmSync(root, { recursive: true, force: true });
});

describe.skipIf(OLD_DIST === '')('an app installed from an earlier commit', () => {
  let oldEntry: string[];
  let before: string[];

  it('has snapshots and a queued Stop when the network goes', async () => {
    await world.logIn(page, user);
    await controlled(page);
    for (const path of ['/dashboard', '/portfolio', '/market']) {
      await page.goto(`${world.proxy.url}${path}`);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await expect.poll(async () => (await amounts()).length).toBeGreaterThan(0);
    }
    await page.goto(`${world.proxy.url}/agents/${agents[0]?.id ?? ''}`);
    await page.getByRole('button', { name: 'Stop', exact: true }).waitFor();
    harm = withoutServer;
    await page.getByRole('button', { name: 'Stop', exact: true }).click();
    await shown(/^Stop saved on this device/).waitFor();
    await page.goto(`${world.proxy.url}/portfolio`);
    await page.getByRole('heading', { level: 1, name: 'Portfolio' }).waitFor();
    await expect.poll(async () => (await amounts()).length).toBeGreaterThan(0);
    before = await amounts();
    oldEntry = await entryOf();
    expect(world.sent).toEqual([]);
  });

  it('takes the new build with nothing sent, and shows what it showed', async () => {
    deploy(DIST);
    expect(['installed', 'activating', 'activated']).toContain(await look(page));
    await page.getByRole('region', { name: 'Update' }).getByRole('button').first().click();
    await expect.poll(entryOf).not.toEqual(oldEntry);
    await page.getByRole('heading', { level: 1, name: 'Portfolio' }).waitFor();
    await expect.poll(amounts).toEqual(before);
    await page.goto(`${world.proxy.url}/agents/${agents[0]?.id ?? ''}`);
    await shown(/Stop saved on this device|Stop waiting|waiting to send/i).waitFor();
    await page.goto(`${world.proxy.url}/dashboard`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    expect((await world.agent(user, agents[0]?.id ?? '')).status).not.toBe('stopped');
    expect(world.sent).toEqual([]);
  });

  it('sends the Stop once when the network is back', async () => {
    harm = () => null;
    const id = agents[0]?.id ?? '';
    await page.reload();
    await expect.poll(async () => (await world.agent(user, id)).status).toBe('stopped');
    expect((await world.agent(user, id)).generation).toBe((agents[0]?.generation ?? 0) + 1);
    expect((await world.agent(user, agents[1]?.id ?? '')).status).toBe('running');
    expect(new Set(world.sent.map(({ commandId }) => commandId)).size).toBe(1);
    expect(world.sent.map(({ path }) => path)).toEqual([`/api/agents/${id}/stop`]);
  });
});
