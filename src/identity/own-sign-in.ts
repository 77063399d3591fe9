/** The current user's own login: proved again, changed, or ended everywhere. */
import { callFunction } from '../callables/call-function.ts';
import type { AccountPort, SignInMethod } from './account-port.ts';
import { PASSWORD_CHANGE_KEY } from './last-user.ts';
import { identityProvider, session, signOut, takeSignIn, whileTokenChanges } from './session.ts';

const account = async (): Promise<AccountPort> => (await identityProvider()).account();

export async function signInMethods(): Promise<SignInMethod[]> {
  return (await account()).methods();
}

/** By password, or by Google for null. Restarts the four hours. */
async function proveAgain(password: string | null): Promise<void> {
  await takeSignIn(await (await account()).reauthenticate(password));
}

/** Proves the present password to the identity provider. */
export async function provePassword(password: string): Promise<void> {
  await proveAgain(password);
}

/** By a Google pop-up, in which another account is refused. */
export async function proveByGoogle(): Promise<void> {
  await proveAgain(null);
}

export async function changePassword(present: string, next: string): Promise<void> {
  await proveAgain(present);
  const own = await account();
  await whileTokenChanges(async () => {
    // Before it is sent: the answer may be lost, or the tab closed, once the provider has made it.
    localStorage.setItem(PASSWORD_CHANGE_KEY, session.user?.uid ?? '');
    try {
      await own.changePassword(next);
    } catch (error) {
      if (isRefusal(error)) localStorage.removeItem(PASSWORD_CHANGE_KEY);
      throw error;
    }
    localStorage.removeItem(PASSWORD_CHANGE_KEY);
  });
}

/** Any other failure may come after the change: the provider reads the user again before it ends. */
const isRefusal = (error: unknown): boolean =>
  error instanceof Error &&
  'code' in error &&
  typeof error.code === 'string' &&
  /^auth\/(?:weak-password|password-does-not-meet-requirements|requires-recent-login)$/.test(
    error.code,
  );

export async function changeEmail(password: string, next: string): Promise<void> {
  await proveAgain(password);
  await (await account()).changeEmail(next, `${location.origin}/login`);
}

/** The server first: this device must not be logged out while other sessions are still alive. */
export async function signOutEverywhere(): Promise<void> {
  await callFunction('signOutEverywhere', {});
  await signOut();
}

/** Returns the server's reply; by then the user's data is gone from this device. */
export async function deleteAccount(password: string | null): Promise<'done' | 'under-way'> {
  await proveAgain(password);
  const { state } = await callFunction('deleteAccount', { confirm: 'DELETE' });
  await signOut();
  return state;
}
