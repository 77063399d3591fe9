/** The wallet's panels as a list of tabs, for finger, arrow keys and screen reader. */
import { useRef, type KeyboardEvent } from 'react';
import { classes } from '../components/class-names.ts';

export interface WalletTabsProps {
  tabs: readonly { id: string; title: string }[];
  shown: string;
  onShow: (id: string) => void;
}

export const tabId = (id: string): string => `wallet-tab-${id}`;
export const PANEL_ID = 'wallet-part';

/** The tab that a key leads to: arrows wrap around, Home and End go to the ends. */
function target(key: string, at: number, count: number): number | null {
  switch (key) {
    case 'ArrowRight':
      return (at + 1) % count;
    case 'ArrowLeft':
      return (at + count - 1) % count;
    case 'Home':
      return 0;
    case 'End':
      return count - 1;
    default:
      return null;
  }
}

export function WalletTabs({ tabs, shown, onShow }: WalletTabsProps) {
  const list = useRef<HTMLDivElement>(null);
  const turn = (event: KeyboardEvent): void => {
    const at = target(
      event.key,
      tabs.findIndex(({ id }) => id === shown),
      tabs.length,
    );
    const next = at === null ? undefined : tabs[at];
    if (next === undefined) return;
    event.preventDefault();
    onShow(next.id);
    list.current?.querySelector<HTMLElement>(`#${tabId(next.id)}`)?.focus();
  };
  return (
    <div
      ref={list}
      role="tablist"
      aria-label="Wallet panels"
      onKeyDown={turn}
      className="mt-2 mb-5 grid grid-cols-4 gap-x-1 border-b border-line sm:flex sm:gap-x-2"
    >
      {tabs.map(({ id, title }) => {
        const here = id === shown;
        return (
          <button
            key={id}
            id={tabId(id)}
            type="button"
            role="tab"
            aria-selected={here}
            aria-controls={PANEL_ID}
            tabIndex={here ? 0 : -1}
            onClick={() => {
              onShow(id);
            }}
            className={classes(
              '-mb-px min-h-11 border-b-2 px-2 font-medium whitespace-nowrap sm:px-3 pointer-fine:min-h-10',
              here ? 'border-accent text-ink' : 'border-transparent text-ink-2 hover:text-ink',
            )}
          >
            {title}
          </button>
        );
      })}
    </div>
  );
}
