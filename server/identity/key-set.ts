/** The identity provider's signing keys, cached until they expire. */
import { createLocalJWKSet, type JSONWebKeySet } from 'jose';
import { Refusal } from '../../contract/errors.ts';
import type { WallClock } from '../clock.ts';
import { PROVIDER_LIMIT_MS } from './provider-line.ts';

const DEFAULT_AGE_MS = 60 * 60_000;
/** A flood of tokens with unknown key ids must not become a flood of fetches. */
const COOLDOWN_MS = 30_000;
const RETRY_AFTER_MS = 10_000;

type Keys = ReturnType<typeof createLocalJWKSet>;
interface Held {
  keys: Keys;
  ids: ReadonlySet<string>;
  freshUntil: number;
}

const unavailable = (error: unknown): Refusal =>
  new Refusal('identity_unavailable', 'The identity provider is unavailable', {
    retryAfterMs: RETRY_AFTER_MS,
    details: { reason: error instanceof Error ? error.name : 'unknown' },
  });

export class KeySet {
  private held: Held | null = null;
  private fetching: Promise<Held> | null = null;
  private triedAt = Number.NEGATIVE_INFINITY;
  /** Why the last try brought no keys. */
  private fault: unknown = null;

  constructor(
    private readonly url: string,
    private readonly clock: WallClock,
  ) {}

  /**
   * Keys among which `kid` may be. Throws 503 where there are none young enough, and for an unknown
   * `kid` where they could not be asked for again: the token may be right.
   */
  async keysFor(kid: string): Promise<Keys> {
    const now = this.clock.now();
    const held = this.held;
    const usable = held !== null && now < held.freshUntil;
    if (usable && held.ids.has(kid)) return held.keys;
    if (usable && now - this.triedAt < COOLDOWN_MS && this.fetching === null) {
      if (this.fault !== null) throw unavailable(this.fault);
      return held.keys;
    }
    try {
      return (await this.refresh()).keys;
    } catch (error) {
      throw unavailable(error);
    }
  }

  private refresh(): Promise<Held> {
    this.fetching ??= this.fetchKeys()
      .then(
        (held) => {
          this.fault = null;
          return held;
        },
        (error: unknown) => {
          this.fault = error;
          throw error;
        },
      )
      .finally(() => {
        this.fetching = null;
      });
    return this.fetching;
  }

  private async fetchKeys(): Promise<Held> {
    this.triedAt = this.clock.now();
    const response = await fetch(this.url, {
      signal: AbortSignal.timeout(PROVIDER_LIMIT_MS),
      redirect: 'error',
    });
    if (!response.ok) throw new Error(`The key set answered ${response.status}`);
    const json = (await response.json()) as JSONWebKeySet;
    const maxAge = /max-age=(\d+)/.exec(response.headers.get('cache-control') ?? '')?.[1];
    this.held = {
      keys: createLocalJWKSet(json),
      ids: new Set(json.keys.map((key) => key.kid).filter((kid) => kid !== undefined)),
      freshUntil:
        this.clock.now() + (maxAge === undefined ? DEFAULT_AGE_MS : Number(maxAge) * 1_000),
    };
    return this.held;
  }
}
