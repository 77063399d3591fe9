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
  /** Device clock (ms) at which the server came back; null while it was never away. */
  backAt: number | null;
  /**
   * Device clock (ms) since which stream events may be missing; data loaded later is complete.
   * Null: nothing was missed.
   */
  gapAt: number | null;
  /** Server's wall clock − device clock, in ms; null before the first answer. */
  serverClockOffset: number | null;
  /** Market clock − device clock, in ms; null before the stream's first event. */
  marketClockOffset: number | null;
  /**
   * The market's time (ms) while its clock stands still, as after the end of a tape; null while it
   * runs.
   */
  marketStoppedAt: number | null;
  /** The server rejects this build as too old (426). */
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
/** A market clock that has not moved for this long stands still. */
const STANDS_MS = 5_000;

/** Sets the market's time (ms) as reported by the server. */
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

/** The best estimate of the server's wall clock, ms. */
export function serverNow(deviceNow = Date.now()): number {
  return deviceNow + (connection.serverClockOffset ?? 0);
}
