// @vitest-environment happy-dom
/** One draft makes one agent, whichever of its requests and answers are lost. */
import '../../../../support/page-world.ts';
import 'fake-indexeddb/auto';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Agent, AgentCreateBody } from '../../../../../contract/agents.ts';
import { ApiError, type ApiErrorCode } from '../../../../../src/api/api-error.ts';

const { call } = vi.hoisted(() => ({ call: vi.fn() }));
vi.mock('../../../../../src/api/api.ts', async (original) => ({
  ...(await original<object>()),
  api: { call },
}));

const { createOnce, sentRequest } =
  await import('../../../../../src/screens/agents/create/create-once.ts');
const { carryDraft, forgetRequest, isUnanswered, keepRequest } =
  await import('../../../../../src/screens/agents/create/kept-request.ts');
const { session } = await import('../../../../../src/identity/session.ts');
const { writeLastUser } = await import('../../../../../src/identity/last-user.ts');

const BODY: AgentCreateBody = {
  name: 'Windward',
  trading_pairs: ['BTC/USDT'],
  risk_profile: 'Moderate',
  max_position_size: 1_000,
  execution_interval: '5-minute',
  enabled: true,
  pool: 'all_pools',
};
const fails = (code: ApiErrorCode, status: number): ApiError =>
  new ApiError(code, { code, status, text: code });
const LOST = fails('network', 0);

/** What the server does with a key, by its receipts; and what the network then does. */
class Server {
  readonly made: AgentCreateBody[] = [];
  readonly receipts = new Map<string, { body: string; agent: Agent }>();
  /** For the next requests: `request` never arrives, `answer` does not come back. */
  loses: ('request' | 'answer' | null)[] = [];
  refuses: ApiError | null = null;

  answer(_name: string, input: unknown): Promise<{ agent: Agent }> {
    const { body, commandId } = input as { body: AgentCreateBody; commandId: string };
    const loss = this.loses.shift() ?? null;
    if (loss === 'request') return Promise.reject(LOST);
    const text = JSON.stringify({ ...body, tested: undefined });
    const known = this.receipts.get(commandId);
    if (known !== undefined && known.body !== text)
      return Promise.reject(fails('idempotency_mismatch', 422));
    if (known === undefined && this.refuses !== null) return Promise.reject(this.refuses);
    const receipt = known ?? { body: text, agent: this.make(body) };
    this.receipts.set(commandId, receipt);
    return loss === 'answer' ? Promise.reject(LOST) : Promise.resolve({ agent: receipt.agent });
  }

  private make(body: AgentCreateBody): Agent {
    this.made.push(body);
    return { id: `agent-${this.made.length}`, name: body.name } as Agent;
  }
}

let server: Server;
beforeEach(() => {
  localStorage.clear();
  server = new Server();
  call.mockReset();
  call.mockImplementation((name: string, input: unknown) => server.answer(name, input));
  session.user = { uid: 'uid-1', email: null, displayName: null, metadata: {} } as never;
  writeLastUser({ uid: 'uid-1', email: '', lastSignInTime: new Date().toUTCString() });
});

/** As a form does: the request is forgotten once its agent is shown. */
const pressOf = async (draftName: string, body: AgentCreateBody) => {
  const made = await createOnce(draftName, body);
  forgetRequest(draftName, made.commandId);
  return made;
};
const press = (body: AgentCreateBody) => pressOf('agent', body);

describe('a draft that is sent more than once', () => {
  it('makes one agent where the answer was lost, and remembers that until it is known', async () => {
    server.loses = ['answer'];
    await expect(press(BODY)).rejects.toBe(LOST);
    expect(isUnanswered('agent')).toBe(true);
    await expect(press(BODY)).resolves.toMatchObject({ agent: { id: 'agent-1' }, by: BODY });
    expect(server.made).toEqual([BODY]);
    expect(isUnanswered('agent')).toBe(false);
  });

  it('makes what is wanted now where no earlier request has arrived', async () => {
    server.loses = ['request', 'request'];
    const larger = { ...BODY, max_position_size: 2_000 };
    await expect(press(BODY)).rejects.toBe(LOST);
    await expect(press(larger)).rejects.toBe(LOST);
    const last = { ...BODY, enabled: false };
    await expect(press(last)).resolves.toMatchObject({ by: last });
    expect(server.made).toEqual([last]);
  });

  it.each([
    ['to be started or not', { ...BODY, enabled: false }],
    ['with other entries', { ...BODY, name: 'Leeward' }],
  ])(
    'tells the earlier request that arrived from one %s, and makes no second agent',
    async (_what, other) => {
      server.loses = ['answer', 'request'];
      await expect(press(BODY)).rejects.toBe(LOST);
      await expect(press({ ...BODY, max_position_size: 3 })).rejects.toBe(LOST);
      await expect(press(other)).resolves.toMatchObject({ agent: { id: 'agent-1' }, by: BODY });
      expect(server.made).toEqual([BODY]);
      // Known now: the next one is another agent.
      await press(other);
      expect(server.made).toEqual([BODY, other]);
    },
  );

  it('refuses the request that comes late, after another of the draft has taken effect', async () => {
    server.loses = ['request'];
    await expect(press(BODY)).rejects.toBe(LOST);
    const late = call.mock.calls[0]!;
    await press({ ...BODY, enabled: false });
    await expect(server.answer(late[0] as string, late[1])).rejects.toMatchObject({
      code: 'idempotency_mismatch',
    });
    expect(server.made).toHaveLength(1);
  });

  it('keeps what is not known over a refusal that came before the server looked', async () => {
    server.loses = ['answer'];
    await expect(press(BODY)).rejects.toBe(LOST);
    call.mockRejectedValueOnce(fails('reauth_required', 401));
    await expect(press(BODY)).rejects.toMatchObject({ status: 401 });
    await press(BODY);
    expect(server.made).toHaveLength(1);
  });

  it.each([
    ['too many requests', 'rate_limited', 429],
    ['an app that is too old', 'contract_too_old', 426],
    ['a session that ended', 'reauth_required', 401],
    ['a form that this server does not know', 'invalid_request', 400],
    ['a page of a proxy', 'bad_reply', 404],
  ] as const)(
    'makes one agent where a first try was not answered and the next was refused for %s',
    async (_what, code, status) => {
      // The client tells the last try, with what came before it.
      const refusal = fails(code, status);
      refusal.mayHaveArrived = true;
      call.mockImplementationOnce(async (name: string, input: unknown) => {
        await server.answer(name, input);
        throw refusal;
      });
      await expect(press(BODY)).rejects.toBe(refusal);
      expect(isUnanswered('agent')).toBe(true);
      await expect(press(BODY)).resolves.toMatchObject({ agent: { id: 'agent-1' } });
      expect(server.made).toHaveLength(1);
    },
  );

  it('is not unanswered where no try of it can have arrived', async () => {
    call.mockRejectedValueOnce(fails('rate_limited', 429));
    await expect(press(BODY)).rejects.toMatchObject({ status: 429 });
    expect(isUnanswered('agent')).toBe(false);
  });

  it('keeps its key until its agent is shown, and forgets no other request of the draft', async () => {
    const { commandId } = await createOnce('agent', BODY);
    expect(isUnanswered('agent')).toBe(true);
    forgetRequest('agent', 'another');
    expect(isUnanswered('agent')).toBe(true);
    forgetRequest('agent', commandId);
    expect(isUnanswered('agent')).toBe(false);
  });

  it('is one request to a form that saw it, though another form has had the answer', async () => {
    await createOnce('agent', BODY);
    const saw = sentRequest('agent')!;
    forgetRequest('agent', saw.commandId);
    const other = { ...BODY, enabled: false };
    await expect(createOnce('agent', other, { saw })).resolves.toMatchObject({
      agent: { id: 'agent-1' },
      by: BODY,
      isFresh: false,
    });
    forgetRequest('agent', saw.commandId);
    // Other entries are another agent.
    await createOnce('agent', { ...BODY, name: 'Leeward' }, { saw });
    expect(server.made.map(({ name }) => name)).toEqual(['Windward', 'Leeward']);
  });

  it('is unanswered to the form whose own answer was lost, though another form has had one', async () => {
    let lose: () => void = () => undefined;
    const first = createOnce('agent', BODY);
    call.mockImplementationOnce(
      () =>
        new Promise((_resolve, reject) => {
          lose = () => {
            reject(LOST);
          };
        }),
    );
    const second = createOnce('agent', BODY);
    forgetRequest('agent', (await first).commandId);
    lose();
    await expect(second).rejects.toBe(LOST);
    expect(isUnanswered('agent')).toBe(true);
    await press(BODY);
    expect(server.made).toHaveLength(1);
  });

  it('leaves the request of somebody who has logged in meanwhile alone', async () => {
    call.mockImplementationOnce(() => {
      session.user = { ...session.user!, uid: 'uid-2' };
      writeLastUser({ uid: 'uid-2', email: '', lastSignInTime: new Date().toUTCString() });
      keepRequest('agent', { commandId: 'theirs', sentAt: Date.now(), bodies: [BODY] });
      return Promise.reject(fails('not_authenticated', 401));
    });
    await expect(press(BODY)).rejects.toMatchObject({ code: 'not_authenticated' });
    expect(isUnanswered('agent')).toBe(true);
  });

  it('goes on under another name with its request', async () => {
    server.loses = ['answer'];
    await expect(pressOf('agent-copy.one', BODY)).rejects.toBe(LOST);
    carryDraft('agent-copy.one', 'agent', { draft: {} });
    expect(isUnanswered('agent')).toBe(true);
    await press(BODY);
    expect(server.made).toHaveLength(1);
  });

  it('promises nothing once the server may have forgotten the key', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    onTestFinished(() => {
      vi.useRealTimers();
    });
    server.loses = ['answer'];
    await expect(press(BODY)).rejects.toBe(LOST);
    vi.setSystemTime(Date.now() + 29 * 86_400_000);
    expect(isUnanswered('agent')).toBe(false);
  });

  it('is not unanswered after a refusal, and is another request for another draft', async () => {
    server.loses = ['request'];
    await expect(press(BODY)).rejects.toBe(LOST);
    server.refuses = fails('agent_cap_reached', 403);
    await expect(press(BODY)).rejects.toMatchObject({ code: 'agent_cap_reached' });
    expect(isUnanswered('agent')).toBe(false);
    server.refuses = null;
    server.loses = ['answer'];
    await expect(press(BODY)).rejects.toBe(LOST);
    await pressOf('guided-setup', BODY);
    expect(server.made).toHaveLength(2);
  });

  it('lasts as long as the page where the device keeps nothing', async () => {
    localStorage.setItem('tradewind.keepSnapshots', 'false');
    server.loses = ['answer'];
    await expect(press(BODY)).rejects.toBe(LOST);
    expect(isUnanswered('agent')).toBe(true);
    expect(Object.keys(localStorage).filter((key) => key.includes('draft'))).toEqual([]);
    await press(BODY);
    expect(server.made).toHaveLength(1);
    expect(isUnanswered('agent')).toBe(false);
  });
});
