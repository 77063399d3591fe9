/** Finds agents, symbols, screens and actions from what this device knows. */
import * as Radix from '@radix-ui/react-dialog';
import {
  ChartCandlestick,
  Bot,
  CircleStop,
  CornerDownLeft,
  Play,
  Search,
  AppWindow,
} from 'lucide-react';
import { useMemo, useRef, useState, type KeyboardEvent } from 'react';
import { useSnapshot } from 'valtio';
import { navigate } from 'wouter/use-browser-location';
import { classes } from '../components/class-names.ts';
import { StartDialog } from '../screens/agents/start-stop/StartDialog.tsx';
import { pressStop } from '../screens/agents/start-stop/stop-press.ts';
import { useEntries } from '../screens/use-store.ts';
import { unprotectedOf, type LiveAccounts } from '../stores/agent-stops.ts';
import { agentView, type AgentView } from '../stores/agent-view.ts';
import { agentsStore } from '../stores/agents-store.ts';
import { connection } from '../stores/connection.ts';
import { liveSlots } from '../stores/live-slots.ts';
import { marketStore } from '../stores/market-store.ts';
import { useAuth } from '../stores/use-security.ts';
import { useCurrent } from './data-age.ts';
import { allPaletteItems, matchingItems, type PaletteItem } from './palette-items.ts';

/** One palette is open at most. */
const LIST_ID = 'palette-found';
const optionOf = (find: PaletteItem): string => `${LIST_ID}-${find.id}`;

const ICON = {
  Agents: Bot,
  Actions: CircleStop,
  Symbols: ChartCandlestick,
  Screens: AppWindow,
} as const;

/** The user's agents and permissions from the device's copy: works offline. */
function usePaletteItems(): { all: PaletteItem[]; views: readonly AgentView[] } {
  const entries = useEntries();
  const agents = useSnapshot(agentsStore).data?.agents;
  const accounts = useSnapshot(liveSlots).accounts as LiveAccounts;
  const current = useCurrent('agents');
  // Names of symbols, without their prices, which change four times a second.
  const [symbols] = useState(() => Object.keys(marketStore.data?.symbols ?? {}).sort());
  const { subscriptionTier } = useAuth();
  const views = useMemo(
    () =>
      ((agents ?? []) as AgentView['agent'][]).map((agent) =>
        agentView(agent, entries, current, unprotectedOf(agent, accounts, current)),
      ),
    [agents, accounts, entries, current],
  );
  return {
    all: useMemo(
      () => allPaletteItems({ tier: subscriptionTier, views, symbols }),
      [subscriptionTier, views, symbols],
    ),
    views,
  };
}

function Row({
  find,
  id,
  active,
  onPoint,
  onChoose,
}: {
  find: PaletteItem;
  id: string;
  active: boolean;
  onPoint: () => void;
  onChoose: () => void;
}) {
  const Icon = find.kind === 'start' ? Play : ICON[find.group];
  return (
    <div
      id={id}
      role="option"
      data-act={find.id}
      data-steady={find.kind === 'stop' ? '' : undefined}
      aria-selected={active}
      onPointerMove={active ? undefined : onPoint}
      onClick={onChoose}
      className={classes(
        'flex min-h-11 cursor-pointer items-center gap-3 rounded-md px-3 pointer-fine:min-h-9',
        active && 'bg-accent-wash',
        find.kind === 'stop' && 'text-danger',
      )}
    >
      <Icon className="size-4 shrink-0 opacity-75" strokeWidth={1.75} aria-hidden />
      <span className="min-w-0 flex-1 truncate">{find.name}</span>
      <span className="max-w-[45%] shrink-0 truncate text-xs text-ink-3">
        {find.kind === 'go' && find.keys !== undefined ? (
          <kbd className="hidden font-sans tracking-wide pointer-fine:inline">{find.keys}</kbd>
        ) : (
          find.note
        )}
      </span>
    </div>
  );
}

/**
 * The highlighted item, moved by the arrow keys and opened by Enter. It is kept by its id, because
 * the list changes under it: one that has gone leaves nothing highlighted, and never its neighbour.
 */
function useActiveOption(
  shown: readonly PaletteItem[],
  onChoose: (find: PaletteItem, byKey: boolean) => void,
) {
  const [activeId, setActiveId] = useState(shown[0]?.id ?? null);
  const [first] = shown;
  // What comes after an empty result is highlighted as it comes, and keeps that.
  if (activeId === null && first !== undefined) setActiveId(first.id);
  const index = shown.findIndex(({ id }) => id === activeId);
  const chosen = shown[index];
  const move = (next: PaletteItem | undefined): void => {
    if (next === undefined) return;
    setActiveId(next.id);
    document.getElementById(optionOf(next))?.scrollIntoView({ block: 'nearest' });
  };
  const byKey = (event: KeyboardEvent): void => {
    if (event.nativeEvent.isComposing) return;
    const count = shown.length;
    const to = {
      ArrowDown: (index + 1) % count,
      ArrowUp: (Math.max(0, index) + count - 1) % count,
      PageDown: Math.min(count - 1, index + 6),
      PageUp: Math.max(0, index - 6),
    }[event.key];
    if (to !== undefined && count > 0) {
      event.preventDefault();
      move(shown[to]);
    }
    if (event.key !== 'Enter') return;
    event.preventDefault();
    // A key still held down from before chooses nothing.
    if (!event.repeat && chosen !== undefined) onChoose(chosen, true);
  };
  return { chosen, setActiveId, byKey };
}

function FinderInput({
  question,
  count,
  chosen,
  onQuestion,
  onKeyDown,
}: {
  question: string;
  count: number;
  chosen: PaletteItem | undefined;
  onQuestion: (question: string) => void;
  onKeyDown: (event: KeyboardEvent) => void;
}) {
  return (
    <div className="flex items-center gap-3 border-b border-line px-4">
      <Search className="size-4.5 shrink-0 text-ink-3" strokeWidth={1.75} aria-hidden />
      {/* The dialog already shows the focus; a ring would double its edge. */}
      <input
        type="text"
        role="combobox"
        aria-label="Find agents, symbols, screens and actions"
        aria-expanded={count > 0}
        aria-controls={LIST_ID}
        aria-autocomplete="list"
        aria-activedescendant={chosen === undefined ? undefined : optionOf(chosen)}
        autoComplete="off"
        autoCorrect="off"
        spellCheck={false}
        enterKeyHint="go"
        placeholder="Agent, symbol, screen or action"
        value={question}
        onChange={(event) => {
          onQuestion(event.target.value);
        }}
        onKeyDown={onKeyDown}
        className="h-13 min-w-0 flex-1 bg-transparent outline-none placeholder:text-ink-3"
      />
      <Radix.Close className="-mr-2 flex min-h-11 items-center rounded-md px-2 text-xs text-ink-3 hover:text-ink">
        Close
      </Radix.Close>
    </div>
  );
}

function FoundGroups({
  shown,
  activeId,
  onPoint,
  onChoose,
}: {
  shown: readonly PaletteItem[];
  activeId: string | undefined;
  onPoint: (id: string) => void;
  onChoose: (find: PaletteItem) => void;
}) {
  const groups = [...new Set(shown.map((find) => find.group))];
  return (
    <>
      {groups.map((group) => (
        <div key={group} role="group" aria-label={group}>
          <p aria-hidden className="px-3 pt-2 pb-1 text-xs text-ink-3">
            {group}
          </p>
          {shown.map(
            (find) =>
              find.group === group && (
                <Row
                  key={find.id}
                  id={optionOf(find)}
                  find={find}
                  active={find.id === activeId}
                  onPoint={() => {
                    onPoint(find.id);
                  }}
                  onChoose={() => {
                    onChoose(find);
                  }}
                />
              ),
          )}
        </div>
      ))}
    </>
  );
}

function KeyHelp() {
  const { online } = useSnapshot(connection);
  return (
    <p className="hidden items-center gap-4 border-t border-line px-4 py-2 text-xs text-ink-3 pointer-fine:flex">
      <span>↑ ↓ to choose</span>
      <span className="flex items-center gap-1">
        <CornerDownLeft className="size-3" aria-hidden />
        to open
      </span>
      {online === 'offline' && <span className="ml-auto text-amber">Offline: saved data only</span>}
    </p>
  );
}

function Finder({
  all,
  onChoose,
}: {
  all: readonly PaletteItem[];
  onChoose: (find: PaletteItem, byKey: boolean) => void;
}) {
  const [question, setQuestion] = useState('');
  const list = useRef<HTMLDivElement>(null);
  const shown = useMemo(() => matchingItems(all, question), [all, question]);
  const { chosen, setActiveId, byKey } = useActiveOption(shown, onChoose);
  return (
    <>
      <FinderInput
        question={question}
        count={shown.length}
        chosen={chosen}
        onQuestion={(next) => {
          setQuestion(next);
          setActiveId(matchingItems(all, next)[0]?.id ?? null);
          list.current?.scrollTo(0, 0);
        }}
        onKeyDown={byKey}
      />
      <div
        ref={list}
        id={LIST_ID}
        role="listbox"
        aria-label="Results"
        className="min-h-0 flex-1 overflow-y-auto overscroll-contain p-2"
      >
        <FoundGroups
          shown={shown}
          activeId={chosen?.id}
          onPoint={setActiveId}
          onChoose={(find) => {
            onChoose(find, false);
          }}
        />
      </div>
      <p role="status" className={shown.length === 0 ? 'px-5 pb-5 text-ink-2' : 'sr-only'}>
        {shown.length === 0 ? `No results for “${question}”.` : ''}
      </p>
      <KeyHelp />
    </>
  );
}

/** The palette's content, mounted anew each time it opens. */
function Inside({
  onGo,
  onStart,
  onDone,
}: {
  onGo: (to: string) => void;
  onStart: (agent: AgentView['agent']) => void;
  onDone: () => void;
}) {
  const { all, views } = usePaletteItems();
  const viewOf = (id: string): AgentView | undefined => views.find((view) => view.agent.id === id);
  const choose = (find: PaletteItem, byKey: boolean): void => {
    if (find.kind === 'go') {
      onGo(find.to);
      return;
    }
    const view = viewOf(find.agentId);
    if (view === undefined) return;
    if (find.kind === 'start') {
      onStart(view.agent);
      return;
    }
    onDone();
    pressStop(view.agent, document.getElementById(optionOf(find)), byKey);
  };
  return <Finder all={all} onChoose={choose} />;
}

export default function CommandPalette({
  open,
  onOpenChange,
}: {
  open: boolean;
  onOpenChange: (open: boolean) => void;
}) {
  const [starting, setStarting] = useState<AgentView['agent'] | null>(null);
  const before = useRef<Element | null>(null);
  const went = useRef(false);
  const close = (): void => {
    onOpenChange(false);
  };
  return (
    <>
      <Radix.Root open={open} onOpenChange={onOpenChange}>
        <Radix.Portal>
          <Radix.Overlay className="fixed inset-0 z-40 bg-[var(--scrim)]" />
          <Radix.Content
            aria-describedby={undefined}
            onOpenAutoFocus={() => {
              before.current = document.activeElement;
              went.current = false;
            }}
            // A new screen takes the focus itself; otherwise it returns to where it was.
            onCloseAutoFocus={(event) => {
              event.preventDefault();
              if (!went.current && before.current instanceof HTMLElement) before.current.focus();
            }}
            className="float-in fixed inset-x-0 top-0 z-50 flex max-h-[min(100dvh,36rem)] flex-col overflow-hidden bg-surface pt-[env(safe-area-inset-top)] shadow-float sm:inset-x-auto sm:top-[12dvh] sm:left-[max(1rem,calc(50vw-18rem))] sm:max-h-[min(70dvh,32rem)] sm:w-[min(36rem,calc(100vw-2rem))] sm:rounded-lg"
          >
            <Radix.Title className="sr-only">Find</Radix.Title>
            <Inside
              onGo={(to) => {
                went.current = true;
                close();
                navigate(to);
              }}
              onStart={(agent) => {
                close();
                setStarting(agent);
              }}
              onDone={close}
            />
          </Radix.Content>
        </Radix.Portal>
      </Radix.Root>
      {starting !== null && (
        <StartDialog
          agent={starting}
          open
          onOpenChange={(wanted) => {
            if (!wanted) setStarting(null);
          }}
        />
      )}
    </>
  );
}
