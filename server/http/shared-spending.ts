/**
 * Tells other servers what was spent of a rate limit here, so that one limit holds for all of them
 * together.
 */
import { randomUUID } from 'node:crypto';
import type { WallClock } from '../clock.ts';
import { isBucketName, type BucketName, type RateLimits } from './rate-limit.ts';

/** Told from this part of a full bucket on: who asks for little is not worth a word. */
const TOLD_PART = 1 / 20;
const TELL_AFTER_MS = 20;
/** By then a bucket is full again, whatever was taken from it. */
const FORGET_AFTER_MS = 15_000;

interface Untold {
  name: BucketName;
  key: string;
  count: number;
}

export class SharedSpending {
  private readonly me = randomUUID().slice(0, 8);
  private untold = new Map<string, Untold>();
  private forgetAt = 0;
  private timer: NodeJS.Timeout | null = null;

  /** `tell` sends words to every server, this one among them; it must not fail. */
  constructor(
    private readonly limits: RateLimits,
    private readonly clock: WallClock,
    private readonly tell: (texts: readonly string[]) => Promise<void>,
  ) {
    limits.onSpent((name, key) => {
      this.note(name, key);
    });
  }

  /** What a server says was spent there. A word that is none of these is another build's. */
  hear(text: string): void {
    const [from, name = '', key = '', count = ''] = text.split(' ');
    if (from === this.me || key === '' || !isBucketName(name) || !/^\d{1,6}$/.test(count)) return;
    this.limits.spentElsewhere(name, key, Number(count));
  }

  private note(name: BucketName, key: string): void {
    const now = this.clock.now();
    if (now >= this.forgetAt) {
      this.untold = new Map();
      this.forgetAt = now + FORGET_AFTER_MS;
    }
    const place = `${name} ${key}`;
    const entry = this.untold.get(place) ?? { name, key, count: 0 };
    entry.count += 1;
    this.untold.set(place, entry);
    if (!this.isWorthAWord(entry) || this.timer !== null) return;
    this.timer = setTimeout(() => {
      this.timer = null;
      void this.tellAll();
    }, TELL_AFTER_MS);
    this.timer.unref();
  }

  private isWorthAWord({ name, count }: Untold): boolean {
    return count >= this.limits.capacityOf(name) * TOLD_PART;
  }

  private async tellAll(): Promise<void> {
    const texts: string[] = [];
    for (const [place, entry] of this.untold) {
      if (!this.isWorthAWord(entry)) continue;
      texts.push(`${this.me} ${entry.name} ${entry.key} ${entry.count}`);
      this.untold.delete(place);
    }
    if (texts.length > 0) await this.tell(texts);
  }
}
