// @vitest-environment happy-dom
/** Wiping the device: what it says of the commands that it discards. */
import '../../../support/page-world.ts';
import 'fake-indexeddb/auto';
import { act, cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, expect, it } from 'vitest';
import type { OutboxEntry } from '../../../../src/offline/outbox-entry.ts';
import { queue } from '../../../../src/commands.ts';
import { DeviceSection } from '../../../../src/screens/security/DeviceSection.tsx';

const entry = (commandId: string): OutboxEntry => ({
  version: 1,
  commandId,
  uid: 'uid-1',
  intent: 'stop',
  agentId: 'a1',
  agentName: 'Harbour',
  agents: [],
  seenGeneration: 1,
  sequence: 1,
  createdAt: 0,
  clockOffsetMs: null,
  clockMoved: false,
  contractVersion: 1,
  attempts: 0,
  failures: 0,
  nextAttemptAt: null,
  state: 'saved',
  reason: null,
  confirmed: false,
});

afterEach(() => {
  cleanup();
  Object.assign(queue, { entries: [], unread: false });
});

it('counts in its question the commands that are unsent now', async () => {
  queue.entries = [entry('c1'), entry('c2')];
  render(<DeviceSection />);
  // A screen reader's click, which is asked in a dialog.
  fireEvent.click(screen.getByRole('button', { name: /^Wipe/ }), { detail: 0 });
  const dialog = await screen.findByRole('dialog');
  expect(dialog.textContent).toContain('including 2 unsent commands, and logs you out.');
  await act(async () => {
    queue.entries = [entry('c1')];
    await Promise.resolve();
  });
  expect(dialog.textContent).toContain('including 1 unsent command, and logs you out.');
  await act(async () => {
    queue.entries = [];
    await Promise.resolve();
  });
  expect(dialog.textContent).toContain('on this device and logs you out.');
});

it('says in its question that commands may be unsent where the storage does not tell', async () => {
  queue.unread = true;
  render(<DeviceSection />);
  fireEvent.click(screen.getByRole('button', { name: /^Wipe/ }), { detail: 0 });
  const dialog = await screen.findByRole('dialog');
  expect(dialog.textContent).toContain('including any unsent commands, and logs you out.');
});
