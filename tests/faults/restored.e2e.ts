/**
 * A server whose data was restored from a backup, under a page that saw what came after it: the
 * page shows what the server has, and that trading is halted.
 */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { controlled, openBrowser, type Browser } from '../support/browser.ts';
import { layEmptyDatabase } from '../support/empty-database.ts';
import { openFaultWorld, type FaultWorld } from '../support/fault-world.ts';
import { callApi } from '../support/server.ts';

let world: FaultWorld;
let browser: Browser;
let folder = '';
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tradewind-restored-'));
  world = await openFaultWorld();
  browser = await openBrowser();
});
afterAll(async () => {
  await browser?.close();
  await world?.close();
  rmSync(folder, { recursive: true, force: true });
});

const run = (script: string, file: string) =>
  promisify(execFile)(process.execPath, ['--import', 'tsx', `scripts/${script}.ts`, file], {
    env: { ...process.env, DATA_DIR: world.server.dataDir, DATABASE_URL: '' },
  });

it('has open pages and later starts show the restored data, where they have seen newer, and why nothing is bought (F79)', async () => {
  const { server } = world;
  const user = await world.trader();
  const kept = await world.agentOf(user, 'Kept');
  const page = await browser.page();
  await world.logIn(page, user);
  await controlled(page);
  await page.goto(`${world.proxy.url}/agents`);
  const card = (name: string) => page.getByRole('listitem').filter({ hasText: name });
  await card('Kept').getByText('Running').first().waitFor();

  await server.kill9();
  const file = join(folder, 'one.backup');
  await run('backup', file);
  await server.restart();
  await callApi(server.url, user.idToken, 'stopAgent', { params: { id: kept.id }, body: {} });
  await world.agentOf(user, 'Later', false);
  await card('Kept').getByText('Stopped').first().waitFor();
  await card('Later').first().waitFor();

  await server.kill9();
  rmSync(join(server.dataDir, 'pglite'), { recursive: true });
  await layEmptyDatabase(server.dataDir);
  await run('restore', file);
  await server.restart();
  const restored = async (): Promise<void> => {
    await card('Kept').getByText('Running').first().waitFor();
    await expect.poll(() => card('Later').count()).toBe(0);
    await page
      .getByText(/restored from a backup/)
      .filter({ visible: true })
      .first()
      .waitFor();
  };
  await restored();
  await page.reload();
  await restored();
});
