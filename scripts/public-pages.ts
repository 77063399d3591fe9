/**
 * A build step that writes every public page as a complete HTML file: drawn by the screens' own
 * components, with its head, its styles and a script of a few kilobytes.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import react from '@vitejs/plugin-react';
import { build, type InlineConfig, type Plugin, type ResolvedConfig, type Rolldown } from 'vite';
import { ORIGIN_IN_BUILD, PUBLIC_PAGES, type PublicPath } from '../contract/public-pages.ts';
import { usedStyles } from './used-styles.ts';

const FOLDER = 'src/public-page';
const SOCIAL_PICTURE = '/pictures/social.png';
/** Classes that the page's own script brings in. */
const OF_THE_SCRIPT = ['text-danger'];

/** The screen that the app shows at a path, for which its code is fetched before it takes over. */
const SCREENS: Readonly<Record<PublicPath, string>> = {
  '/': 'landing/LandingScreen.tsx',
  '/how-it-works': 'content/HowItWorksScreen.tsx',
  '/learn-more': 'content/LearnMoreScreen.tsx',
  '/faq': 'content/FaqScreen.tsx',
  '/terms': 'content/TermsScreen.tsx',
  '/privacy': 'content/PrivacyScreen.tsx',
  '/risk-disclosure': 'content/RiskDisclosureScreen.tsx',
  '/login': 'login/LoginScreen.tsx',
  '/register': 'login/RegisterScreen.tsx',
};

/** Where nearly everybody goes next who has not been here. */
const FORMS = ['/login', '/register'] as const satisfies readonly PublicPath[];

interface RenderedPage {
  title: string;
  description: string;
  body: string;
}

/** Builds one file of the page's folder with the settings of the build around it. */
async function built(
  config: ResolvedConfig,
  entry: string,
  more: InlineConfig['build'],
  ssr?: InlineConfig['ssr'],
): Promise<Rolldown.OutputChunk> {
  const made = await build({
    configFile: false,
    root: config.root,
    mode: config.mode,
    logLevel: 'warn',
    plugins: [react()],
    define: config.define ?? {},
    publicDir: false,
    ...(ssr === undefined ? {} : { ssr }),
    build: {
      write: false,
      target: config.build.target,
      modulePreload: false,
      copyPublicDir: false,
      ...more,
      rolldownOptions: {
        input: join(config.root, FOLDER, entry),
        output: { codeSplitting: false, ...more?.rolldownOptions?.output },
      },
    },
  });
  const output = (Array.isArray(made) ? made : [made]).flatMap((one) =>
    'output' in one ? one.output : [],
  );
  const [chunk, ...others] = output.filter((one) => one.type === 'chunk');
  if (chunk === undefined || others.length > 0)
    throw new Error(`${entry} is not one file but ${others.length + 1}`);
  return chunk;
}

/** In a thread: the screens bring what keeps a process alive, such as a channel to other tabs. */
const IN_THREAD = `
const { parentPort, workerData } = require('node:worker_threads');
void import(workerData.url).then(async (renderer) => {
  const pages = [];
  for (const path of workerData.paths)
    pages.push([path, { ...renderer.textOf(path), body: await renderer.renderPage(path) }]);
  parentPort.postMessage(pages);
});`;

function rendered(file: string): Promise<Map<PublicPath, RenderedPage>> {
  const worker = new Worker(IN_THREAD, {
    eval: true,
    workerData: { url: pathToFileURL(file).href, paths: Object.keys(PUBLIC_PAGES) },
  });
  return new Promise<Map<PublicPath, RenderedPage>>((resolve, reject) => {
    worker.once('message', (pages: [PublicPath, RenderedPage][]) => {
      resolve(new Map(pages));
    });
    worker.once('error', reject);
    worker.once('exit', (code) => {
      reject(new Error(`The pages were not rendered: the thread ended with ${code}`));
    });
  }).finally(() => void worker.terminate());
}

async function renderPages(config: ResolvedConfig): Promise<Map<PublicPath, RenderedPage>> {
  const { code } = await built(
    config,
    'prerender.tsx',
    { ssr: true, minify: false },
    {
      noExternal: true,
      target: 'node',
    },
  );
  const folder = mkdtempSync(join(tmpdir(), 'tradewind-pages-'));
  try {
    const file = join(folder, 'prerender.mjs');
    writeFileSync(file, code);
    return await rendered(file);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');

/** Of the app's own page: its icons, colours and manifest, but none of its code. */
function headOf(index: string): string {
  const head = /<head>([\s\S]*)<\/head>/.exec(index)?.[1] ?? '';
  return [...head.matchAll(/<(?:meta|link)\b[^>]*>/g)]
    .map(([tag]) => tag.replace(/\s+/g, ' ').replace(' />', '>'))
    .filter((tag) =>
      tag.startsWith('<meta')
        ? !/name="description"/.test(tag)
        : /rel="(?:icon|manifest|apple-[\w-]+)"/.test(tag),
    )
    .join('');
}

interface Parts {
  styles: string[];
  chunks: string[];
  /** Fetched ahead only: what comes after this page. */
  later: string[];
  scripts: string[];
}

/** A chunk and everything it imports, so that none of it is found out late. */
function closure(bundle: Rolldown.OutputBundle, files: readonly string[]): string[] {
  const found = new Set<string>();
  const next = [...files];
  for (let file = next.pop(); file !== undefined; file = next.pop()) {
    const output = bundle[file];
    if (output?.type !== 'chunk' || found.has(file)) continue;
    found.add(file);
    next.push(...output.imports);
  }
  return [...found];
}

function screenFile(bundle: Rolldown.OutputBundle, path: PublicPath): string {
  const source = `/src/screens/${SCREENS[path]}`;
  const screen = Object.values(bundle).find(
    (output) => output.type === 'chunk' && output.facadeModuleId?.endsWith(source) === true,
  );
  if (screen === undefined) throw new Error(`The build has no chunk of ${source}`);
  return screen.fileName;
}

/** What the app's own page loads, in its order, and the code of the screen. */
function partsOf(index: string, bundle: Rolldown.OutputBundle, path: PublicPath): Parts {
  const all = (pattern: RegExp): string[] =>
    [...index.matchAll(pattern)].flatMap(
      ([tag]) => /(?:src|href)="\/([^"]+)"/.exec(tag)?.[1] ?? [],
    );
  const scripts = all(/<script[^>]*type="module"[^>]*>/g);
  const chunks = closure(bundle, [...scripts, screenFile(bundle, path)]).filter(
    (file) => !scripts.includes(file),
  );
  const next = FORMS.map((form) => screenFile(bundle, form));
  const later = [...closure(bundle, next), ...all(/<link[^>]*rel="(?:module)?preload"[^>]*>/g)];
  const addresses = (files: readonly string[]): string[] => files.map((file) => `/${file}`);
  return {
    styles: addresses(all(/<link[^>]*rel="stylesheet"[^>]*>/g)),
    chunks: addresses(chunks),
    later: addresses([
      ...new Set(later.filter((file) => !chunks.includes(file) && !scripts.includes(file))),
    ]),
    scripts: addresses(scripts),
  };
}

interface Made {
  index: string;
  css: string;
  inline: string;
  script: string;
  bundle: Rolldown.OutputBundle;
  pages: ReadonlyMap<PublicPath, RenderedPage>;
}

function pageOf(path: PublicPath, made: Made): string {
  const page = made.pages.get(path);
  if (page === undefined) throw new Error(`${path} was not rendered`);
  const { title, description, body } = page;
  const address = `${ORIGIN_IN_BUILD}${path}`;
  const fullTitle = escaped(`${title} · Tradewind`);
  const meta = (kind: 'name' | 'property', name: string, content: string): string =>
    `<meta ${kind}="${name}" content="${escaped(content)}">`;
  const head = [
    headOf(made.index),
    `<title>${fullTitle}</title>`,
    meta('name', 'description', description),
    `<link rel="canonical" href="${address}">`,
    meta('property', 'og:type', 'website'),
    meta('property', 'og:site_name', 'Tradewind'),
    meta('property', 'og:title', title),
    meta('property', 'og:description', description),
    meta('property', 'og:url', address),
    meta('property', 'og:image', `${ORIGIN_IN_BUILD}${SOCIAL_PICTURE}`),
    meta('property', 'og:image:width', '1200'),
    meta('property', 'og:image:height', '630'),
    meta('property', 'og:image:alt', 'Tradewind: trading agents that show their work'),
    meta('name', 'twitter:card', 'summary_large_image'),
    `<style>${usedStyles(made.css, body, OF_THE_SCRIPT)}</style>`,
    `<script>${made.inline}</script>`,
    `<script type="module" src="/${made.script}"></script>`,
  ].join('');
  const parts = JSON.stringify(partsOf(made.index, made.bundle, path));
  const needs = (FORMS as readonly string[]).includes(path)
    ? '<noscript><p class="text-danger">Tradewind needs JavaScript to log you in.</p></noscript>'
    : '';
  return `<!doctype html><html lang="en"><head>${head}</head><body><div id="root">${body}</div>${needs}<script type="application/json" id="app-parts">${parts}</script></body></html>`;
}

/** Which pages there are to find; the app behind them needs an account. */
function forSearchEngines(): Record<string, string> {
  const addresses = Object.keys(PUBLIC_PAGES).map(
    (path) => `<url><loc>${ORIGIN_IN_BUILD}${path}</loc></url>`,
  );
  return {
    'robots.txt': `User-agent: *\nAllow: /\nDisallow: /api/\n\nSitemap: ${ORIGIN_IN_BUILD}/sitemap.xml\n`,
    'sitemap.xml': `<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${addresses.join('')}</urlset>\n`,
  };
}

async function writePages(
  config: ResolvedConfig,
  folder: string,
  bundle: Rolldown.OutputBundle,
): Promise<void> {
  const write = (file: string, text: string): void => {
    const path = join(folder, file);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  };
  const [pages, inline, main] = await Promise.all([
    renderPages(config),
    built(config, 'before-paint.ts', { rolldownOptions: { output: { format: 'iife' } } }),
    built(config, 'main.ts', {}),
  ]);
  const digest = createHash('sha256').update(main.code).digest('base64url').slice(0, 8);
  const script = `assets/public-page-${digest}.js`;
  write(script, main.code);
  const index = readFileSync(join(folder, 'index.html'), 'utf8');
  const css = [...index.matchAll(/href="\/(assets\/[^"]+\.css)"/g)]
    .map(([, file = '']) => readFileSync(join(folder, file), 'utf8'))
    .join('\n');
  if (css === '') throw new Error("The app's page names no stylesheet");
  const made: Made = { index, css, inline: inline.code.trim(), script, bundle, pages };
  for (const path of Object.keys(PUBLIC_PAGES) as PublicPath[])
    write(PUBLIC_PAGES[path], pageOf(path, made));
  for (const [file, text] of Object.entries(forSearchEngines())) write(file, text);
}

/** Runs when the app's own files are written, and before the service worker lists them. */
export function publicPages(): Plugin {
  let config: ResolvedConfig | undefined;
  return {
    name: 'tradewind-public-pages',
    apply: 'build',
    configResolved(resolved) {
      config = resolved;
    },
    writeBundle: {
      order: 'post',
      sequential: true,
      async handler(_options, bundle) {
        if (config === undefined) throw new Error('The build has no configuration');
        await writePages(config, resolve(config.root, config.build.outDir), bundle);
      },
    },
  };
}
