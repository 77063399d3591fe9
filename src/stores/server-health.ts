/**
 * Asks `/healthz` whether the server is really there, and keeps its clock. Only Tradewind's answer
 * counts.
 */
import type { ApiEvent } from '../api/client.ts';
import { api, observeApi } from '../api/api.ts';
import { setServerClock } from '../identity/session.ts';
import { connection } from './connection.ts';

const TIMEOUT_MS = 5_000;
/** A request that has waited this long may hang on a lost network: a new one is started. */
const STUCK_MS = 1_000;
/**
 * During the first moments of an absence it is asked about once a second: the server is probably
 * restarting.
 */
const EAGER_FOR_MS = 60_000;
const EAGER_MS = 1_300;
const CALM_GROWTH_MS = 20;
const CALM_MAX_MS = 15_000;
/** A smaller difference of clocks is network delay. */
const CLOCK_NOISE_MS = 2_000;

let asking: Promise<boolean> | null = null;
let question: AbortController | null = null;
let askedAt = 0;
let awaySince: number | null = null;
let timer: ReturnType<typeof setTimeout> | undefined;

/**
 * Backoff while away, ms until the next request: about a second at first, after a minute ever more
 * slowly up to 15 s, with jitter between half and the whole.
 */
export function probeDelayMs(awayMs: number, random: number): number {
  const whole =
    awayMs < EAGER_FOR_MS
      ? EAGER_MS
      : Math.min(CALM_MAX_MS, EAGER_MS + (awayMs - EAGER_FOR_MS) / CALM_GROWTH_MS);
  return whole * (0.5 + random / 2);
}

/** Learns the server's wall clock from a moment it has just reported. */
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
    if (signal.aborted) return await (asking ?? false);
    const now = Date.now();
    noteServerTime(health.time, sentAt + (now - sentAt) / 2);
    here(now);
    return true;
  } catch {
    // A newer request is under way: its answer counts.
    if (signal.aborted) return asking ?? false;
    awaySince ??= Date.now();
    connection.online = 'offline';
    later();
    return false;
  }
}

/** Asks now, one request at a time. True when the server itself has answered. */
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

/** Not while the page is hidden: becoming visible asks again. */
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
    // It may have been under way when the network went.
    if (connection.online === 'offline' && !navigator.onLine) void verifyOnline();
    else here(event.at);
  } else if (event.type === 'unreachable') {
    // A failed call may mean an outage: ask healthz.
    if (asking === null && connection.online !== 'offline') void verifyOnline();
  } else if (event.type === 'outdated') {
    connection.outdated = true;
  }
}

/**
 * Starts watching: at start, on network changes, when the page becomes visible and, while away,
 * when the user does something. Returns a function that stops it.
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
  /** A press while away asks again, but not for every key. */
  const acted = (): void => {
    if (connection.online === 'offline' && Date.now() - askedAt >= STUCK_MS) verify();
  };
  /** What was asked before the network changed says nothing of it now. */
  const changed = (): void => {
    askedAt = Number.NEGATIVE_INFINITY;
    verify();
  };
  addEventListener('online', changed, { signal });
  addEventListener('offline', changed, { signal });
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
