/** Parts that are not in the first picture: their code comes in idle moments, or when needed. */
import { createElement, useEffect, useEffectEvent, useState, type ComponentType } from 'react';
import { log } from '../platform/page-log.ts';

export interface Part<P> {
  /** Asks for the code. A download that failed is tried again the next time. */
  load(): Promise<void>;
  /** Drawn at once where it is here already. */
  loaded: ComponentType<P> | null;
  /** For the log. */
  name: string;
}

/** A part that is still needed is asked for again after this long, ms. */
const ASK_AGAIN_MS = 5_000;

const known = new Set<Pick<Part<never>, 'load' | 'name'>>();

export function latePart<P>(name: string, fetchCode: () => Promise<ComponentType<P>>): Part<P> {
  let coming: Promise<void> | null = null;
  const fetchOnce = async (): Promise<void> => {
    try {
      part.loaded ??= await fetchCode();
    } finally {
      coming = null;
    }
  };
  const part: Part<P> = {
    name,
    loaded: null,
    load: () => (coming ??= fetchOnce()),
  };
  known.add(part);
  return part;
}

/** Asks for every part that the code loaded so far can come to need, one after another. */
export async function preloadLateParts(): Promise<void> {
  for (const part of known) {
    try {
      await part.load();
    } catch (error) {
      log.warn(`Could not preload ${part.name}`, error);
    }
  }
}

/**
 * The part from the first time it is needed here; nothing before, and while its code is on the way.
 * `onMissing`: it could not be loaded, so what asked for it is to be taken back.
 */
export function LatePart<P extends object>({
  part,
  needed,
  onMissing,
  props,
}: {
  part: Part<P>;
  needed: boolean;
  onMissing?: () => void;
  props: P;
}) {
  const [used, setUsed] = useState(needed);
  /** Counted up to draw anew: the part has come, or it is to be asked for again. */
  const [turn, setTurn] = useState(0);
  if (needed && !used) setUsed(true);
  const failed = useEffectEvent((error: unknown) => {
    log.error(`Could not load ${part.name}`, error);
    onMissing?.();
  });
  const { loaded } = part;
  useEffect(() => {
    if (!needed || loaded !== null) return;
    let again: ReturnType<typeof setTimeout> | undefined;
    let over = false;
    const next = (): void => {
      setTurn(turn + 1);
    };
    part.load().then(next, (error: unknown) => {
      if (over) return;
      failed(error);
      again = setTimeout(next, ASK_AGAIN_MS);
    });
    return () => {
      over = true;
      clearTimeout(again);
    };
  }, [part, needed, loaded, turn]);
  return loaded !== null && (used || needed) ? createElement(loaded, props) : null;
}
