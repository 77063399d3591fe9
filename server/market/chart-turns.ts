/** Reads charts a few at a time, and limits how many one user can have waiting. */
import pLimit, { type LimitFunction } from 'p-limit';
import { Refusal } from '../../contract/errors.ts';
import type { Market } from './market-source.ts';

/** A screen shows one chart, a quick hand leaves two or three behind. */
export const CHARTS_PER_PERSON = 4;
/** Of everybody together: whoever comes after them would wait for longer than a chart is worth. */
export const CHARTS_WAITING = 100;
const RETRY_AFTER_MS = 2_000;
/** An exchange's answer costs us no work, and a slow one must not make others wait. */
const EXCHANGE_AT_ONCE = 20;

/**
 * Years of a computed market are seconds of work: side by side, twenty of them would leave no time
 * for anybody's stop. The trading engine reads candles past this.
 */
export const chartTurnsOf = ({ source }: Pick<Market, 'source'>): ChartTurns =>
  new ChartTurns(source.kind === 'exchange' ? EXCHANGE_AT_ONCE : 1);

export class ChartTurns {
  private readonly asked = new Map<string, number>();
  private readonly limited: LimitFunction;
  private waiting = 0;

  constructor(atOnce = 1) {
    this.limited = pLimit(atOnce);
  }

  async take<T>(uid: string, work: () => Promise<T>): Promise<T> {
    const mine = this.asked.get(uid) ?? 0;
    if (mine >= CHARTS_PER_PERSON)
      throw new Refusal('rate_limited', 'Too many charts at once', {
        retryAfterMs: RETRY_AFTER_MS,
      });
    if (this.waiting >= CHARTS_WAITING)
      throw new Refusal('server_busy', 'The server is busy. Try again in a moment.', {
        retryAfterMs: RETRY_AFTER_MS,
      });
    this.asked.set(uid, mine + 1);
    this.waiting += 1;
    try {
      return await this.limited(work);
    } finally {
      this.waiting -= 1;
      const left = (this.asked.get(uid) ?? 1) - 1;
      if (left > 0) this.asked.set(uid, left);
      else this.asked.delete(uid);
    }
  }
}
