/**
 * An hour between getting out of a pair and getting in again, so that a signal on the edge does not
 * pay fees all day.
 */
import { lastExit } from '../execution/agent-memory.ts';
import { HOUR_MS } from '../execution/schedule.ts';
import { momentText } from './guard.ts';
import type { Block, PairGuardInput } from './guard.ts';

export const PAUSE_MS = HOUR_MS;

export function cooldown({ at, pair, memory }: PairGuardInput): Block | null {
  const exit = lastExit(memory, pair, false);
  const until = exit ? exit.at + PAUSE_MS : at;
  return at < until
    ? {
        code: 'cooldown',
        text: `${pair} was sold within the hour: no new trade there until ${momentText(until)}.`,
        until,
      }
    : null;
}
