/** Whether so much time has passed on a clock that may be set back. */

/** What was noted later than now was noted before that: nobody waits until then. */
export const hasPassed = (sinceMs: number, ms: number, nowMs: number): boolean =>
  nowMs - sinceMs >= ms || nowMs < sinceMs;
