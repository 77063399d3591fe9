/**
 * Takes the manifest's screenshots from a running server (`ORIGIN`; a fast replay has most to
 * show).
 */
import { randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { chromium, type Page } from 'playwright-core';

const origin = process.env.ORIGIN ?? 'http://localhost:8787';
const folder = join(import.meta.dirname, '..', 'public', 'pictures');
/** Agents need a few candles before there is something to see. */
const TRADING_MS = Number(process.env.TRADING_MS ?? 20_000);

async function api(
  page: Page,
  token: string,
  path: string,
  body: object,
): Promise<Record<string, unknown>> {
  const response = await page.request.post(`${origin}${path}`, {
    headers: {
      authorization: `Bearer ${token}`,
      'idempotency-key': randomUUID(),
      'content-type': 'application/json',
    },
    data: body,
  });
  if (!response.ok()) throw new Error(`${path}: ${response.status()} ${await response.text()}`);
  return (await response.json()) as Record<string, unknown>;
}

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM_PATH ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu'],
});
try {
  mkdirSync(folder, { recursive: true });
  const email = `${randomUUID()}@example.com`;
  const password = 'correct horse 9';
  const first = await browser.newPage();
  const signUp = await first.request.post(
    `${origin}/identitytoolkit.googleapis.com/v1/accounts:signUp?key=x`,
    { data: { email, password, returnSecureToken: true } },
  );
  const { idToken, localId } = (await signUp.json()) as { idToken: string; localId: string };
  await api(first, idToken, '/api/subscription/trial/start', { userId: localId });
  for (const [name, pool] of [
    ['Harbour', 'all_pools'],
    ['Ebb', 'all_pools'],
    ['Drift', 'all_pools'],
  ]) {
    const { agent } = (await api(first, idToken, '/api/agents/create', {
      name,
      trading_pairs: [],
      pool,
      risk_profile: 'Aggressive',
      max_position_size: 2_000,
      execution_interval: '5-minute',
      enabled: true,
      trading_frequency: 'high',
    })) as { agent: { id: string } };
    await api(first, idToken, `/api/agents/${agent.id}/start`, {});
  }
  await first.waitForTimeout(TRADING_MS);
  for (const { form, width, height, scale, shots } of [
    {
      form: 'narrow',
      width: 390,
      height: 844,
      scale: 2,
      shots: [
        ['dashboard', '/standard-dashboard'],
        ['stop-all', '/stop-all'],
      ],
    },
    {
      form: 'wide',
      width: 1280,
      height: 800,
      scale: 1,
      shots: [
        ['dashboard', '/standard-dashboard'],
        ['market', '/market'],
      ],
    },
  ] as const) {
    const page = await browser.newPage({
      viewport: { width, height },
      deviceScaleFactor: scale,
      colorScheme: 'dark',
    });
    await page.goto(`${origin}/login`);
    await page.getByLabel('Email').fill(email);
    await page.getByLabel('Password', { exact: true }).fill(password);
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.waitForURL('**/dashboard');
    for (const [name, path] of shots) {
      await page.goto(`${origin}${path}`);
      await page.waitForTimeout(2_500);
      await page.screenshot({ path: join(folder, `${name}-${form}.png`) });
    }
    await page.close();
  }
} finally {
  await browser.close();
}
