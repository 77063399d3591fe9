/**
 * The transfers sent from this device, kept for its user until logout. Only the chain's
 * confirmation settles one.
 */
import * as z from 'zod/mini';
import { proxy } from 'valtio';
import { keepsSnapshots } from '../../commands.ts';
import { readLastUser } from '../../identity/last-user.ts';
import { onPurge } from '../../identity/session.ts';

/**
 * `asking`: the wallet has been asked and has not answered. `sent`: the chain was given it.
 * `unseen`: not in a block for three minutes; it may still come. `unknown`: whether it was sent at
 * all nobody here knows, or what became of it in its block. `replaced`, `cancelled`: the wallet sent another in its place.
 */
const SEND_STAGES = [
  'asking',
  'sent',
  'confirmed',
  'reverted',
  'unseen',
  'unknown',
  'replaced',
  'cancelled',
] as const;
export type SendStage = (typeof SEND_STAGES)[number];

const hex = z.string().check(z.regex(/^0x[0-9a-fA-F]+$/));
const wei = z.string().check(z.regex(/^\d+$/));
const Send = z.object({
  id: z.string(),
  chainId: z.union([z.literal(8_453), z.literal(84_532)]),
  from: hex,
  to: hex,
  wei,
  hash: z.nullable(hex),
  stage: z.enum(SEND_STAGES),
  /** Device clock, ms. */
  askedAt: z.number(),
  changedAt: z.number(),
  feeWei: z.nullable(wei),
  reason: z.nullable(z.string()),
});
export type Send = z.infer<typeof Send>;
const Kept = z.object({ uid: z.string(), sends: z.array(z.unknown()) });

/** A logout deletes everything that is not a preference of the device. */
const KEY = 'tradewind.walletSends';
const KEPT_MAX = 100;

export const sendsStore = proxy<{ uid: string | null; list: Send[] }>({ uid: null, list: [] });
/** Transfers that this page is waiting for the wallet to confirm. */
const asking = new Set<string>();

/**
 * What a full device did not take, by id: on the screen only, until something can be written again.
 * Null is a transfer that was removed.
 */
const unwritten = new Map<string, Send | null>();

/** A person who goes takes what is only on the screen with them too. */
onPurge(() => {
  unwritten.clear();
  Object.assign(sendsStore, { uid: null, list: [] });
  return Promise.resolve();
});

/** One that does not read costs no other one, and stays where it is: a later version may read it. */
function readRecord(uid: string): { sends: Send[]; unread: unknown[] } {
  const sends: Send[] = [];
  const unread: unknown[] = [];
  try {
    const kept = Kept.safeParse(JSON.parse(localStorage.getItem(KEY) ?? 'null'));
    if (kept.success && kept.data.uid === uid)
      for (const entry of kept.data.sends) {
        const send = Send.safeParse(entry);
        if (send.success) sends.push(send.data);
        else unread.push(entry);
      }
  } catch {
    // The record is no JSON, or storage is closed to us.
  }
  return { sends, unread };
}

const readKept = (uid: string): Send[] => readRecord(uid).sends;

/** What is kept, newest first, with what the device did not take of this page's. */
function readSends(uid: string): Send[] {
  const kept = readKept(uid);
  if (unwritten.size === 0 || sendsStore.uid !== uid) return kept;
  const keptIds = new Set(kept.map(({ id }) => id));
  const onlyHere = [...unwritten.values()].filter(
    (send) => send !== null && !keptIds.has(send.id),
  ) as Send[];
  const others = kept.flatMap((send) => {
    const here = unwritten.get(send.id);
    if (here === null) return [];
    // Another tab may have heard more of it.
    return [here === undefined || here.changedAt < send.changedAt ? send : here];
  });
  return [...onlyHere, ...others].toSorted((a, b) => b.askedAt - a.askedAt);
}

/** Notes in what this list differs from what the device has. */
function noteUnwritten(uid: string, after: readonly Send[]): void {
  const kept = new Map(readKept(uid).map((send) => [send.id, JSON.stringify(send)]));
  const shown = new Set(after.map(({ id }) => id));
  unwritten.clear();
  for (const send of after)
    if (kept.get(send.id) !== JSON.stringify(send)) unwritten.set(send.id, send);
  for (const id of kept.keys()) if (!shown.has(id)) unwritten.set(id, null);
}

/**
 * Newest first. Another tab may have sent meanwhile: what it kept is read before anything is
 * written over it.
 */
function change(uid: string, of: (sends: Send[]) => Send[]): void {
  const before = keepsSnapshots() ? readSends(uid) : sendsStore.list.map((send) => ({ ...send }));
  const after = of(before).slice(0, KEPT_MAX);
  if (sendsStore.uid === uid) sendsStore.list = after;
  // By the device's record too: a sign-out is in it before this page has heard of it.
  if (readLastUser()?.uid !== uid || !keepsSnapshots()) return;
  try {
    const sends = [...after, ...readRecord(uid).unread].slice(0, KEPT_MAX);
    localStorage.setItem(KEY, JSON.stringify({ uid, sends }));
    unwritten.clear();
  } catch {
    // The device is full: the list stays on the screen only.
    if (sendsStore.uid === uid) noteUnwritten(uid, after);
  }
}

/** Shows what is kept of this person's, and follows other tabs. Returns what ends it. */
export function openSends(uid: string): () => void {
  if (!keepsSnapshots()) localStorage.removeItem(KEY);
  if (sendsStore.uid !== uid) unwritten.clear();
  if (sendsStore.uid !== uid || keepsSnapshots())
    Object.assign(sendsStore, { uid, list: readSends(uid) });
  const follow = (event: StorageEvent): void => {
    if (event.key === KEY) sendsStore.list = readSends(uid);
  };
  addEventListener('storage', follow);
  return () => {
    removeEventListener('storage', follow);
  };
}

export function addSend(
  uid: string,
  send: Pick<Send, 'chainId' | 'from' | 'to' | 'wei'>,
  now = Date.now(),
): string {
  const id = crypto.randomUUID();
  asking.add(id);
  change(uid, (sends) => [
    {
      ...send,
      id,
      hash: null,
      stage: 'asking',
      askedAt: now,
      changedAt: now,
      feeWei: null,
      reason: null,
    },
    ...sends,
  ]);
  return id;
}

export function changeSend(
  uid: string,
  id: string,
  part: Partial<Pick<Send, 'feeWei' | 'hash' | 'reason' | 'stage'>>,
  now = Date.now(),
): void {
  if (part.stage !== undefined && part.stage !== 'asking') asking.delete(id);
  change(uid, (sends) =>
    sends.map((send) => (send.id === id ? { ...send, ...part, changedAt: now } : send)),
  );
}

/** Removes a transfer that was certainly not sent. */
export function dropSend(uid: string, id: string): void {
  asking.delete(id);
  change(uid, (sends) => sends.filter((send) => send.id !== id));
}

/** A page that was left while the wallet was asking cannot say what came of it. */
export function stageOf({ id, stage }: Pick<Send, 'id' | 'stage'>): SendStage {
  return stage === 'asking' && !asking.has(id) ? 'unknown' : stage;
}

/** Whether this page is waiting for the wallet to confirm one of these. */
export const isAsking = (sends: readonly Send[]): boolean =>
  sends.some((send) => stageOf(send) === 'asking');

/** Stages in which a transfer may have gone, or may still go, without the chain's last word. */
const UNSETTLED: ReadonlySet<SendStage> = new Set(['asking', 'sent', 'unseen', 'unknown']);

/** The newest of the same amount between the same addresses that is not settled, else null. */
export function earlierSend(
  sends: readonly Send[],
  { chainId, from, to, wei }: { chainId: number; from: string; to: string; wei: bigint },
): Send | null {
  const isSame = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase();
  const found = sends.find(
    (send) =>
      send.chainId === chainId &&
      isSame(send.from, from) &&
      isSame(send.to, to) &&
      BigInt(send.wei) === wei &&
      UNSETTLED.has(stageOf(send)),
  );
  return found ?? null;
}

/** Transfers whose outcome only the chain can tell, and has not told yet. */
export const isOpen = (send: Pick<Send, 'hash' | 'stage'>): boolean =>
  send.hash !== null && (send.stage === 'sent' || send.stage === 'unseen');
