// @vitest-environment happy-dom
/** Deleting an alert and taking it back: where that is offered, for how long, and the focus. */
import '../../../support/page-world.ts';
import { act, cleanup, fireEvent, render, screen, within } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Alert, AlertTerms } from '../../../../contract/alerts.ts';

const { cancelCommand, deleteAlert, setAlert } = vi.hoisted(() => ({
  cancelCommand: vi.fn(),
  deleteAlert: vi.fn(),
  setAlert: vi.fn(),
}));
const never = () => new Promise<never>(() => undefined);
vi.mock('../../../../src/commands.ts', async (original) => ({
  ...(await original<object>()),
  cancelCommand,
  deleteAlert,
  setAlert,
}));
vi.mock('../../../../src/api/api.ts', async (original) => ({
  ...(await original<object>()),
  api: { call: never, marketData: never },
}));

const { queue } = await import('../../../../src/commands.ts');
const { session } = await import('../../../../src/identity/session.ts');
const { alertViews } = await import('../../../../src/stores/alert-view.ts');
const { AlertRows } = await import('../../../../src/screens/alerts/AlertRows.tsx');
const { default: AlertsScreen } = await import('../../../../src/screens/alerts/AlertsScreen.tsx');
const { applyAlerts, clearAlerts } = await import('../../../../src/stores/alerts-store.ts');
const { deleted } = await import('../../../../src/screens/alerts/undo-delete.ts');
const { removeToast, toastStore } = await import('../../../../src/stores/toast-store.ts');
const { useEntries } = await import('../../../../src/screens/use-store.ts');
const { entryOf } = await import('../../offline/samples.ts');

const alertAt = (price: string): Alert => ({
  id: `alert-${price}`,
  symbol: 'BTC/USDT',
  condition: { kind: 'above', price },
  repeatMinutes: null,
  note: '',
  active: true,
  phase: 'watching',
  version: 1,
  restsUntil: null,
  lastFiredAt: null,
  createdAt: 0,
});
let known: Alert[] = [];
function List() {
  return <AlertRows views={alertViews(known, useEntries())} named empty="None." onEdit={vi.fn()} />;
}
const settled = (change: () => void = () => undefined): Promise<void> =>
  act(async () => {
    change();
    await Promise.resolve();
    await Promise.resolve();
  });
/** A press by pointer says how often it was pressed; one by keyboard does not. */
const press = (button: HTMLElement, by: 'key' | 'pointer'): Promise<void> => {
  if (by === 'key') button.focus();
  return settled(() => fireEvent.click(button, { detail: by === 'key' ? 0 : 1 }));
};
const pass = (ms: number): Promise<void> =>
  settled(() => {
    vi.advanceTimersByTime(ms);
  });
const button = (name: string | RegExp) => screen.getByRole('button', { name });
const undo = (): HTMLElement | null => screen.queryByRole('button', { name: /^Undo/ });
const rows = (): string[] =>
  screen.getAllByRole('listitem').map((row) => /above (\d+)/.exec(row.textContent)?.[1] ?? '');
const deletion = (price: string) =>
  entryOf({
    intent: 'delete-alert',
    agentId: null,
    agentName: `BTC/USDT above ${price}`,
    agents: [],
    seenGeneration: null,
    confirmed: false,
    alert: { id: `alert-${price}`, terms: null, seenVersion: 1, seen: null },
  });
/** The server has accepted the deletion: nothing of the alert is left. */
const confirm = (price: string, again: () => void): Promise<void> =>
  settled(() => {
    known = known.filter(({ id }) => id !== `alert-${price}`);
    queue.entries = [];
    again();
  });

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  known = ['1', '2', '3'].map(alertAt);
  queue.entries = [];
  deleted.list = [];
  removeToast();
  Object.assign(session, { user: { uid: entryOf(deletion('1')).uid, email: null } });
  cancelCommand.mockReset().mockImplementation(() => {
    const result = queue.entries.length === 0 ? 'gone' : 'undone';
    queue.entries = [];
    return Promise.resolve(result);
  });
  setAlert.mockReset().mockImplementation((id: string, terms: AlertTerms) => {
    known = [...known, { ...alertAt('2'), ...terms, id }];
    return Promise.resolve({ said: 'saved' });
  });
  deleteAlert.mockReset().mockImplementation((id: string) => {
    const entry = deletion(id.replace('alert-', ''));
    queue.entries = [entry];
    return Promise.resolve({ said: 'saved', entry });
  });
});
afterEach(() => {
  cleanup();
  clearAlerts();
  vi.useRealTimers();
});

describe('the offer to undo a deletion', () => {
  it('stands in the place of the alert, before and after the server has deleted it (A-08)', async () => {
    const { rerender } = render(<List />);
    await press(button(/^Delete BTC\/USDT above 2/), 'pointer');
    expect(rows()).toEqual(['1', '2', '3']);
    expect(screen.getAllByRole('button', { name: /^Undo/ })).toHaveLength(1);
    await confirm('2', () => {
      rerender(<List />);
    });
    expect(rows()).toEqual(['1', '2', '3']);
    const [, row] = screen.getAllByRole('listitem');
    expect(within(row!).getByText('Deleted: BTC/USDT above 2.00')).toBeTruthy();
    await press(button(/^Undo/), 'pointer');
    expect(setAlert).toHaveBeenCalledOnce();
  });

  it('stands where the last alert was, which leaves the screen empty only after it (A-08)', async () => {
    [known] = [known.slice(1, 2)];
    applyAlerts({ alerts: known, firings: [], sequence: 1, servedAt: 0 }, 'network');
    render(<AlertsScreen />);
    await press(button(/^Delete BTC\/USDT above 2/), 'pointer');
    await settled(() => {
      applyAlerts({ alerts: [], firings: [], sequence: 2, servedAt: 0 }, 'network');
      queue.entries = [];
    });
    expect([rows(), screen.queryByText('No alerts yet')]).toEqual([['2'], null]);
    await pass(8_000);
    expect(screen.getByText('No alerts yet')).toBeTruthy();
  });

  it('stands again, with the reason, where the deletion could not be taken back (A-08)', async () => {
    cancelCommand.mockResolvedValueOnce('not-done');
    render(<List />);
    await press(button(/^Delete BTC\/USDT above 2/), 'key');
    await press(undo()!, 'key');
    expect(toastStore.toasts.map(({ message }) => message)).toEqual([
      'Could not be undone on this device.',
    ]);
    expect(setAlert).not.toHaveBeenCalled();
    expect(document.activeElement).toBe(undo());
    await press(undo()!, 'key');
    expect(undo()).toBeNull();
  });

  it('brings back the edit that waited when the alert was deleted (A-08)', async () => {
    const edit = alertAt('2');
    const terms: AlertTerms = {
      ...{ symbol: edit.symbol, repeatMinutes: null, active: true, note: 'Trim half' },
      condition: { kind: 'above', price: '22' },
    };
    queue.entries = [
      entryOf({
        ...deletion('2'),
        intent: 'set-alert',
        alert: { id: 'alert-2', terms, seenVersion: 1, seen: null },
      }),
    ];
    render(<List />);
    await press(button(/^Delete BTC\/USDT above 22/), 'pointer');
    await press(undo()!, 'pointer');
    expect(setAlert.mock.calls).toEqual([['alert-2', terms, 1]]);
  });

  it('is announced once it is there, by a region that was there before (A-08)', async () => {
    render(<List />);
    const region = screen.getByRole('status');
    expect(region.textContent).toBe('');
    await press(button(/^Delete BTC\/USDT above 2/), 'key');
    expect(region.textContent).toBe('BTC/USDT above 2.00: deletion saved. You can undo it.');
  });

  it('stays 8 seconds after a press by pointer, and 20 after one by keyboard (A-08)', async () => {
    const { rerender } = render(<List />);
    for (const [by, ms] of [
      ['pointer', 8_000],
      ['key', 20_000],
    ] as const) {
      const price = by === 'key' ? '2' : '1';
      await press(button(new RegExp(`^Delete BTC/USDT above ${price}`)), by);
      await confirm(price, () => {
        rerender(<List />);
      });
      // Its time does not run while it has the focus.
      await settled(() => {
        undo()?.blur();
      });
      await pass(ms - 1);
      expect(undo()).not.toBeNull();
      await pass(1);
      expect(undo()).toBeNull();
    }
    expect(rows()).toEqual(['3']);
  });

  it('stays while it has the focus, and runs out after the screen was left with it (A-08)', async () => {
    render(<List />);
    await press(button(/^Delete BTC\/USDT above 2/), 'key');
    await pass(60_000);
    expect(undo()).not.toBeNull();
    cleanup();
    await pass(20_000);
    expect(deleted.list).toEqual([]);
  });
});

describe('the focus of somebody who deletes by keyboard', () => {
  it('is on Undo, also once the server has deleted the alert (A-08)', async () => {
    const { rerender } = render(<List />);
    await press(button(/^Delete BTC\/USDT above 2/), 'key');
    expect(document.activeElement).toBe(undo());
    await confirm('2', () => {
      rerender(<List />);
    });
    expect(undo()).not.toBeNull();
    expect(document.activeElement).toBe(undo());
  });

  it.each(['before', 'after'])(
    'is back on Delete after an Undo %s the server has deleted the alert (A-08)',
    async (when) => {
      const { rerender } = render(<List />);
      await press(button(/^Delete BTC\/USDT above 2/), 'key');
      if (when === 'after')
        await confirm('2', () => {
          rerender(<List />);
        });
      await press(undo()!, 'key');
      rerender(<List />);
      await settled();
      expect(document.activeElement).toBe(button(/^Delete BTC\/USDT above 2/));
    },
  );

  it('is left alone where a pointer deleted, or where it has gone elsewhere (A-08)', async () => {
    render(<List />);
    await press(button(/^Delete BTC\/USDT above 2/), 'pointer');
    expect(document.activeElement).toBe(document.body);
    button(/^Edit BTC\/USDT above 3/).focus();
    await press(undo()!, 'pointer');
    expect(document.activeElement).toBe(button(/^Edit BTC\/USDT above 3/));
  });
});
