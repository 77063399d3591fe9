// @vitest-environment happy-dom
/** What Undo does after a Stop: before it was sent, after it, and once it has failed. */
import '../../../../support/page-world.ts';
import { beforeEach, expect, it, vi } from 'vitest';
import { recordedReplies, recordState } from '../../../../../src/api/recorded-replies.ts';

const { cancel, queue, start, stop } = vi.hoisted(() => ({
  cancel: vi.fn(),
  start: vi.fn(),
  stop: vi.fn(),
  queue: { entries: [] as { commandId: string; state: string }[] },
}));
vi.mock('../../../../../src/commands.ts', () => ({
  cancelCommand: cancel,
  queue,
  startAgent: start,
  stopAgent: stop,
}));

const { pressStop, undoStop } =
  await import('../../../../../src/screens/agents/start-stop/stop-press.ts');
const { session } = await import('../../../../../src/identity/session.ts');
const { applyAgents, clearAgents } = await import('../../../../../src/stores/agents-store.ts');
const { stopOffer, withdrawOffer } = await import('../../../../../src/stores/stop-offer.ts');
const { removeToast, toastStore } = await import('../../../../../src/stores/toast-store.ts');

const HARBOUR = { id: 'a1', name: 'Harbour', generation: 3 };
const said = (): string[] => toastStore.toasts.map(({ message }) => message);

async function stopped(by: Element | null = null): Promise<void> {
  pressStop(HARBOUR, by, false);
  await vi.waitFor(() => {
    expect(stopOffer.offer).not.toBeNull();
  });
}

beforeEach(() => {
  withdrawOffer();
  stopOffer.startAgain = null;
  removeToast();
  queue.entries = [];
  start.mockReset().mockResolvedValue({ said: 'saved' });
  stop.mockReset().mockResolvedValue({ said: 'saved', entry: { commandId: 'c1' } });
  cancel.mockReset();
});

it('takes back what was never sent, and starts nothing', async () => {
  cancel.mockResolvedValue('undone');
  await stopped();
  await undoStop();
  expect([cancel.mock.calls, start.mock.calls, said(), stopOffer.offer]).toEqual([
    [['c1']],
    [],
    ['Undone. Nothing was sent.'],
    null,
  ]);
});

it('does not say that nothing was sent where a start before the stop had been', async () => {
  cancel.mockResolvedValue('start-unknown');
  await stopped();
  await undoStop();
  expect([start.mock.calls, said()]).toEqual([
    [],
    ['Undone. The earlier start was sent, but not confirmed by the server.'],
  ]);
});

it.each(['already-sent', 'gone'])(
  'starts the agent again by a command of its own where the stop is %s, and says so',
  async (result) => {
    cancel.mockResolvedValue(result);
    await stopped();
    await undoStop();
    expect(start).toHaveBeenCalledExactlyOnceWith(HARBOUR);
    expect(said()).toEqual(['The stop was already sent. Starting Harbour again.']);
  },
);

it.each(['already-sent', 'gone'])(
  'queues no start with real money where the stop is %s: it asks for the confirmation',
  async (result) => {
    const now = Date.now();
    const list = recordedReplies(recordState(now), now).agents!;
    const live = {
      ...list.agents[0]!,
      ...HARBOUR,
      connectionId: 'connection-1',
      account: {
        kind: 'live' as const,
        connectionId: 'connection-1',
        exchange: 'kraken' as const,
        label: 'Main',
        quote: 'USD',
      },
    };
    applyAgents({ ...list, agents: [live] }, 'network');
    cancel.mockResolvedValue(result);
    await stopped();
    await undoStop();
    expect([start.mock.calls, said(), stopOffer.startAgain]).toEqual([
      [],
      ['The stop was already sent. Start of Harbour needs your confirmation.'],
      'a1',
    ]);
    clearAgents();
  },
);

it('says where it could not take the stop back, and offers it again', async () => {
  cancel.mockResolvedValue('not-done');
  await stopped();
  await undoStop();
  expect([start.mock.calls, said(), stopOffer.offer]).toMatchObject([
    [],
    ['Could not be undone on this device.'],
    { agent: HARBOUR, commandId: 'c1', atTop: false },
  ]);
  cancel.mockResolvedValue('undone');
  await undoStop();
  expect([cancel.mock.calls, stopOffer.offer]).toEqual([[['c1'], ['c1']], null]);
});

it('offers it again neither over a later stop nor to another user', async () => {
  cancel.mockImplementation(async () => {
    stop.mockResolvedValue({ said: 'saved', entry: { commandId: 'c2' } });
    await stopped();
    return 'not-done';
  });
  await stopped();
  await undoStop();
  expect(stopOffer.offer?.commandId).toBe('c2');
  cancel.mockImplementation(() => {
    session.user = null;
    return Promise.resolve('not-done');
  });
  Object.assign(session, { user: { uid: 'uid-1' } });
  await undoStop();
  expect(stopOffer.offer).toBeNull();
});

it('leaves a stop that failed to its own alert', async () => {
  await stopped();
  queue.entries = [{ commandId: 'c1', state: 'failed' }];
  await undoStop();
  expect([cancel.mock.calls.length, start.mock.calls.length]).toEqual([0, 0]);
});

it('offers nothing where nothing was stopped', async () => {
  stop.mockResolvedValue({ said: 'refused', message: 'Not authenticated' });
  pressStop(HARBOUR, null, false);
  await vi.waitFor(() => {
    expect(said()).toEqual(['Not authenticated']);
  });
  expect(stopOffer.offer).toBeNull();
});

it('stands at the top where Stop was pressed at the bottom: Undo never comes under that finger', async () => {
  const at = (bottom: number): Element =>
    ({ getBoundingClientRect: () => ({ bottom }) }) as Element;
  await stopped(at(innerHeight - 70));
  expect(stopOffer.offer?.atTop).toBe(true);
  withdrawOffer();
  await stopped(at(300));
  expect(stopOffer.offer?.atTop).toBe(false);
});
