/**
 * How the code of the start is split: the entry, which shows the last frame; one chunk for all
 * screens; one for the dashboard.
 */
import type { Plugin, Rolldown } from 'vite';

const ENTRY = '/src/main.ts';
const START = '/src/start.tsx';
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
        return modules.has(id) ? name : null;
      },
    };
  };
  return {
    // The group of the highest priority that a module belongs to has it.
    groups: [
      group('first-frame', 3, [ENTRY]),
      group('start', 2, [START]),
      group('dashboard', 1, DASHBOARDS),
    ],
  };
}

/**
 * Names in the page what it would find out late: the app's code, which the entry asks for after the
 * first frame, and the dashboard, where nearly every start of a signed-in person goes.
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
        return ['start', 'dashboard'].map((name) => ({
          tag: 'link',
          attrs: {
            // Fetched and not compiled: compiling would stand before the first frame.
            rel: 'preload',
            as: 'script',
            crossorigin: true,
            fetchpriority: 'low',
            href: file(name),
          },
          injectTo: 'head',
        }));
      },
    },
  };
}
