/**
 * Lets calls put questions to the signer one after the other for each key, with a pause: it reads an
 * exchange for the answer, and all accounts share what that exchange lets this server ask.
 */
import { Refusal } from '../../contract/errors.ts';
import type { WallClock } from '../clock.ts';
import { hasPassed } from './elapsed.ts';

const PAUSE_MS = 3_000;

/** Counted in this process. */
export class PacedQuestions {
  private readonly asking = new Set<string>();
  private readonly askedAtMs = new Map<string, number>();

  constructor(private readonly clock: WallClock) {}

  /** @throws Refusal while one is out, or was a moment ago. Its own failure is thrown on. */
  async ask<T>(key: string, question: () => Promise<T>): Promise<T> {
    const now = this.clock.now();
    for (const [one, atMs] of this.askedAtMs)
      if (hasPassed(atMs, PAUSE_MS, now)) this.askedAtMs.delete(one);
    const lastMs = this.askedAtMs.get(key);
    if (this.asking.has(key) || lastMs !== undefined)
      throw new Refusal('rate_limited', 'Too many requests. Wait a moment and try again.', {
        retryAfterMs: PAUSE_MS - (now - (lastMs ?? now)),
      });
    this.asking.add(key);
    try {
      return await question();
    } finally {
      this.asking.delete(key);
      this.askedAtMs.set(key, this.clock.now());
    }
  }
}
