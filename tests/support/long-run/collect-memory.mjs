/**
 * Loaded into a server whose memory is watched (`node --import`): at each SIGUSR2 it collects all
 * garbage and writes what is left to a file.
 */
import { writeFileSync, renameSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { isMainThread } from 'node:worker_threads';

const file = process.env.HELD_MEMORY_FILE;

if (file !== undefined && isMainThread) {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc');
  process.on('SIGUSR2', () => {
    // What the first one finalizes is free for the second.
    collect();
    collect();
    const { heapUsed, external, rss } = process.memoryUsage();
    writeFileSync(`${file}.new`, JSON.stringify({ heapUsed, external, rss }));
    renameSync(`${file}.new`, file);
  });
}
