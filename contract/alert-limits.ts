/** What a price alert may ask for at most. */
import { parseFixed } from './money.ts';

/** How long a window of a move may be, minutes: 5 min to 24 h. */
export const ALERT_WINDOWS = [5, 15, 30, 60, 240, 720, 1_440] as const;
/** How often an alert that repeats may fire at most, minutes. */
export const ALERT_REPEATS = [5, 15, 60, 240, 1_440] as const;
/** A move in basis points: 0.1 % to 100 %. */
export const ALERT_BPS_MIN = 10;
export const ALERT_BPS_MAX = 10_000;
/** A price that no market has needs no alert. */
const ALERT_PRICE_BELOW = '1000000000000';

/** Whether a market may have such a price; of text that is no decimal it says nothing. */
export function isAlertPrice(text: string): boolean {
  try {
    const price = parseFixed(text);
    return price > 0n && price < parseFixed(ALERT_PRICE_BELOW);
  } catch {
    // Its own check names what is wrong with it.
    return true;
  }
}
