// @vitest-environment happy-dom
/** Notifications in this browser: which device is named to the server. */
import { afterEach, expect, it, vi } from 'vitest';

const { callFunction } = vi.hoisted(() => ({ callFunction: vi.fn(() => Promise.resolve({})) }));
vi.mock('../../../src/callables/call-function.ts', () => ({ callFunction }));

const { leaveOthers } = await import('../../../src/push/device.ts');

afterEach(() => {
  vi.unstubAllGlobals();
  callFunction.mockClear();
});

it.each([
  ['the one it has', { endpoint: 'https://push.example/mine' }, 'https://push.example/mine'],
  ['none, where it is not subscribed', null, null],
])(
  "ends the other devices' notifications and names its own address: %s",
  async (_what, subscription, endpoint) => {
    const registration = { pushManager: { getSubscription: () => Promise.resolve(subscription) } };
    vi.stubGlobal('navigator', {
      serviceWorker: { getRegistration: () => Promise.resolve(registration) },
    });
    await leaveOthers();
    expect(callFunction).toHaveBeenCalledWith('unregisterOtherPush', { endpoint });
  },
);

it('ends all notifications where the browser has no worker', async () => {
  vi.stubGlobal('navigator', {});
  await leaveOthers();
  expect(callFunction).toHaveBeenCalledWith('unregisterOtherPush', { endpoint: null });
});
