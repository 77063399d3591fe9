// @vitest-environment happy-dom
/** What a confirmation says of what was sent: without a network, without an answer, and refused. */
import '../../../../support/page-world.ts';
import { act, cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { StepUpWire } from '../../../../../contract/live.ts';
import { liveConnection } from '../../../../support/live/live-replies.ts';

const { confirmByPassword } = vi.hoisted(() => ({ confirmByPassword: vi.fn() }));
vi.mock('../../../../../src/live/confirm-act.ts', async (original) => ({
  ...(await original<object>()),
  confirmByPassword,
}));

const { ApiError } = await import('../../../../../src/api/api-error.ts');
const { session } = await import('../../../../../src/identity/session.ts');
const { ConfirmForm } = await import('../../../../../src/screens/live/confirm/ConfirmForm.tsx');
const { connection } = await import('../../../../../src/stores/connection.ts');
const { removeToast, toastStore } = await import('../../../../../src/stores/toast-store.ts');

const STEP_UP = { statement: {}, keyId: 'key-1', signature: 's' } as unknown as StepUpWire;
const MAY_BE = 'The key of Kraken may have been replaced.';
const OPEN = 'The outcome is not known yet: an attempt got no answer.';
const USED = 'Confirm the new key again: the confirmation does not count any more.';
const { id, limits, stepUpKeys } = liveConnection(Date.now());

/** Of the call that takes effect. */
let settle: { resolve: () => void; reject: (reason: unknown) => void };
const onConfirmed = vi.fn();
const onUnanswered = vi.fn();
const shown = (): string => document.body.textContent;
const refusal = (mayHaveArrived: boolean) => {
  const error = new ApiError(USED, { code: 'step_up_required', status: 403, text: USED });
  error.mayHaveArrived = mayHaveArrived;
  return error;
};
const lost = () => new ApiError('Lost', { code: 'network', status: 0, text: 'Lost' });
const goOffline = (): Promise<void> =>
  act(async () => {
    connection.online = 'offline';
    await Promise.resolve();
  });

beforeEach(() => {
  removeToast();
  Object.assign(connection, { online: 'online', backAt: null });
  Object.assign(session, {
    status: 'signed-in',
    user: { uid: 'uid-1', email: 'a@example.com', displayName: null, metadata: {} },
  });
  confirmByPassword.mockReset().mockResolvedValue(STEP_UP);
  onUnanswered.mockReset();
  onConfirmed.mockReset().mockImplementation(
    () =>
      new Promise<void>((resolve, reject) => {
        settle = { resolve, reject };
      }),
  );
  render(
    <ConfirmForm
      act={{ connectionId: id, purpose: 'replace_key', agentId: null, limits: null, shown: limits }}
      keys={stepUpKeys}
      label="Replace key"
      onConfirmed={onConfirmed}
      unanswered={MAY_BE}
      onUnanswered={onUnanswered}
    />,
  );
});
afterEach(cleanup);

async function confirm(times = 1): Promise<void> {
  fireEvent.change(screen.getByLabelText(/password/i, { selector: 'input' }), {
    target: { value: 'secret' },
  });
  fireEvent.click(screen.getByRole('button', { name: 'Replace key with password' }));
  await waitFor(() => {
    expect(onConfirmed).toHaveBeenCalledTimes(times);
  });
}
async function fail(error: unknown): Promise<void> {
  await act(async () => {
    settle.reject(error);
    await Promise.resolve();
  });
  await screen.findByRole('alert');
}

describe('a confirmation', () => {
  it('says without a network that nothing was changed, where nothing was sent', async () => {
    await goOffline();
    expect(shown()).toContain('You need a connection to confirm this. Nothing was changed.');
  });

  it('that is being sent is still shown once the network is lost, and never called unchanged', async () => {
    await confirm();
    await goOffline();
    expect(shown()).toContain('Being sent. Closing this does not stop it.');
    expect(shown()).toContain('This was already sent and may take effect.');
    expect(shown()).not.toContain('Nothing was changed');
    await fail(lost());
    expect(shown()).toContain('You need a connection to confirm this again.');
    expect(shown()).toContain(MAY_BE);
    expect(shown()).not.toContain('Nothing was changed');
    expect(onUnanswered).toHaveBeenCalledOnce();
  });

  it('that was refused keeps its reason without a network', async () => {
    await confirm();
    await fail(refusal(false));
    await goOffline();
    expect(shown()).toContain(USED);
    expect(shown()).toContain('You need a connection to confirm this. Nothing was changed.');
  });

  it.each([
    ['server error', () => new ApiError('No', { code: 'internal', status: 502, text: 'No' })],
    ['lost network', lost],
  ])(
    'without an answer (%s) says in the open form that it may have been done',
    async (_, error) => {
      await confirm();
      await fail(error());
      expect(shown()).toContain(MAY_BE);
      expect(onUnanswered).toHaveBeenCalledOnce();
      expect(toastStore.toasts).toEqual([]);
    },
  );

  it('that was refused, and never went without an answer, is not called open', async () => {
    await confirm();
    await fail(refusal(false));
    expect(shown()).toContain(USED);
    expect(shown()).not.toContain(MAY_BE);
    expect(onUnanswered).not.toHaveBeenCalled();
  });

  it('is not told to be made again where an attempt before it went without an answer', async () => {
    await confirm();
    await fail(refusal(true));
    expect(shown()).toContain(`${OPEN} ${MAY_BE}`);
    expect(shown()).not.toContain(USED);
  });

  it('stays open after a second press that is refused, or that is not even sent', async () => {
    await confirm();
    await fail(lost());
    await confirm(2);
    expect(shown()).toContain(MAY_BE);
    await fail(refusal(false));
    await screen.findByText(`${OPEN} ${MAY_BE}`);
    confirmByPassword.mockRejectedValue(new Error('The passkey was not given.'));
    fireEvent.change(screen.getByLabelText(/password/i, { selector: 'input' }), {
      target: { value: 'secret' },
    });
    fireEvent.click(screen.getByRole('button', { name: 'Replace key with password' }));
    await screen.findByText(/The passkey was not given\./);
    expect(shown()).toContain(MAY_BE);
  });

  it('never says that nothing was changed where the signer gave no answer', async () => {
    await confirm();
    await fail(
      new ApiError('Try again soon.', { code: 'signer_unavailable', status: 503, text: 'Soon.' }),
    );
    expect(shown()).toContain(`${OPEN} ${MAY_BE}`);
    expect(shown()).not.toContain('Nothing was changed');
  });

  it.each(['auth/invalid-credential', 'auth/wrong-password'])(
    'says of a wrong password (%s) that it is the password alone',
    async (code) => {
      confirmByPassword.mockRejectedValue(Object.assign(new Error(code), { code }));
      fireEvent.change(screen.getByLabelText(/password/i, { selector: 'input' }), {
        target: { value: 'secret' },
      });
      fireEvent.click(screen.getByRole('button', { name: 'Replace key with password' }));
      await screen.findByText('Wrong password.');
      expect(onConfirmed).not.toHaveBeenCalled();
    },
  );
});
