/** Counts as unsaved what a screen holds of entries after their fields are gone. */
import { useEffect } from 'react';
import { typed } from '../platform/app-updates.ts';

/** While `holds`, no update reloads the page unasked, and one that is asked for warns first. */
export function useHeldEntries(holds: boolean): void {
  useEffect(() => {
    if (!holds) return undefined;
    const held = { isConnected: true };
    typed.add(held);
    return () => {
      typed.delete(held);
    };
  }, [holds]);
}
