/** What axe calls serious or critical in the document as it stands. */
import axe from 'axe-core';

export async function seriousFaults(): Promise<string[]> {
  // An open dialog hides what is behind it, focus guards included. Without a layout axe can't tell
  // that it is open; the browser tests judge that.
  const isDialogOpen = document.querySelector('[role="dialog"],[role="alertdialog"]') !== null;
  const { violations } = await axe.run(document.body, {
    rules: {
      // Nothing is painted here. tests/src/styles computes the contrast of each pair of colours.
      'color-contrast': { enabled: false },
      'aria-hidden-focus': { enabled: !isDialogOpen },
    },
  });
  return violations
    .filter((found) => found.impact === 'serious' || found.impact === 'critical')
    .map((found) => `${found.id}: ${found.nodes.map((node) => node.html).join(' ')}`);
}
