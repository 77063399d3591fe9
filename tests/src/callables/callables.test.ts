/**
 * The client of the hosted functions: Firebase's region and path, and its errors as the app's own.
 */
import { initializeApp } from 'firebase/app';
import { getFunctions } from 'firebase/functions';
import { describe, expect, it, vi } from 'vitest';
import { CALLABLE_PATH, CALLABLE_REGION } from '../../../contract/callables.ts';

const { send, session } = vi.hoisted(() => {
  const present: { user: { uid: string } | null } = { user: { uid: 'ann' } };
  return { send: vi.fn(), session: present };
});
vi.mock('../../../src/identity/session.ts', () => ({
  idToken: () => Promise.resolve('t'),
  session,
  samePerson: () => {
    const uid = session.user?.uid;
    return () => session.user?.uid === uid;
  },
}));
vi.mock('firebase/functions', async (original) => ({
  ...(await original<object>()),
  httpsCallable: () => send,
}));
vi.mock('../../../src/environment.ts', () => ({
  environment: { apiUrl: 'https://trade.example.com' },
}));
vi.mock('../../../src/identity/firebase-app.ts', () => ({ APP_NAME: 'own' }));
const { toApiError } = await import('../../../src/callables/firebase-functions.ts');
const { callFunction } = await import('../../../src/callables/call-function.ts');

describe('hosted functions', () => {
  it('live in us-central1 unless another region is named, and are reached on the back end’s own address (R7-01)', () => {
    const functions = getFunctions(
      initializeApp({ projectId: 'demo-x' }, 'region'),
      `https://trade.example.com${CALLABLE_PATH}`,
    );
    expect([functions.region, functions.customDomain]).toEqual([
      CALLABLE_REGION,
      'https://trade.example.com/callable',
    ]);
  });

  it('are called for who asked alone, also where somebody else has logged in before they are sent or answered', async () => {
    initializeApp({ projectId: 'demo-x' }, 'own');
    const late = callFunction('deleteAccount', { confirm: 'DELETE' });
    session.user = { uid: 'bob' };
    await expect(late).rejects.toMatchObject({ code: 'not_authenticated' });
    expect(send).not.toHaveBeenCalled();
    const answersTo = (next: { uid: string } | null) => {
      session.user = { uid: 'ann' };
      send.mockImplementationOnce(() => {
        session.user = next;
        return Promise.resolve({ data: { state: 'done' } });
      });
      return callFunction('deleteAccount', { confirm: 'DELETE' });
    };
    await expect(answersTo({ uid: 'bob' })).rejects.toMatchObject({ code: 'not_authenticated' });
    // The call itself ends the session.
    await expect(answersTo(null)).resolves.toEqual({ state: 'done' });
  });

  it('fail with the app’s own errors: our code where the server gave one, else the protocol’s word, else the network', () => {
    const details = {
      code: 'invalid_request',
      field: 'subscription.endpoint',
      issues: [{ field: 'subscription.endpoint', message: 'An https address' }],
    };
    expect(
      toApiError({ code: 'functions/invalid-argument', message: 'No <push> service', details }),
    ).toMatchObject({
      code: 'invalid_request',
      status: 400,
      field: 'subscription.endpoint',
      text: 'No push service',
    });
    expect(toApiError({ code: 'functions/unauthenticated', message: 'x' })).toMatchObject({
      code: 'not_authenticated',
      status: 401,
    });
    expect(
      toApiError({
        code: 'functions/unavailable',
        message: 'x',
        details: { code: 'from_the_future' },
      }),
    ).toMatchObject({ code: 'unknown' });
    expect(toApiError({ code: 'functions/internal', message: 'internal' })).toMatchObject({
      code: 'network',
      status: 0,
      retryable: true,
    });
  });
});
