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
/** Away for less than this is not away: a reload, or a look at another app. */
const AWAY_MS = 60_000;

/**
 * How things stood when the person last had the app before them. No amounts: those stay in the
 * person's own database.
 */
export interface Seen {
  /** Market clock, ms. */
  marketAt: number;
  /** Device clock, ms. */
  seenAt: number;
  /** Ids of the agents that were halted or faulted already. */
  held: string[];
}

/** `since`: the visit before this one; null where the person was not away. */
export const visits = proxy<{ uid: string | null; since: Seen | null }>({ uid: null, since: null });

export const isHeld = (agent: Pick<Agent, 'status'>): boolean =>
  agent.status === 'halted' || agent.status === 'faulted';

/** The last visit of this person on this device; null at the first. */
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
 * Of whoever is here: a screen that leaves with its person, in this tab or another, leaves nothing
 * behind.
 */
export function rememberSeen(uid: string, seen: Seen): void {
  if (readLastUser()?.uid !== uid) return;
  localStorage.setItem(KEY, `${uid} ${seen.marketAt} ${seen.seenAt} ${seen.held.join(',')}`);
}

/** What is before the person now; null while not all of it is known. */
function present(): Seen | null {
  const [portfolio, history, agents] = [portfolioStore.data, historyStore.data, agentsStore.data];
  if (portfolio === null || history === null || agents === null) return null;
  return {
    marketAt: Math.max(portfolio.asOf, history.fills[0]?.filledAt ?? 0),
    seenAt: Date.now(),
    held: agents.agents.filter(isHeld).map((agent) => agent.id),
  };
}

/** Whether the person has come back since the page was last hidden. */
let isHere = false;

/** The person is here: if they were away, since when. */
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
 * Begins to follow the visits of whoever has signed in; with null nobody's. The last visit is read
 * before it is written anew.
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
  // A page that is killed says no goodbye: that it was shown is kept as soon as there is something
  // to see, and each minute.
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
