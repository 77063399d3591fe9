/** Changes which guards are registered for the time of a test. */
import type { GuardCode } from '../../../contract/guards.ts';
import type { Guard } from '../../../engine/guards/guard.ts';
import { GUARDS_OF } from '../../../engine/guards/registry.ts';

/** Runs with one more guard: the first of its stage where `first` is set, else the last. */
export function withGuard<T>(guard: Guard, first: boolean, run: () => T): T {
  const stages: Record<Guard['stage'], Guard[]> = {
    'lasting-halt': GUARDS_OF.lastingHalt,
    'timed-halt': GUARDS_OF.timedHalt,
    agent: GUARDS_OF.agent,
    pair: GUARDS_OF.pair,
    size: GUARDS_OF.size,
  };
  const guards = stages[guard.stage];
  if (first) guards.unshift(guard);
  else guards.push(guard);
  try {
    return run();
  } finally {
    guards.splice(guards.indexOf(guard), 1);
  }
}

/** Runs with no other guards than those named. */
export function withOnlyGuards<T>(codes: readonly GuardCode[], run: () => T): T {
  const stages: Guard[][] = Object.values(GUARDS_OF);
  const registered = stages.map((guards) => [...guards]);
  for (const guards of stages)
    guards.splice(0, guards.length, ...guards.filter(({ code }) => codes.includes(code)));
  try {
    return run();
  } finally {
    for (const [i, guards] of stages.entries())
      guards.splice(0, guards.length, ...(registered[i] ?? []));
  }
}
