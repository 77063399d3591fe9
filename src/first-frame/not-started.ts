/** What the page says where the app's code did not come: what was shown last stays, and a reload tries again. */

const TEXT = 'Tradewind could not finish loading. Check your connection and try again.';

/** Stops that were pressed on the frame are on the device; the reloaded page sends them. */
function reload(): void {
  location.reload();
}

/** Reloads by itself once the network is back: nothing can have been typed here. */
export function sayNotStarted(error: unknown): void {
  reportError(error);
  addEventListener('online', reload, { once: true });
  const line = Object.assign(document.createElement('div'), {
    role: 'alert',
    className:
      'fixed inset-x-2 top-[calc(env(safe-area-inset-top)+0.5rem)] z-20 flex min-h-11 items-center rounded-md border border-line bg-surface px-3 py-2 shadow-float sm:left-auto sm:w-104',
  });
  const button = Object.assign(document.createElement('button'), {
    type: 'button',
    className: 'reach ml-3 shrink-0 font-medium underline underline-offset-2',
    textContent: 'Reload Page',
    onclick: reload,
  });
  document.body.append(line);
  // A live region is read when its text changes, not when it appears.
  line.append(TEXT, button);
}
