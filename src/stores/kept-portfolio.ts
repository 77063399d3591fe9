/** Whether a portfolio lies on this device. */
import { useEffect, useState } from 'react';
import { keepsSnapshots } from '../commands.ts';
import { readSnapshot } from '../offline/snapshots.ts';
import { whileSeen } from '../platform/resting-timer.ts';
import { portfolioStore } from './portfolio-store.ts';

/** A little longer than the stores wait before they write, ms. */
const LOOK_EVERY_MS = 5_000;

/** Looks until there is one; null until the device has been read, and where it keeps none. */
export function useKeptPortfolio(uid: string): boolean | null {
  const [kept, setKept] = useState<boolean | null>(
    // It was read from there.
    portfolioStore.origin === 'snapshot' ? true : null,
  );
  useEffect(() => {
    if (kept === true) return undefined;
    let isHere = true;
    const look = async (): Promise<void> => {
      // Nothing lies there, and none will come.
      if (!keepsSnapshots()) return;
      const found = await readSnapshot(uid, 'portfolio').catch(() => null);
      if (isHere) setKept(found !== null);
    };
    void look();
    const stop = whileSeen(LOOK_EVERY_MS, () => {
      void look();
    });
    return () => {
      isHere = false;
      stop();
    };
  }, [uid, kept]);
  return kept;
}
