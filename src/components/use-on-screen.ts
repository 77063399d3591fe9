/**
 * Tells whether an element is near the viewport, by one shared observer. Without
 * IntersectionObserver everything counts as visible.
 */
import { useCallback, useState, type RefCallback } from 'react';

/** Counts as visible slightly before it is, so that a scroll finds it up to date. */
const NEAR = '240px 0px';

const listeners = new WeakMap<Element, (on: boolean) => void>();
let observer: IntersectionObserver | undefined;

function watch(element: Element, listener: (on: boolean) => void): () => void {
  observer ??= new IntersectionObserver(
    (entries) => {
      for (const entry of entries) listeners.get(entry.target)?.(entry.isIntersecting);
    },
    { rootMargin: NEAR },
  );
  listeners.set(element, listener);
  observer.observe(element);
  const held = observer;
  return () => {
    listeners.delete(element);
    held.unobserve(element);
  };
}

const canTell = (): boolean => typeof IntersectionObserver === 'function';

/** `first`: the value until the browser has reported. */
export function useOnScreen(first: boolean): [RefCallback<Element>, boolean] {
  const [on, setOn] = useState(() => first || !canTell());
  const ref = useCallback(
    (element: Element | null) =>
      element === null || !canTell() ? undefined : watch(element, setOn),
    [],
  );
  return [ref, on];
}
