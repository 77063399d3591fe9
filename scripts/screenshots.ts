/** Takes the app's main screens on a phone and a desk, light and dark, from a running server into screenshots/; refuses to tidy what it sees. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { chromium, type Page } from 'playwright-core';

/** Usage: `npx tsx scripts/screenshots.ts [http://localhost:8787] [folder]`. It registers a person of its own and creates agents. */
const origin = process.argv[2] ?? 'http://localhost:8787';
const folder = process.argv[3] ?? join(import.meta.dirname, '..', 'screenshots');
mkdirSync(folder, { recursive: true });

const SIZES = [{ name: 'phone', width: 390, height: 844 }, { name: 'desk', width: 1440, height: 900 }] as const;
const THEMES = ['light', 'dark'] as const;
const OPEN = ['/', '/login', '/register', '/terms', '/faq'];
const OWN = [
  '/dashboard', '/agents', '/market', '/portfolio', '/analytics', '/performance', '/trading', '/subscription', '/stop-all', '/security',
  '/getting-started', '/guided-setup', '/library', '/support', '/referrals', '/pro-dashboard',
];
const fileOf = (path: string): string => (path === '/' ? 'landing' : path.slice(1).replaceAll('/', '-'));

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
});

async function shoot(page: Page, name: string, path: string): Promise<void> {
  await page.goto(`${origin}${path}`, { waitUntil: 'load' });
  await page.waitForTimeout(1_200);
  await page.screenshot({ path: join(folder, `${name}-${fileOf(path)}.png`) });
}

/** One person for all pictures: registered, on trial, with two agents, one of them running. */
async function prepare(page: Page): Promise<string> {
  await page.goto(`${origin}/register`);
  await page.getByLabel('Email').fill(`screens-${Date.now()}@example.com`);
  await page.getByLabel('Password').fill('correct horse battery');
  await page.getByRole('button', { name: 'Create account' }).click();
  await page.waitForURL('**/getting-started');
  await page.goto(`${origin}/subscription`);
  await page.getByRole('button', { name: /trial/i }).first().click();
  await page.waitForTimeout(1_500);
  let made = '';
  for (const [name, profile] of [['Harbour', 'Aggressive'], ['Ebb', 'Moderate']] as const) {
    await page.goto(`${origin}/agents`);
    await page.getByRole('button', { name: 'New agent' }).first().click();
    await page.getByLabel('Name').fill(name);
    await page.getByRole('button', { name: /^BTC\// }).click();
    await page.getByRole('button', { name: /^ETH\// }).click();
    await page.getByLabel('Risk profile').selectOption(profile);
    await page.getByRole('button', { name: 'Create agent' }).click();
    await page.waitForURL(/\/agents\/.+/);
    made ||= new URL(page.url()).pathname;
  }
  await page.goto(`${origin}${made}`);
  await page.getByRole('button', { name: 'Start', exact: true }).click();
  const hold = page.getByRole('dialog').getByRole('button', { name: /Hold to start/ });
  await hold.hover();
  await page.mouse.down();
  await page.waitForTimeout(900);
  await page.mouse.up();
  await page.waitForTimeout(Number(process.env.SCREENSHOTS_WAIT_MS ?? '4000'));
  return made;
}

try {
  for (const theme of THEMES) {
    for (const size of SIZES) {
      const context = await browser.newContext({ viewport: { width: size.width, height: size.height }, colorScheme: theme, deviceScaleFactor: size.name === 'phone' ? 2 : 1, hasTouch: size.name === 'phone' });
      const page = await context.newPage();
      page.on('console', (message) => { if (message.type() === 'error') process.stdout.write(`${size.name} ${theme} ${page.url()}: ${message.text()}\n`); });
      const name = `${size.name}-${theme}`;
      for (const path of OPEN) await shoot(page, name, path);
      const agent = await prepare(page);
      for (const path of OWN) await shoot(page, name, path);
      await page.goto(`${origin}/market`);
      await page.getByRole('link', { name: /^BTC/ }).click();
      await page.waitForTimeout(1_800);
      await page.screenshot({ path: join(folder, `${name}-symbol.png`) });
      await page.goto(`${origin}${agent}`);
      await page.waitForTimeout(1_200);
      await page.screenshot({ path: join(folder, `${name}-agent.png`) });
      await context.close();
      process.stdout.write(`${name} done\n`);
    }
  }
} finally {
  await browser.close();
}
