/** Who must keep quiet after an answer, and until when. Nobody pays for what another's key did. */
import type { LiveExchange } from '../../contract/signer.ts';

export interface Ban {
  untilMs: number;
  /** The key that asked, or everybody behind this address. */
  who: 'key' | 'address';
}

interface Heard {
  status: number;
  headers: Headers;
  text: string;
}

const DEFAULT_MS = 60_000;
/** Binance's firewall turns an address away without a code, and does not say for how long. */
const WALL_MS = 5 * 60_000;
const HAS_CODE = /"code"\s*:/;
/** Binance counts orders by account; everything else by address. */
const TOO_MANY_ORDERS = /"code"\s*:\s*-1015\b/;

/**
 * `withKey`: whether the request carried one; `isTrial`: one that is only tried, as anybody may
 * paste it.
 */
export function banOf(
  exchange: LiveExchange,
  { withKey, isTrial = false }: { withKey: boolean; isTrial?: boolean },
  heard: Heard,
  now: number,
): Ban | null {
  const ofOrders = exchange === 'binance' && withKey && TOO_MANY_ORDERS.test(heard.text);
  if (exchange === 'binance' && heard.status === 403 && !HAS_CODE.test(heard.text))
    // A firewall may as well dislike what was pasted: that is to stop nobody else.
    return {
      untilMs: Math.max(endOf(heard, now), now + WALL_MS),
      who: isTrial ? 'key' : 'address',
    };
  if (heard.status !== 429 && heard.status !== 418 && !ofOrders) return null;
  // Coinbase counts private requests by user.
  const isOfKey = ofOrders || (exchange === 'coinbase' && withKey);
  return { untilMs: endOf(heard, now), who: isOfKey ? 'key' : 'address' };
}

function endOf({ headers, text }: Heard, now: number): number {
  const named = /banned until (\d{13})/.exec(text)?.[1];
  if (named !== undefined) return Number(named);
  const after = headers.get('retry-after');
  if (after !== null && /^\d+$/.test(after)) return now + Number(after) * 1_000;
  const date = after === null ? Number.NaN : Date.parse(after);
  return Number.isNaN(date) ? now + DEFAULT_MS : date;
}
