/**
 * Reads again what the stream left in doubt, by a gap or by a change that it told of, and a first try
 * did not bring.
 */
import { subscribeKey } from 'valtio/utils';
import { session } from '../identity/session.ts';
import { backoffMs } from '../offline/queue-rules.ts';
import { agentsStore, loadAgents } from './agents-store.ts';
import { alertsStore, loadAlerts } from './alerts-store.ts';
import { connection } from './connection.ts';
import { historyStore, loadHistory } from './fills-store.ts';
import { loadMarket, marketStore } from './market-store.ts';
import { loadPortfolio, portfolioStore } from './portfolio-store.ts';
import { loadSettings, settingsStore } from './settings-store.ts';
import { isWhole } from './slot.ts';

const SOONEST_MS = 1_000;

/** What the stream keeps current, and how it is read. */
const READS = [
  [agentsStore, loadAgents],
  [portfolioStore, loadPortfolio],
  [historyStore, loadHistory],
  [marketStore, loadMarket],
  [alertsStore, loadAlerts],
  [settingsStore, loadSettings],
] as const;

let timer: ReturnType<typeof setTimeout> | undefined;
/** How often in a row something was still missing after a try. */
let misses = 0;
let follows = false;

/** None where nobody can see or get it. */
function failed(): readonly (typeof READS)[number][] {
  const rests = document.visibilityState === 'hidden' || connection.online === 'offline';
  if (rests || session.status !== 'signed-in') return [];
  return READS.filter(([slot]) => slot.status === 'error' && !isWhole(slot));
}

async function readAgain(): Promise<void> {
  const reads = failed();
  if (reads.length === 0) return;
  await Promise.all(reads.map(([, read]) => read(true)));
  misses += 1;
  schedule();
}

/** After each failure more slowly. */
function schedule(): void {
  clearTimeout(timer);
  if (failed().length > 0)
    timer = setTimeout(() => void readAgain(), SOONEST_MS + backoffMs(misses, Math.random()));
}

/** Called after the first try. A page that rests goes on when it is seen or the server is back. */
export function retryFailed(): void {
  misses = 0;
  schedule();
  if (follows) return;
  follows = true;
  document.addEventListener('visibilitychange', schedule);
  subscribeKey(connection, 'online', schedule);
}
