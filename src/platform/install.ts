/** Tells whether and how the app can be installed. A declined offer is not repeated. */
import { proxy, ref } from 'valtio';
import { requestPersistence } from '../stores/storage-persistence.ts';

/** Chromium's own event, not in any standard. */
export interface InstallEvent extends Event {
  prompt(): Promise<{ outcome: 'accepted' | 'dismissed' }>;
}

const DECLINED_KEY = 'tradewind.installDeclined';

/**
 * `prompt`: the browser can ask. `share`: on iPhone and iPad the user installs by the Share button.
 */
export type InstallWay = 'prompt' | 'share' | null;

export const install = proxy<{ event: InstallEvent | null; declined: boolean; installed: boolean }>(
  {
    event: null,
    declined: localStorage.getItem(DECLINED_KEY) === 'true',
    installed: false,
  },
);

/** iPadOS identifies as a Mac, but a Mac has no touch screen. */
export function isAppleMobile(
  host: Pick<Navigator, 'userAgent' | 'maxTouchPoints'> = navigator,
): boolean {
  return (
    /iPhone|iPad|iPod/.test(host.userAgent) ||
    (/Macintosh/.test(host.userAgent) && host.maxTouchPoints > 1)
  );
}

/** Whether this page runs as an installed app. */
export function isStandalone(): boolean {
  return (
    (typeof matchMedia === 'function' &&
      matchMedia(
        '(display-mode: standalone), (display-mode: window-controls-overlay), (display-mode: minimal-ui), (display-mode: fullscreen)',
      ).matches) ||
    (navigator as { standalone?: boolean }).standalone === true
  );
}

/** The way that is available now, whether or not it should be offered. */
export function installWay(state: {
  event: unknown;
  declined: boolean;
  installed: boolean;
}): InstallWay {
  if (state.declined || state.installed || isStandalone()) return null;
  if (state.event !== null) return 'prompt';
  return isAppleMobile() ? 'share' : null;
}

/** Asks by the browser's own dialog. A refusal is remembered. */
export async function askToInstall(): Promise<void> {
  const { event } = install;
  install.event = null;
  if (event === null) return;
  const { outcome } = await event.prompt();
  if (outcome === 'dismissed') declineInstall();
}

export function declineInstall(): void {
  install.declined = true;
  localStorage.setItem(DECLINED_KEY, 'true');
}

addEventListener('beforeinstallprompt', (event) => {
  // Otherwise the browser shows a bar of its own, at a moment of its own.
  event.preventDefault();
  install.event = ref(event as InstallEvent);
});
addEventListener('appinstalled', () => {
  install.installed = true;
  void requestPersistence();
});
