// @vitest-environment happy-dom
/** What a person chooses about notifications: each change counts, whatever order the answers take. */
import '../../../support/page-world.ts';
import { act, cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { PUSH_KINDS, type PushSettings } from '../../../../contract/push.ts';

interface Call {
  settings: PushSettings | undefined;
  answer: () => Promise<void>;
  fail: () => Promise<void>;
}

const { hosted } = vi.hoisted(() => ({ hosted: vi.fn() }));
vi.mock('../../../../src/callables/call-function.ts', () => ({ callFunction: hosted }));
vi.mock('../../../../src/api/api.ts', async (original) => ({
  ...(await original<object>()),
  api: { call: () => new Promise<never>(() => undefined) },
}));

const device = vi.hoisted(() => ({ deviceState: vi.fn(), joinPush: vi.fn(), leavePush: vi.fn() }));
vi.mock('../../../../src/push/device.ts', async (original) => ({
  ...(await original<object>()),
  ...device,
}));

const { ApiError } = await import('../../../../src/api/api-error.ts');
const { NotificationsSection } =
  await import('../../../../src/screens/security/NotificationsSection.tsx');
const { session } = await import('../../../../src/identity/session.ts');
const { connection } = await import('../../../../src/stores/connection.ts');
const { toastStore, removeToast } = await import('../../../../src/stores/toast-store.ts');

const stored: PushSettings = {
  kinds: Object.fromEntries(PUSH_KINDS.map((kind) => [kind, true])) as PushSettings['kinds'],
  quietHours: null,
  showDetails: false,
};
/** What the server has; another device may change it. */
let served = stored;
/** Writes that the server has not answered, in order; and the reads, where they are held. */
let writes: Call[] = [];
let reads: Call[] = [];
let holdsReads = false;
const written = async (count: number): Promise<void> => {
  await waitFor(() => {
    expect(writes.length).toBe(count);
  });
};
const toggle = (name: string): void => {
  fireEvent.click(screen.getByRole('switch', { name }));
};
const enter = (label: string, value: string): void => {
  fireEvent.change(screen.getByLabelText(label), { target: { value } });
  fireEvent.blur(screen.getByLabelText(label));
};
const isOn = (name: string): boolean =>
  screen.getByRole('switch', { name }).getAttribute('aria-checked') === 'true';

const said = (): string[] => toastStore.toasts.map(({ message }) => message);
const reconnect = async (): Promise<void> => {
  for (const online of ['offline', 'online'] as const)
    await act(async () => {
      connection.online = online;
      await Promise.resolve();
    });
};

beforeEach(async () => {
  device.deviceState.mockReturnValue('off');
  served = stored;
  writes = [];
  reads = [];
  holdsReads = false;
  removeToast();
  connection.online = 'online';
  Object.assign(session, { user: { uid: 'uid-1', email: null } });
  hosted.mockReset().mockImplementation((_name: string, asks: { settings?: PushSettings }) => {
    const { settings } = asks;
    const reply = (given: PushSettings) => ({ publicKey: 'key', devices: 1, settings: given });
    if (settings === undefined && !holdsReads) return Promise.resolve(reply(served));
    const asOf = served;
    return new Promise((resolve, reject) => {
      (settings === undefined ? reads : writes).push({
        settings,
        answer: () =>
          act(async () => {
            served = settings ?? served;
            resolve(reply(settings ?? asOf));
            await Promise.resolve();
          }),
        fail: () =>
          act(async () => {
            reject(new ApiError('', { code: 'network', status: 0, text: '' }));
            await Promise.resolve();
          }),
      });
    });
  });
  render(<NotificationsSection />);
  await screen.findByRole('switch', { name: 'Trades' });
});
afterEach(cleanup);

it('undoes no change by another made before its answer (A-07)', async () => {
  toggle('Trades');
  await written(1);
  toggle('Stop loss');
  await writes[0]?.answer();
  await written(2);
  expect(writes[1]?.settings?.kinds).toMatchObject({ fills: false, stopLoss: false });
  await writes[1]?.answer();
  expect([isOn('Trades'), isOn('Stop loss')]).toEqual([false, false]);
});

it('undoes nothing that another device has set since it was read (A-07)', async () => {
  const quietHours = { from: '22:00', to: '07:00', timeZone: 'Europe/Berlin' };
  served = { ...stored, quietHours, kinds: { ...stored.kinds, stopLoss: false } };
  toggle('Trades');
  await written(1);
  expect(writes[0]?.settings).toMatchObject({
    quietHours,
    kinds: { fills: false, stopLoss: false },
  });
  await writes[0]?.answer();
  expect([isOn('Quiet hours'), isOn('Stop loss')]).toEqual([true, false]);
});

it('writes nothing where it cannot read what to change first (A-07)', async () => {
  holdsReads = true;
  toggle('Trades');
  await waitFor(() => {
    expect(reads.length).toBe(1);
  });
  await reads[0]?.fail();
  expect(writes).toEqual([]);
  expect(isOn('Trades')).toBe(true);
  await waitFor(() => {
    expect(said()).toEqual([expect.stringContaining('Could not reach the server')]);
  });
});

it('builds a change on what the server last took, also after one that failed (A-07)', async () => {
  toggle('Trades');
  await written(1);
  toggle('Stop loss');
  await writes[0]?.fail();
  await written(2);
  expect(writes[1]?.settings?.kinds).toMatchObject({ fills: true, stopLoss: false });
  await writes[1]?.answer();
  expect([isOn('Trades'), isOn('Stop loss')]).toEqual([true, false]);
});

it('shows what the server has by then where a change fails (A-07)', async () => {
  served = { ...stored, kinds: { ...stored.kinds, stopLoss: false } };
  toggle('Trades');
  await written(1);
  await writes[0]?.fail();
  expect([isOn('Trades'), isOn('Stop loss')]).toEqual([true, false]);
});

it('tells of a failed change in a toast, so that no switch moves', async () => {
  const before = document.body.innerHTML;
  toggle('Trades');
  await written(1);
  await writes[0]?.fail();
  await waitFor(() => {
    expect(said()).toEqual([expect.stringContaining('Could not reach the server')]);
  });
  expect(screen.queryByRole('alert')).toBe(null);
  expect(document.body.innerHTML).toBe(before);
});

it('changes both ends of the quiet hours before the first is answered (A-07)', async () => {
  toggle('Quiet hours');
  await written(1);
  await writes[0]?.answer();
  for (const [label, value] of [
    ['From', '21:00'],
    ['To', '06:00'],
  ] as const)
    enter(label, value);
  await written(2);
  await writes[1]?.answer();
  await written(3);
  expect(writes[2]?.settings?.quietHours).toMatchObject({ from: '21:00', to: '06:00' });
});

describe('an end of the quiet hours', () => {
  const quietHours = { from: '22:00', to: '07:00', timeZone: 'Europe/Berlin' };
  const from = (): string => screen.getByLabelText<HTMLInputElement>('From').value;
  beforeEach(async () => {
    served = { ...stored, quietHours };
    await reconnect();
    await screen.findByLabelText('From');
  });

  it('keeps what was entered until the server has answered', async () => {
    enter('From', '21:00');
    await written(1);
    expect(from()).toBe('21:00');
    await writes[0]?.answer();
    expect(from()).toBe('21:00');
  });

  it('shows the time that the server has where it refused another', async () => {
    enter('From', '21:00');
    await written(1);
    await writes[0]?.fail();
    await waitFor(() => {
      expect(from()).toBe('22:00');
    });
  });

  it('shows a newer time once it is read, and passing through it with the keyboard writes nothing', async () => {
    served = { ...stored, quietHours: { ...quietHours, from: '20:00' } };
    await reconnect();
    await waitFor(() => {
      expect(from()).toBe('20:00');
    });
    fireEvent.focus(screen.getByLabelText('From'));
    fireEvent.blur(screen.getByLabelText('From'));
    await act(() => Promise.resolve());
    expect(writes).toEqual([]);
  });
});

it('shows no state that was read before the newest change (A-07)', async () => {
  holdsReads = true;
  await reconnect();
  await waitFor(() => {
    expect(reads.length).toBe(1);
  });
  holdsReads = false;
  toggle('Trades');
  await written(1);
  await writes[0]?.answer();
  expect(isOn('Trades')).toBe(false);
  await reads[0]?.answer();
  expect(isOn('Trades')).toBe(false);
});

it('keeps the focus on its button as notifications are turned on and off', async () => {
  const button = screen.getByRole('button', { name: 'Turn on notifications' });
  button.focus();
  const state = { publicKey: 'key', devices: 1, settings: stored };
  device.joinPush.mockImplementation(() => {
    device.deviceState.mockReturnValue('on');
    return Promise.resolve(state);
  });
  device.leavePush.mockImplementation(() => {
    device.deviceState.mockReturnValue('off');
    return Promise.resolve(state);
  });
  fireEvent.click(button);
  const off = await screen.findByRole('button', { name: 'Turn off notifications' });
  expect(document.activeElement).toBe(off);
  await waitFor(() => {
    expect(off.getAttribute('aria-busy')).toBeNull();
  });
  fireEvent.click(off);
  await screen.findByRole('button', { name: 'Turn on notifications' });
  expect(document.activeElement).toBe(off);
  expect([device.joinPush.mock.calls, device.leavePush.mock.calls]).toEqual([[['uid-1']], [[]]]);
});
