/** A signed-in user as the identity provider knows them. */

export interface AuthUser {
  uid: string;
  email: string | null;
  displayName: string | null;
  metadata: { lastSignInTime?: string | undefined };
  getIdToken(force: boolean): Promise<string>;
}
