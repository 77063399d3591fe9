/**
 * The provider's side of accounts, in memory: who was revoked or removed, asked as the real one is;
 * refuses nothing else.
 */
import { Refusal } from '../../contract/errors.ts';
import type { SessionCheck } from '../../server/identity/accounts.ts';
import type {
  IdentityAdministration,
  IdentityRecord,
} from '../../server/identity/administration.ts';

export class IdentityBook implements SessionCheck, IdentityAdministration {
  private readonly validSince = new Map<string, number>();
  readonly removed = new Set<string>();
  /** Off: it does not answer, as in an outage. */
  answers = true;

  constructor(private readonly now: () => number) {}

  check(_token: string, uid: string, issuedAtMs: number): Promise<void> {
    if (this.removed.has(uid) || issuedAtMs < (this.validSince.get(uid) ?? 0))
      return Promise.reject(
        new Refusal('token_revoked', 'This session was ended. Please log in again.'),
      );
    return Promise.resolve();
  }

  forget(): void {
    // It keeps no good word that could be forgotten.
  }

  async revoke(uid: string): Promise<void> {
    this.mustAnswer();
    this.validSince.set(uid, this.now());
  }

  async remove(uid: string): Promise<void> {
    this.mustAnswer();
    this.removed.add(uid);
  }

  async read(uid: string): Promise<IdentityRecord | null> {
    this.mustAnswer();
    if (this.removed.has(uid)) return null;
    return {
      email: `${uid.toLowerCase()}@example.com`,
      emailVerified: true,
      displayName: null,
      providers: ['password'],
      createdAt: null,
      lastSignInAt: null,
    };
  }

  private mustAnswer(): void {
    if (!this.answers)
      throw new Refusal('identity_unavailable', 'The identity provider is unavailable');
  }
}
