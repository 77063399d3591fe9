// @vitest-environment happy-dom
/** A start or a raise with real money that the person gives up while it is being confirmed. */
import '../../../../support/page-world.ts';
import 'fake-indexeddb/auto';
import { act, cleanup, fireEvent, render, screen, waitFor, within } from '@testing-library/react';
import { useState } from 'react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Agent } from '../../../../../contract/agents.ts';
import type { StepUpWire } from '../../../../../contract/live.ts';
import { recordedReplies, recordState } from '../../../../../src/api/recorded-replies.ts';
import {
  AGENT_ID,
  CONNECTION_ID,
  IN_LIVE_ACCOUNT,
  liveAccount,
  liveConnection,
} from '../../../../support/live/live-replies.ts';

const { call, confirmByPassword } = vi.hoisted(() => ({
  call: vi.fn(),
  confirmByPassword: vi.fn(),
}));
vi.mock('../../../../../src/api/api.ts', async (original) => ({
  ...(await original<object>()),
  api: { call },
}));
vi.mock('../../../../../src/live/confirm-act.ts', async (original) => ({
  ...(await original<object>()),
  confirmByPassword,
}));

const { ApiError } = await import('../../../../../src/api/api-error.ts');
const { session } = await import('../../../../../src/identity/session.ts');
const { Brakes } = await import('../../../../../src/screens/live/account/Brakes.tsx');
const { default: StartLiveDialog } =
  await import('../../../../../src/screens/live/start/StartLiveDialog.tsx');
const { applyAgents, clearAgents } = await import('../../../../../src/stores/agents-store.ts');
const { connection } = await import('../../../../../src/stores/connection.ts');
const { clearLive } = await import('../../../../../src/stores/live-slots.ts');
const { applyMarket, clearMarket } = await import('../../../../../src/stores/market-store.ts');
const { applySettings, clearSettings } =
  await import('../../../../../src/stores/settings-store.ts');
const { applySubscription, clearSubscription } =
  await import('../../../../../src/stores/subscription-store.ts');
const { removeToast, toastStore } = await import('../../../../../src/stores/toast-store.ts');

const NOW = Date.now();
const replies = recordedReplies(recordState(NOW), NOW);
/** Anew each time: what a store has taken is its own. */
const SETTINGS = structuredClone(replies.tradingSettings!);
const ownSettings = (): typeof SETTINGS => structuredClone(SETTINGS);
const agent: Agent = {
  ...(replies.agents!.agents[0] as Agent),
  id: AGENT_ID,
  name: 'Ebb',
  status: 'stopped',
  quote: 'USD',
  ...IN_LIVE_ACCOUNT,
};
const STEP_UP = { statement: {}, keyId: 'key-1', signature: 's' } as unknown as StepUpWire;

/** An answer that comes when the test says so. */
function deferred<T>() {
  let resolve!: (value: T) => void;
  let reject!: (reason: unknown) => void;
  const promise = new Promise<T>((...settle) => {
    [resolve, reject] = settle;
  });
  return { promise, resolve, reject };
}
let confirmation: ReturnType<typeof deferred<StepUpWire>>;
/** Of the call that takes effect: its answer, and what it was asked with. */
let last: ReturnType<typeof deferred<unknown>>;
const LAST = ['startLiveAgent', 'setLiveLimits'];
const sent = (): { signal?: AbortSignal }[] =>
  call.mock.calls.flatMap(([name, input]: unknown[]) =>
    LAST.includes(name as string) ? [input as { signal?: AbortSignal }] : [],
  );
const asked = (name: string): number => call.mock.calls.filter(([one]) => one === name).length;
const said = (): string[] => toastStore.toasts.map(({ message }) => message);

beforeEach(() => {
  confirmation = deferred();
  last = deferred();
  removeToast();
  confirmByPassword.mockReset().mockImplementation(() => confirmation.promise);
  call.mockReset().mockImplementation((name: string) => {
    if (name === 'liveAccount') return Promise.resolve(liveAccount(NOW));
    if (name === 'tradingSettings') return Promise.resolve(replies.tradingSettings);
    // One that never ends would hold up the reading of the next test.
    if (name === 'agents')
      return Promise.reject(new ApiError('Lost', { code: 'network', status: 0, text: 'Lost' }));
    return LAST.includes(name) ? last.promise : new Promise<never>(() => undefined);
  });
  Object.assign(connection, { online: 'online', backAt: null });
  Object.assign(session, {
    status: 'signed-in',
    user: { uid: 'uid-1', email: 'a@example.com', displayName: null, metadata: {} },
  });
  const subscription = {
    status: 'active',
    tier: 'pro',
    planId: 'pro',
    currentPeriodEnd: null,
    cancelAtPeriodEnd: false,
  } as const;
  applySubscription(
    { status: { subscription, entitledTier: 'pro', servedAt: NOW }, trial: null },
    'network',
  );
  applyMarket(structuredClone(replies.marketData!), 'network');
  const list = structuredClone(replies.agents!);
  applyAgents({ ...list, agents: [...list.agents, agent] }, 'network');
});
afterEach(() => {
  cleanup();
  clearAgents();
  clearLive();
  clearMarket();
  clearSettings();
  clearSubscription();
});

function Start({ commandId }: { commandId: string | null }) {
  const [open, setOpen] = useState(true);
  return <StartLiveDialog agent={agent} commandId={commandId} open={open} onOpenChange={setOpen} />;
}
async function confirmBy(name: string): Promise<void> {
  const button = await screen.findByRole('button', { name }, { timeout: 20_000 });
  fireEvent.change(screen.getByLabelText(/password/i, { selector: 'input' }), {
    target: { value: 'secret' },
  });
  fireEvent.click(button);
  await waitFor(() => {
    expect(confirmByPassword).toHaveBeenCalledOnce();
  });
}
const WAYS_OUT = [
  ['Don’t start', () => fireEvent.click(screen.getByRole('button', { name: "Don't start" }))],
  ['the X', () => fireEvent.click(screen.getByRole('button', { name: 'Close' }))],
  ['Escape', () => fireEvent.keyDown(document.activeElement!, { key: 'Escape' })],
] as const;
async function leave(way: () => void): Promise<void> {
  way();
  await waitFor(() => {
    expect(screen.queryByRole('dialog')).toBeNull();
  });
}
/** Lets everything that an answer sets going take place. */
const settle = (): Promise<void> =>
  act(async () => {
    await new Promise((resolve) => setTimeout(resolve, 20));
  });

describe('a start with real money', () => {
  it('says what becomes of a position that has no stop loss since the end of live trading', async () => {
    const said = /^No stop loss now: /;
    const { unmount } = render(<Start commandId={null} />);
    await screen.findByRole('button', { name: 'Start with password' }, { timeout: 20_000 });
    expect(screen.queryByText(said)).toBeNull();
    unmount();
    clearLive();
    const account = liveAccount(NOW);
    const positions = account.positions.map((one) => ({ ...one, stopPrice: null }));
    call.mockImplementation((name: string) => {
      if (name === 'liveAccount') return Promise.resolve({ ...account, positions });
      if (name === 'tradingSettings') return Promise.resolve(replies.tradingSettings);
      return new Promise<never>(() => undefined);
    });
    render(<Start commandId={null} />);
    const text = await screen.findByText(said, undefined, { timeout: 20_000 });
    expect(text.textContent).toBe(
      'No stop loss now: BTC/USD. This start sets it. What is below it already is sold at once.',
    );
  });

  const settingsFail = (): void => {
    const otherwise = call.getMockImplementation()!;
    call.mockImplementation((name: string) =>
      name === 'tradingSettings'
        ? Promise.reject(new ApiError('Lost', { code: 'network', status: 0, text: 'Lost' }))
        : (otherwise(name) as unknown),
    );
  };
  const saved = (): void => {
    applySettings(ownSettings(), 'snapshot', NOW - 3 * 86_400_000);
  };

  it('is not offered on a saved copy of the risk values, which is called one, with why', async () => {
    settingsFail();
    saved();
    render(<Start commandId={null} />);
    await screen.findByText(
      /^Your risk values are a copy saved on this device .+ so what can be lost may be out of date\. You can start the agent once they have been read again\.$/,
      undefined,
      { timeout: 20_000 },
    );
    await screen.findByText(/^Could not reach the server\. Saved data is still available\./);
    expect(screen.queryByRole('button', { name: /^Start with/ })).toBeNull();
    // Read again, it can be confirmed.
    call.mockImplementation((name: string) => {
      if (name === 'liveAccount') return Promise.resolve(liveAccount(NOW));
      return name === 'tradingSettings'
        ? Promise.resolve(replies.tradingSettings)
        : new Promise<never>(() => undefined);
    });
    fireEvent.click(screen.getByRole('button', { name: 'Try again' }));
    await screen.findByRole('button', { name: 'Start with password' });
    expect(screen.queryByText(/^Your risk values are a copy/)).toBeNull();
  });

  it('asks for the risk values anew, however fresh those here are', async () => {
    applySettings(ownSettings(), 'network');
    render(<Start commandId={null} />);
    await screen.findByRole('button', { name: 'Start with password' }, { timeout: 20_000 });
    expect(asked('tradingSettings')).toBe(1);
  });

  it('is not offered where what can be lost is not known', async () => {
    const account = liveAccount(NOW);
    const positions = account.positions.map((one) => ({ ...one, value: null }));
    const otherwise = call.getMockImplementation()!;
    call.mockImplementation((name: string) =>
      name === 'liveAccount'
        ? Promise.resolve({ ...account, positions })
        : (otherwise(name) as unknown),
    );
    render(<Start commandId={null} />);
    await screen.findByText(
      'No price for BTC/USD, so what can be lost is not known. You can start the agent once there is one.',
      undefined,
      { timeout: 20_000 },
    );
    await settle();
    expect(screen.queryByRole('button', { name: /^Start with/ })).toBeNull();
  });

  it.each(WAYS_OUT)('is not sent once %s was pressed during its confirmation', async (_, way) => {
    render(<Start commandId="command-1" />);
    await confirmBy('Start with password');
    await leave(way);
    confirmation.resolve(STEP_UP);
    await settle();
    expect(sent()).toEqual([]);
    expect(said().join()).not.toContain('started');
  });

  it('says nothing of a confirmation that fails after the dialog was closed', async () => {
    render(<Start commandId={null} />);
    await confirmBy('Start with password');
    await leave(WAYS_OUT[1][1]);
    confirmation.reject(new Error('Wrong password'));
    await settle();
    expect(sent()).toEqual([]);
    expect(said()).toEqual([]);
  });

  it('is said to be on its way once it is sent, and is not offered to be taken back then', async () => {
    render(<Start commandId="command-1" />);
    await confirmBy('Start with password');
    const refuse = screen.getByRole<HTMLButtonElement>('button', { name: "Don't start" });
    expect(refuse.disabled).toBe(false);
    confirmation.resolve(STEP_UP);
    await screen.findByText(/^Being sent\./);
    expect(refuse.disabled).toBe(true);
    last.reject(new ApiError('No', { code: 'wrong_state' as never, status: 409, text: 'No' }));
    await waitFor(() => {
      expect(refuse.disabled).toBe(false);
    });
    expect(screen.queryByText(/^Being sent\./)).toBeNull();
  });

  it('goes on once it is sent, though the network is lost meanwhile, and is told', async () => {
    render(<Start commandId={null} />);
    await confirmBy('Start with password');
    confirmation.resolve(STEP_UP);
    await screen.findByText(/^Being sent\./);
    act(() => {
      connection.online = 'offline';
    });
    // Neither gone, nor in its place the offer to save a start that was made already.
    await screen.findByText("You're offline. This was already sent and may take effect.");
    screen.getByText(/^Being sent\./);
    expect(screen.queryByRole('button', { name: 'Save start' })).toBeNull();
    expect(sent()[0]?.signal?.aborted).not.toBe(true);
    last.resolve({ agent: { ...agent, status: 'running' } });
    await waitFor(() => {
      expect(said()).toEqual(['Ebb started with real money at Kraken.']);
    });
  });

  it('that gets no answer may have been made, which is said where it was confirmed', async () => {
    render(<Start commandId={null} />);
    await confirmBy('Start with password');
    confirmation.resolve(STEP_UP);
    await screen.findByText(/^Being sent\./);
    const before = asked('agents');
    last.reject(new ApiError('No', { code: 'internal', status: 502, text: 'No' }));
    await screen.findByText(/Ebb may have been started with real money: see its state\./);
    expect(asked('agents')).toBeGreaterThan(before);
    expect(said()).toEqual([]);
  });

  it('that was closed and gets no answer may have been made, which is said', async () => {
    render(<Start commandId={null} />);
    await confirmBy('Start with password');
    confirmation.resolve(STEP_UP);
    await screen.findByText(/^Being sent\./);
    await leave(WAYS_OUT[1][1]);
    const before = asked('agents');
    last.reject(new ApiError('Lost', { code: 'network', status: 0, text: 'Lost' }));
    await waitFor(() => {
      expect(said().join()).toContain('Ebb may have been started with real money: see its state.');
    });
    expect(asked('agents')).toBeGreaterThan(before);
  });

  it('that was closed and is refused says so', async () => {
    render(<Start commandId={null} />);
    await confirmBy('Start with password');
    confirmation.resolve(STEP_UP);
    await screen.findByText(/^Being sent\./);
    await leave(WAYS_OUT[1][1]);
    last.reject(new ApiError('No', { code: 'wrong_state' as never, status: 409, text: 'No' }));
    await waitFor(() => {
      expect(said()).toHaveLength(1);
    });
    expect(said().join()).not.toContain('may have been');
  });
});

describe('higher limits', () => {
  async function raise(ordersPerHour?: string): Promise<void> {
    render(<Brakes connection={liveConnection(NOW)} />);
    fireEvent.click(screen.getByRole('button', { name: 'Change limits' }));
    fireEvent.change(await screen.findByLabelText('Largest order'), { target: { value: '900' } });
    if (ordersPerHour !== undefined)
      fireEvent.change(screen.getByLabelText('Orders in an hour'), {
        target: { value: ordersPerHour },
      });
    fireEvent.click(screen.getByRole('button', { name: 'Save' }));
    await confirmBy('Raise limits with password');
  }

  it.each([
    ['nothing of orders in an hour, which were not edited', undefined, {}, null],
    ['what was chosen of orders in an hour', '40', { maxOrdersPerHour: 40 }, '30 → 40'],
  ])('send %s', async (_, typed, more, told) => {
    await raise(typed);
    const dialog = within(screen.getByRole('dialog'));
    const line = dialog.queryByText('Orders in an hour')?.parentElement?.textContent ?? null;
    expect(line).toBe(told === null ? null : `Orders in an hour${told}`);
    confirmation.resolve(STEP_UP);
    await screen.findByText(/^Being sent\./);
    const limits = { maxOrder: '900', maxExposure: '500', maxDailyLoss: '25' };
    expect(sent()).toEqual([
      { params: { id: CONNECTION_ID }, body: { limits, ...more, stepUp: STEP_UP } },
    ]);
  });

  it('are not sent once the dialog was closed during their confirmation', async () => {
    await raise();
    await leave(WAYS_OUT[1][1]);
    confirmation.resolve(STEP_UP);
    await settle();
    expect(sent()).toEqual([]);
    expect(said()).toEqual([]);
  });

  it('may have been set where the dialog was closed before the answer, which is said', async () => {
    await raise();
    confirmation.resolve(STEP_UP);
    await screen.findByText(/^Being sent\./);
    await leave(WAYS_OUT[2][1]);
    last.reject(new ApiError('Lost', { code: 'network', status: 0, text: 'Lost' }));
    await waitFor(() => {
      expect(said().join()).toContain('The limits at Kraken may have been raised.');
    });
    expect(asked('liveAccount')).toBeGreaterThan(0);
  });
});
