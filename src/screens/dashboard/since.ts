/** What happened while the person was away, from the history on the device; refuses to count what it has not seen. */
import type { Fill } from '../../../contract/trading.ts';

const KEY = 'tradewind.seen';

/** The newest fill (market ms) the person had on screen at the last visit; null at the first. */
export function lastSeen(uid: string): number | null {
  const [owner, at] = (localStorage.getItem(KEY) ?? '').split(' ');
  return owner === uid && at !== undefined && Number.isFinite(Number(at)) ? Number(at) : null;
}

export function rememberSeen(uid: string, at: number): void {
  localStorage.setItem(KEY, `${uid} ${at}`);
}

/** `3 trades · 1 stop hit`, or null with nothing new. */
export function sinceText(fills: readonly Pick<Fill, 'filledAt' | 'reason'>[], since: number): string | null {
  const fresh = fills.filter((fill) => fill.filledAt > since);
  if (fresh.length === 0) return null;
  const stops = fresh.filter((fill) => fill.reason.includes('stop')).length;
  return `${fresh.length} ${fresh.length === 1 ? 'trade' : 'trades'}${stops > 0 ? ` · ${stops} ${stops === 1 ? 'stop' : 'stops'} hit` : ''}`;
}
