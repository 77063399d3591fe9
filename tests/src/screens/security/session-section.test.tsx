// @vitest-environment happy-dom
/** The log-out on a net that hardly answers: it is seen to act, waits for a while, and asks. */
import '../../../support/page-world.ts';
import 'fake-indexeddb/auto';
import { act, cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { savedStop } from '../../../support/saved-stop.ts';

const { sendQueued, signOut } = vi.hoisted(() => ({ sendQueued: vi.fn(), signOut: vi.fn() }));
vi.mock('../../../../src/commands.ts', async (original) => ({
  ...(await original<object>()),
  sendQueued,
}));
vi.mock('../../../../src/identity/session.ts', async (original) => ({
  ...(await original<object>()),
  signOut,
}));

const { queue } = await import('../../../../src/commands.ts');
const { SessionSection } = await import('../../../../src/screens/security/SessionSection.tsx');
const { connection } = await import('../../../../src/stores/connection.ts');

const { session } = await import('../../../../src/identity/session.ts');
const { removeToast, toastStore } = await import('../../../../src/stores/toast-store.ts');

const logOut = () => screen.getByRole('button', { name: 'Log out' });
const pass = (ms: number): Promise<void> =>
  act(async () => {
    await vi.advanceTimersByTimeAsync(ms);
  });
const NOT_RECEIVED = 'The server has not received it. Logging out discards it.';

beforeEach(() => {
  vi.useFakeTimers();
  sendQueued.mockReset().mockReturnValue(new Promise(() => undefined));
  signOut.mockReset().mockResolvedValue(undefined);
  connection.online = 'online';
  queue.entries = [savedStop({})];
  Object.assign(session, { user: { uid: 'uid-1', email: null } });
  removeToast();
  history.replaceState(null, '', '/security');
  render(<SessionSection />);
});
afterEach(() => {
  cleanup();
  vi.useRealTimers();
  Object.assign(queue, { entries: [], unread: false });
});

it('shows that it sends what waits first, and asks after a while without an answer (R4-07)', async () => {
  fireEvent.click(logOut());
  await pass(0);
  expect(logOut().getAttribute('aria-busy')).toBe('true');
  expect(screen.getByText('Sending 1 command first.')).toBeTruthy();
  await pass(10_000);
  const dialog = screen.getByRole('dialog', { name: '1 unsent command' });
  expect(dialog.textContent).toContain('Harbour');
  expect(dialog.textContent).toContain(NOT_RECEIVED);
  expect(signOut).not.toHaveBeenCalled();
});

it('counts only what it sends, and not what waits for the user (R4-07)', async () => {
  queue.entries = [savedStop({}), savedStop({ commandId: 'c2', state: 'needs-you' })];
  fireEvent.click(logOut());
  await pass(0);
  expect(screen.getByText('Sending 1 command first.')).toBeTruthy();
  act(() => {
    queue.entries = [savedStop({ commandId: 'c2', state: 'needs-you' })];
  });
  await pass(0);
  expect(screen.queryByText(/^Sending/)).toBeNull();
});

it('does not call unreceived what may be on its way, and drops what has arrived from the list', async () => {
  queue.entries = [
    savedStop({ attempts: 1, state: 'sending' }),
    savedStop({ commandId: 'c2', agentName: 'Ebb' }),
  ];
  fireEvent.click(logOut());
  await pass(10_000);
  const dialog = screen.getByRole('dialog', { name: '2 unconfirmed commands' });
  expect(dialog.textContent).not.toContain(NOT_RECEIVED);
  expect(dialog.textContent).toContain('What was already sent may still take effect.');
  act(() => {
    queue.entries = [savedStop({ commandId: 'c2', agentName: 'Ebb' })];
  });
  await pass(0);
  expect(dialog.textContent).toContain(NOT_RECEIVED);
  expect(dialog.textContent).not.toContain('Harbour');
  act(() => {
    queue.entries = [];
  });
  await pass(0);
  expect(screen.queryByRole('button', { name: 'Discard and log out' })).toBeNull();
  expect(signOut).not.toHaveBeenCalled();
});

it('leaves at once where everything was sent in time', async () => {
  sendQueued.mockImplementation(() => {
    queue.entries = [];
    return Promise.resolve();
  });
  fireEvent.click(logOut());
  await pass(0);
  expect(signOut).toHaveBeenCalledOnce();
  expect(location.pathname).toBe('/');
});

it('says on another screen that nobody was logged out, why, and where to go on (R4-07)', async () => {
  fireEvent.click(logOut());
  await pass(0);
  cleanup();
  await pass(6_000);
  expect(toastStore.toasts.map(({ message }) => message)).toEqual([
    'Not logged out: the server has not confirmed 1 command. Go to Security to discard it and log out.',
  ]);
  expect(signOut).not.toHaveBeenCalled();
});

it('says nothing of it to somebody who has logged in since', async () => {
  fireEvent.click(logOut());
  await pass(0);
  cleanup();
  Object.assign(session, { user: { uid: 'uid-2', email: null } });
  await pass(6_000);
  expect(toastStore.toasts).toEqual([]);
});

it('asks where nobody knows whether something is unsent, and tries to send it first', async () => {
  Object.assign(queue, { entries: [], unread: true });
  fireEvent.click(logOut());
  await pass(0);
  expect(sendQueued).toHaveBeenCalledOnce();
  await pass(6_000);
  const dialog = screen.getByRole('dialog', { name: 'Commands may be unsent' });
  expect(dialog.textContent).toContain('Logging out discards any unsent commands.');
  expect(signOut).not.toHaveBeenCalled();
  fireEvent.click(screen.getByRole('button', { name: 'Discard and log out' }));
  await pass(0);
  expect(signOut).toHaveBeenCalledOnce();
});

it('says on another screen that nobody was logged out where something may be unsent', async () => {
  Object.assign(queue, { entries: [], unread: true });
  fireEvent.click(logOut());
  await pass(0);
  cleanup();
  await pass(6_000);
  expect(toastStore.toasts.map(({ message }) => message)).toEqual([
    'Not logged out: commands may be unsent. Go to Security to discard them and log out.',
  ]);
  expect(signOut).not.toHaveBeenCalled();
});
