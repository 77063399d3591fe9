/**
 * Freezes the order of rows while the user points at, presses or focuses one, so that no row moves
 * under a finger.
 */
import { useEffect, useMemo, useRef, useState, type FocusEvent } from 'react';
import { heldOrder } from './table-order.ts';

/** The click of a tap comes some time after the finger has left, ms. */
const AFTER_PRESS_MS = 400;

export interface HeldOrder {
  order: readonly string[];
  /** For the element that contains the rows. */
  hold: {
    onPointerDown: () => void;
    onFocus: () => void;
    onBlur: (event: FocusEvent<HTMLElement>) => void;
  };
}

export function useHeldOrder(order: readonly string[]): HeldOrder {
  const [held, setHeld] = useState<readonly string[] | null>(null);
  const shown = useMemo(() => (held === null ? order : heldOrder(held, order)), [held, order]);
  const last = useRef(shown);
  const pressing = useRef(false);
  const focused = useRef(false);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => {
    last.current = shown;
  }, [shown]);

  const take = (): void => {
    setHeld((present) => present ?? last.current);
  };
  const release = (): void => {
    if (!pressing.current && !focused.current) setHeld(null);
  };
  useEffect(() => {
    const lifted = (): void => {
      if (!pressing.current) return;
      clearTimeout(timer.current);
      timer.current = setTimeout(() => {
        pressing.current = false;
        release();
      }, AFTER_PRESS_MS);
    };
    addEventListener('pointerup', lifted);
    addEventListener('pointercancel', lifted);
    return () => {
      removeEventListener('pointerup', lifted);
      removeEventListener('pointercancel', lifted);
      clearTimeout(timer.current);
    };
  }, []);
  return {
    order: shown,
    hold: {
      onPointerDown: () => {
        clearTimeout(timer.current);
        pressing.current = true;
        take();
      },
      onFocus: () => {
        focused.current = true;
        take();
      },
      onBlur: ({ currentTarget, relatedTarget }) => {
        focused.current = currentTarget.contains(relatedTarget);
        release();
      },
    },
  };
}
