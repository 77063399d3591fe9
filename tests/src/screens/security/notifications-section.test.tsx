// @vitest-environment happy-dom
/** What a person chooses about notifications: each change counts, whatever order the answers take. */
import '../../../support/page-world.ts';
import { act, cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { PUSH_KINDS, type PushSettings } from '../../../../contract/push.ts';

interface Call {
  settings: PushSettings | undefined;
  answer: (settings?: Partial<PushSettings>) => Promise<void>;
  fail: () => Promise<void>;
}

const { hosted } = vi.hoisted(() => ({ hosted: vi.fn() }));
vi.mock('../../../../src/callables/call-function.ts', () => ({ callFunction: hosted }));
vi.mock('../../../../src/api/api.ts', async (original) => ({
  ...(await original<object>()),
  api: { call: () => new Promise<never>(() => undefined) },
}));

const { ApiError } = await import('../../../../src/api/api-error.ts');
const { NotificationsSection } =
  await import('../../../../src/screens/security/NotificationsSection.tsx');
const { session } = await import('../../../../src/identity/session.ts');
const { connection } = await import('../../../../src/stores/connection.ts');

const stored: PushSettings = {
  kinds: Object.fromEntries(PUSH_KINDS.map((kind) => [kind, true])) as PushSettings['kinds'],
  quietHours: null,
  showDetails: false,
};
/** What the server was asked and has not answered, in order. */
let calls: Call[] = [];
const asked = async (count: number): Promise<void> => {
  await waitFor(() => {
    expect(calls.length).toBe(count);
  });
};
const toggle = (name: string): void => {
  fireEvent.click(screen.getByRole('switch', { name }));
};
const isOn = (name: string): boolean =>
  screen.getByRole('switch', { name }).getAttribute('aria-checked') === 'true';

beforeEach(async () => {
  calls = [];
  connection.online = 'online';
  Object.assign(session, { user: { uid: 'uid-1', email: null } });
  hosted.mockReset().mockImplementation((_name: string, asks: { settings?: PushSettings }) => {
    const { settings } = asks;
    return new Promise((resolve, reject) => {
      calls.push({
        settings,
        answer: (given) =>
          act(async () => {
            resolve({
              publicKey: 'key',
              devices: 1,
              settings: { ...stored, ...settings, ...given },
            });
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
  await calls[0]?.answer();
  await screen.findByRole('switch', { name: 'Trades' });
});
afterEach(cleanup);

it('undoes no change by another made before its answer (A-07)', async () => {
  toggle('Trades');
  await asked(2);
  toggle('Stop loss');
  await calls[1]?.answer();
  await asked(3);
  expect(calls[2]?.settings?.kinds).toMatchObject({ fills: false, stopLoss: false });
  await calls[2]?.answer();
  expect([isOn('Trades'), isOn('Stop loss')]).toEqual([false, false]);
});

it('builds a change on what the server last took, also after one that failed (A-07)', async () => {
  toggle('Trades');
  await asked(2);
  toggle('Stop loss');
  await calls[1]?.fail();
  await asked(3);
  expect(calls[2]?.settings?.kinds).toMatchObject({ fills: true, stopLoss: false });
  await calls[2]?.answer();
  expect([isOn('Trades'), isOn('Stop loss')]).toEqual([true, false]);
  expect(screen.getByRole('alert').textContent).toContain('Could not reach the server');
});

it('changes both ends of the quiet hours before the first is answered (A-07)', async () => {
  toggle('Quiet hours');
  await asked(2);
  await calls[1]?.answer();
  for (const [label, value] of [
    ['From', '21:00'],
    ['To', '06:00'],
  ] as const) {
    const field = screen.getByLabelText(label);
    fireEvent.change(field, { target: { value } });
    fireEvent.blur(field);
  }
  await asked(3);
  await calls[2]?.answer();
  await asked(4);
  expect(calls[3]?.settings?.quietHours).toMatchObject({ from: '21:00', to: '06:00' });
});

it('shows no state that was read before the newest change (A-07)', async () => {
  await act(async () => {
    connection.online = 'offline';
    await Promise.resolve();
  });
  await act(async () => {
    connection.online = 'online';
    await Promise.resolve();
  });
  await asked(2);
  toggle('Trades');
  await asked(3);
  await calls[2]?.answer();
  expect(isOn('Trades')).toBe(false);
  await calls[1]?.answer();
  expect(isOn('Trades')).toBe(false);
  toggle('Stop loss');
  await asked(4);
  expect(calls[3]?.settings?.kinds).toMatchObject({ fills: false, stopLoss: false });
});
