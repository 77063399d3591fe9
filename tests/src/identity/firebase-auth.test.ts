/** The page's provider: what a person reads when Google's part fails, and how long a token holds. */
import { deleteApp, initializeApp } from 'firebase/app';
import { initializeAuth, inMemoryPersistence } from 'firebase/auth';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { errorSentence } from '../../../src/format/error-text.ts';
import { firebaseAuth, googleFailure } from '../../../src/identity/firebase-auth.ts';
import { recordedToken } from '../../../src/identity/recorded-auth.ts';

/** Firebase takes the fetch that it finds when it is loaded. */
const server = vi.hoisted(() => {
  const answer = vi.fn<(url: string) => Promise<Response>>();
  vi.stubGlobal('fetch', answer);
  return answer;
});

const firebaseError = (code: string): Error =>
  Object.assign(new Error(`Firebase: Error (${code}).`), { code });

describe('signing in with Google', () => {
  it('says that Google cannot be reached, and what to do, when its script does not load', () => {
    expect(errorSentence(googleFailure(firebaseError('auth/internal-error')))).toMatch(
      /^Could not reach Google\. Nothing was changed\..*email and password\.$/,
    );
  });

  it('keeps the words of every other failure', () => {
    expect(errorSentence(googleFailure(firebaseError('auth/popup-blocked')))).toMatch(
      /blocked the Google window/,
    );
    expect(errorSentence(googleFailure(firebaseError('auth/popup-closed-by-user')))).toMatch(
      /closed before you were logged in/,
    );
  });
});

describe('the token in hand', () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  it('is said to hold until Firebase would renew it', async () => {
    vi.useFakeTimers({ now: Date.parse('2026-01-10T12:00:00Z'), toFake: ['Date'] });
    const asked: string[] = [];
    const idToken = recordedToken('ann', 'ann@example.com', 'demo-tradewind', Date.now());
    server.mockImplementation((url) => {
      asked.push(new URL(url).pathname.split('/').at(-1) ?? '');
      return Promise.resolve(
        Response.json({
          idToken,
          refreshToken: 'again',
          expiresIn: '3600',
          access_token: idToken,
          refresh_token: 'again',
          expires_in: '3600',
          localId: 'ann',
          users: [{ localId: 'ann', email: 'ann@example.com' }],
        }),
      );
    });
    const app = initializeApp({ apiKey: 'key', projectId: 'demo-tradewind' }, 'holds');
    const auth = firebaseAuth(initializeAuth(app, { persistence: inMemoryPersistence }));
    expect(auth.holdsToken()).toBe(false);
    const user = await auth.signIn('ann@example.com', 'secret');
    const afterSignIn = asked.length;
    vi.advanceTimersByTime(58 * 60_000);
    expect(auth.holdsToken()).toBe(true);
    await user.getIdToken(false);
    expect(asked).toHaveLength(afterSignIn);
    vi.advanceTimersByTime(61_000);
    expect(auth.holdsToken()).toBe(false);
    vi.advanceTimersByTime(60_000);
    await user.getIdToken(false);
    expect(asked.slice(afterSignIn)).toEqual(['token']);
    expect(auth.holdsToken()).toBe(true);
    await deleteApp(app);
  });
});
