/** Says in a dialog, which covers the notice of the page, that the session is about to end. */
import { useSnapshot } from 'valtio';
import { formatSpan } from '../format/ages.ts';
import { session } from '../identity/session.ts';
import { useNow } from './use-now.ts';

/** Read out by the page's own notice, which is heard over a dialog too. */
function Ends({ at }: { at: number }) {
  const left = Math.max(0, at - useNow(10_000));
  return <p className="mt-3 text-amber">Your session ends in {formatSpan(left)}.</p>;
}

export function SessionEnds() {
  const { endingSoon, expiresAt } = useSnapshot(session);
  return endingSoon && expiresAt !== null && <Ends at={expiresAt} />;
}
