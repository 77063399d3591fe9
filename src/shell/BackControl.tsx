/** The back button of an installed app, whose window has none. It never leaves the app. */
import { ChevronLeft } from 'lucide-react';
import { useLocation } from 'wouter';
import { backOf } from './navigation.ts';

/**
 * What TypeScript's DOM library leaves out: knows only this app's own entries, unlike
 * `history.length`.
 */
interface WithNavigation {
  navigation?: { canGoBack: boolean };
}

/** Shown by the style sheet where the app runs as one. */
export function BackControl({ path }: { path: string }) {
  const [, go] = useLocation();
  const up = backOf(path);
  if (up === null) return null;
  const back = (): void => {
    // Opened here by an icon or a notification: there is nothing behind but the screen above.
    if ((globalThis as WithNavigation).navigation?.canGoBack === true) history.back();
    else go(up);
  };
  return (
    <button
      type="button"
      aria-label="Back"
      onClick={back}
      className="in-app-back -mr-3 -ml-3 size-11 shrink-0 items-center justify-center rounded-md text-ink-2 hover:text-ink"
    >
      <ChevronLeft className="size-5.5" strokeWidth={1.75} aria-hidden />
    </button>
  );
}
