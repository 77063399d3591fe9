/** Proof of identity inside a form: a password, or Google where there is none. */
import { useEffect, useState } from 'react';
import { Field } from '../../components/Field.tsx';
import { errorSentence } from '../../format/error-text.ts';
import type { SignInMethod } from '../../identity/account-port.ts';
import { signInMethods } from '../../identity/own-sign-in.ts';

/** How this user can log in; null until the provider is loaded, and the reason where it is not. */
export function useSignInMethods(): { methods: SignInMethod[] | null; reason: string | null } {
  const [methods, setMethods] = useState<SignInMethod[] | null>(null);
  const [reason, setReason] = useState<string | null>(null);
  useEffect(() => {
    let here = true;
    signInMethods().then(
      (found) => {
        if (here) setMethods(found);
      },
      (error: unknown) => {
        if (here) setReason(errorSentence(error));
      },
    );
    return () => {
      here = false;
    };
  }, []);
  return { methods, reason };
}

export function ProveField({
  email,
  value,
  error,
  onChange,
}: {
  email: string;
  value: string;
  error?: string | undefined;
  onChange: (value: string) => void;
}) {
  return (
    <>
      <input type="hidden" autoComplete="username" value={email} readOnly />
      <Field
        label="Current password"
        type="password"
        name="password"
        autoComplete="current-password"
        value={value}
        error={error}
        onChange={(event) => {
          onChange(event.target.value);
        }}
      />
    </>
  );
}
