/** What the page says while the app's code does not come: what was shown last stays under it. */
import { isSavedInTime } from './catch-stops.ts';
import { caughtStops } from './first-frame.ts';

const FAILED = 'Tradewind could not finish loading. Check your connection and try again.';
const SLOW = 'Tradewind is still loading. Check your connection.';
const NOT_SAVED =
  'A stop was not saved and not sent: this device has no free storage. Reload the page and press Stop again.';

/** After this the page says that it waits, ms. */
const SLOW_MS = 15_000;

let line: HTMLElement | null = null;

function say(text: string, onReload: () => void): void {
  line?.remove();
  line = Object.assign(document.createElement('div'), {
    role: 'alert',
    className:
      'fixed inset-x-2 bottom-[calc(var(--bar)+env(safe-area-inset-bottom)+4rem)] z-40 flex min-h-11 items-center rounded-md border border-line bg-surface px-3 py-2 shadow-float sm:left-auto sm:w-104 lg:bottom-20',
  });
  const button = Object.assign(document.createElement('button'), {
    type: 'button',
    className: 'reach ml-3 shrink-0 font-medium underline underline-offset-2',
    textContent: 'Reload Page',
    onclick: onReload,
  });
  document.body.append(line);
  // A live region is read when its text changes, not when it appears.
  line.append(text, button);
}

function reloadPage(): void {
  location.reload();
}

/** Stops that were pressed on the frame are sent by the next start, if they are on the device. */
async function reloadWithStops(): Promise<void> {
  const stops = caughtStops();
  const saved = await Promise.all(stops.map(isSavedInTime));
  if (saved.includes(false)) {
    say(NOT_SAVED, reloadPage);
    // Nobody else sends them: a late disk is waited for, until an app has started after all.
    const late = await Promise.all(stops.map((stop) => stop.saved));
    if (late.includes(false) || line?.isConnected !== true) return;
  }
  reloadPage();
}

function reload(): void {
  void reloadWithStops();
}

/** Says what is the matter until the app has started. It tries again when the network is back. */
export async function untilStarted(starting: Promise<void>): Promise<void> {
  const slow = setTimeout(() => {
    say(SLOW, reload);
  }, SLOW_MS);
  try {
    await starting;
    line?.remove();
  } catch (error) {
    reportError(error);
    say(FAILED, reload);
    // What was typed on a page of the build would be lost.
    if (document.getElementById('built-page') === null)
      addEventListener('online', reload, { once: true });
  } finally {
    clearTimeout(slow);
  }
}
