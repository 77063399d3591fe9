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
  private readonly revokedAt = new Map<string, number>();
  /** Of whom it was asked whether their sign-ins stand, in order. */
  readonly askedAbout: string[] = [];
  readonly removed = new Set<string>();
  /** Off: it does not answer, as in an outage. */
  answers = true;

  constructor(private readonly now: () => number) {}

  check(_token: string, uid: string, issuedAtMs: number): Promise<void> {
    if (this.removed.has(uid) || issuedAtMs < (this.revokedAt.get(uid) ?? 0))
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
    this.revokedAt.set(uid, this.now());
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

  async validSince(uid: string): Promise<number | null> {
    this.askedAbout.push(uid);
    this.mustAnswer();
    return this.removed.has(uid) ? null : (this.revokedAt.get(uid) ?? 0);
  }

  private mustAnswer(): void {
    if (!this.answers)
      throw new Refusal('identity_unavailable', 'The identity provider is unavailable');
  }
}
