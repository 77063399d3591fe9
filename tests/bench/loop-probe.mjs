/**
 * Loaded into a server that is measured (`node --import`): writes its longest hold of the event loop,
 * its memory and its processor time to a file, four times a second. With `BENCH_PROFILE` also where
 * its time went, as a CPU profile.
 */
import { appendFileSync, writeFileSync } from 'node:fs';
import { Session } from 'node:inspector';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { isMainThread } from 'node:worker_threads';

const EVERY_MS = 250;
const RESOLUTION_MS = 1;
const file = process.env.LOOP_PROBE_FILE;

if (file !== undefined && isMainThread) {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delay.enable();
  setInterval(() => {
    const { rss, heapUsed } = process.memoryUsage();
    const { user, system } = process.cpuUsage();
    const line = {
      at: Date.now(),
      longestMs: delay.max / 1e6,
      p99Ms: delay.percentile(99) / 1e6,
      rss,
      heapUsed,
      cpuMs: (user + system) / 1e3,
    };
    delay.reset();
    appendFileSync(file, `${JSON.stringify(line)}\n`);
  }, EVERY_MS).unref();
}

const profile = process.env.BENCH_PROFILE;

if (profile !== undefined && isMainThread) {
  const session = new Session();
  session.connect();
  session.post('Profiler.enable');
  session.post('Profiler.start');
  process.once('exit', () => {
    session.post('Profiler.stop', (_error, result) => {
      writeFileSync(profile, JSON.stringify(result.profile));
    });
  });
}
