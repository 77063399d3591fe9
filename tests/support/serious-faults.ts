/**
 * What axe calls serious or critical in the document as it stands; refuses to judge contrast, which
 * jsdom does not paint and `tests/src/styles` computes.
 */
import axe from 'axe-core';

export async function seriousFaults(): Promise<string[]> {
  const { violations } = await axe.run(document.body, {
    rules: { 'color-contrast': { enabled: false } },
  });
  return violations
    .filter((found) => found.impact === 'serious' || found.impact === 'critical')
    .map((found) => `${found.id}: ${found.nodes.map((node) => node.html).join(' ')}`);
}
