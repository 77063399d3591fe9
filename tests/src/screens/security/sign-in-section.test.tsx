// @vitest-environment happy-dom
/** Logging out everywhere: what waits is sent first, and what would be lost is named. */
import '../../../support/page-world.ts';
import 'fake-indexeddb/auto';
import { act, cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { savedStop } from '../../../support/saved-stop.ts';

const { sendQueued, signOutEverywhere } = vi.hoisted(() => ({
  sendQueued: vi.fn(),
  signOutEverywhere: vi.fn(),
}));
vi.mock('../../../../src/commands.ts', async (original) => ({
  ...(await original<object>()),
  sendQueued,
}));
vi.mock('../../../../src/identity/own-sign-in.ts', async (original) => ({
  ...(await original<object>()),
  signOutEverywhere,
  signInMethods: () => Promise.resolve(['password']),
}));

const { queue } = await import('../../../../src/commands.ts');
const { session } = await import('../../../../src/identity/session.ts');
const { SignInSection } = await import('../../../../src/screens/security/SignInSection.tsx');
const { connection } = await import('../../../../src/stores/connection.ts');
const { removeToast, toastStore } = await import('../../../../src/stores/toast-store.ts');

const STOP = savedStop();
const pass = (ms: number): Promise<void> =>
  act(async () => {
    await vi.advanceTimersByTimeAsync(ms);
  });
const holdEverywhere = async (): Promise<void> => {
  fireEvent.pointerDown(screen.getByRole('button', { name: /^Log out everywhere/ }), { button: 0 });
  await pass(1_000);
};

beforeEach(() => {
  vi.useFakeTimers();
  sendQueued.mockReset().mockReturnValue(new Promise(() => undefined));
  signOutEverywhere.mockReset().mockResolvedValue(undefined);
  connection.online = 'online';
  queue.entries = [STOP];
  Object.assign(session, { user: { uid: 'uid-1', email: null } });
  removeToast();
  history.replaceState(null, '', '/security');
  render(<SignInSection />);
});
afterEach(() => {
  cleanup();
  vi.useRealTimers();
  Object.assign(queue, { entries: [], unread: false });
});

it('sends a saved Stop first, and names it before the server is asked (R4-07, R2-19)', async () => {
  await holdEverywhere();
  expect(sendQueued).toHaveBeenCalledOnce();
  expect(screen.getByText('Sending 1 command first.')).toBeTruthy();
  await pass(6_000);
  const dialog = screen.getByRole('dialog', { name: '1 unsent command' });
  expect(dialog.textContent).toContain('Harbour');
  expect(dialog.textContent).toContain('Logging out everywhere discards it.');
  expect(signOutEverywhere).not.toHaveBeenCalled();
  fireEvent.click(screen.getByRole('button', { name: 'Discard and log out everywhere' }));
  await pass(0);
  expect(signOutEverywhere).toHaveBeenCalledOnce();
  expect(location.pathname).toBe('/login');
});

it('asks nothing more where everything was sent in time', async () => {
  sendQueued.mockImplementation(() => {
    queue.entries = [];
    return Promise.resolve();
  });
  await holdEverywhere();
  expect(signOutEverywhere).toHaveBeenCalledOnce();
});

it('stays where the server did not take it, with what waits', async () => {
  signOutEverywhere.mockRejectedValue(new Error('no'));
  await holdEverywhere();
  await pass(6_000);
  fireEvent.click(screen.getByRole('button', { name: 'Discard and log out everywhere' }));
  await pass(0);
  expect(location.pathname).toBe('/security');
  expect(queue.entries).toHaveLength(1);
  expect(screen.queryByRole('dialog')).toBeNull();
});

it('says on another screen that nobody was logged out, why, and where to go on (R4-07)', async () => {
  await holdEverywhere();
  cleanup();
  await pass(6_000);
  expect(toastStore.toasts.map(({ message }) => message)).toEqual([
    'Not logged out: the server has not confirmed 1 command. Go to Security to discard it and log out everywhere.',
  ]);
  expect(signOutEverywhere).not.toHaveBeenCalled();
});
