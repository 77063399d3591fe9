/** Puts numbers and times in sentences from the server or the engine into the reader's locale. */
import { withLocalNumbers } from './number-marks.ts';
import { withLocalTimes } from './times.ts';

/** Numbers come first: a moment in the reader's form may have a point in it. */
export const localSentence = (text: string, now = Date.now()): string =>
  withLocalTimes(withLocalNumbers(text), now);
