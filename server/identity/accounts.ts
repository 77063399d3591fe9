/** Asks the provider whether a token's account still stands; refuses a person who was disabled, deleted or signed out everywhere. */
import { createHash } from 'node:crypto';
import * as z from 'zod/mini';
import { Refusal } from '../../contract/errors.ts';
import type { WallClock } from '../clock.ts';

const ASK_TIMEOUT_MS = 5_000;
const KEEP_MAX = 20_000;
const RETRY_AFTER_MS = 5_000;

const Lookup = z.object({
  users: z.optional(z.array(z.object({ localId: z.string(), disabled: z.optional(z.boolean()), validSince: z.optional(z.string()) }))),
  error: z.optional(z.object({ message: z.string() })),
});

export interface AccountStanding {
  /** Throws `token_revoked`, or 503 when the provider does not answer. */
  check(token: string, uid: string, issuedAtMs: number): Promise<void>;
  forget(uid: string): void;
}

const revoked = () => new Refusal('token_revoked', 'This session was ended. Please sign in again.');
const unavailable = () => new Refusal('identity_unavailable', 'The identity provider is unavailable', { retryAfterMs: RETRY_AFTER_MS });

/** By the provider's own `accounts:lookup`, with the person's token; a good answer is kept for `keepMs`. */
export class ProviderAccounts implements AccountStanding {
  private readonly good = new Map<string, { uid: string; until: number }>();

  constructor(private readonly baseUrl: string, private readonly apiKey: string, private readonly clock: WallClock, private readonly keepMs: number) {}

  async check(token: string, uid: string, issuedAtMs: number): Promise<void> {
    const key = createHash('sha256').update(token).digest('base64');
    if ((this.good.get(key)?.until ?? 0) > this.clock.now()) return;
    this.good.delete(key);
    const answer = await this.ask(token);
    const user = answer.users?.[0];
    if (user === undefined || user.localId !== uid || user.disabled === true) throw revoked();
    // Seconds against seconds: a token issued in the second of a password change is the one that change gave out.
    if (user.validSince !== undefined && Math.floor(issuedAtMs / 1_000) < Number(user.validSince)) throw revoked();
    this.good.set(key, { uid, until: this.clock.now() + this.keepMs });
    if (this.good.size > KEEP_MAX) {
      const oldest = this.good.keys().next();
      if (oldest.done !== true) this.good.delete(oldest.value);
    }
  }

  forget(uid: string): void {
    for (const [key, held] of this.good) if (held.uid === uid) this.good.delete(key);
  }

  private async ask(token: string): Promise<z.infer<typeof Lookup>> {
    let response: Response;
    let body: unknown;
    try {
      response = await fetch(`${this.baseUrl}/v1/accounts:lookup?key=${encodeURIComponent(this.apiKey)}`, {
        method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ idToken: token }),
        signal: AbortSignal.timeout(ASK_TIMEOUT_MS), redirect: 'error',
      });
      body = await response.json();
    } catch {
      throw unavailable();
    }
    const parsed = Lookup.safeParse(body);
    if (!parsed.success) throw unavailable();
    if (parsed.data.error !== undefined) {
      if (/^(USER_DISABLED|USER_NOT_FOUND|TOKEN_EXPIRED|INVALID_ID_TOKEN)/.test(parsed.data.error.message)) throw revoked();
      throw unavailable();
    }
    return parsed.data;
  }
}
