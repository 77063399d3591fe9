/**
 * The provider's window: opened within the press, so that browsers allow it, and watched until it
 * closes.
 */

const WIDTH = 460;
const HEIGHT = 720;
const WATCH_MS = 500;

const BLOCKED =
  'Your browser blocked the window. Allow pop-ups for this site, then press Buy again.';

/**
 * Null once the provider's page is on its way, otherwise why it is not. `onClosed`: the person is
 * back.
 */
export async function openPurchase(
  page: () => Promise<string> | string,
  onClosed: () => void,
): Promise<string | null> {
  const left = Math.round((window.screen.width - WIDTH) / 2);
  const top = Math.round((window.screen.height - HEIGHT) / 2);
  // A window that is asked for after a wait counts as unasked. A new one: another purchase may still
  // be paid in an earlier one.
  const opened = window.open(
    'about:blank',
    '_blank',
    `width=${WIDTH},height=${HEIGHT},left=${left},top=${top},resizable,scrollbars=yes,status=1`,
  );
  if (opened === null) return BLOCKED;
  try {
    opened.location.href = await page();
  } catch {
    opened.close();
    return 'The purchase could not be started: the provider did not answer. Nothing was charged.';
  }
  const watch = setInterval(() => {
    if (!opened.closed) return;
    clearInterval(watch);
    onClosed();
  }, WATCH_MS);
  return null;
}
