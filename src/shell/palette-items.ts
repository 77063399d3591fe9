/** What the command palette can find and do, from what this device knows. */
import type { Tier } from '../../contract/permission.ts';
import type { AgentView } from '../stores/agent-view.ts';
import { MENU_LINKS } from './menu-links.ts';
import { FOOTER_LINKS, navLinks } from './navigation.ts';
import { GOES } from './shortcuts.ts';

export type PaletteItem =
  | { kind: 'go'; id: string; group: Group; name: string; note: string; to: string; keys?: string }
  /** A stop runs at once and can be undone; a start opens its dialog. */
  | {
      kind: 'stop' | 'start';
      id: string;
      group: 'Actions';
      name: string;
      note: string;
      agentId: string;
    };
type Group = 'Agents' | 'Actions' | 'Symbols' | 'Screens';

export interface PaletteSources {
  tier: Tier;
  views: readonly AgentView[];
  /** `BASE/QUOTE`. */
  symbols: readonly string[];
}

/** Search words for a screen. */
const ALSO: Readonly<Record<string, string>> = {
  ...Object.fromEntries(MENU_LINKS.map(({ to, also }) => [to, also])),
  '/dashboard': 'home start equity',
  '/market': 'prices watchlist symbols',
  '/analytics': 'metrics sharpe drawdown',
  '/trading': 'trading settings risk values pause',
  '/stop-all': 'panic halt emergency',
  '/faq': 'questions help',
};

function screens(tier: Tier): PaletteItem[] {
  const links = [
    ...navLinks(tier).filter((link) => link.upsell !== true),
    ...MENU_LINKS,
    { to: '/stop-all', label: 'Stop all agents' },
    { to: '/how-it-works', label: 'How it works' },
    { to: '/learn-more', label: 'Learn more' },
    ...FOOTER_LINKS,
  ];
  return links.map(({ to, label }): PaletteItem => {
    const keys = GOES.find((goes) => goes.to === to)?.keys;
    return {
      kind: 'go',
      id: `screen-${to.slice(1)}`,
      group: 'Screens',
      name: label,
      note: '',
      to,
      ...(keys === undefined ? {} : { keys }),
    };
  });
}

/** All items in order: agents, actions, symbols, screens. */
export function allPaletteItems({ tier, views, symbols }: PaletteSources): PaletteItem[] {
  return [
    ...views.map(({ agent, statusText }): PaletteItem => ({
      kind: 'go',
      id: `agent-${agent.id}`,
      group: 'Agents',
      name: agent.name,
      note: statusText,
      to: `/agents/${encodeURIComponent(agent.id)}`,
    })),
    ...views.flatMap(({ agent, canStop, canStart }): PaletteItem[] => [
      ...(canStop
        ? [
            {
              kind: 'stop' as const,
              id: `stop-${agent.id}`,
              group: 'Actions' as const,
              name: `Stop ${agent.name}`,
              note: 'at once, with Undo',
              agentId: agent.id,
            },
          ]
        : []),
      ...(canStart && !canStop
        ? [
            {
              kind: 'start' as const,
              id: `start-${agent.id}`,
              group: 'Actions' as const,
              name: `Start ${agent.name}`,
              note: 'shows a preview first',
              agentId: agent.id,
            },
          ]
        : []),
    ]),
    ...symbols.map((symbol): PaletteItem => ({
      kind: 'go',
      id: `symbol-${symbol.replace('/', '-')}`,
      group: 'Symbols',
      name: symbol,
      note: '',
      to: `/market/${symbol.replace('/', '-')}`,
    })),
    ...screens(tier),
  ];
}

const fold = (text: string): string => text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();

/**
 * How well one word matches an item: the start of its name, of a word in it, any part, its search
 * words; 0 for none.
 */
function fit(name: string, also: string, word: string): number {
  if (name.startsWith(word)) return 4;
  const words = name.split(/[\s/-]+/);
  if (words.some((part) => part.startsWith(word))) return 3;
  if (name.includes(word)) return 2;
  return also.split(' ').some((part) => part.startsWith(word)) ? 1 : 0;
}

/** At most this many rows per group, so that 500 symbols do not bury the rest. */
const PER_GROUP = 6;
const ORDER: readonly Group[] = ['Agents', 'Actions', 'Symbols', 'Screens'];

/**
 * The items for a query, grouped, the best match first. Every word must match; without a query only
 * agents and screens.
 */
export function matchingItems(all: readonly PaletteItem[], question: string): PaletteItem[] {
  const words = fold(question).split(/\s+/).filter(Boolean);
  if (words.length === 0)
    return ORDER.flatMap((group) =>
      all
        .filter((find) => find.group === group && (group === 'Agents' || group === 'Screens'))
        .slice(0, group === 'Screens' ? 20 : PER_GROUP),
    );
  const scored = all
    .flatMap((find, index) => {
      const name = fold(find.name);
      const also = find.kind === 'go' && find.group === 'Screens' ? (ALSO[find.to] ?? '') : '';
      const each = words.map((word) => fit(name, also, word));
      return each.includes(0)
        ? []
        : [
            {
              find,
              index,
              score: each.reduce((sum, one) => sum + one, 0) + (name === words.join(' ') ? 1 : 0),
            },
          ];
    })
    .sort((a, b) => b.score - a.score || a.index - b.index);
  const groups = [...new Set(scored.map(({ find }) => find.group))];
  return groups.flatMap((group) =>
    scored
      .filter(({ find }) => find.group === group)
      .slice(0, PER_GROUP)
      .map(({ find }) => find),
  );
}
