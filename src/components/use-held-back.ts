/** Holds the browser's Back where it would drop entries, and asks instead. */
import { useEffect, useEffectEvent } from 'react';

const markHere = (): string | undefined => (history.state as { held?: string } | null)?.held;

/**
 * While there is `onBack`, an entry of the same address stands in the history over that of the
 * screen. Back takes that one alone, and it is taken again. It goes with `onBack`.
 */
export function useHeldBack(onBack: (() => void) | undefined): void {
  const isHeld = onBack !== undefined;
  const ask = useEffectEvent(() => onBack?.());
  useEffect(() => {
    if (!isHeld) return;
    const mark = crypto.randomUUID();
    const { href } = location;
    history.pushState({ ...(history.state as object | null), held: mark }, '');
    const hear = (): void => {
      if (markHere() === mark || location.href !== href) return;
      // Not pushed anew: browsers pass over an entry that a page adds without a press.
      history.forward();
      ask();
    };
    // From a screen that was opened over it, Back would only come to the entry.
    const pass = (): void => {
      if (markHere() !== mark) return;
      removeEventListener('popstate', pass);
      history.back();
    };
    addEventListener('popstate', hear);
    return () => {
      removeEventListener('popstate', hear);
      if (markHere() === mark) history.back();
      else addEventListener('popstate', pass);
    };
  }, [isHeld]);
}
