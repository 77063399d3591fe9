// @vitest-environment happy-dom
/** The edit of an agent as it is saved: what is typed meanwhile is kept with the version it edits. */
import '../../../../support/page-world.ts';
import { cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ApiError } from '../../../../../src/api/api-error.ts';
import { recordAgent } from '../../../../../src/api/recorded-replies.ts';

const { call } = vi.hoisted(() => ({ call: vi.fn() }));
vi.mock('../../../../../src/api/api.ts', async (original) => ({
  ...(await original<object>()),
  api: { call },
}));
vi.mock('../../../../../src/stores/agents-store.ts', async (original) => ({
  ...(await original<object>()),
  loadAgents: () => Promise.resolve(),
}));
vi.mock('../../../../../src/screens/agents/preview/PreviewPanel.tsx', () => ({
  default: () => null,
}));
vi.mock('../../../../../src/screens/agents/backtest/BacktestPanel.tsx', () => ({
  default: () => null,
}));

const { default: EditAgentForm } =
  await import('../../../../../src/screens/agents/detail/EditAgentForm.tsx');
const { writeLastUser } = await import('../../../../../src/identity/last-user.ts');
const { session } = await import('../../../../../src/identity/session.ts');

const { removeToast, toastStore } = await import('../../../../../src/stores/toast-store.ts');

const agent = { ...recordAgent('a1', 'Harbour', 0), version: 3 };
const user = { uid: 'uid-1', email: 'a@example.com', lastSignInTime: new Date(0).toUTCString() };
const onSaved = vi.fn();
const size = () => screen.getByLabelText<HTMLInputElement>('Largest position');
const type = (value: string): void => {
  fireEvent.change(size(), { target: { value } });
};
const save = (): void => {
  fireEvent.click(screen.getByRole('button', { name: 'Save' }));
};
const idle = () =>
  waitFor(() => {
    expect(screen.getByRole('button', { name: 'Save' }).getAttribute('aria-busy')).toBeNull();
  });
const keptBase = (): unknown =>
  (
    JSON.parse(localStorage.getItem('tradewind.draft.agent-edit.a1') ?? '{}') as {
      value?: { base: number };
    }
  ).value?.base;
/** The server's answer to the next save, to be given later. */
function heldReply() {
  let [resolve, reject] = [
    (_reply: unknown): void => undefined,
    (_error: Error): void => undefined,
  ];
  call.mockReturnValueOnce(
    new Promise((resolved, rejected) => {
      [resolve, reject] = [resolved, rejected];
    }),
  );
  return { resolve, reject };
}

beforeEach(() => {
  call.mockReset();
  onSaved.mockReset();
  removeToast();
  localStorage.clear();
  writeLastUser(user);
  Object.assign(session, { user });
  render(<EditAgentForm agent={agent} onSaved={onSaved} />);
});
afterEach(cleanup);

it('ends once it is saved as it stands (R7-16)', async () => {
  call.mockResolvedValueOnce({ agent: { ...agent, version: 4 } });
  type('300');
  save();
  await waitFor(() => {
    expect(onSaved).toHaveBeenCalledOnce();
  });
  expect(keptBase()).toBeUndefined();
});

it('starts and stops nothing: what it last saw of that may be old (R7-16)', async () => {
  call.mockResolvedValueOnce({ agent: { ...agent, version: 4 } });
  type('300');
  save();
  await waitFor(() => {
    expect(call).toHaveBeenCalledWith(
      'updateAgent',
      expect.objectContaining({ params: { id: 'a1' }, query: { enabled: 'keep' } }),
    );
  });
});

it('keeps what is typed while it is saved, as an edit of what was saved (R7-16)', async () => {
  const held = heldReply();
  type('300');
  save();
  type('3000');
  held.resolve({ agent: { ...agent, version: 4, max_position_size: 300 } });
  await idle();
  expect([size().value, keptBase(), onSaved.mock.calls]).toEqual(['3000', 4, []]);
  call.mockResolvedValueOnce({ agent: { ...agent, version: 5 } });
  save();
  await waitFor(() => {
    expect(onSaved).toHaveBeenCalledOnce();
  });
  expect(call).toHaveBeenLastCalledWith(
    'updateAgent',
    expect.objectContaining({
      body: expect.objectContaining({ max_position_size: 3000, version: 4 }) as object,
    }),
  );
});

it('keeps what is typed while the server finds a change of another device (R7-16)', async () => {
  const held = heldReply();
  type('300');
  save();
  type('3000');
  held.reject(
    new ApiError('409', {
      code: 'agent_changed',
      status: 409,
      text: '',
      details: { agent: { ...agent, version: 9 } },
    }),
  );
  await idle();
  expect([size().value, keptBase()]).toEqual(['3000', 9]);
});

describe('a save whose answer was lost', () => {
  const lost = new ApiError('Failed to fetch', { code: 'network', status: 0, text: '' });
  const keys = () =>
    call.mock.calls.map(([, input]) => (input as { commandId?: string }).commandId);
  const loseAnswer = async (): Promise<void> => {
    call.mockRejectedValueOnce(lost);
    type('300');
    save();
    await screen.findByRole('alert');
    await idle();
  };

  it('is sent again under its key, so that its receipt answers (R7-16)', async () => {
    await loseAnswer();
    call.mockResolvedValueOnce({ agent: { ...agent, version: 4, max_position_size: 300 } });
    save();
    await waitFor(() => {
      expect(onSaved).toHaveBeenCalledOnce();
    });
    const [first, second] = keys();
    expect(first).toMatch(/^[0-9a-f-]{36}$/);
    expect(second).toBe(first);
  });

  it('has another key for other entries (R7-16)', async () => {
    await loseAnswer();
    call.mockResolvedValueOnce({ agent: { ...agent, version: 4, max_position_size: 400 } });
    type('400');
    save();
    await waitFor(() => {
      expect(onSaved).toHaveBeenCalledOnce();
    });
    expect(new Set(keys()).size).toBe(2);
  });

  it('counts as saved where the agent has these terms by now, and blames no other device (R7-16)', async () => {
    const theirs = { ...agent, version: 4, max_position_size: 300 };
    call.mockRejectedValueOnce(
      new ApiError('409', {
        code: 'agent_changed',
        status: 409,
        text: '',
        details: { agent: theirs },
      }),
    );
    type('300');
    save();
    await waitFor(() => {
      expect(onSaved).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ version: 4 }));
    });
    expect(screen.queryByRole('alert')).toBeNull();
    expect(keptBase()).toBeUndefined();
  });
});

describe('an edit whose sheet is closed while it is saved', () => {
  const said = (): string[] => toastStore.toasts.map(({ message }) => message);
  const reopen = (): void => {
    render(<EditAgentForm agent={agent} onSaved={onSaved} />);
  };
  const tell = async (answer: () => void): Promise<void> => {
    answer();
    await waitFor(() => {
      expect(said()).toHaveLength(1);
    });
  };

  it('says in a toast that the server refused it, and keeps it (R7-16)', async () => {
    const held = heldReply();
    type('300');
    save();
    cleanup();
    const text = 'Your plan allows no such size.';
    await tell(() => {
      held.reject(new ApiError(text, { code: 'internal', status: 500, text }));
    });
    expect(said()[0]).toMatch(/^Harbour: /);
    expect(keptBase()).toBe(3);
  });

  it('says in a toast what another device changed, and keeps the edit on that (R7-16)', async () => {
    const held = heldReply();
    type('300');
    save();
    cleanup();
    await tell(() => {
      const details = { agent: { ...agent, version: 9 } };
      held.reject(new ApiError('409', { code: 'agent_changed', status: 409, text: '', details }));
    });
    expect(said()[0]).toMatch(/^Harbour: Changed on another device/);
    expect(keptBase()).toBe(9);
  });

  it('closes no form that was opened since, and keeps what was typed there (R7-16)', async () => {
    const held = heldReply();
    type('300');
    save();
    cleanup();
    reopen();
    type('4000');
    await tell(() => {
      held.resolve({ agent: { ...agent, version: 4, max_position_size: 300 } });
    });
    expect(said()[0]).toBe(
      'Harbour: Saved. Your entries since then are kept. Save again to apply them.',
    );
    expect([onSaved.mock.calls, size().value, keptBase()]).toEqual([[], '4000', 4]);
  });

  it('says that it was saved, and forgets it (R7-16)', async () => {
    const held = heldReply();
    type('300');
    save();
    cleanup();
    await tell(() => {
      held.resolve({ agent: { ...agent, version: 4, max_position_size: 300 } });
    });
    expect([said(), keptBase(), onSaved.mock.calls]).toEqual([['Harbour: Saved.'], undefined, []]);
  });
});
