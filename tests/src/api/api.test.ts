// @vitest-environment happy-dom
/** The page's own client: whose call a call is, whoever is logged in when it is sent or answered. */
import '../../support/page-world.ts';
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Session } from '../../../src/identity/session.ts';

const { fetched } = vi.hoisted(() => ({ fetched: vi.fn() }));
vi.stubGlobal('fetch', fetched);
vi.mock('../../../src/identity/session.ts', async (original) => {
  const all = await original<{ session: Session }>();
  return { ...all, idToken: () => Promise.resolve(`token of ${all.session.user?.uid}`) };
});
const { api, observeApi, preloadClient } = await import('../../../src/api/api.ts');
const { session } = await import('../../../src/identity/session.ts');

const logIn = (uid: string | null): void => {
  session.status = uid === null ? 'signed-out' : 'signed-in';
  session.user = uid === null ? null : ({ uid, email: null, displayName: null } as never);
};
const json = (status: number, body: unknown): Response =>
  new Response(JSON.stringify(body), { status });
const bearers = (): unknown[] =>
  fetched.mock.calls.map(
    ([, init]) => (init as { headers: Record<string, string> }).headers['authorization'],
  );
/** One request that hangs until it is told how it ends. */
function hanging() {
  let end: (answer: Response | Error) => void = () => undefined;
  fetched.mockImplementationOnce(
    () =>
      new Promise((resolve, reject) => {
        end = (answer) => {
          if (answer instanceof Error) reject(answer);
          else resolve(answer);
        };
      }),
  );
  return {
    sent: () => vi.waitFor(() => expect(fetched).toHaveBeenCalledTimes(1)),
    end: (answer: Response | Error) => {
      end(answer);
    },
  };
}

beforeAll(preloadClient);
beforeEach(() => {
  fetched.mockReset();
  fetched.mockResolvedValue(json(200, { commandId: 'key', agentId: 'a' }));
  logIn('ann');
});
const remove = () => api.call('deleteAgent', { params: { id: 'a' }, commandId: 'key' });

describe('a call', () => {
  it('is never tried again with the token of somebody who has logged in meanwhile', async () => {
    const { sent, end } = hanging();
    const work = remove();
    await sent();
    logIn(null);
    logIn('bob');
    end(new TypeError('Failed to fetch'));
    await expect(work).rejects.toMatchObject({ code: 'not_authenticated', mayHaveArrived: true });
    expect(bearers()).toEqual(['Bearer token of ann']);
  });

  it('is of who pressed also where the code for it had to be waited for', async () => {
    vi.resetModules();
    const fresh = await import('../../../src/api/api.ts');
    const { session: present } = await import('../../../src/identity/session.ts');
    present.user = { uid: 'ann' } as never;
    const work = fresh.api.call('deleteAgent', { params: { id: 'a' }, commandId: 'key' });
    present.user = { uid: 'bob' } as never;
    await expect(work).rejects.toMatchObject({ code: 'not_authenticated', mayHaveArrived: false });
    expect(fetched).not.toHaveBeenCalled();
  });

  it.each([
    ['nobody', null],
    ['another person', 'bob'],
  ])('is not answered where %s is logged in by then', async (_who, next) => {
    const { sent, end } = hanging();
    const work = remove();
    await sent();
    logIn(next);
    end(json(200, { commandId: 'key', agentId: 'a' }));
    await expect(work).rejects.toMatchObject({ code: 'not_authenticated', mayHaveArrived: true });
  });

  it('of a session that is over ends no session of somebody who has logged in meanwhile', async () => {
    const heard: unknown[] = [];
    const stop = observeApi((event) => heard.push(event.type));
    const { sent, end } = hanging();
    const work = remove();
    await sent();
    logIn('bob');
    end(json(401, { error: { code: 'token_revoked', message: 'x' } }));
    await expect(work).rejects.toMatchObject({ code: 'not_authenticated' });
    expect(heard).not.toContain('refused');
    stop();
  });

  it('that needs no token is the same for everybody', async () => {
    const { sent, end } = hanging();
    const work = api.call('healthz', {});
    await sent();
    logIn('bob');
    const health = { app: 'tradewind', status: 'ok', contract: 1, time: 1 };
    end(json(200, health));
    await expect(work).resolves.toMatchObject(health);
  });
});
