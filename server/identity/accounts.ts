/**
 * Asks the identity provider whether a token's account is still valid: not disabled, deleted or
 * logged out everywhere.
 */
import { createHash } from 'node:crypto';
import * as z from 'zod/mini';
import { Refusal } from '../../contract/errors.ts';
import type { WallClock } from '../clock.ts';
import { ProviderLine, providerUnavailable } from './provider-line.ts';

const KEEP_MAX = 20_000;
const LIMITS = { atOnce: 32, waiting: 256 };

const Lookup = z.object({
  users: z.optional(
    z.array(
      z.object({
        localId: z.string(),
        disabled: z.optional(z.boolean()),
        validSince: z.optional(z.string()),
      }),
    ),
  ),
  error: z.optional(z.object({ message: z.string() })),
});

export interface SessionCheck {
  /** Throws `token_revoked`, or 503 when the provider does not answer. */
  check(token: string, uid: string, issuedAtMs: number): Promise<void>;
  forget(uid: string): void;
}

const revoked = () => new Refusal('token_revoked', 'This session was ended. Please log in again.');

/**
 * By the provider's own `accounts:lookup`, with the person's token; a good answer is kept for
 * `keepMs`.
 */
export class ProviderAccounts implements SessionCheck {
  private readonly good = new Map<string, { uid: string; until: number }>();
  /** Many requests with one token are one question. */
  private readonly asking = new Map<string, Promise<z.infer<typeof Lookup>>>();
  private readonly line = new ProviderLine(LIMITS);
  /** Grows when somebody is forgotten: an answer to an older question is not kept. */
  private generation = 0;

  constructor(
    private readonly baseUrl: string,
    private readonly apiKey: string,
    private readonly clock: WallClock,
    private readonly keepMs: number,
  ) {}

  async check(token: string, uid: string, issuedAtMs: number): Promise<void> {
    const key = createHash('sha256').update(token).digest('base64');
    if ((this.good.get(key)?.until ?? 0) > this.clock.now()) return;
    this.good.delete(key);
    const { generation } = this;
    const answer = await this.askOnce(key, token);
    const user = answer.users?.[0];
    if (user === undefined || user.localId !== uid || user.disabled === true) throw revoked();
    // Seconds against seconds: a token issued in the second of a password change is the one that
    // change gave out.
    if (user.validSince !== undefined && Math.floor(issuedAtMs / 1_000) < Number(user.validSince))
      throw revoked();
    if (generation !== this.generation) return;
    this.good.set(key, { uid, until: this.clock.now() + this.keepMs });
    if (this.good.size > KEEP_MAX) {
      const oldest = this.good.keys().next();
      if (oldest.done !== true) this.good.delete(oldest.value);
    }
  }

  forget(uid: string): void {
    for (const [key, held] of this.good) if (held.uid === uid) this.good.delete(key);
    // Asked before the sign-ins ended: who comes from now on asks anew, and the old answer is not
    // kept.
    this.asking.clear();
    this.generation += 1;
  }

  private askOnce(key: string, token: string): Promise<z.infer<typeof Lookup>> {
    const under = this.asking.get(key);
    if (under !== undefined) return under;
    const asked = this.line
      .run((signal) => this.ask(token, signal))
      .finally(() => {
        if (this.asking.get(key) === asked) this.asking.delete(key);
      });
    this.asking.set(key, asked);
    return asked;
  }

  /** Whatever fails here is the provider's failure: the line says so. */
  private async ask(token: string, signal: AbortSignal): Promise<z.infer<typeof Lookup>> {
    const address = `${this.baseUrl}/v1/accounts:lookup?key=${encodeURIComponent(this.apiKey)}`;
    const response = await fetch(address, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ idToken: token }),
      signal,
      redirect: 'error',
    });
    const parsed = Lookup.safeParse(await response.json());
    if (!parsed.success) throw providerUnavailable();
    if (parsed.data.error !== undefined) {
      if (
        /^(USER_DISABLED|USER_NOT_FOUND|TOKEN_EXPIRED|INVALID_ID_TOKEN)/.test(
          parsed.data.error.message,
        )
      )
        throw revoked();
      throw providerUnavailable();
    }
    return parsed.data;
  }
}
