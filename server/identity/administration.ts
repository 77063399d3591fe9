/** What the server changes at the identity provider. It creates and impersonates nobody. */
import type { Auth } from 'firebase-admin/auth';
import type { Log } from '../log.ts';
import { ProviderLine } from './provider-line.ts';

const LIMITS = { atOnce: 8, waiting: 64 };
/** Of the questions whether sign-ins stand, which must not hold up what a person asks for. */
const CHECK_LIMITS = { atOnce: 16, waiting: 64 };

/** What the provider holds about a person. */
export interface IdentityRecord {
  email: string | null;
  emailVerified: boolean;
  displayName: string | null;
  /** `password`, `google.com`. */
  providers: string[];
  /** As the provider words them: UTC dates. */
  createdAt: string | null;
  lastSignInAt: string | null;
}

export interface IdentityAdministration {
  /**
   * Ends every sign-in made until now: no token can be renewed, and those that are out are refused
   * when asked about.
   */
  revoke(uid: string): Promise<void>;
  /** Deletes the identity; fine where it is gone already. */
  remove(uid: string): Promise<void>;
  /** Null where the provider knows nobody by it. */
  read(uid: string): Promise<IdentityRecord | null>;
  /**
   * Tokens issued before it are over, ms UTC. Null where none is good: the account is disabled, or
   * the provider knows nobody by it.
   */
  validSince(uid: string): Promise<number | null>;
}

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : '';

/** The library is large: loaded at the first use. */
const loadLibrary = async () => {
  const [{ applicationDefault, getApps, initializeApp }, { getAuth }] = await Promise.all([
    import('firebase-admin/app'),
    import('firebase-admin/auth'),
  ]);
  return { applicationDefault, getApps, initializeApp, getAuth };
};

/**
 * Opened at the first use, as the library is large. A real project needs the credentials of a
 * service account where Google's libraries look for them (GOOGLE_APPLICATION_CREDENTIALS).
 */
export class FirebaseAdministration implements IdentityAdministration {
  private opened: Promise<Auth> | null = null;
  private readonly line = new ProviderLine(LIMITS);
  private readonly checks = new ProviderLine(CHECK_LIMITS);

  /** `emulator`: host and port of one, or null for the project itself. */
  constructor(
    private readonly projectId: string,
    private readonly emulator: string | null,
    private readonly log: Log,
  ) {}

  revoke(uid: string): Promise<void> {
    return this.ask('revoke', (auth) => auth.revokeRefreshTokens(uid));
  }

  remove(uid: string): Promise<void> {
    return this.ask('remove', (auth) =>
      auth.deleteUser(uid).catch((error: unknown) => {
        if (codeOf(error) !== 'auth/user-not-found') throw error;
      }),
    );
  }

  read(uid: string): Promise<IdentityRecord | null> {
    return this.ask('read', async (auth) => {
      try {
        const { email, emailVerified, displayName, providerData, metadata } =
          await auth.getUser(uid);
        return {
          email: email ?? null,
          emailVerified,
          displayName: displayName ?? null,
          providers: providerData.map(({ providerId }) => providerId),
          createdAt: metadata.creationTime,
          lastSignInAt: metadata.lastSignInTime,
        };
      } catch (error) {
        if (codeOf(error) === 'auth/user-not-found') return null;
        throw error;
      }
    });
  }

  validSince(uid: string): Promise<number | null> {
    return this.ask(
      'validSince',
      async (auth) => {
        try {
          const { disabled, tokensValidAfterTime } = await auth.getUser(uid);
          if (disabled) return null;
          return tokensValidAfterTime === undefined ? 0 : Date.parse(tokensValidAfterTime);
        } catch (error) {
          if (codeOf(error) === 'auth/user-not-found') return null;
          throw error;
        }
      },
      this.checks,
    );
  }

  private open(): Promise<Auth> {
    this.opened ??= this.load().catch((error: unknown) => {
      this.opened = null;
      throw error;
    });
    return this.opened;
  }

  private async load(): Promise<Auth> {
    const { applicationDefault, getApps, initializeApp, getAuth } = await loadLibrary();
    // The library knows no other way to be told of an emulator, and reads it at every request.
    if (this.emulator !== null) process.env.FIREBASE_AUTH_EMULATOR_HOST = this.emulator;
    const name = 'tradewind';
    const app =
      getApps().find((known) => known.name === name) ??
      initializeApp(
        {
          projectId: this.projectId,
          ...(this.emulator === null ? { credential: applicationDefault() } : {}),
        },
        name,
      );
    return getAuth(app);
  }

  private async ask<T>(
    what: string,
    work: (auth: Auth) => Promise<T>,
    line = this.line,
  ): Promise<T> {
    // To load it takes a busy machine longer than anybody waits for the provider, whose fault that
    // is not. Where it cannot be loaded, opening it says so.
    await loadLibrary().catch(() => undefined);
    // The library waits 25 seconds by itself and tries again: nobody waits for it longer than the
    // line allows.
    return line.run(async () => {
      try {
        return await work(await this.open());
      } catch (error) {
        this.log.error({ what, code: codeOf(error) }, 'the identity provider rejected a request');
        throw error;
      }
    });
  }
}
