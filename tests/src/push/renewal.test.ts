// @vitest-environment happy-dom
/** When a browser that gets notifications says again that it does. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest';

const { renewPush } = vi.hoisted(() => ({ renewPush: vi.fn(() => Promise.resolve()) }));
vi.mock('../../../src/push/device.ts', () => ({ renewPush }));

const { session } = await import('../../../src/identity/session.ts');
const { JOINED_KEY } = await import('../../../src/push/open-push.ts');
const { openRenewal } = await import('../../../src/push/renewal.ts');

const ADA = { uid: 'ada' } as NonNullable<typeof session.user>;
const settle = async (ms: number): Promise<void> => {
  await vi.advanceTimersByTimeAsync(ms);
  await vi.dynamicImportSettled();
};

beforeEach(() => {
  vi.useFakeTimers();
  session.status = 'loading';
  session.user = ADA;
  localStorage.setItem(JOINED_KEY, 'ada');
  renewPush.mockClear();
});
afterEach(() => {
  vi.useRealTimers();
});

it('does so some time after a start, and at once after every later login', async () => {
  openRenewal();
  session.status = 'signed-in';
  await settle(5_000);
  expect(renewPush).not.toHaveBeenCalled();
  await settle(6_000);
  expect(renewPush).toHaveBeenCalledTimes(1);
  session.status = 'expired';
  await settle(1_000);
  // The password was reset by email, and the person logs in on the same page.
  session.status = 'signed-in';
  await settle(1_000);
  expect(renewPush.mock.calls).toEqual([['ada'], ['ada']]);
});

it('does not for a browser that gets none, or gets those of another person', async () => {
  localStorage.setItem(JOINED_KEY, 'bob');
  openRenewal();
  session.status = 'signed-in';
  await settle(20_000);
  expect(renewPush).not.toHaveBeenCalled();
});
