/** Builds the app and says of which sources and settings it is; refuses to vouch for half a build. */
import { build } from 'vite';
import { loadEnvironmentFiles, presentStamp, ROOT, writeStamp } from './build-stamp.ts';

loadEnvironmentFiles();
process.chdir(ROOT);
const stamp = presentStamp(process.env);
await build({ root: ROOT, logLevel: 'warn' });
writeStamp(stamp);
