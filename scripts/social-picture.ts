/**
 * `npm run social-picture`: takes the picture that a link to a public page is shown with, from the
 * landing page of a running server (`ORIGIN`).
 */
import { join } from 'node:path';
import { chromium } from 'playwright-core';

const origin = process.env.ORIGIN ?? 'http://localhost:8787';
const file = join(import.meta.dirname, '..', 'public', 'pictures', 'social.png');
/** The form that every network shows whole. */
const SIZE = { width: 1_200, height: 630 };

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM_PATH ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu', '--hide-scrollbars'],
});
try {
  const page = await browser.newPage({ viewport: SIZE, colorScheme: 'dark' });
  await page.goto(origin);
  // What the example is about: a Stop that was pressed in a tunnel.
  await page.getByRole('switch', { name: 'In a tunnel' }).click();
  await page.getByRole('button', { name: 'Stop Harbour' }).click();
  await page.getByText('Running when last seen').waitFor();
  await page.mouse.move(0, 0);
  await page.evaluate('document.activeElement.blur(); scrollTo(0, 0)');
  await page.screenshot({ path: file });
} finally {
  await browser.close();
}
