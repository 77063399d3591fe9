/** `npm run worker`: runs due agents beside a server, on its PostgreSQL. */
import { loadEnvironmentFiles } from './build-stamp.ts';

loadEnvironmentFiles();
const [{ runWorker }, { failToStart }] = [
  await import('../server/worker.ts'),
  await import('../server/process.ts'),
];
runWorker().catch(failToStart);
