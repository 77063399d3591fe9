/** Real Chromium with a profile that outlives it, driven by playwright-core. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium, type BrowserContext, type CDPSession, type Page } from 'playwright-core';
import { waitForAppOn } from './app-drawn.ts';
import { PATIENCE_MS } from './until.ts';

/** Chromium reaches nothing but this machine, and does nothing of its own. */
export const CHROMIUM_FLAGS = [
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE localhost , EXCLUDE 127.0.0.1',
];

const isRoot = (): boolean => process.getuid?.() === 0;

function onPath(): string | null {
  for (const name of ['chromium', 'chromium-browser', 'google-chrome']) {
    try {
      return execFileSync('sh', ['-c', `command -v ${name}`], { encoding: 'utf8' }).trim();
    } catch {
      // Not this one.
    }
  }
  return null;
}

/**
 * The browser to drive: `CHROMIUM_PATH`, Debian's, one on the path, or one installed now where that
 * is allowed.
 */
export function chromiumPath(): string {
  const named = process.env.CHROMIUM_PATH;
  if (named !== undefined && named !== '') return named;
  if (existsSync('/usr/bin/chromium')) return '/usr/bin/chromium';
  const found = onPath();
  if (found !== null) return found;
  if (isRoot()) {
    execFileSync(
      'sh',
      [
        '-c',
        'apt-get update -q && DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends chromium',
      ],
      { stdio: 'inherit' },
    );
    if (existsSync('/usr/bin/chromium')) return '/usr/bin/chromium';
  }
  throw new Error('No Chromium found: install it, or name it by CHROMIUM_PATH');
}

export interface Browser {
  readonly context: BrowserContext;
  readonly profile: string;
  /** A fresh page; what it logs as an error is kept in `errors`. */
  page(): Promise<Page>;
  readonly errors: string[];
  /** Fires a sync at the app's worker, also while no page of the app is open. */
  dispatchSync(origin: string, tag: string): Promise<void>;
  /**
   * Hands a message to the app's worker as the browser does when its push service has delivered
   * one.
   */
  deliverPush(origin: string, data: string): Promise<void>;
  /**
   * Installs the app of this origin as the browser's own menu does, in a window of its own kind.
   */
  installApp(origin: string): Promise<void>;
  /** Opens an address of the installed app as its icon or a shortcut of it does. */
  launchApp(origin: string, path: string): Promise<Page>;
  /** The number on the installed app's icon, as the system was told it. */
  badgeCount(origin: string): Promise<number>;
  /** Ends every running worker; the next event starts it anew. */
  stopWorkers(): Promise<void>;
  /** Closes it; the profile stays where it was given. */
  close(): Promise<void>;
}

/** `E2E_SLOWDOWN=8`: pages run so many times slower, as on a busy machine or an old phone. */
const SLOWDOWN = Number(process.env.E2E_SLOWDOWN ?? 1);

export interface BrowserOptions {
  profile?: string;
  viewport?: { width: number; height: number };
  headless?: boolean;
}

export async function openBrowser(options: BrowserOptions = {}): Promise<Browser> {
  const profile = options.profile ?? mkdtempSync(join(tmpdir(), 'tradewind-browser-'));
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: chromiumPath(),
    headless: options.headless ?? true,
    viewport: options.viewport ?? { width: 1280, height: 800 },
    args: [...CHROMIUM_FLAGS, ...(isRoot() ? ['--no-sandbox'] : [])],
  });
  context.setDefaultTimeout(PATIENCE_MS);
  const errors: string[] = [];
  // A page of no origin, which keeps the browser and its debugging session while the app has no
  // page.
  const keeper = context.pages()[0] ?? (await context.newPage());
  const registrations = new Map<string, string>();
  const session: CDPSession = await context.newCDPSession(keeper);
  session.on('ServiceWorker.workerRegistrationUpdated', ({ registrations: list }) => {
    for (const { registrationId, scopeURL, isDeleted } of list) {
      if (isDeleted) registrations.delete(scopeURL);
      else registrations.set(scopeURL, registrationId);
    }
  });
  await session.send('ServiceWorker.enable');
  // playwright-core's types do not know this part of the protocol.
  const send = (method: string, params: object): Promise<unknown> =>
    (session.send as (name: string, given: object) => Promise<unknown>).call(
      session,
      method,
      params,
    );
  return {
    context,
    profile,
    errors,
    async page() {
      const page = await context.newPage();
      if (SLOWDOWN > 1)
        await (
          await context.newCDPSession(page)
        ).send('Emulation.setCPUThrottlingRate', { rate: SLOWDOWN });
      waitForAppOn(page);
      page.on('pageerror', (error) => {
        errors.push(error.message);
      });
      page.on('console', (message) => {
        if (message.type() === 'error') errors.push(message.text());
      });
      return page;
    },
    async dispatchSync(origin, tag) {
      const registrationId = registrations.get(`${origin}/`);
      if (registrationId === undefined) throw new Error(`No worker is registered for ${origin}`);
      await session.send('ServiceWorker.dispatchSyncEvent', {
        origin,
        registrationId,
        tag,
        lastChance: false,
      });
    },
    async deliverPush(origin, data) {
      const registrationId = registrations.get(`${origin}/`);
      if (registrationId === undefined) throw new Error(`No worker is registered for ${origin}`);
      await session.send('ServiceWorker.deliverPushMessage', { origin, registrationId, data });
    },
    async installApp(origin) {
      await send('PWA.install', {
        manifestId: `${origin}/dashboard`,
        installUrlOrBundleUrl: `${origin}/login`,
      });
      await send('PWA.changeAppUserSettings', {
        manifestId: `${origin}/dashboard`,
        displayMode: 'standalone',
      });
    },
    async launchApp(origin, path) {
      const opened = context.waitForEvent('page');
      await send('PWA.launch', { manifestId: `${origin}/dashboard`, url: `${origin}${path}` });
      return opened;
    },
    async badgeCount(origin) {
      return (
        (await send('PWA.getOsAppState', { manifestId: `${origin}/dashboard` })) as {
          badgeCount: number;
        }
      ).badgeCount;
    },
    async stopWorkers() {
      await session.send('ServiceWorker.stopAllWorkers');
    },
    async close() {
      await context.close();
      if (options.profile === undefined)
        rmSync(profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
    },
  };
}

/** Resolves when the page is served by its worker. */
export async function controlled(page: Page): Promise<void> {
  await page.evaluate(async () => {
    await navigator.serviceWorker.ready;
    if (navigator.serviceWorker.controller === null)
      await new Promise((resolve) => {
        navigator.serviceWorker.addEventListener('controllerchange', resolve, { once: true });
      });
  });
}

/** Every address in Cache Storage of the page's origin. */
export function cachedAddresses(page: Page): Promise<string[]> {
  return page.evaluate(async () => {
    const found: string[] = [];
    for (const name of await caches.keys())
      for (const request of await (await caches.open(name)).keys()) found.push(request.url);
    return found;
  });
}
