/** What axe calls serious or critical on a page as the browser paints it. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type axe from 'axe-core';
import type { Page } from 'playwright-core';

/**
 * Hidden from a module loader that a page may have, so that it is found in the window everywhere.
 */
const SOURCE = `(() => { const module = undefined, exports = undefined, define = undefined; ${readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')} })()`;

export async function seriousOnPage(page: Page, options: axe.RunOptions = {}): Promise<string[]> {
  await page.evaluate(SOURCE);
  const { violations } = await page.evaluate(
    (given) => (window as unknown as { axe: typeof axe }).axe.run(document, given),
    options,
  );
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `axe ${id}: ${nodes[0]?.html.slice(0, 300) ?? ''}`);
}
