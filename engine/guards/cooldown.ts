/**
 * Waits an hour between an exit from a pair and the next entry, so that a signal on the edge does
 * not pay fees all day.
 */
import { lastExit } from '../execution/agent-memory.ts';
import { HOUR_MS } from '../execution/schedule.ts';
import { momentText } from './guard.ts';
import type { PairGuard } from './guard.ts';

export const PAUSE_MS = HOUR_MS;

export const cooldown = {
  stage: 'pair',
  code: 'cooldown',

  check({ at, pair, memory }) {
    const exit = lastExit(memory, pair, false);
    const until = exit ? exit.at + PAUSE_MS : at;
    return at < until
      ? {
          text: `${pair} was sold within the hour: no new trade there until ${momentText(until)}.`,
          until,
        }
      : null;
  },

  bound: ({ lastExitAt }, { at }) => (at < lastExitAt + PAUSE_MS ? 'blocks' : 'passes'),
} satisfies PairGuard;
