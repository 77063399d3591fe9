/** Changes to a login through Firebase, in a chunk of its own. */
import {
  EmailAuthProvider,
  GoogleAuthProvider,
  reauthenticateWithCredential,
  reauthenticateWithPopup,
  updatePassword,
  verifyBeforeUpdateEmail,
  type Auth,
  type User,
} from 'firebase/auth';
import type { AccountPort } from './account-port.ts';
import { googleFailure } from './firebase-auth.ts';

export function firebaseAccount(opened: Auth): AccountPort {
  const user = (): User => {
    if (opened.currentUser === null) throw new Error('Not authenticated');
    return opened.currentUser;
  };
  return {
    methods: () =>
      user().providerData.flatMap(({ providerId }) =>
        providerId === 'password'
          ? ['password' as const]
          : providerId === 'google.com'
            ? ['google' as const]
            : [],
      ),
    async reauthenticate(password) {
      if (password !== null)
        return (
          await reauthenticateWithCredential(
            user(),
            EmailAuthProvider.credential(user().email ?? '', password),
          )
        ).user;
      const { browserPopupRedirectResolver } = await import('./google-popup.ts');
      try {
        return (
          await reauthenticateWithPopup(
            user(),
            new GoogleAuthProvider(),
            browserPopupRedirectResolver,
          )
        ).user;
      } catch (cause) {
        throw googleFailure(cause);
      }
    },
    changePassword: (next) => updatePassword(user(), next),
    changeEmail: (next, backTo) => verifyBeforeUpdateEmail(user(), next, { url: backTo }),
  };
}
