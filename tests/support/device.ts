/** What lies on the device of a driven browser, and the browser's violent end. */
import { readdirSync, readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';

/** Every database of the origin, store by store, record by record. */
export const databasesOf = (page: Page): Promise<Record<string, Record<string, unknown[]>>> =>
  page.evaluate(async () => {
    const dump: Record<string, Record<string, unknown[]>> = {};
    for (const { name } of await indexedDB.databases()) {
      if (name === undefined) continue;
      const db = await new Promise<IDBDatabase | null>((resolve, reject) => {
        const request = indexedDB.open(name);
        let gone = false;
        // Deleted between the listing and the opening: it is not made again.
        request.onupgradeneeded = () => {
          gone = true;
          request.transaction?.abort();
        };
        request.onsuccess = () => {
          resolve(request.result);
        };
        request.onerror = () => {
          if (gone) resolve(null);
          else reject(request.error ?? new Error('open failed'));
        };
      });
      if (db === null) continue;
      const stores: Record<string, unknown[]> = {};
      for (const store of db.objectStoreNames) {
        stores[store] = await new Promise<unknown[]>((resolve, reject) => {
          const request = db.transaction(store).objectStore(store).getAll();
          request.onsuccess = () => {
            resolve(request.result);
          };
          request.onerror = () => {
            reject(request.error ?? new Error('read failed'));
          };
        });
      }
      db.close();
      dump[name] = stores;
    }
    return dump;
  });

export interface QueuedRecord {
  commandId: string;
  uid: string;
  intent: string;
  agentId: string | null;
  state: string;
  sequence: number;
  attempts: number;
  createdAt?: number;
}

/** The queue of a user as it lies on the device; empty where there is none. */
export async function queueOf(page: Page, uid: string): Promise<QueuedRecord[]> {
  return ((await databasesOf(page))[`tradewind-${uid}`]?.outbox ?? []) as QueuedRecord[];
}

/**
 * Everything the origin keeps on the device, as one text: databases, caches, both storages,
 * readable cookies.
 */
export async function everythingOf(page: Page): Promise<string> {
  const databases = await databasesOf(page);
  const rest = await page.evaluate(async () => {
    const cached: [string, string][] = [];
    for (const name of await caches.keys()) {
      const cache = await caches.open(name);
      for (const request of await cache.keys())
        cached.push([
          request.url,
          /\.(png|svg|js|css|html)$|index\.html/.test(request.url)
            ? ''
            : ((await (await cache.match(request))?.text()) ?? ''),
        ]);
    }
    return JSON.stringify({
      cached,
      local: { ...localStorage },
      session: { ...sessionStorage },
      cookies: document.cookie,
    });
  });
  return JSON.stringify(databases) + rest;
}

/** The process of a driven browser: the one that was given this profile and is nobody's helper. */
function browserPid(profile: string): number {
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const args = readFileSync(`/proc/${name}/cmdline`, 'utf8').split('\0');
      if (
        args.includes(`--user-data-dir=${profile}`) &&
        !args.some((arg) => arg.startsWith('--type='))
      )
        return Number(name);
    } catch {
      // It ended while it was looked at.
    }
  }
  throw new Error(`No browser runs on ${profile}`);
}

/** Kills the browser with all its helpers, as a phone does that needs the memory. */
export function killBrowser(profile: string): void {
  process.kill(-browserPid(profile), 'SIGKILL');
}
