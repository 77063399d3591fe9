/**
 * Keeps an agent off a pair for a day after its stop was hit there, so that it does not buy back
 * into the same fall.
 */
import { lastExit } from '../execution/agent-memory.ts';
import { HOUR_MS } from '../execution/schedule.ts';
import { momentText } from './guard.ts';
import type { PairGuard } from './guard.ts';

export const PAUSE_MS = 24 * HOUR_MS;

export const stopLoss = {
  stage: 'pair',
  code: 'stop_loss',

  check({ at, pair, memory }) {
    const exit = lastExit(memory, pair, true);
    const until = exit ? exit.at + PAUSE_MS : at;
    return at < until
      ? {
          text: `The stop of ${pair} was hit: no new trade there until ${momentText(until)}.`,
          until,
        }
      : null;
  },

  bound: ({ lastStopAt }, { at }) => (at < lastStopAt + PAUSE_MS ? 'blocks' : 'passes'),
} satisfies PairGuard;
