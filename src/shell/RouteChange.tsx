/**
 * Handles a change of screen: title, focus, scroll position and one announcement. The first screen
 * is left to the browser.
 */
import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import { hasFirstFrame } from '../first-frame/first-frame.ts';
import { focusContent } from '../platform/focus-content.ts';
import { leaveBuiltPage, pressAgain, refocus, tookOverPage } from './built-page.ts';

/** Scroll position at which each path was left, px. */
const places = new Map<string, number>();
const MOST_PLACES = 50;
let wentBack = false;
let shownPath = '';
/** How long to wait for a screen to become long enough, ms. */
const GROWS_MS = 600;

function keepPlace(path: string, y: number): void {
  places.delete(path);
  places.set(path, y);
  const oldest = places.keys().next();
  if (places.size > MOST_PLACES && oldest.done !== true) places.delete(oldest.value);
}

/**
 * Scrolls back to `y` as soon as the page is that long, unless the user scrolls meanwhile. Returns
 * a function that cancels it.
 */
function returnTo(y: number): () => void {
  const until = performance.now() + GROWS_MS;
  let frame = 0;
  const end = (): void => {
    cancelAnimationFrame(frame);
    for (const kind of ['wheel', 'touchstart', 'keydown']) removeEventListener(kind, end);
  };
  const step = (): void => {
    scrollTo(0, y);
    if (Math.abs(scrollY - y) > 1 && performance.now() < until) frame = requestAnimationFrame(step);
    else end();
  };
  for (const kind of ['wheel', 'touchstart', 'keydown'])
    addEventListener(kind, end, { passive: true });
  step();
  return end;
}

export function RouteChange({ path, title }: { path: string; title: string | undefined }) {
  const first = useRef(true);
  const [said, setSaid] = useState('');
  const [tookOver] = useState(tookOverPage);
  // With the picture itself: the next letter belongs to the field that the person is typing into.
  useLayoutEffect(() => {
    if (tookOver) refocus();
  }, [tookOver]);
  useEffect(() => {
    // The browser would scroll the old screen before the new one is there.
    history.scrollRestoration = 'manual';
    // A step back within one screen does not restore its position.
    const back = (): void => {
      wentBack = location.pathname !== shownPath;
    };
    // Before the router renders.
    addEventListener('popstate', back, { capture: true });
    return () => {
      removeEventListener('popstate', back, { capture: true });
    };
  }, []);
  useEffect(() => {
    shownPath = location.pathname;
    document.title = title === undefined ? 'Tradewind' : `${title} · Tradewind`;
    let end: (() => void) | undefined;
    if (first.current && tookOver) {
      // The person is in the middle of this page already.
      pressAgain();
    } else {
      leaveBuiltPage();
      focusContent();
      const y = wentBack ? (places.get(path) ?? 0) : 0;
      wentBack = false;
      if (y > 0) end = returnTo(y);
      // Where a finger has scrolled the first frame, the screen in its place stays.
      else if (!first.current || !hasFirstFrame()) scrollTo(0, 0);
    }
    if (!first.current) setSaid(title ?? '');
    first.current = false;
    const keep = (): void => {
      keepPlace(path, scrollY);
    };
    addEventListener('scroll', keep, { passive: true });
    return () => {
      end?.();
      removeEventListener('scroll', keep);
    };
  }, [path, title, tookOver]);
  return (
    <p role="status" className="sr-only">
      {said}
    </p>
  );
}
