/** What a server and a page hold once all garbage is collected. */
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { CDPSession } from 'playwright-core';
import type { TestServer } from '../server.ts';
import { until } from '../until.ts';

const PRELOAD = new URL('collect-memory.mjs', import.meta.url).href;

/** Where the server writes what it holds. */
const fileIn = (folder: string): string => join(folder, 'held-memory');

/** The environment of a server whose memory is to be read, which is told through this folder. */
export const readableMemory = (folder: string): Record<string, string> => ({
  NODE_OPTIONS: `--import=${PRELOAD}`,
  HELD_MEMORY_FILE: fileIn(folder),
});

/** Bytes. `heapUsed` is of the main thread; `rss` counts every thread, and what V8 keeps for later. */
export interface ServerMemory {
  heapUsed: number;
  external: number;
  rss: number;
}

export async function memoryOfServer(server: TestServer, folder: string): Promise<ServerMemory> {
  const file = fileIn(folder);
  rmSync(file, { force: true });
  process.kill(server.pid, 'SIGUSR2');
  await until(async () => existsSync(file), Boolean);
  return JSON.parse(readFileSync(file, 'utf8')) as ServerMemory;
}

/** Bytes of JavaScript, and how many nodes and listeners the page's documents have. */
export interface PageMemory {
  heapUsed: number;
  nodes: number;
  listeners: number;
}

export async function memoryOfPage(session: CDPSession): Promise<PageMemory> {
  for (let n = 0; n < 2; n += 1) await session.send('HeapProfiler.collectGarbage');
  const { usedSize } = await session.send('Runtime.getHeapUsage');
  const { nodes, jsEventListeners } = await session.send('Memory.getDOMCounters');
  return { heapUsed: usedSize, nodes, listeners: jsEventListeners };
}
