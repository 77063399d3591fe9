/**
 * Loaded before a process of a test: its clock is ahead of the machine's by what a file says, so that
 * a test need not wait five minutes for a candle. Timers run as ever.
 */
import { readFileSync } from 'node:fs';

const LOOK_MS = 20;
const file = process.env.CLOCK_AHEAD_FILE;
const RealDate = Date;
let aheadMs = 0;

function look() {
  const read = Number(readFileSync(file, 'utf8'));
  // Never back, and not to nothing while the file is being written.
  if (read > aheadMs) aheadMs = read;
}

if (file !== undefined) {
  look();
  setInterval(look, LOOK_MS).unref();
  const now = () => RealDate.now() + aheadMs;
  globalThis.Date = class extends RealDate {
    constructor(...given) {
      super(...(given.length === 0 ? [now()] : given));
    }
    static now() {
      return now();
    }
  };
}
