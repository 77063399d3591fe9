/** Whether the user scrolls, presses or types just now: the page's answer to that comes first. */

/** A finger or a wheel tells of each frame; after this long without a word it rests, ms. */
const RESTS_AFTER_MS = 150;

let heardAt = -Infinity;
let isListening = false;

/** Listens from the first question on. */
export function isInteracting(): boolean {
  if (!isListening && typeof document !== 'undefined') {
    isListening = true;
    for (const kind of ['scroll', 'pointerdown', 'pointerup', 'click', 'keydown'])
      document.addEventListener(
        kind,
        () => {
          heardAt = performance.now();
        },
        { capture: true, passive: true },
      );
  }
  return performance.now() - heardAt < RESTS_AFTER_MS;
}
