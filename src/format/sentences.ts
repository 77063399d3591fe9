/** Puts numbers and times in sentences from the server or the engine into the reader's locale. */
import { withLocalNumbers } from './number-marks.ts';
import { withLocalTimes } from './times.ts';

/** Numbers first, because a local time may contain a point. */
export const localSentence = (text: string, now = Date.now()): string =>
  withLocalTimes(withLocalNumbers(text), now);
