/**
 * How the code of the start is split: the entry, which shows the last frame; React; the state of the
 * app; one chunk for all screens; one for the dashboard. Two more come after the first picture: the
 * schemas, and what asks the server.
 */
import type { Plugin, Rolldown } from 'vite';

const ENTRY = '/src/main.ts';
const START = '/src/start.tsx';
/** What parses, for the device and for whoever asks the server: no start waits for it. */
const SCHEMAS = ['/src/offline/snapshot-schemas.ts', '/src/offline/foreign-message.ts'];
/**
 * The stores, with what they read from device and server; and what schemas share with the dashboard,
 * for which they would wait. One store would else be a chunk of its own between the wallet's, which
 * nobody loads unasked, and the stream's.
 */
const STATE = ['/src/stores/sync.ts', '/src/stores/wallet-store.ts', '/contract/pools.ts'];
/** React in the page; what draws on a server comes with the last frames. */
const REACT = /\/node_modules\/(?:react|react-dom|scheduler)\/(?!.*server)/;
const DASHBOARDS = [
  '/src/screens/dashboard/DashboardScreen.tsx',
  '/src/screens/dashboard/StandardDashboard.tsx',
];

/** The package whose one file names all of its icons. */
const ICON_LIST = /\/lucide-react\/dist\/esm\/lucide-react\.mjs$/;
const ICON = /\/lucide-react\/dist\/esm\/icons\//;
const ICON_IMPORT = /import\s*\{([^}]*)\}\s*from\s*["']lucide-react["']/g;
const ICON_EXPORT = /export\s*\{([^}]*)\}\s*from\s*["']\.\/icons\/([\w-]+\.mjs)["']/g;

interface ModuleGraph {
  getModuleInfo(id: string): { importedIds: readonly string[]; code: string | null } | null;
}

/** The file of every icon by each of its names. */
function iconFiles(list: string): Map<string, string> {
  return new Map(
    [...list.matchAll(ICON_EXPORT)].flatMap(([, names = '', file = '']) =>
      names
        .split(',')
        .map((name): [string, string] => [name.replace(/^\s*default\s+as\s+/, '').trim(), file]),
    ),
  );
}

/**
 * What a module loads by its plain imports. Of the icons only those it names: by the list of the
 * package every icon of the app would belong to the start.
 */
function importsIn(graph: ModuleGraph): (id: string) => readonly string[] {
  let icons: Map<string, string> | undefined;
  return (id) => {
    const { importedIds, code } = graph.getModuleInfo(id) ?? { importedIds: [], code: null };
    if (ICON_LIST.test(id)) return importedIds.filter((imported) => !ICON.test(imported));
    const list = importedIds.find((imported) => ICON_LIST.test(imported));
    if (list === undefined) return importedIds;
    icons ??= iconFiles(graph.getModuleInfo(list)?.code ?? '');
    const folder = list.replace(/[^/]+$/, 'icons/');
    const named = [...(code ?? '').matchAll(ICON_IMPORT)].flatMap(([, names = '']) =>
      names.split(',').map((name) => name.replace(/\sas\s.*$/, '').trim()),
    );
    const files = named.filter((name) => name !== '').map((name) => icons?.get(name));
    if (files.length === 0 || files.includes(undefined))
      throw new Error(`The icons of ${id} are not all known: ${named.join(', ')}`);
    return [...importedIds, ...files.map((file) => folder + (file ?? ''))];
  };
}

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

/** What every page of the app loads before its screen. */
const BEFORE_SCREENS = ['react', 'state', 'start'];
const OF_START = new RegExp(
  `^assets/(?:rolldown-runtime|first-frame|${BEFORE_SCREENS.join('|')})-[\\w-]{8}\\.js$`,
);
export const isOfStart = (file: string): boolean => OF_START.test(file);

/** What is asked for right after the first picture, in one file. */
const AFTER_PAINT = [
  '/src/api/client.ts',
  '/src/format/error-text.ts',
  '/src/offline/page-delivery.ts',
  '/src/offline/review.ts',
  '/src/offline/unsaved.ts',
];

/**
 * Each file that the start waits for costs some milliseconds by itself, however small it is: left
 * alone the bundler cuts the way to the dashboard into forty. And each is run in one go, so what
 * takes long to run is cut where the entry can let a finger through.
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
          importsIn(context),
        );
        return modules.has(id) ? name : null;
      },
    };
  };
  return {
    // The group of the highest priority that a module belongs to has it.
    groups: [
      group('first-frame', 7, [ENTRY]),
      { name: 'react', priority: 6, test: REACT },
      group('state', 5, STATE),
      group('start', 4, [START]),
      group('dashboard', 3, DASHBOARDS),
      group('schemas', 2, SCHEMAS),
      group('after-paint', 1, AFTER_PAINT),
      // What is left of the icons is a few bytes each, and one file for all other screens.
      { name: 'icons', priority: 0, test: ICON },
    ],
  };
}

/**
 * Names in the page what it would find out late: the app's code, and the dashboard, where nearly
 * every start of a signed-in person goes. The entry takes the links out of their template once the
 * first frame is painted: fetched before, they hold the frame up by a fifth of its time.
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
        const link = (as: 'script' | 'fetch', name: string): string =>
          `<link rel="preload" as="${as}" crossorigin fetchpriority="low" href="${file(name)}">`;
        const links = [
          // Fetched and not compiled: compiling would come between two parts.
          ...BEFORE_SCREENS.map((name) => link('script', name)),
          // For the loader of parts. An import cannot outlive a link for scripts that failed.
          link('fetch', 'dashboard'),
        ];
        return [
          {
            tag: 'template',
            attrs: { id: 'start-parts' },
            children: links.join(''),
            injectTo: 'body-prepend',
          },
        ];
      },
    },
  };
}
