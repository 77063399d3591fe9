/** Asks `/healthz` whether the server is really there, and keeps its clock; refuses to take any answer but Tradewind's. */
import type { ApiEvent } from '../api/client.ts';
import { api, observeApi } from '../api/api.ts';
import { setServerClock } from '../identity/session.ts';
import { connection } from './connection.ts';

const TIMEOUT_MS = 5_000;
const RECHECK_MIN_MS = 2_000;
const RECHECK_MAX_MS = 30_000;
/** Below this a difference of clocks is the network's, not the device's. */
const CLOCK_NOISE_MS = 2_000;

let asking: Promise<boolean> | null = null;
let timer: ReturnType<typeof setTimeout> | undefined;
let waitMs = RECHECK_MIN_MS;

/** Learns the server's wall clock from a moment it has just named. */
export function noteServerTime(serverTime: number, deviceNow = Date.now()): void {
  const offset = serverTime - deviceNow;
  const settled = Math.abs(offset) < CLOCK_NOISE_MS ? 0 : offset;
  if (connection.serverClockOffset !== null && Math.abs(settled - connection.serverClockOffset) < CLOCK_NOISE_MS) return;
  connection.serverClockOffset = settled;
  setServerClock(settled);
}

async function ask(): Promise<boolean> {
  const sentAt = Date.now();
  try {
    const health = await api.call('healthz', { attempts: 1, timeoutMs: TIMEOUT_MS });
    const now = Date.now();
    noteServerTime(health.time, sentAt + (now - sentAt) / 2);
    waitMs = RECHECK_MIN_MS;
    connection.verifiedAt = now;
    connection.online = 'online';
    return true;
  } catch {
    connection.online = 'offline';
    later();
    return false;
  }
}

/** Asks now, once at a time. True when the server has answered as itself. */
export function verifyOnline(): Promise<boolean> {
  clearTimeout(timer);
  asking ??= ask().finally(() => { asking = null; });
  return asking;
}

/** While away it asks again after 2 s, 4 s … 30 s, and not at all while the page is hidden. */
function later(): void {
  clearTimeout(timer);
  timer = setTimeout(() => { if (document.visibilityState === 'visible') void verifyOnline(); }, waitMs);
  waitMs = Math.min(RECHECK_MAX_MS, waitMs * 2);
}

function heard(event: ApiEvent): void {
  if (event.type === 'answered') {
    connection.verifiedAt = event.at;
    connection.online = 'online';
    clearTimeout(timer);
    waitMs = RECHECK_MIN_MS;
  } else if (event.type === 'unreachable') {
    // One failed call is a suspicion; healthz decides.
    if (asking === null && connection.online !== 'offline') void verifyOnline();
  } else if (event.type === 'outdated') {
    connection.outdated = true;
  }
}

/** Begins to watch: at start, when the browser says the network changed, and when the page is looked at again. */
export function watchHealth(): void {
  observeApi(heard);
  const verify = (): void => { void verifyOnline(); };
  addEventListener('online', verify);
  addEventListener('offline', verify);
  addEventListener('pageshow', (event) => { if (event.persisted) verify(); });
  document.addEventListener('visibilitychange', () => { if (document.visibilityState === 'visible' && connection.online !== 'online') verify(); });
  verify();
}
