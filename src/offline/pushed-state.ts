/**
 * Merges state from a push message into the snapshots unless they are newer, and reports what is
 * missing.
 */
import { get } from 'idb-keyval';
import type { Agent, AgentList } from '../../contract/agents.ts';
import type { PushPayload } from '../../contract/push.ts';
import { list, readAs, text } from '../../contract/readers.ts';
import { isEarlier } from './agent-order.ts';
import { heldDatabase, StorageFault, type UserDatabase } from './user-database.ts';
import { knownClockOffset } from './queue-store.ts';
import { readSnapshot, writeSnapshot } from './snapshots.ts';

/**
 * `fresh`: the snapshots are as the server had them. `behind`: events between are missing. `not-
 * kept`: the user wants nothing saved, or storage is full. `again`: a repeated message. `signed-
 * out`: its user is not logged in on this device.
 */
export type Pushed = 'fresh' | 'behind' | 'not-kept' | 'again' | 'signed-out';

const SEEN_KEY = 'pushed';
const PUSHED_SEQUENCE_KEY = 'pushedSequence';
const SEEN_MAX = 30;
const CURVE_MAX = 500;
const FILLS_MAX = 100;
const seen = list(text);

/** Stores how far the message reaches, and returns whether it is new. @throws StorageFault */
function noteSeen(database: UserDatabase, id: string, sequence: number): Promise<boolean> {
  return database.transact(
    ['meta'],
    'readwrite',
    (transaction) =>
      new Promise<boolean>((resolve, reject) => {
        const meta = transaction.objectStore('meta');
        const request = meta.get(SEEN_KEY) as IDBRequest<unknown>;
        request.onsuccess = () => {
          const before = readAs(seen, request.result) ?? [];
          if (before.includes(id)) {
            resolve(false);
            return;
          }
          meta.put([...before, id].slice(-SEEN_MAX), SEEN_KEY);
          const pushed = meta.get(PUSHED_SEQUENCE_KEY) as IDBRequest<unknown>;
          pushed.onsuccess = () => {
            meta.put(
              Math.max(sequence, typeof pushed.result === 'number' ? pushed.result : 0),
              PUSHED_SEQUENCE_KEY,
            );
          };
          resolve(true);
        };
        request.onerror = () => {
          reject(request.error ?? new Error('get failed'));
        };
      }),
  );
}

/**
 * The date of what a message brings, sent at `sentAt`, where the server's order says that it is
 * newer than what is kept: it makes that no older, by whichever clock. A time to come is that of a
 * clock which has been set back.
 */
const dateOver = (kept: { savedAt: number } | null, sentAt: number): number =>
  kept === null || kept.savedAt > Date.now() ? sentAt : Math.max(sentAt, kept.savedAt);

/** Messages carry no trading halts: what was known of them stays. */
const keptOff = (kept: AgentList | undefined): Pick<AgentList, 'entriesOff'> =>
  kept?.entriesOff === undefined ? {} : { entriesOff: kept.entriesOff };

/**
 * A message can wait at the push service for longer than a stop takes: the answer to that has given
 * the agent a later generation, while the list is still as old as it was.
 */
function latest(pushed: Agent, kept: readonly Agent[]): Agent {
  const known = kept.find(({ id }) => id === pushed.id);
  return known !== undefined && isEarlier(pushed, known) ? known : pushed;
}

/**
 * Agents: a whole list replaces the snapshot; a part is merged, which is current only without a
 * gap.
 */
async function keepAgents(
  { uid, sequence, state }: PushPayload,
  database: UserDatabase,
  sentAt: number,
): Promise<Pushed> {
  // What is told of agents from here on is not in what is read.
  const readAt = Date.now();
  const kept = await readSnapshot(uid, 'agents', database);
  const write = (value: AgentList, savedAt: number): Promise<boolean> =>
    writeSnapshot(uid, 'agents', value, savedAt, database, readAt);
  if (kept !== null && kept.value.sequence >= sequence) return 'fresh';
  const at = dateOver(kept, sentAt);
  const news = state.agents.map((agent) => latest(agent, kept?.value.agents ?? []));
  if (state.wholeAgents) {
    const value = { ...keptOff(kept?.value), agents: news, sequence, asOf: state.asOf };
    return (await write(value, at)) ? 'fresh' : 'not-kept';
  }
  if (kept === null) return 'behind';
  const gap = kept.value.sequence !== sequence - 1;
  const pushed = new Map(news.map((agent) => [agent.id, agent]));
  const agents = kept.value.agents.map((agent) => pushed.get(agent.id) ?? agent);
  for (const agent of news) if (!agents.includes(agent)) agents.push(agent);
  // With a gap the list keeps its age and sequence, and is loaded again.
  const value = gap
    ? { ...kept.value, agents }
    : { ...keptOff(kept.value), agents, sequence, asOf: state.asOf };
  if (!(await write(value, gap ? kept.savedAt : at))) return 'not-kept';
  return gap ? 'behind' : 'fresh';
}

async function keepPortfolio(
  { uid, state }: PushPayload,
  database: UserDatabase,
  sentAt: number,
): Promise<Pushed> {
  const { portfolio } = state;
  if (portfolio === null) return 'behind';
  const kept = await readSnapshot(uid, 'portfolio', database);
  const at = dateOver(kept, sentAt);
  if (kept !== null && kept.value.servedAt >= portfolio.servedAt) return 'fresh';
  const before =
    kept?.value.accountId === portfolio.accountId && kept.value.book === portfolio.book
      ? kept.value.equityCurve
      : [];
  const last = before.at(-1)?.[0] ?? -Infinity;
  const equityCurve =
    portfolio.asOf > last
      ? [...before, [portfolio.asOf, portfolio.equity] as [number, string]].slice(-CURVE_MAX)
      : before;
  return (await writeSnapshot(uid, 'portfolio', { ...portfolio, equityCurve }, at, database))
    ? 'fresh'
    : 'not-kept';
}

/**
 * A fill goes on top of the history; with others missing between them the history keeps its age.
 */
async function keepFill(
  { uid, sequence, state }: PushPayload,
  database: UserDatabase,
): Promise<void> {
  const { fill } = state;
  const kept = fill === null ? null : await readSnapshot(uid, 'history', database);
  if (
    fill === null ||
    kept === null ||
    kept.value.sequence >= sequence ||
    kept.value.fills.some(({ id }) => id === fill.id)
  )
    return;
  await writeSnapshot(
    uid,
    'history',
    { ...kept.value, fills: [fill, ...kept.value.fills].slice(0, FILLS_MAX) },
    kept.savedAt,
    database,
  );
}

const WORST: readonly Pushed[] = ['signed-out', 'again', 'not-kept', 'behind', 'fresh'];

/**
 * Stores what a message brought, dated by when it was sent: a push service may hold it for days.
 * Never throws for storage. `at` is the device's clock, ms.
 */
export async function keepPushed(
  payload: PushPayload,
  database: UserDatabase,
  at: number,
): Promise<Pushed> {
  let sentAt = at;
  try {
    if (!(await noteSeen(database, payload.id, payload.sequence))) return 'again';
    sentAt = Math.min(at, payload.sentAt - (await knownClockOffset(database)));
  } catch (error) {
    if (!(error instanceof StorageFault)) throw error;
    return error.code === 'signed-out' ? 'signed-out' : 'not-kept';
  }
  const parts = [
    await keepAgents(payload, database, sentAt),
    await keepPortfolio(payload, database, sentAt),
  ];
  await keepFill(payload, database);
  return WORST.find((one) => parts.includes(one)) ?? 'fresh';
}

/** The newest sequence of the messages to this device; null before the first. */
export async function pushedSequence(
  uid: string,
  database: UserDatabase | null = heldDatabase(uid),
): Promise<number | null> {
  if (database === null) return null;
  try {
    const pushed = await get<unknown>(PUSHED_SEQUENCE_KEY, database.store('meta'));
    return typeof pushed === 'number' ? pushed : null;
  } catch (error) {
    if (error instanceof StorageFault) return null;
    throw error;
  }
}
