/**
 * The wall clock as a port; refuses to be read anywhere but through it, so that tests can move it.
 */

export interface WallClock {
  /** Milliseconds UTC. */
  now(): number;
}

export const systemClock: WallClock = { now: () => Date.now() };
