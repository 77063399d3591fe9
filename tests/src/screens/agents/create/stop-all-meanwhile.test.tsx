// @vitest-environment happy-dom
/** Stop all while the server's answer to "Create and start" is out: no agent runs after it. */
import '../../../../support/page-world.ts';
import 'fake-indexeddb/auto';
import { cleanup, renderHook, waitFor } from '@testing-library/react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Agent, AgentCreateBody } from '../../../../../contract/agents.ts';
import { ApiError, type ApiErrorCode } from '../../../../../src/api/api-error.ts';
import { recordAgent } from '../../../../../src/api/recorded-replies.ts';
import type { OutboxEntry } from '../../../../../src/offline/outbox-entry.ts';

const { call, start, stop } = vi.hoisted(() => ({ call: vi.fn(), start: vi.fn(), stop: vi.fn() }));
vi.mock('../../../../../src/api/api.ts', async (original) => ({
  ...(await original<object>()),
  api: { call },
}));
vi.mock('../../../../../src/commands.ts', async (original) => ({
  ...(await original<object>()),
  startAgent: start,
  stopAgent: stop,
}));

const { queue, stopAll } = await import('../../../../../src/commands.ts');
const { writeLastUser } = await import('../../../../../src/identity/last-user.ts');
const { session } = await import('../../../../../src/identity/session.ts');
const { NEW_AGENT } = await import('../../../../../src/screens/agents/create/agent-draft.ts');
const { isUnanswered } = await import('../../../../../src/screens/agents/create/kept-request.ts');
const { useCreateAgent } =
  await import('../../../../../src/screens/agents/create/use-create-agent.ts');
const { clearAgents } = await import('../../../../../src/stores/agents-store.ts');
const { connection } = await import('../../../../../src/stores/connection.ts');
const { removeToast, toastStore } = await import('../../../../../src/stores/toast-store.ts');

const DRAFT = { ...NEW_AGENT, name: 'Windward', pairs: ['BTC/USDT'] };
const fails = (code: ApiErrorCode, status: number): ApiError =>
  new ApiError(code, { code, status, text: code });

/** The server with its receipts, behind a network on which `createAgent` hangs at first. */
let agents: Agent[] = [];
let made: AgentCreateBody[] = [];
let keys: (string | undefined)[] = [];
/** What the first request does when it is given up: `lost` on the way, or `arrived` unanswered. */
let first: 'lost' | 'arrived' = 'lost';
/** The network is back for the first request, where it is still being tried. */
let comesBack: () => void = () => undefined;

interface Input {
  body: AgentCreateBody;
  commandId: string;
  signal?: AbortSignal;
}
const receipts = new Map<string, { text: string; agent: Agent }>();
function carryOut({ body, commandId }: Input): Promise<unknown> {
  const text = JSON.stringify(body);
  const known = receipts.get(commandId);
  if (known !== undefined && known.text !== text)
    return Promise.reject(fails('idempotency_mismatch', 422));
  if (known === undefined) {
    made.push(body);
    const agent: Agent = {
      ...recordAgent('made', body.name, 0),
      enabled: body.enabled,
      status: body.enabled ? 'running' : 'stopped',
      startedAt: body.enabled ? 5 : null,
    };
    agents = [agent];
    receipts.set(commandId, { text, agent });
  }
  return Promise.resolve({ commandId, agent: receipts.get(commandId)?.agent });
}
function create(input: Input): Promise<unknown> {
  keys.push(input.commandId);
  if (keys.length > 1) return carryOut(input);
  if (first === 'arrived') void carryOut(input);
  return new Promise((resolve, reject) => {
    comesBack = () => {
      if (input.signal?.aborted !== true) resolve(carryOut(input));
    };
    input.signal?.addEventListener('abort', () => {
      reject(fails('aborted', 0));
    });
  });
}

const said = (): string[] => toastStore.toasts.map(({ message }) => message);
const stopAllEntry = { intent: 'stop-all', sequence: 7 } as unknown as OutboxEntry;

/** Presses "Create and start" and closes the sheet while the request is under way. */
async function press(): Promise<{ done: Promise<unknown> }> {
  const { result, unmount } = renderHook(() =>
    useCreateAgent({ draftName: 'agent', onSettled: () => true, onCreated: () => undefined }),
  );
  const done = result.current.create(DRAFT, true);
  await waitFor(() => {
    expect(keys).toHaveLength(1);
  });
  unmount();
  return { done };
}

beforeEach(() => {
  localStorage.clear();
  removeToast();
  clearAgents();
  [agents, made, keys, first] = [[], [], [], 'lost'];
  receipts.clear();
  queue.entries = [];
  connection.online = 'online';
  start.mockReset().mockResolvedValue({ said: 'refused', message: 'started' });
  stop.mockReset().mockResolvedValue({ said: 'saved', entry: stopAllEntry });
  call.mockReset().mockImplementation((name: string, input: unknown) => {
    if (name === 'createAgent') return create(input as Input);
    return Promise.resolve({ agents: structuredClone(agents), sequence: keys.length, asOf: 1 });
  });
  const user = { uid: 'uid-1', email: 'a@example.com', lastSignInTime: new Date().toUTCString() };
  writeLastUser(user);
  Object.assign(session, { user });
});
afterEach(cleanup);

it.each([
  ['here', () => void stopAll()],
  ['in another tab', () => (queue.entries = [stopAllEntry])],
])(
  'creates the agent without its start where Stop all is pressed %s meanwhile (R7-18)',
  async (_where, pressed) => {
    const { done } = await press();
    pressed();
    comesBack();
    await done;
    expect(made).toMatchObject([{ name: 'Windward', enabled: false }]);
    expect(new Set(keys).size).toBe(1);
    expect(isUnanswered('agent')).toBe(false);
    expect([start.mock.calls, stop.mock.calls]).toEqual([[], []]);
    expect(said()).toContain('Windward is not started: Stop all was pressed after Create.');
  },
);

it('stops the agent where an attempt before Stop all has started it (R7-18)', async () => {
  first = 'arrived';
  const { done } = await press();
  void stopAll();
  await done;
  expect(made).toMatchObject([{ enabled: true }]);
  expect(stop.mock.calls).toMatchObject([[{ id: 'made', status: 'running' }]]);
  expect(said()).toEqual(
    expect.arrayContaining([
      'Windward had already started. Its stop is saved and will be sent.',
      'Windward was created.',
    ]),
  );
});

it.each([
  { said: 'refused', message: 'Not authenticated' },
  { said: 'not-saved', message: 'Not saved and not sent.' },
  { said: 'sent', message: 'Sent to the server.' },
])('claims no more of the stop of a started agent than came of it: $said (R7-18)', async (came) => {
  first = 'arrived';
  let settle: (came: unknown) => void = () => undefined;
  stop.mockReturnValue(new Promise((resolve) => (settle = resolve)));
  const { done } = await press();
  void stopAll();
  await done;
  expect(said()).toEqual(['Windward was created.']);
  settle(came);
  await waitFor(() => {
    expect(said()).toContain(`Windward had already started. ${came.message}`);
  });
  expect(said()).toHaveLength(2);
});

it('names the agent to nobody who has logged in while its stop was being saved', async () => {
  first = 'arrived';
  let settle: (came: unknown) => void = () => undefined;
  stop.mockReturnValue(new Promise((resolve) => (settle = resolve)));
  const { done } = await press();
  void stopAll();
  await done;
  removeToast();
  Object.assign(session, { user: { ...session.user, uid: 'uid-2' } });
  settle({ said: 'saved', entry: stopAllEntry });
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(said()).toEqual([]);
});

it('says that an agent ran where it was started and is stopped by now (R7-18)', async () => {
  first = 'arrived';
  const { done } = await press();
  agents = agents.map((agent) => ({ ...agent, enabled: false, status: 'stopped', generation: 2 }));
  void stopAll();
  await done;
  expect(stop).not.toHaveBeenCalled();
  expect(said()).toContain('Windward had already started. It is stopped now. Check its positions.');
});

it('creates nothing for somebody who has logged in meanwhile and presses Stop all', async () => {
  const { done } = await press();
  Object.assign(session, { user: { ...session.user, uid: 'uid-2' } });
  void stopAll();
  await done;
  expect(keys).toHaveLength(1);
  expect(made).toEqual([]);
});

it('leaves alone what was stopped by Stop all and has been started again since (R7-17)', async () => {
  first = 'arrived';
  const { done } = await press();
  agents = agents.map((agent) => ({ ...agent, startedAt: 9, generation: 3 }));
  void stopAll();
  await done;
  expect([start.mock.calls, stop.mock.calls]).toEqual([[], []]);
});

it('leaves a start alone that was pressed after Stop all', async () => {
  queue.entries = [stopAllEntry];
  void stopAll();
  const { done } = await press();
  comesBack();
  await done;
  expect(made).toMatchObject([{ enabled: true }]);
  expect(stop).not.toHaveBeenCalled();
});

it('keeps the key where the network stays away (R2-12)', async () => {
  const { done } = await press();
  call.mockImplementation((name: string, input: unknown) => {
    if (name !== 'createAgent') return new Promise(() => undefined);
    keys.push((input as Input).commandId);
    return Promise.reject(fails('network', 0));
  });
  void stopAll();
  await done;
  expect(new Set(keys).size).toBe(1);
  expect(isUnanswered('agent')).toBe(true);
});
