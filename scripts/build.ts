/**
 * Builds the app, keeps the chunks of the two previous builds, and stamps the build with its
 * sources and settings.
 */
import { build } from 'vite';
import { DIST, loadEnvironmentFiles, presentStamp, ROOT, writeStamp } from './build-stamp.ts';
import { keepingAssets } from './keep-assets.ts';

loadEnvironmentFiles();
process.chdir(ROOT);
const stamp = presentStamp(process.env);
await keepingAssets(DIST, (into) =>
  build({ root: ROOT, logLevel: 'warn', build: { outDir: into, emptyOutDir: true } }),
);
writeStamp(stamp);
