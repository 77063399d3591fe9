// @vitest-environment happy-dom
/** Refusing a start that waited too long: what is said, by what became of it. */
import '../../../../support/page-world.ts';
import { act, cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { OutboxEntry } from '../../../../../src/offline/outbox-entry.ts';

const { cancelCommand } = vi.hoisted(() => ({ cancelCommand: vi.fn() }));
const never = () => new Promise<never>(() => undefined);
vi.mock('../../../../../src/commands.ts', async (original) => ({
  ...(await original<object>()),
  cancelCommand,
}));
vi.mock('../../../../../src/api/api.ts', async (original) => ({
  ...(await original<object>()),
  api: { call: never, marketData: never, marketPools: never },
}));

const { default: ConfirmStart } =
  await import('../../../../../src/screens/agents/start-stop/ConfirmStart.tsx');
const { removeToast, toastStore } = await import('../../../../../src/stores/toast-store.ts');
const { entryOf, start } = await import('../../../offline/samples.ts');

const onOpenChange = vi.fn();
async function refuse(
  result: string,
  attempts = 0,
  reason: OutboxEntry['reason'] = null,
): Promise<string[]> {
  cancelCommand.mockResolvedValue(result);
  render(
    <ConfirmStart
      entry={entryOf(start('Harbour'), { state: 'needs-you', attempts, reason })}
      open
      onOpenChange={onOpenChange}
    />,
  );
  fireEvent.click(screen.getByRole('button', { name: "Don't start" }));
  await act(() => Promise.resolve());
  return toastStore.toasts.map(({ message }) => message);
}

beforeEach(() => {
  onOpenChange.mockReset();
  removeToast();
});
afterEach(cleanup);

it('says that nothing was started or sent where it was taken back', async () => {
  expect(await refuse('undone')).toEqual(['Not started. Nothing was sent.']);
  expect(onOpenChange.mock.calls).toEqual([[false]]);
});

it('does not say so of a start that was sent before, or is sent now from another tab', async () => {
  expect(await refuse('dismissed')).toEqual(['Not started. Nothing was sent.']);
  cleanup();
  removeToast();
  expect(await refuse('dismissed', 1)).toEqual([
    'Dismissed. The earlier start was sent, but not confirmed by the server.',
  ]);
  cleanup();
  removeToast();
  expect(await refuse('already-sent')).toEqual([
    'Already on its way. Use the opposite command instead.',
  ]);
});

it('says of a start that the server has refused that it was refused', async () => {
  const reason = { code: 'agent_changed', message: 'The agent has changed.', at: 1 };
  expect(await refuse('dismissed', 1, reason)).toEqual([
    'Not started. The server had refused the earlier start.',
  ]);
});

it('asks again, with the reason, where it could not be taken back', async () => {
  expect(await refuse('not-done')).toEqual(['Could not be undone on this device.']);
  expect(onOpenChange.mock.calls).toEqual([[false], [true]]);
});
