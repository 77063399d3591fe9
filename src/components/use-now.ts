/** The device's clock for components, on shared timers that run only while the page is visible. */
import { useSyncExternalStore } from 'react';

const listeners = new Set<() => void>();
let now = Date.now();
let timer: ReturnType<typeof setInterval> | null = null;

function beat(): void {
  now = Date.now();
  for (const listener of listeners) listener();
}

function pace(): void {
  const wanted = listeners.size > 0 && document.visibilityState === 'visible';
  if (wanted && timer === null) {
    beat();
    timer = setInterval(beat, 1_000);
  } else if (!wanted && timer !== null) {
    clearInterval(timer);
    timer = null;
  }
}

function subscribe(listener: () => void): () => void {
  if (listeners.size === 0) document.addEventListener('visibilitychange', pace);
  listeners.add(listener);
  pace();
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) document.removeEventListener('visibilitychange', pace);
    pace();
  };
}

let drawsAsOld = false;

/**
 * Draws with everything taken for old, for a picture that is shown at a later start: what was
 * current today is not current then.
 */
export function drawAsOld<T>(draw: () => T): T {
  drawsAsOld = true;
  try {
    return draw();
  } finally {
    drawsAsOld = false;
  }
}

/**
 * Device clock in ms, rounded down to `stepMs`, so that a component renders only when its text may
 * change.
 */
export function useNow(stepMs = 1_000): number {
  const read = (): number =>
    Math.floor((listeners.size === 0 ? (now = Date.now()) : now) / stepMs) * stepMs;
  return useSyncExternalStore(subscribe, read, read);
}

/**
 * Whether the device's clock has reached a time (ms); the component renders only when that changes.
 */
export function usePast(at: number): boolean {
  return useSyncExternalStore(
    subscribe,
    () => (listeners.size === 0 ? (now = Date.now()) : now) >= at,
    () => drawsAsOld || Date.now() >= at,
  );
}
