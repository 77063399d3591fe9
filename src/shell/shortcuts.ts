/** The keyboard shortcuts and their matching. Keys typed into a field are never taken. */
import { proxy } from 'valtio';

export interface Shortcut {
  /** Pressed one after another: `g d`. */
  keys: string;
  label: string;
  to?: string;
}

/** A letter after `g` opens a screen. Stop all has a screen that explains it first. */
export const GOES: readonly (Shortcut & { to: string })[] = [
  { keys: 'g d', label: 'Dashboard', to: '/dashboard' },
  { keys: 'g a', label: 'Agents', to: '/agents' },
  { keys: 'g m', label: 'Markets', to: '/market' },
  { keys: 'g p', label: 'Portfolio', to: '/portfolio' },
  { keys: 'g n', label: 'Analytics', to: '/analytics' },
  { keys: 'g f', label: 'Performance', to: '/performance' },
  { keys: 'g t', label: 'Trading', to: '/trading' },
  { keys: 'g l', label: 'Library', to: '/library' },
  { keys: 'g s', label: 'Stop all agents', to: '/stop-all' },
];
export const OTHERS: readonly Shortcut[] = [
  { keys: 'u', label: 'Undo the last Stop' },
  { keys: '/', label: 'Search this screen, or everywhere' },
  { keys: '?', label: 'Show this list' },
];

/** `⌘` on Apple keyboards, `Ctrl` elsewhere. */
export const MODIFIER = /mac|iphone|ipad/i.test(navigator.platform) ? '⌘' : 'Ctrl';

const KEY = 'tradewind.shortcuts';
/** `on`: single-key shortcuts are active. ⌘K has a modifier and always works. */
export const shortcuts = proxy<{ on: boolean; open: 'palette' | 'sheet' | null }>({
  on: localStorage.getItem(KEY) !== 'off',
  open: null,
});

export function setShortcuts(on: boolean): void {
  shortcuts.on = on;
  if (on) localStorage.removeItem(KEY);
  else localStorage.setItem(KEY, 'off');
}

export function openPalette(): void {
  shortcuts.open = 'palette';
}

export type Meaning = { go: string } | 'palette' | 'sheet' | 'search' | 'undo';
/** How long a `g` waits for its letter, ms. */
const SEQUENCE_MS = 1_500;

type Pressed = Pick<
  KeyboardEvent,
  | 'key'
  | 'metaKey'
  | 'ctrlKey'
  | 'altKey'
  | 'repeat'
  | 'defaultPrevented'
  | 'isComposing'
  | 'timeStamp'
>;

/** Actions of single keys. */
const ACT_OF: ReadonlyMap<string, Meaning> = new Map([
  ['?', 'sheet'],
  ['/', 'search'],
  ['u', 'undo'],
]);

/**
 * Matches keys one by one and remembers a `g` for a moment. `typing`: the key belongs to a field or
 * an open dialog.
 */
export function createKeyReader(): (
  event: Pressed,
  typing: boolean,
  on: boolean,
) => Meaning | null {
  let begunAt: number | null = null;
  return (event, typing, on) => {
    const waited = begunAt !== null && event.timeStamp - begunAt <= SEQUENCE_MS;
    begunAt = null;
    if (event.defaultPrevented || event.isComposing || event.repeat) return null;
    if ((event.metaKey || event.ctrlKey) && !event.altKey)
      return event.key.toLowerCase() === 'k' ? 'palette' : null;
    if (!on || typing || event.metaKey || event.ctrlKey || event.altKey) return null;
    if (waited) {
      const goes = GOES.find(({ keys }) => keys === `g ${event.key}`);
      if (goes !== undefined) return { go: goes.to };
    }
    if (event.key === 'g') begunAt = event.timeStamp;
    return ACT_OF.get(event.key) ?? null;
  };
}

/** Whether a key is typed into a field or belongs to a dialog. */
function isForText(target: EventTarget | null): boolean {
  if (document.querySelector('[role=dialog], [role=alertdialog]') !== null) return true;
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable ||
      target.closest(
        'input, textarea, select, [contenteditable=true], [role=textbox], [role=combobox]',
      ) !== null)
  );
}

/** Calls back for every shortcut until unsubscribed. */
export function listenToKeys(announce: (meaning: Meaning) => boolean): () => void {
  const read = createKeyReader();
  const onKey = (event: KeyboardEvent): void => {
    const meaning = read(event, isForText(event.target), shortcuts.on);
    if (meaning !== null && announce(meaning)) event.preventDefault();
  };
  document.addEventListener('keydown', onKey);
  return () => {
    document.removeEventListener('keydown', onKey);
  };
}

/** Other tabs of this device follow the choice. */
export function followShortcutChoice(): () => void {
  const take = ({ key, newValue }: StorageEvent): void => {
    if (key === KEY) shortcuts.on = newValue !== 'off';
  };
  addEventListener('storage', take);
  return () => {
    removeEventListener('storage', take);
  };
}
