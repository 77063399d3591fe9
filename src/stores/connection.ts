/**
 * Whether the server can be reached and how old its data is. `navigator.onLine` alone is not
 * trusted.
 */
import { proxy } from 'valtio';

export interface ConnectionStore {
  /** `unknown` until `/healthz` has answered or failed for the first time. */
  online: 'unknown' | 'online' | 'offline';
  /** Device clock (ms) of the last answer that was certainly the server's. */
  verifiedAt: number | null;
  stream: 'closed' | 'opening' | 'open' | 'shared' | 'stale';
  /**
   * Device clock (ms) at which the server was found again after it had been away; null while it
   * never was.
   */
  backAt: number | null;
  /**
   * Device clock (ms) since which the stream may have left something out; what was read later is
   * whole. Null: nothing was missed.
   */
  gapAt: number | null;
  /** Server's wall clock − device clock, in ms; null before the first answer. */
  serverClockOffset: number | null;
  /** Market clock − device clock, in ms; null before the stream's first word. */
  marketClockOffset: number | null;
  /**
   * The market's time (ms) where its clock stands still, as after the end of a tape; null while it
   * goes.
   */
  marketStoppedAt: number | null;
  /** The server has refused this build as too old (426). */
  outdated: boolean;
}

export const connection = proxy<ConnectionStore>({
  online: 'unknown',
  verifiedAt: null,
  stream: 'closed',
  backAt: null,
  gapAt: null,
  serverClockOffset: null,
  marketClockOffset: null,
  marketStoppedAt: null,
  outdated: false,
});

let marketTime: number | null = null;
let heardAt = 0;
/** A clock that has not moved in this long, by the server's own word, stands. */
const STANDS_MS = 5_000;

/** The market's time (ms) as the server has just said it. */
export function noteMarketTime(time: number, deviceNow = Date.now()): void {
  connection.marketClockOffset = time - deviceNow;
  if (time === marketTime) {
    if (deviceNow - heardAt >= STANDS_MS) connection.marketStoppedAt = time;
    return;
  }
  marketTime = time;
  heardAt = deviceNow;
  connection.marketStoppedAt = null;
}

/** The server's wall clock as best known, ms. */
export function serverNow(deviceNow = Date.now()): number {
  return deviceNow + (connection.serverClockOffset ?? 0);
}
