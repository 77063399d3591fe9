/** Listens for the shell's keyboard shortcuts. What they open is loaded on demand. */
import { useEffect, useState, type ComponentType } from 'react';
import { useSnapshot } from 'valtio';
import { navigate } from 'wouter/use-browser-location';
import { log } from '../platform/page-log.ts';
import { undoStop } from '../screens/agents/start-stop/stop-press.ts';
import { stopOffer } from '../stores/stop-offer.ts';
import { followShortcutChoice, listenToKeys, shortcuts } from './shortcuts.ts';

type Overlay = ComponentType<{ open: boolean; onOpenChange: (open: boolean) => void }>;
const LOAD = {
  palette: () => import('./CommandPalette.tsx'),
  sheet: () => import('./ShortcutSheet.tsx'),
} as const;

/** The screen's own visible search field. */
function focusSearch(): boolean {
  const field = [
    ...document.querySelectorAll<HTMLInputElement>('#content input[type=search]'),
  ].find((one) => one.getClientRects().length > 0);
  field?.focus();
  field?.select();
  return field !== undefined;
}

export function KeyboardShortcuts() {
  const { open } = useSnapshot(shortcuts);
  const [loaded, setLoaded] = useState<{ palette?: Overlay; sheet?: Overlay }>({});
  useEffect(() => {
    const unlisten = listenToKeys((meaning) => {
      if (typeof meaning === 'object') navigate(meaning.go);
      else if (meaning === 'palette') {
        // ⌘K closes the palette it opened, and does nothing over other dialogs.
        if (shortcuts.open === null && document.querySelector('[role=dialog]') !== null)
          return false;
        shortcuts.open = shortcuts.open === 'palette' ? null : 'palette';
      } else if (meaning === 'sheet') shortcuts.open = 'sheet';
      else if (meaning === 'undo') {
        if (stopOffer.offer === null) return false;
        void undoStop();
      } else if (!focusSearch()) shortcuts.open = 'palette';
      return true;
    });
    const unfollow = followShortcutChoice();
    return () => {
      unlisten();
      unfollow();
      shortcuts.open = null;
    };
  }, []);
  useEffect(() => {
    if (open === null || loaded[open] !== undefined) return;
    LOAD[open]().then(
      (module) => {
        setLoaded((known) => ({ ...known, [open]: module.default }));
      },
      (error: unknown) => {
        // Retried at the next press.
        log.error('Could not load what the shortcut opens', error);
        shortcuts.open = null;
      },
    );
  }, [open, loaded]);
  const { palette: Palette, sheet: Sheet } = loaded;
  const close = (wanted: boolean): void => {
    if (!wanted) shortcuts.open = null;
  };
  return (
    <>
      {Palette !== undefined && <Palette open={open === 'palette'} onOpenChange={close} />}
      {Sheet !== undefined && <Sheet open={open === 'sheet'} onOpenChange={close} />}
    </>
  );
}
