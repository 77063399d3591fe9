/**
 * Asks `/healthz` whether the server is really there, and keeps its clock. Only Tradewind's answer
 * counts.
 */
import type { ApiEvent } from '../api/client.ts';
import { api, observeApi } from '../api/api.ts';
import { setServerClock } from '../identity/session.ts';
import { connection } from './connection.ts';

const TIMEOUT_MS = 5_000;
/**
 * A question that has waited this long may hang on a network that is gone: whoever asks now asks
 * anew.
 */
const STUCK_MS = 1_000;
/**
 * While the server has been away for less than this, it is asked about once a second: it is
 * probably restarting.
 */
const EAGER_FOR_MS = 60_000;
const EAGER_MS = 1_300;
const CALM_GROWTH_MS = 20;
const CALM_MAX_MS = 15_000;
/** Below this a difference of clocks is the network's, not the device's. */
const CLOCK_NOISE_MS = 2_000;

let asking: Promise<boolean> | null = null;
let question: AbortController | null = null;
let askedAt = 0;
let awaySince: number | null = null;
let timer: ReturnType<typeof setTimeout> | undefined;

/**
 * The one policy of asking while away, ms until the next question: about a second at first, from a
 * minute on ever more slowly up to 15 s. Jittered between half and the whole, so that browsers do
 * not come back in one breath.
 */
export function probeDelayMs(awayMs: number, random: number): number {
  const whole =
    awayMs < EAGER_FOR_MS
      ? EAGER_MS
      : Math.min(CALM_MAX_MS, EAGER_MS + (awayMs - EAGER_FOR_MS) / CALM_GROWTH_MS);
  return whole * (0.5 + random / 2);
}

/** Learns the server's wall clock from a moment it has just named. */
export function noteServerTime(serverTime: number, deviceNow = Date.now()): void {
  const offset = serverTime - deviceNow;
  const settled = Math.abs(offset) < CLOCK_NOISE_MS ? 0 : offset;
  if (
    connection.serverClockOffset !== null &&
    Math.abs(settled - connection.serverClockOffset) < CLOCK_NOISE_MS
  )
    return;
  connection.serverClockOffset = settled;
  setServerClock(settled);
}

function here(at: number): void {
  clearTimeout(timer);
  awaySince = null;
  if (connection.online === 'offline') connection.backAt = at;
  connection.verifiedAt = at;
  connection.online = 'online';
}

async function ask(signal: AbortSignal): Promise<boolean> {
  const sentAt = Date.now();
  try {
    const health = await api.call('healthz', { attempts: 1, timeoutMs: TIMEOUT_MS, signal });
    const now = Date.now();
    noteServerTime(health.time, sentAt + (now - sentAt) / 2);
    here(now);
    return true;
  } catch {
    // Asked anew meanwhile: that answer counts.
    if (signal.aborted) return asking ?? false;
    awaySince ??= Date.now();
    connection.online = 'offline';
    later();
    return false;
  }
}

/** Asks now, once at a time. True when the server has answered as itself. */
export function verifyOnline(): Promise<boolean> {
  clearTimeout(timer);
  const stuck = asking !== null && Date.now() - askedAt >= STUCK_MS;
  if (asking !== null && !stuck) return asking;
  const before = question;
  const mine = new AbortController();
  question = mine;
  askedAt = Date.now();
  const answer = ask(mine.signal).finally(() => {
    if (question !== mine) return;
    asking = null;
    question = null;
  });
  asking = answer;
  before?.abort();
  return answer;
}

/** Not at all while the page is hidden: being shown again is a question of its own. */
function later(): void {
  clearTimeout(timer);
  if (document.visibilityState === 'hidden') return;
  const awayMs = awaySince === null ? 0 : Date.now() - awaySince;
  timer = setTimeout(
    () => {
      if (document.visibilityState === 'visible') void verifyOnline();
    },
    probeDelayMs(awayMs, Math.random()),
  );
}

function onApiEvent(event: ApiEvent): void {
  if (event.type === 'answered') {
    here(event.at);
  } else if (event.type === 'unreachable') {
    // One failed call is a suspicion; healthz decides.
    if (asking === null && connection.online !== 'offline') void verifyOnline();
  } else if (event.type === 'outdated') {
    connection.outdated = true;
  }
}

/**
 * Begins to watch: at start, when the browser says the network changed, when the page is looked at
 * again, and, while away, when the person does anything. Returns what ends it.
 */
export function watchHealth(): () => void {
  const stop = new AbortController();
  const { signal } = stop;
  const forget = observeApi(onApiEvent);
  const verify = (): void => {
    void verifyOnline();
  };
  const unlessOnline = (): void => {
    if (connection.online !== 'online' && document.visibilityState === 'visible') verify();
  };
  /** A press while away: the last answer may be a while old, but not every key is a question. */
  const acted = (): void => {
    if (connection.online === 'offline' && Date.now() - askedAt >= STUCK_MS) verify();
  };
  addEventListener('online', verify, { signal });
  addEventListener('offline', verify, { signal });
  addEventListener(
    'pageshow',
    (event) => {
      if (event.persisted) verify();
    },
    { signal },
  );
  addEventListener('focus', unlessOnline, { signal });
  document.addEventListener('visibilitychange', unlessOnline, { signal });
  for (const type of ['pointerdown', 'keydown'])
    addEventListener(type, acted, { signal, capture: true, passive: true });
  verify();
  return () => {
    stop.abort();
    forget();
    clearTimeout(timer);
    question?.abort();
    question = null;
    asking = null;
    awaySince = null;
  };
}
