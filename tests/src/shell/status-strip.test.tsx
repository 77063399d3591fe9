// @vitest-environment happy-dom
/** Failed stops under the header: where the focus goes when one is dismissed, and what is said. */
import '../../support/page-world.ts';
import 'fake-indexeddb/auto';
import { act, cleanup, fireEvent, render, screen, within } from '@testing-library/react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { OutboxEntry } from '../../../src/offline/outbox-entry.ts';

const { cancelCommand } = vi.hoisted(() => ({ cancelCommand: vi.fn() }));
vi.mock('../../../src/commands.ts', async (original) => ({
  ...(await original<object>()),
  cancelCommand,
}));

const { queue } = await import('../../../src/commands.ts');
const { StatusStrip } = await import('../../../src/shell/StatusStrip.tsx');
const { removeToast, toastStore } = await import('../../../src/stores/toast-store.ts');

const failed = (agentId: string): OutboxEntry =>
  ({
    commandId: agentId,
    intent: 'stop',
    agentId,
    agentName: agentId,
    agents: [],
    sequence: 1,
    state: 'failed',
    attempts: 1,
    reason: null,
  }) as unknown as OutboxEntry;
const dismissOf = (name: string): HTMLElement => {
  const row = screen.getByText(`Stop of ${name} failed.`).closest('li');
  return within(row as HTMLElement).getByRole('button', { name: 'Dismiss' });
};
const press = (name: string): Promise<void> =>
  act(async () => {
    const button = dismissOf(name);
    button.focus();
    fireEvent.click(button);
    await Promise.resolve();
  });

beforeEach(() => {
  removeToast();
  queue.entries = [failed('Harbour'), failed('Ebb')];
  cancelCommand.mockReset().mockImplementation((commandId: string) => {
    queue.entries = queue.entries.filter((entry) => entry.commandId !== commandId);
    return Promise.resolve('dismissed');
  });
  render(
    <>
      <StatusStrip path="/agents" />
      <main id="content" tabIndex={-1} />
    </>,
  );
});
afterEach(() => {
  cleanup();
  queue.entries = [];
});

it('leaves the focus on the next failed stop, and after the last one on the content', async () => {
  await press('Harbour');
  expect(screen.queryByText('Stop of Harbour failed.')).toBeNull();
  expect(document.activeElement).toBe(dismissOf('Ebb'));
  await press('Ebb');
  expect(document.activeElement?.id).toBe('content');
});

it('says that a failed stop could not be dismissed, and leaves the focus there', async () => {
  cancelCommand.mockResolvedValue('not-done');
  await press('Harbour');
  expect(toastStore.toasts.map(({ message }) => message)).toEqual([
    'Could not be dismissed on this device.',
  ]);
  expect(document.activeElement).toBe(dismissOf('Harbour'));
});

it('speaks of one agent where the name of a failed stop is not known', async () => {
  queue.entries = [{ ...failed('a1'), agentName: '' }];
  await screen.findByText('Stop of one agent failed.');
});
