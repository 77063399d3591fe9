/** Makes a passkey and lets it confirm. The library for it is loaded here, at the first use. */
import type { ConfirmationReply, Passkey, StepUpWire } from '../../contract/live.ts';
import { api } from '../api/api.ts';
import { base64urlText } from './base64url-text.ts';

/** The person closed the browser's own question, or let it run out. */
export class PasskeyDeclined extends Error {
  override readonly name = 'PasskeyDeclined';
}

const ASK_MS = 120_000;

const loadLibrary = () => import('@simplewebauthn/browser');

/** The browser tells a refusal from a fault by the error's name alone. */
function declined(error: unknown): never {
  const name = error instanceof Error ? error.name : '';
  if (name === 'NotAllowedError' || name === 'AbortError')
    throw new PasskeyDeclined('You did not confirm with your passkey. Nothing was changed.', {
      cause: error,
    });
  throw error;
}

export const canUsePasskeys = (): boolean => typeof globalThis.PublicKeyCredential === 'function';

/** A new passkey of this person's, known to the server. */
export async function makePasskey(label: string): Promise<Passkey> {
  const { startRegistration } = await loadLibrary();
  const { options } = await api.call('passkeyOptions', { body: {} });
  const optionsJSON = options as unknown as Parameters<typeof startRegistration>[0]['optionsJSON'];
  const response = await startRegistration({ optionsJSON }).catch(declined);
  const { passkey } = await api.call('addPasskey', {
    body: { label, response: response as unknown as Record<string, unknown> },
  });
  return passkey;
}

export async function confirmWithPasskey({
  statement,
  challenge,
  rpId,
  keys,
}: ConfirmationReply): Promise<StepUpWire> {
  const { startAuthentication } = await loadLibrary();
  type Options = Parameters<typeof startAuthentication>[0]['optionsJSON'];
  const passkeys = keys.filter(({ kind }) => kind === 'passkey');
  const optionsJSON = {
    challenge,
    rpId,
    userVerification: 'required',
    timeout: ASK_MS,
    allowCredentials: passkeys.map(({ credentialId, transports }) => ({
      id: credentialId ?? '',
      type: 'public-key',
      ...(transports === undefined ? {} : { transports }),
    })),
  } as Options;
  const assertion = await startAuthentication({ optionsJSON }).catch(declined);
  const key = passkeys.find(({ credentialId }) => credentialId === assertion.id);
  if (key === undefined) throw new Error('Another passkey answered than was asked');
  const signature = base64urlText(new TextEncoder().encode(JSON.stringify(assertion)));
  return { statement, keyId: key.id, signature };
}
