// @vitest-environment happy-dom
/** Wiping the device: what waits is sent first, and what would be lost is named. */
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
const { DeviceSection } = await import('../../../../src/screens/security/DeviceSection.tsx');
const { connection } = await import('../../../../src/stores/connection.ts');

const entry = (commandId: string) => savedStop({ commandId });
const pass = (ms: number): Promise<void> =>
  act(async () => {
    await vi.advanceTimersByTimeAsync(ms);
  });
const holdWipe = async (): Promise<void> => {
  fireEvent.pointerDown(screen.getByRole('button', { name: /^Wipe/ }), { button: 0 });
  await pass(1_000);
};

beforeEach(() => {
  vi.useFakeTimers();
  sendQueued.mockReset().mockReturnValue(new Promise(() => undefined));
  signOut.mockReset().mockResolvedValue(undefined);
  connection.online = 'online';
  render(<DeviceSection />);
});
afterEach(() => {
  cleanup();
  vi.useRealTimers();
  Object.assign(queue, { entries: [], unread: false });
});

it('sends what waits first, and names what would be lost before it wipes (R4-07)', async () => {
  queue.entries = [entry('c1')];
  await holdWipe();
  expect(sendQueued).toHaveBeenCalledOnce();
  expect(screen.getByText('Sending 1 command first.')).toBeTruthy();
  await pass(6_000);
  const dialog = screen.getByRole('dialog', { name: '1 unsent command' });
  expect(dialog.textContent).toContain('Harbour');
  expect(dialog.textContent).toContain('Wiping this device discards it.');
  expect(signOut).not.toHaveBeenCalled();
  fireEvent.click(screen.getByRole('button', { name: 'Discard and wipe' }));
  await pass(0);
  expect(signOut).toHaveBeenCalledOnce();
});

it('names what would be lost at once without a network (R4-07)', async () => {
  connection.online = 'offline';
  queue.entries = [entry('c1')];
  await holdWipe();
  expect(sendQueued).not.toHaveBeenCalled();
  expect(screen.getByRole('dialog', { name: '1 unsent command' }).textContent).toContain('Harbour');
  fireEvent.click(screen.getByRole('button', { name: 'Stay logged in' }));
  await pass(0);
  expect(screen.queryByRole('dialog')).toBeNull();
  expect(signOut).not.toHaveBeenCalled();
});

it('asks nothing more where everything was sent in time', async () => {
  queue.entries = [entry('c1')];
  sendQueued.mockImplementation(() => {
    queue.entries = [];
    return Promise.resolve();
  });
  await holdWipe();
  expect(signOut).toHaveBeenCalledOnce();
});

it('asks where the storage does not tell whether commands are unsent', async () => {
  queue.unread = true;
  await holdWipe();
  await pass(6_000);
  expect(screen.getByRole('dialog', { name: 'Commands may be unsent' }).textContent).toContain(
    'Wiping this device discards any unsent commands.',
  );
  expect(signOut).not.toHaveBeenCalled();
});
