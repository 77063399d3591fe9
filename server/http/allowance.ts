/** Limits how often a user may do one thing, and says when it is possible again. */
import { Refusal } from '../../contract/errors.ts';
import type { WallClock } from '../clock.ts';

const KEEP_MAX = 20_000;

/** Counted in this process: for what costs little and must not be tried without end. */
export class Allowance {
  private readonly taken = new Map<string, number[]>();

  constructor(
    private readonly most: number,
    private readonly windowMs: number,
    private readonly clock: WallClock,
  ) {}

  take(key: string): void {
    const now = this.clock.now();
    const recent = (this.taken.get(key) ?? []).filter((at) => at > now - this.windowMs);
    this.taken.delete(key);
    const [oldest = now] = recent;
    if (recent.length >= this.most) {
      this.taken.set(key, recent);
      throw tooOften(oldest + this.windowMs - now);
    }
    this.taken.set(key, [...recent, now]);
    if (this.taken.size > KEEP_MAX) {
      const first = this.taken.keys().next();
      if (first.done !== true) this.taken.delete(first.value);
    }
  }
}

const MINUTE_MS = 60_000;

/** `inMs`: when it is possible again. */
export function tooOften(inMs: number): Refusal {
  const minutes = Math.max(1, Math.ceil(inMs / MINUTE_MS));
  const when =
    minutes < 90
      ? `${minutes} ${minutes === 1 ? 'minute' : 'minutes'}`
      : `${Math.ceil(minutes / 60)} hours`;
  return new Refusal(
    'limit_reached',
    `You have reached the limit for this action. Try again in ${when}. Nothing was changed.`,
    { retryAfterMs: Math.max(1_000, inMs) },
  );
}
