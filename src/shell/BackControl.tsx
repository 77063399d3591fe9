/** The back button of an installed app, whose window has none. It never leaves the app. */
import { ChevronLeft } from 'lucide-react';
import { navigate } from 'wouter/use-browser-location';
import { backOf } from './navigation.ts';

/**
 * Missing from TypeScript's DOM library. Unlike `history.length` it knows only this app's entries.
 */
interface WithNavigation {
  navigation?: { canGoBack: boolean };
}

/** The style sheet shows it only in an installed app. */
export function BackControl({ path }: { path: string }) {
  const up = backOf(path);
  if (up === null) return null;
  const back = (): void => {
    // Opened by an icon or a notification: there is no earlier entry, so go to the parent screen.
    if ((globalThis as WithNavigation).navigation?.canGoBack === true) history.back();
    else navigate(up);
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
