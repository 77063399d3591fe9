/**
 * When the user last left the app on this device, and what was known by then. A change of screen
 * does not count.
 */
import { proxy, subscribe } from 'valtio';
import type { Agent } from '../../contract/agents.ts';
import { readLastUser } from '../identity/last-user.ts';
import { whileSeen } from '../platform/resting-timer.ts';
import { agentsStore } from './agents-store.ts';
import { historyStore } from './fills-store.ts';
import { portfolioStore } from './portfolio-store.ts';

const KEY = 'tradewind.seen';
/** Shorter absences do not count: a reload, or a look at another app. */
const AWAY_MS = 60_000;

/**
 * The state when the user last had the app in view. No amounts: those stay in the user's database.
 */
export interface Seen {
  /** Market clock, ms. */
  marketAt: number;
  /** Device clock, ms. */
  seenAt: number;
  /** Ids of the agents that were already halted or faulted. */
  held: string[];
}

/** `since`: the visit before this one; null if the user was not away. */
export const visits = proxy<{ uid: string | null; since: Seen | null }>({ uid: null, since: null });

export const isHeld = (agent: Pick<Agent, 'status'>): boolean =>
  agent.status === 'halted' || agent.status === 'faulted';

/** The last visit of this user on this device; null at the first. */
export function lastSeen(uid: string): Seen | null {
  const [owner, marketAt, seenAt, held] = (localStorage.getItem(KEY) ?? '').split(' ');
  if (owner !== uid || marketAt === undefined || !Number.isFinite(Number(marketAt))) return null;
  return {
    marketAt: Number(marketAt),
    seenAt: Number(seenAt ?? 0) || 0,
    held: (held ?? '').split(',').filter(Boolean),
  };
}

/**
 * Only for the present user: a page that outlives a log-out, here or in another tab, saves nothing.
 */
export function rememberSeen(uid: string, seen: Seen): void {
  if (readLastUser()?.uid !== uid) return;
  localStorage.setItem(KEY, `${uid} ${seen.marketAt} ${seen.seenAt} ${seen.held.join(',')}`);
}

/** The present state; null until all of it is loaded. */
function present(): Seen | null {
  const [portfolio, history, agents] = [portfolioStore.data, historyStore.data, agentsStore.data];
  if (portfolio === null || history === null || agents === null) return null;
  return {
    marketAt: Math.max(portfolio.asOf, history.fills[0]?.filledAt ?? 0),
    seenAt: Date.now(),
    held: agents.agents.filter(isHeld).map((agent) => agent.id),
  };
}

/** Whether the page has been shown again since it was last hidden. */
let isHere = false;

/** The page is visible: if the user was away, since when. */
function arrive(): void {
  if (isHere) return;
  isHere = true;
  const last = visits.uid === null ? null : lastSeen(visits.uid);
  if (last !== null && Date.now() - last.seenAt >= AWAY_MS) visits.since = last;
}

function leave(): void {
  remember();
  isHere = false;
}

function remember(): void {
  const seen = visits.uid === null ? null : present();
  if (seen !== null && visits.uid !== null) rememberSeen(visits.uid, seen);
}

let end: () => void = () => undefined;

/**
 * Tracks the visits of the current user; null for none. The last visit is read before it is
 * overwritten.
 */
export function followVisits(uid: string | null): void {
  end();
  visits.uid = uid;
  visits.since = null;
  isHere = false;
  if (uid === null) {
    end = () => undefined;
    return;
  }
  arrive();
  const stop = new AbortController();
  const turn = (): void => {
    if (document.visibilityState === 'hidden') leave();
    else arrive();
  };
  document.addEventListener('visibilitychange', turn, { signal: stop.signal });
  addEventListener('pagehide', leave, { signal: stop.signal });
  // A killed page fires no event: the visit is saved once data is shown, and then each minute.
  const forgets = [portfolioStore, historyStore, agentsStore].map((store) =>
    subscribe(store, () => {
      if (present() === null) return;
      for (const forget of forgets) forget();
      remember();
    }),
  );
  const rest = whileSeen(AWAY_MS / 2, () => {
    arrive();
    remember();
  });
  end = () => {
    stop.abort();
    rest();
    for (const forget of forgets) forget();
  };
}
