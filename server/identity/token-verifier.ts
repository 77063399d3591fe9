/**
 * Verifies Firebase ID tokens: signed ones against the key set, unsigned ones only where the
 * emulator is configured.
 */
import { compactVerify, errors } from 'jose';
import * as z from 'zod/mini';
import type { WallClock } from '../clock.ts';
import type { SessionCheck } from './accounts.ts';
import { checkClaims, decodeToken, invalidToken } from './claims.ts';
import type { KeySet } from './key-set.ts';
import type { Identity, TokenVerifier } from './verifier.ts';

/** What every token of Firebase's has, and the emulator fails without. */
const Emulated = z.object({ user_id: z.string(), firebase: z.object({}) });
const TOKEN_MAX_LENGTH = 8_192;
/** A token is good for an hour and comes with every request; its signature is checked once. */
const SIGNATURES_KEPT = 5_000;

interface Common {
  projectId: string;
  clock: WallClock;
  /** Null where the provider cannot be asked (no API key). */
  accounts: SessionCheck | null;
}

async function verified(
  common: Common,
  token: string,
  skipRevocation: boolean,
  signature: (decoded: ReturnType<typeof decodeToken>) => Promise<void>,
): Promise<Identity> {
  if (token.length > TOKEN_MAX_LENGTH) throw invalidToken();
  const decoded = decodeToken(token);
  const identity = checkClaims(decoded.claims, common.projectId, common.clock.now());
  await signature(decoded);
  if (common.accounts !== null && !skipRevocation)
    await common.accounts.check(token, identity.uid, identity.issuedAtMs);
  return identity;
}

/** Signature by a key of the provider's set, RS256 and nothing else. */
export class SignedTokenVerifier implements TokenVerifier {
  /** Tokens whose signature was found right, and the keys it was checked with. */
  private readonly signed = new Map<string, unknown>();

  constructor(
    private readonly keys: Pick<KeySet, 'keysFor'>,
    private readonly common: Common,
    private readonly signaturesKept = SIGNATURES_KEPT,
  ) {}

  forget(uid: string): void {
    this.common.accounts?.forget(uid);
  }

  async verify(token: string, options: { skipRevocation?: boolean } = {}): Promise<Identity> {
    return verified(this.common, token, options.skipRevocation === true, async ({ alg, kid }) => {
      if (alg !== 'RS256' || kid === null) throw invalidToken();
      const keys = await this.keys.keysFor(kid);
      if (this.signed.get(token) === keys) return;
      try {
        await compactVerify(token, keys, { algorithms: ['RS256'] });
      } catch (error) {
        if (error instanceof errors.JOSEError) throw invalidToken();
        throw error;
      }
      this.keep(token, keys);
    });
  }

  private keep(token: string, keys: unknown): void {
    this.signed.set(token, keys);
    if (this.signed.size <= this.signaturesKept) return;
    const oldest = this.signed.keys().next();
    if (oldest.done !== true) this.signed.delete(oldest.value);
  }
}

/**
 * Tokens of the local emulator carry no signature; that the account exists is asked of the emulator
 * itself.
 */
export class EmulatorTokenVerifier implements TokenVerifier {
  constructor(private readonly common: Common & { accounts: SessionCheck }) {}

  forget(uid: string): void {
    this.common.accounts.forget(uid);
  }

  async verify(token: string, options: { skipRevocation?: boolean } = {}): Promise<Identity> {
    return verified(
      this.common,
      token,
      options.skipRevocation === true,
      async ({ alg, signature, claims }) => {
        if (alg !== 'none' || signature !== '' || !Emulated.safeParse(claims).success)
          throw invalidToken();
      },
    );
  }
}
