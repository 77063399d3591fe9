/** A build that runs on recorded replies, in real Chromium behind a server of plain files. */
import { createServer, type Server } from 'node:http';
import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { execFileSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Page } from 'playwright-core';
import { controlled, openBrowser, type Browser } from '../support/browser.ts';

const TYPES: Record<string, string> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.webmanifest': 'application/manifest+json',
};
const folder = mkdtempSync(join(tmpdir(), 'tradewind-recorded-'));
/** What the page asked of the server besides files of the build. */
const asked: string[] = [];
let server: Server;
let browser: Browser;
let page: Page;
let url: string;

beforeAll(async () => {
  execFileSync(
    'node_modules/.bin/vite',
    ['build', '--outDir', folder, '--emptyOutDir', '--logLevel', 'error'],
    {
      env: {
        ...process.env,
        NODE_ENV: 'production',
        VITE_MOCK_API: 'true',
        VITE_ENABLE_COMPRESSION: 'false',
      },
      stdio: ['ignore', 'ignore', 'inherit'],
    },
  );
  server = createServer((request, response) => {
    const path = new URL(request.url ?? '/', 'http://localhost').pathname;
    const file = join(folder, path);
    const isFile = extname(path) !== '' && existsSync(file);
    const isScreen = extname(path) === '' && (request.headers.accept ?? '').includes('text/html');
    if (!isFile && !isScreen) {
      asked.push(`${request.method ?? ''} ${path}`);
      response.writeHead(404).end();
      return;
    }
    response
      .writeHead(200, {
        'content-type': TYPES[isFile ? extname(path) : '.html'] ?? 'application/octet-stream',
      })
      .end(readFileSync(isFile ? file : join(folder, 'index.html')));
  }).listen(0);
  url = `http://localhost:${(server.address() as AddressInfo).port}`;
  browser = await openBrowser();
  page = await browser.page();
});
afterAll(async () => {
  await browser?.close();
  server?.close();
  rmSync(folder, { recursive: true, force: true });
});

describe('a build on recorded replies', () => {
  it('signs anyone in, shows the account and stops an agent, without asking a back end (R3-29)', async () => {
    await page.goto(`${url}/login`);
    await page.getByLabel('Email').fill('anyone@example.com');
    await page.getByLabel('Password', { exact: true }).fill('anything 9');
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.waitForURL('**/dashboard');
    await page
      .getByText(/10.012\.40/)
      .first()
      .waitFor();
    await page.getByText('Recorded prices').first().waitFor();
    await page.goto(`${url}/agents/recorded-harbour`);
    await page.getByRole('button', { name: 'Stop', exact: true }).click();
    await page
      .getByText(/^Stopped/)
      .filter({ visible: true })
      .first()
      .waitFor();
    for (const path of [
      '/portfolio',
      '/market',
      '/analytics',
      '/trading',
      '/subscription',
      '/security',
      '/settings',
      '/wallet',
    ]) {
      await page.goto(`${url}${path}`);
      await page.locator('main h1').first().waitFor();
    }
    expect(asked).toEqual([]);
    expect(browser.errors).toEqual([]);
  });

  it('says that a new version is there, takes it over when told, and tells the other tab instead of reloading it', async () => {
    const other = await browser.page();
    await other.goto(`${url}/portfolio`);
    await controlled(other);
    await page.bringToFront();
    await page.goto(`${url}/dashboard`);
    await controlled(page);
    const started = await other.evaluate(() => performance.timeOrigin);
    appendFileSync(join(folder, 'sw.js'), '\n// Another build.\n');
    await page.reload();
    await page.getByText('A new version is ready.').waitFor();
    const reloaded = page.waitForEvent('load');
    await page.getByRole('button', { name: 'Update' }).click();
    await reloaded;
    await page
      .getByText(/10.012\.40/)
      .first()
      .waitFor();
    expect(await page.getByText('A new version is ready.').count()).toBe(0);
    await other.getByText('A new version is ready.').waitFor();
    expect(await other.evaluate(() => performance.timeOrigin)).toBe(started);
    await other.getByRole('button', { name: 'Update' }).click();
    await expect
      .poll(() => other.evaluate(() => performance.timeOrigin).catch(() => started))
      .not.toBe(started);
  });
});
