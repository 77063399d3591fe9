// @vitest-environment happy-dom
/** Taking back and dismissing queued commands, and storage that fails: what is said and offered. */
import '../../support/page-world.ts';
import { act, cleanup, fireEvent, render, screen, within } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

const { cancelCommand } = vi.hoisted(() => ({ cancelCommand: vi.fn() }));
vi.mock('../../../src/commands.ts', async (original) => ({
  ...(await original<object>()),
  cancelCommand,
}));

const { queue } = await import('../../../src/commands.ts');
const { CommandTray } = await import('../../../src/shell/CommandTray.tsx');
const { removeToast, toastStore } = await import('../../../src/stores/toast-store.ts');
const { entryOf, setAlert, start, stop, stopAll } = await import('../offline/samples.ts');

const undos = () => screen.getAllByRole('button', { name: 'Undo' });
async function undo(index: number): Promise<void> {
  const button = undos()[index]!;
  button.focus();
  await act(async () => {
    fireEvent.click(button);
    await Promise.resolve();
  });
}

beforeEach(() => {
  removeToast();
  queue.entries = ['Harbour', 'Drift', 'Anchor'].map((name, sequence) =>
    entryOf(stop(name), { sequence }),
  );
  cancelCommand.mockReset().mockImplementation((commandId: string) => {
    queue.entries = queue.entries.filter((entry) => entry.commandId !== commandId);
    return Promise.resolve('undone');
  });
  render(
    <main id="content" tabIndex={-1}>
      <CommandTray />
    </main>,
  );
  fireEvent.click(screen.getByRole('button', { expanded: false }));
});
afterEach(cleanup);

it('goes to the next row, then to the one before, and to the content once the tray is gone', async () => {
  const [, , third] = undos();
  await undo(1);
  expect(document.activeElement).toBe(third);
  const [first] = undos();
  await undo(1);
  expect(document.activeElement).toBe(first);
  await undo(0);
  expect(document.activeElement).toBe(document.getElementById('content'));
});

it('goes to the line of the tray where the rows beside it have no button left', async () => {
  queue.entries = queue.entries.map((entry, index) =>
    index === 0 ? entry : { ...entry, state: 'sending', attempts: 1 },
  );
  await act(() => Promise.resolve());
  await undo(0);
  expect(document.activeElement).toBe(screen.getByRole('button', { expanded: true }));
});

it('stays where it is when it has moved on before the row goes', async () => {
  const [first, , third] = undos();
  cancelCommand.mockImplementation(() => {
    third!.focus();
    return Promise.resolve('undone');
  });
  first!.focus();
  await undo(0);
  expect(document.activeElement).toBe(third);
});

it('says where a command could not be taken back or dismissed, and keeps its row and the focus', async () => {
  cancelCommand.mockResolvedValue('not-done');
  const [first] = undos();
  await undo(0);
  expect(document.activeElement).toBe(first);
  queue.entries = [entryOf(start('Harbour'), { state: 'lapsed' })];
  fireEvent.click(await screen.findByRole('button', { name: 'Dismiss' }));
  await act(() => Promise.resolve());
  expect(toastStore.toasts.map(({ message }) => message)).toEqual([
    'Could not be dismissed on this device.',
    'Could not be undone on this device.',
  ]);
});

it('never takes the stop of one agent whose name is not known for one of all agents', async () => {
  queue.entries = [
    entryOf({ ...stop('a1'), agentName: '' }, { sequence: 1 }),
    entryOf(stopAll('a1', 'a2'), { sequence: 2 }),
    entryOf(setAlert(1, '2500'), { sequence: 3 }),
  ];
  await act(() => Promise.resolve());
  const rows = screen.getAllByRole('listitem').map(({ firstChild }) => firstChild?.textContent);
  expect(rows).toEqual([
    expect.stringMatching(/^One agentStop saved on this device\./),
    expect.stringMatching(/^All agentsStop all saved on this device\./),
    expect.stringMatching(/^Alert 1Alert saved on this device\./),
  ]);
});

it('opens the review of a start that has expired', async () => {
  queue.entries = [entryOf(start('Harbour'), { state: 'lapsed' })];
  fireEvent.click(await screen.findByRole('button', { name: 'Review' }));
  expect(
    await screen.findByRole('dialog', { name: 'Start Harbour now?' }, { timeout: 10_000 }),
  ).toBeTruthy();
});

describe('a page without its storage', () => {
  const notice = () => screen.getByRole('region', { name: 'Storage on this device' });
  afterEach(() => {
    Object.assign(queue, { storage: 'unopened', wasOnDisk: false });
    vi.restoreAllMocks();
  });

  it('offers to reload where it had one before, and says that what was saved stays (F105)', async () => {
    const reload = vi.spyOn(location, 'reload').mockImplementation(() => undefined);
    Object.assign(queue, { storage: 'memory', wasOnDisk: true });
    await act(() => Promise.resolve());
    expect(notice().textContent).toContain('Saved commands stay on this device');
    expect(notice().textContent).not.toContain('when you close this page');
    fireEvent.click(within(notice()).getByRole('button', { name: 'Reload' }));
    expect(reload).toHaveBeenCalledOnce();
  });

  it('offers nothing where the browser never gave it any', async () => {
    queue.storage = 'memory';
    await act(() => Promise.resolve());
    expect(notice().textContent).toContain('This browser does not save data for the app.');
    expect(within(notice()).queryByRole('button')).toBeNull();
  });
});
