/** The page's provider: what a person reads when Google's own part fails. */
import { describe, expect, it } from 'vitest';
import { errorSentence } from '../../../src/format/error-text.ts';
import { googleFailure } from '../../../src/identity/firebase-auth.ts';

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
