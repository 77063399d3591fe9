/** Buy-and-hold as the equity chart takes it, or why there is none; refuses to compare an account with another book's line. */
import type { Analytics } from '../../../contract/trading.ts';

type Points = readonly (readonly [number, string])[];

export const heldOf = (analytics: Pick<Analytics, 'benchmark'> | null): { name: string; points: Points } | null =>
  (analytics?.benchmark == null ? null : { name: `${analytics.benchmark.pair.split('/')[0] ?? ''} held`, points: analytics.benchmark.points });

export function whyNotHeld(analytics: Pick<Analytics, 'benchmark'> | null, quote: string): string {
  if (analytics === null) return 'Buy-and-hold has not been read yet';
  return analytics.benchmark === undefined ? 'Buy-and-hold comes with the next reading' : `This source has no price of BTC/${quote} at the account’s first moment`;
}
