// @vitest-environment happy-dom
/** What Stop all says of a press: nothing is called stopped before the server has accepted it. */
import '../../../support/page-world.ts';
import 'fake-indexeddb/auto';
import { act, cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { CommandResult } from '../../../../src/commands.ts';
import { recordedReplies, recordState } from '../../../../src/api/recorded-replies.ts';
import type { OutboxEntry } from '../../../../src/offline/outbox-entry.ts';

const { stopAll } = vi.hoisted(() => ({ stopAll: vi.fn() }));
const never = () => new Promise<never>(() => undefined);
vi.mock('../../../../src/api/api.ts', async (original) => ({
  ...(await original<object>()),
  api: { call: never },
}));
vi.mock('../../../../src/commands.ts', async (original) => ({
  ...(await original<object>()),
  stopAll,
}));

const { queue } = await import('../../../../src/commands.ts');
const { default: StopAllScreen } =
  await import('../../../../src/screens/stop-all/StopAllScreen.tsx');
const { applyAgents, clearAgents } = await import('../../../../src/stores/agents-store.ts');
const { connection } = await import('../../../../src/stores/connection.ts');

const NOW = Date.now();
const { agents: list } = recordedReplies(recordState(NOW), NOW);
const entryOf = (commandId: string): OutboxEntry =>
  ({
    commandId,
    intent: 'stop-all',
    agentId: null,
    agents: [],
    sequence: 1,
    state: 'saved',
    attempts: 0,
    reason: null,
  }) as unknown as OutboxEntry;

const queued = (...entries: OutboxEntry[]): Promise<void> =>
  act(async () => {
    queue.entries = entries;
    await Promise.resolve();
  });
async function press(result: CommandResult): Promise<void> {
  stopAll.mockResolvedValue(result);
  await act(async () => {
    fireEvent.click(screen.getByRole('button', { name: 'Stop all' }));
    await Promise.resolve();
  });
}
const shown = (): string => document.body.textContent;

beforeEach(() => {
  queue.entries = [];
  queue.storage = 'disk';
  Object.assign(connection, { online: 'offline', backAt: null, gapAt: null });
  const agents = list!.agents.map((agent) => ({ ...agent, status: 'stopped' as const }));
  applyAgents({ ...list!, agents }, 'network');
});
afterEach(() => {
  cleanup();
  clearAgents();
});

it('confirms nothing on a press without a network, nor after its Undo, whatever the last list shows (R7-18)', async () => {
  render(<StopAllScreen />);
  await press({ said: 'saved', entry: entryOf('c1') });
  expect(shown()).not.toContain('The server confirms');
  await queued(entryOf('c1'));
  expect(shown()).toContain('Stop all saved on this device. Not yet received by the server.');
  await queued();
  expect(shown()).not.toMatch(/The server confirms|accepted by the server/);
});

it('confirms nothing of a stop that was neither saved nor sent (R7-18, F13)', async () => {
  render(<StopAllScreen />);
  await press({ said: 'not-saved', message: 'Not saved and not sent.' });
  expect(shown()).not.toMatch(/The server confirms|accepted by the server/);
});

it('confirms once the server has accepted that stop, and goes on when it has left the queue (R7-18)', async () => {
  connection.online = 'online';
  render(<StopAllScreen />);
  await press({ said: 'saved', entry: entryOf('c1') });
  await queued({ ...entryOf('c1'), state: 'accepted' });
  const confirmed = `The server confirms: ${list!.agents.length} agents stopped.`;
  expect(shown()).toContain(confirmed);
  await queued();
  expect(shown()).toContain(confirmed);
  // The next press is another stop: it has its own answer to wait for.
  await press({ said: 'saved', entry: entryOf('c2') });
  expect(shown()).not.toContain('The server confirms');
});

it('does not take the answer to another stop for its own (R7-18)', async () => {
  connection.online = 'online';
  render(<StopAllScreen />);
  await press({ said: 'saved', entry: entryOf('c1') });
  await queued({ ...entryOf('c0'), state: 'accepted' });
  expect(shown()).not.toContain('The server confirms');
});

it('confirms a stop that was sent without having been saved (R7-18, F18)', async () => {
  connection.online = 'online';
  render(<StopAllScreen />);
  await press({ said: 'sent', message: 'Sent to the server.' });
  await waitFor(() => {
    expect(shown()).toContain(`The server confirms: ${list!.agents.length} agents stopped.`);
  });
});

it('says of an accepted stop who was stopped when last seen, once the list is no longer current (R7-18)', async () => {
  connection.online = 'online';
  queue.entries = [entryOf('c1')];
  render(<StopAllScreen />);
  await queued({ ...entryOf('c1'), state: 'accepted' });
  await act(async () => {
    connection.online = 'offline';
    await Promise.resolve();
  });
  expect(shown()).not.toContain('The server confirms');
  expect(shown()).toContain(
    `Stop all accepted by the server. ${list!.agents.length} agents were stopped when last seen.`,
  );
});

it('calls nothing saved before it was pressed, nor beside a Stop all that failed (F13)', async () => {
  render(<StopAllScreen />);
  const offline =
    "You're offline. When you press Stop all, it is saved on this device and sent first when you're back online.";
  expect(shown()).toContain(offline);
  await queued({ ...entryOf('c1'), state: 'failed' });
  expect(shown()).toContain(offline);
  expect(shown()).not.toContain('The stop is saved');
});

it.each(['memory', 'newer'] as const)(
  'says without a network that a press cannot be saved where storage is %s, and what that means (F13)',
  (storage) => {
    queue.storage = storage;
    render(<StopAllScreen />);
    expect(shown()).toContain(
      "You're offline, and a stop cannot be saved on this device. Agents keep trading until you press Stop all online.",
    );
    expect(shown()).not.toContain('is saved on this device');
  },
);
