/** Validates the login forms, no more strictly than the identity provider, and places its errors. */
import { errorSentence } from '../../format/error-text.ts';
import { ownAddress } from '../../identity/own-address.ts';

export interface CredentialErrors {
  name?: string;
  email?: string;
  password?: string;
  form?: string;
}

const EMAIL = /^[^\s@]+@[^\s@]+\.[^\s@]+$|^[^\s@]+@localhost$/;
export const PASSWORD_LEAST = 6;

export function checkCredentials(
  email: string,
  password: string,
  isNew: boolean,
): CredentialErrors {
  const errors: CredentialErrors = {};
  if (email.trim() === '') errors.email = 'Required';
  else if (!EMAIL.test(email.trim())) errors.email = 'That is not an email address.';
  if (password === '') errors.password = 'Required';
  else if (isNew && password.length < PASSWORD_LEAST)
    errors.password = `At least ${PASSWORD_LEAST} characters.`;
  return errors;
}

const FIELD: Readonly<Record<string, keyof CredentialErrors>> = {
  'auth/email-already-in-use': 'email',
  'auth/invalid-email': 'email',
  'auth/weak-password': 'password',
  'auth/missing-password': 'password',
};

/** The provider's error, under the field that it is about. */
export function refusedCredentials(error: unknown): CredentialErrors {
  const code =
    error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
  return { [FIELD[code] ?? 'form']: errorSentence(error) };
}

/** Where to go after login: an address of this app with its query, but not the login itself. */
export function nextPath(search: string, otherwise: string): string {
  const to = ownAddress(new URLSearchParams(search).get('next') ?? '');
  return to === null || /^\/(login|register)\b/.test(to.path) ? otherwise : to.whole;
}
