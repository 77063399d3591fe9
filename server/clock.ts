/** The wall clock as a port, so that tests can move it. Read the time only through it. */

export interface WallClock {
  /** Milliseconds UTC. */
  now(): number;
}

export const systemClock: WallClock = { now: () => Date.now() };
