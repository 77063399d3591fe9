/**
 * Our own record of the last user, from which the app paints before Firebase has loaded. Holds no
 * token.
 */
import { fields, orNull, readJson, someText, text, type Read } from '../../contract/readers.ts';
import { CLOCK_KEY, LAST_USER_KEY } from './device-record.ts';

const lastUser = fields({ uid: someText, email: orNull(text), lastSignInTime: orNull(text) });
export type LastUser = Read<typeof lastUser>;

const PURGE_KEY = 'tradewind.purge';
const LEAVING_KEY = 'tradewind.leaving';
const MADE_KEY = 'tradewind.made';
/** Whose password may have changed without an answer, until their next login on this device. */
export const PASSWORD_CHANGE_KEY = 'tradewind.passwordChange';
/** The referral code a visitor came with; it belongs to no user yet. */
export const REFERRAL_KEY = 'tradewind.referral';
/** A draft to support, which belongs to its user, in either store. */
export const SUPPORT_DRAFT_KEY = 'tradewind.supportDraft';

/** The record, or null where there is none or it does not read. */
export function readLastUser(storage: Storage = localStorage): LastUser | null {
  return parseLastUser(storage.getItem(LAST_USER_KEY));
}

export const parseLastUser = (json: string | null): LastUser | null => readJson(lastUser, json);

export function writeLastUser(user: LastUser, storage: Storage = localStorage): void {
  const { uid, email, lastSignInTime } = user;
  storage.setItem(LAST_USER_KEY, JSON.stringify({ uid, email, lastSignInTime }));
}

export function forgetLastUser(storage: Storage = localStorage): void {
  storage.removeItem(LAST_USER_KEY);
}

/**
 * Users whose private data must go, kept until it is gone: a purge that a closed tab cut short is
 * finished at the next start.
 */
export function pendingPurges(storage: Storage = localStorage): string[] {
  return (storage.getItem(PURGE_KEY) ?? '').split('\n').filter((uid) => uid !== '');
}

export function notePurge(uid: string, storage: Storage = localStorage): void {
  storage.setItem(PURGE_KEY, [...new Set([...pendingPurges(storage), uid])].join('\n'));
}

export function purgeDone(uid: string, storage: Storage = localStorage): void {
  const left = pendingPurges(storage).filter((other) => other !== uid);
  if (left.length === 0) storage.removeItem(PURGE_KEY);
  else storage.setItem(PURGE_KEY, left.join('\n'));
}

/** Server's clock − device's as last learnt, ms; 0 where it never was. */
export function readClockOffset(storage: Storage = localStorage): number {
  const offset = Number(storage.getItem(CLOCK_KEY) ?? '0');
  return Number.isFinite(offset) ? offset : 0;
}

export function writeClockOffset(offsetMs: number, storage: Storage = localStorage): void {
  if (offsetMs === 0) storage.removeItem(CLOCK_KEY);
  else storage.setItem(CLOCK_KEY, String(offsetMs));
}

/** Whose database was made on this device. */
export function hadDatabase(uid: string): boolean {
  return localStorage.getItem(MADE_KEY) === uid;
}

export function noteDatabase(uid: string): void {
  if (!hadDatabase(uid)) localStorage.setItem(MADE_KEY, uid);
}

/**
 * What belongs to the device: how it looks, what was offered on it, its clock, and our own notes of
 * a sign-out under way.
 */
const OF_THE_DEVICE = new Set([
  LAST_USER_KEY,
  PURGE_KEY,
  CLOCK_KEY,
  LEAVING_KEY,
  REFERRAL_KEY,
  'tradewind.appearance',
  'tradewind.shortcuts',
  'tradewind.keepSnapshots',
  'tradewind.installDeclined',
  'tradewind.firstVisit',
]);

/**
 * Deletes a user's data outside their database, including what the wallet kit wrote: everything
 * that is not a preference of the device. If another user is here by now, only what names the one
 * who left.
 */
export function forgetPerson(uid: string, storage: Storage = localStorage): void {
  const other = readLastUser(storage);
  const alone = other === null || other.uid === uid;
  const keys = Array.from({ length: storage.length }, (_none, index) => storage.key(index) ?? '');
  for (const key of keys)
    if (!OF_THE_DEVICE.has(key) && (alone || storage.getItem(key)?.includes(uid) === true))
      storage.removeItem(key);
  // Where nothing may be kept on the device, a draft lies in the tab's own store.
  if (alone) sessionStorage.removeItem(SUPPORT_DRAFT_KEY);
}

/** A logout that has not reached the identity provider yet. */
export function isLeaving(): boolean {
  return localStorage.getItem(LEAVING_KEY) !== null;
}

export function noteLeaving(): void {
  localStorage.setItem(LEAVING_KEY, '1');
}

export function leavingDone(): void {
  localStorage.removeItem(LEAVING_KEY);
}
