/** Tells whether the window is wide enough for a table. */
import { useSyncExternalStore } from 'react';

/** The breakpoint at which the rail stands beside the content. */
const WIDE = '(min-width: 1023px)';

function listen(notify: () => void): () => void {
  const query = matchMedia(WIDE);
  query.addEventListener('change', notify);
  return () => {
    query.removeEventListener('change', notify);
  };
}

export const isWide = (): boolean => matchMedia(WIDE).matches;

export const useWide = (): boolean => useSyncExternalStore(listen, isWide, isWide);
