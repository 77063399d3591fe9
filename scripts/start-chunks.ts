/**
 * How the code of the start is cut: one chunk for every screen, one for the dashboard, one that
 * runs before both; refuses a list of modules kept by hand.
 */
import type { Plugin, Rolldown } from 'vite';

const PRELOAD = '/src/stores/preload-snapshots.ts';
const ENTRY = '/src/main.tsx';
const DASHBOARDS = [
  '/src/screens/dashboard/DashboardScreen.tsx',
  '/src/screens/dashboard/StandardDashboard.tsx',
];

/** Every module that is loaded with one of these, by its plain imports. */
function reached(
  roots: readonly string[],
  importsOf: (id: string) => readonly string[],
): Set<string> {
  const found = new Set<string>();
  const next = [...roots];
  for (let id = next.pop(); id !== undefined; id = next.pop()) {
    if (found.has(id)) continue;
    found.add(id);
    next.push(...importsOf(id));
  }
  return found;
}

/**
 * Each file that the start waits for costs some milliseconds by itself, however small it is: left
 * alone the bundler cuts the way to the dashboard into forty. What the entry needs is one chunk,
 * what the dashboard needs besides is another.
 */
export function startChunks(root: string): Rolldown.CodeSplittingOptions {
  const group = (
    name: string,
    priority: number,
    roots: readonly string[],
    keeps: (id: string) => boolean,
  ): Rolldown.CodeSplittingGroup => {
    let modules: Set<string> | undefined;
    return {
      debugName: name,
      priority,
      name(id, context) {
        modules ??= reached(
          roots.map((path) => root + path),
          (of) => context.getModuleInfo(of)?.importedIds ?? [],
        );
        return modules.has(id) && !keeps(id) ? name : null;
      },
    };
  };
  return {
    groups: [
      group('early', 3, [PRELOAD], () => false),
      // The entry itself stays the entry.
      group('start', 2, [ENTRY], (id) => id === root + ENTRY),
      group('dashboard', 1, DASHBOARDS, () => false),
    ],
  };
}

/**
 * Names in the page what it would find out late: the script that reads the device while the rest is
 * on its way, and the dashboard, where nearly every start of a signed-in person goes.
 */
export function hintStart(): Plugin {
  return {
    name: 'tradewind-hint-start',
    transformIndexHtml: {
      order: 'post',
      handler(_html, { bundle }) {
        const file = (name: string): string => {
          const found = Object.values(bundle ?? {}).filter(
            (output) =>
              output.type === 'chunk' && output.name === name && output.moduleIds.length > 0,
          );
          if (found.length !== 1 || found[0] === undefined)
            throw new Error(`The build has ${found.length} chunks called ${name}`);
          return `/${found[0].fileName}`;
        };
        if (bundle === undefined) return [];
        return [
          {
            tag: 'script',
            attrs: { type: 'module', async: true, crossorigin: true, src: file('early') },
            injectTo: 'head-prepend',
          },
          {
            tag: 'link',
            attrs: {
              rel: 'modulepreload',
              crossorigin: true,
              fetchpriority: 'low',
              href: file('dashboard'),
            },
            injectTo: 'head',
          },
        ];
      },
    },
  };
}
