// @vitest-environment happy-dom
/** When the home screen is offered, by which way, and that a no is remembered. */
import { beforeEach, describe, expect, it, vi } from 'vitest';
import {
  askToInstall,
  declineInstall,
  install,
  installWay,
  isAppleMobile,
  isStandalone,
} from '../../../src/platform/install.ts';

const SAFARI =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1';
const MAC =
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Safari/605.1.15';

function offer(outcome: 'accepted' | 'dismissed'): Event {
  const event = Object.assign(new Event('beforeinstallprompt', { cancelable: true }), {
    prompt: vi.fn(() => Promise.resolve({ outcome })),
  });
  dispatchEvent(event);
  return event;
}

beforeEach(() => {
  localStorage.clear();
  Object.assign(install, { event: null, declined: false, installed: false });
});

describe('the offer to install', () => {
  it('waits until the browser can, keeps the browser from asking by itself, and is gone once it is installed', () => {
    expect(installWay(install)).toBeNull();
    expect(offer('accepted').defaultPrevented).toBe(true);
    expect(installWay(install)).toBe('prompt');
    dispatchEvent(new Event('appinstalled'));
    expect(installWay(install)).toBeNull();
  });

  it('is asked once: a no in the browser’s own dialog counts as one here, and is remembered', async () => {
    offer('dismissed');
    await askToInstall();
    expect([
      install.event,
      install.declined,
      localStorage.getItem('tradewind.installDeclined'),
    ]).toEqual([null, true, 'true']);
    offer('accepted');
    expect(installWay(install)).toBeNull();
  });

  it('is not made after a no here', () => {
    offer('accepted');
    declineInstall();
    expect(installWay(install)).toBeNull();
  });

  it('knows an iPad that calls itself a Mac from a Mac, and an installed app from a page', () => {
    expect([
      isAppleMobile({ userAgent: SAFARI, maxTouchPoints: 5 }),
      isAppleMobile({ userAgent: MAC, maxTouchPoints: 5 }),
      isAppleMobile({ userAgent: MAC, maxTouchPoints: 0 }),
    ]).toEqual([true, true, false]);
    expect(isStandalone()).toBe(false);
    Object.assign(navigator, { standalone: true });
    offer('accepted');
    expect([isStandalone(), installWay(install)]).toEqual([true, null]);
    Object.assign(navigator, { standalone: false });
  });
});
