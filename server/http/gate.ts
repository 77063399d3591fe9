/** Admits a request: contract version, rate limits, bearer token, user row. */
import type { FastifyRequest } from 'fastify';
import { Refusal } from '../../contract/errors.ts';
import { CONTRACT_FLOOR, CONTRACT_HEADER } from '../../contract/version.ts';
import type { Identity, TokenVerifier } from '../identity/verifier.ts';
import type { RateLimits } from './rate-limit.ts';

const ADMITTED_MAX = 50_000;

/** Without the header a caller is taken for one that speaks the present contract. */
function requireContract(request: FastifyRequest): void {
  const header = request.headers[CONTRACT_HEADER];
  if (header === undefined) return;
  if (typeof header !== 'string' || !/^\d{1,6}$/.test(header) || Number(header) < CONTRACT_FLOOR) {
    throw new Refusal('contract_too_old', 'This version of the app is too old. Please update it.', {
      details: { floor: CONTRACT_FLOOR },
    });
  }
}

export function bearerToken(request: FastifyRequest): string {
  const header = request.headers.authorization;
  if (header === undefined) throw new Refusal('not_authenticated', 'Not authenticated');
  const [scheme = '', token = '', ...rest] = header.trim().split(/\s+/);
  if (scheme.toLowerCase() !== 'bearer')
    throw new Refusal('not_authenticated', 'Not authenticated');
  if (token === '') throw new Refusal('no_token', 'No authentication token available');
  if (rest.length > 0) throw new Refusal('invalid_token_structure', 'Invalid token structure');
  return token;
}

/**
 * Nobody's, once the caller has left: the socket tells no address any more, and what was sent in
 * full still counts.
 */
export function addressOf(request: FastifyRequest): string {
  const address: unknown = request.ip;
  return typeof address === 'string' ? address : 'left';
}

export interface GateDeps {
  verifier: TokenVerifier;
  limits: RateLimits;
  /** Makes the person's row and account where there is none; idempotent. */
  admit(identity: Identity, isStop: boolean): Promise<void>;
}

interface Admitted {
  email: string | null;
  emailVerified: boolean;
  expiresAtMs: number;
  admission: Promise<void>;
  isDone: boolean;
}

export class Gate {
  /**
   * People seen by this process, and those on their way in: fifty first calls make one admission.
   */
  private readonly admitted = new Map<string, Admitted>();

  constructor(private readonly deps: GateDeps) {}

  /** Checks that ask no one else. */
  arrive(request: FastifyRequest, isStop: boolean): void {
    this.deps.limits.takeAddress(addressOf(request), isStop);
    requireContract(request);
  }

  /** `refusesRevoked`: of a stop, whose token is otherwise not asked about at the provider. */
  async enter(
    request: FastifyRequest,
    isStop: boolean,
    refusesRevoked = !isStop,
  ): Promise<Identity> {
    const identity = await this.identityOf(bearerToken(request), isStop, refusesRevoked);
    this.deps.limits.takeUser(identity.uid, isStop);
    await this.admit(identity, isStop);
    return identity;
  }

  /** A stop is let in whatever the provider's state is: only its word against the token counts. */
  private async identityOf(
    token: string,
    isStop: boolean,
    refusesRevoked: boolean,
  ): Promise<Identity> {
    const { verifier } = this.deps;
    if (!refusesRevoked) return verifier.verify(token, { skipRevocation: true });
    try {
      return await verifier.verify(token);
    } catch (error) {
      const isSilent = error instanceof Refusal && error.code === 'identity_unavailable';
      if (!isStop || !isSilent) throw error;
      return verifier.verify(token, { skipRevocation: true });
    }
  }

  /**
   * Asks again about a token that was let in: an open stream may outlive the account behind it.
   * Throws as `enter` does.
   */
  async recheck(token: string): Promise<void> {
    await this.deps.verifier.verify(token);
  }

  /** The next request of this person is admitted anew, or refused. */
  forget(uid: string): void {
    this.admitted.delete(uid);
  }

  private async admit(identity: Identity, isStop: boolean): Promise<void> {
    const { uid, email, emailVerified, expiresAtMs } = identity;
    const known = this.admitted.get(uid);
    // A newer token with another address is of somebody who has changed or confirmed theirs; an
    // older one still carries the former.
    const isSame = known?.email === email && known.emailVerified === emailVerified;
    if (known !== undefined && (isSame || expiresAtMs <= known.expiresAtMs))
      // One that is still on its way may stand behind commands. A stop goes its own way meanwhile.
      return isStop && !known.isDone ? this.deps.admit(identity, true) : known.admission;
    const admission = this.deps.admit(identity, isStop);
    const entry: Admitted = { email, emailVerified, expiresAtMs, admission, isDone: false };
    this.admitted.set(uid, entry);
    if (this.admitted.size > ADMITTED_MAX) {
      const oldest = this.admitted.keys().next();
      if (oldest.done !== true) this.admitted.delete(oldest.value);
    }
    try {
      await admission;
      entry.isDone = true;
    } catch (error) {
      if (this.admitted.get(uid) === entry) this.admitted.delete(uid);
      throw error;
    }
  }
}
