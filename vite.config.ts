/** How the PWA is built and served in development. */
import { readFileSync } from 'node:fs';
import tailwind from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig, loadEnv } from 'vite';
import { VitePWA, type ManifestOptions } from 'vite-plugin-pwa';
import { filesOf, partLoader } from './scripts/part-loader.ts';
import { precompress } from './scripts/precompress.ts';
import { publicPages } from './scripts/public-pages.ts';
import { schemaHash } from './scripts/schema-hash.ts';
import { hintStart, isOfStart, startChunks } from './scripts/start-chunks.ts';
import { engineHash } from './server/engine-hash.ts';
import { KIT_SIDE_EFFECTS, walletKit, walletChunkName } from './scripts/wallet-kit.ts';

const root = import.meta.dirname;
const readJson = (name: string): unknown => JSON.parse(readFileSync(`${root}/${name}`, 'utf8'));

/** Paths the server answers; everything else is the app's own route. */
const SERVER_PATHS = [
  '/api',
  '/subscriptions',
  '/market/data',
  '/market/overview',
  '/market/pools',
  '/market/candles',
  '/healthz',
  '/readyz',
  '/openapi.json',
  '/metrics',
  '/webhooks',
  '/test-checkout',
  '/test-portal',
  '/identitytoolkit.googleapis.com',
  '/securetoken.googleapis.com',
  '/emulator',
  '/callable',
];

/**
 * The half of React's server renderer that draws the last frames. By its public name the half that
 * streams comes with it: 100 KB that nothing calls.
 */
const RENDER_TO_STRING = `${root}/node_modules/react-dom/cjs/react-dom-server-legacy.browser.production.js`;

/** The router asks for a stand-in for a hook that React has had since 18: the start needs no second. */
const ROUTER_STORE = /^use-sync-external-store\/shim\/index\.js$/;

export default defineConfig(({ mode, command }) => {
  const env = loadEnv(mode, root, 'VITE_');
  const { version } = readJson('package.json') as { version: string };
  const target = `http://127.0.0.1:${process.env.PORT ?? '8787'}`;
  return {
    resolve: {
      alias:
        command === 'build'
          ? [
              { find: /^react-dom\/server$/, replacement: RENDER_TO_STRING },
              { find: ROUTER_STORE, replacement: 'react' },
            ]
          : [],
    },
    define: {
      __APP_VERSION__: JSON.stringify(version),
      __ENGINE_HASH__: JSON.stringify(engineHash()),
      // A server of development goes on while the schemas change: there every record is parsed.
      ...(command === 'build' ? { __SCHEMA_HASH__: JSON.stringify(schemaHash()) } : {}),
    },
    plugins: [
      react(),
      tailwind(),
      walletKit(),
      partLoader(root),
      hintStart(),
      publicPages(),
      VitePWA({
        strategies: 'injectManifest',
        srcDir: 'sw',
        filename: 'sw.ts',
        injectRegister: false,
        registerType: 'prompt',
        manifest: readJson('manifest.webmanifest') as Partial<ManifestOptions>,
        injectManifest: {
          rollupFormat: 'iife',
          globPatterns: [
            'index.html',
            'pages/*.html',
            'manifest.webmanifest',
            'assets/*.{js,css}',
            'icons/*.{svg,png}',
          ],
          // The wallet kit and its connectors are fetched when a wallet is shown; offline there is
          // nothing to do with one.
          globIgnores: ['**/wallet-*.js', '**/*.map', 'icons/shortcut-*.png'],
          maximumFileSizeToCacheInBytes: 3_000_000,
        },
      }),
      ...(env.VITE_ENABLE_COMPRESSION === 'true' ? [precompress()] : []),
    ],
    build: {
      outDir: 'dist',
      target: 'es2022',
      sourcemap: true,
      modulePreload: {
        polyfill: false,
        resolveDependencies: (own, imported) => filesOf(own, imported, isOfStart),
      },
      chunkSizeWarningLimit: 700,
      rolldownOptions: {
        treeshake: { moduleSideEffects: KIT_SIDE_EFFECTS },
        output: { chunkFileNames: walletChunkName, codeSplitting: startChunks(root) },
      },
    },
    server: {
      port: 5173,
      proxy: Object.fromEntries(
        SERVER_PATHS.map((path) => [path, { target, changeOrigin: false }]),
      ),
    },
  };
});
