/**
 * What this user has opened or dismissed on this device, for the first steps. Nothing is noted for
 * a user who has logged out.
 */
import { useCallback, useEffect, type RefCallback } from 'react';
import { readLastUser } from '../../identity/last-user.ts';
import { session } from '../../identity/session.ts';

const KEY = 'tradewind.firstSteps';

/**
 * `security` and `risk` were opened, `trade` was on the screen, `installed` was seen from within
 * the app, `hidden` took the list off the dashboard.
 */
const NOTES = ['security', 'risk', 'trade', 'installed', 'hidden'] as const;
export type Note = (typeof NOTES)[number];

export function readNotes(
  uid: string,
  storage: Pick<Storage, 'getItem'> = localStorage,
): ReadonlySet<Note> {
  const [owner, notes = ''] = (storage.getItem(KEY) ?? '').split(' ');
  return new Set(owner === uid ? NOTES.filter((note) => notes.split(',').includes(note)) : []);
}

/** Notes nothing for a user who has just logged out, in this tab or another. */
export function note(
  uid: string,
  what: Note,
  storage: Pick<Storage, 'getItem' | 'setItem'> = localStorage,
): void {
  if (readLastUser()?.uid !== uid) return;
  storage.setItem(KEY, `${uid} ${[...new Set([...readNotes(uid, storage), what])].join(',')}`);
}

/** Notes that the logged-in user has opened the screen that calls this. */
export function useLookedAt(what: Note): void {
  useEffect(() => {
    const uid = session.user?.uid;
    if (uid !== undefined) note(uid, what);
  }, [what]);
}

/** Notes that an element has been on screen; at once where the browser cannot tell. */
export function useSeenOnScreen(what: Note): RefCallback<Element> {
  return useCallback(
    (element: Element | null) => {
      const uid = session.user?.uid;
      if (element === null || uid === undefined || readNotes(uid).has(what)) return undefined;
      if (typeof IntersectionObserver !== 'function') {
        note(uid, what);
        return undefined;
      }
      const observer = new IntersectionObserver(([entry]) => {
        if (entry?.isIntersecting !== true) return;
        note(uid, what);
        observer.disconnect();
      });
      observer.observe(element);
      return () => {
        observer.disconnect();
      };
    },
    [what],
  );
}
