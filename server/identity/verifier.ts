/** The token verifier port: a bearer token in, a user out. */

export interface Identity {
  uid: string;
  email: string | null;
  /** Whether they have shown that it is theirs: anybody may sign up with any address. */
  emailVerified: boolean;
  /**
   * Sign-in time, ms UTC. The session ends four hours later, however often the token is refreshed.
   */
  authTimeMs: number;
  /** When the token was issued, ms UTC: by this the provider says whether it still stands. */
  issuedAtMs: number;
  /** The token's own end, ms UTC. */
  expiresAtMs: number;
}

export interface TokenVerifier {
  /**
   * Throws a Refusal (401, or 503 where the provider cannot be reached). `skipRevocation` leaves
   * out the question to the provider, for calls that an outage of it must not block.
   */
  verify(token: string, options?: { skipRevocation?: boolean }): Promise<Identity>;
  /**
   * Forgets every good word the provider gave on this person: the next token of theirs is asked
   * about anew.
   */
  forget(uid: string): void;
}
