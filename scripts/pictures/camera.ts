/**
 * Opens a page as a user on a device, takes screenshots in both themes, and notes what the page
 * complained about.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { logIn } from '../../tests/support/sign-in.ts';
import type { TestUser } from '../../tests/support/server.ts';
import type { World } from './people.ts';
import type { Picture } from './sheets.ts';

export const FORMS = {
  phone: { width: 390, height: 844, touch: true, themes: ['light', 'dark'] },
  desk: { width: 1440, height: 900, touch: false, themes: ['light', 'dark'] },
  /** A desk at 200 %. */
  zoom: { width: 720, height: 450, touch: false, themes: ['light'] },
  /** A desk at 400 %. */
  narrow: { width: 320, height: 640, touch: true, themes: ['light'] },
} as const;
export type Form = keyof typeof FORMS;

export interface Shot {
  name: string;
  path?: string;
  /** What is pressed before the picture is taken. */
  act?: (page: Page, form: Form) => Promise<void>;
  /** The whole length as well, in light. */
  long?: boolean;
  forms?: readonly Form[];
}

export interface Camera {
  readonly form: Form;
  readonly page: Page;
  readonly context: BrowserContext;
  take(set: string, shots: readonly Shot[]): Promise<void>;
  close(): Promise<void>;
}

export interface CameraOptions {
  browser: Browser;
  form: Form;
  url: string;
  folder: string;
  pictures: Picture[];
  user: TestUser | null;
  /** The worker answers, also without a network. */
  worker?: boolean;
  before?: (context: BrowserContext) => Promise<void>;
  /** A page that is meant to fail, or to have no data: its complaints are no news. */
  quiet?: boolean;
  /** Nothing comes: the skeletons stay. */
  loading?: boolean;
}

/** What a set of pictures is told of where they go. */
export type Base = Pick<CameraOptions, 'browser' | 'form' | 'folder' | 'pictures'>;
export type PictureSet = (world: World, base: Base) => Promise<void>;

const STILL_MS = 450;
const LONGEST_MS = 5_000;
/** The pictures themselves keep the worker away where it has no part. */
const OURS = /service worker could not be loaded/;

async function atRest(page: Page, loading: boolean): Promise<void> {
  await page.waitForLoadState('load');
  await page
    .locator('h1')
    .first()
    .waitFor({ state: 'attached', timeout: LONGEST_MS })
    .catch(() => undefined);
  if (!loading)
    await page
      .locator('.skeleton, .spin')
      .first()
      .waitFor({ state: 'detached', timeout: LONGEST_MS })
      .catch(() => undefined);
  await page.waitForTimeout(STILL_MS);
}

export async function openCamera(options: CameraOptions): Promise<Camera> {
  const { browser, form, url, folder, pictures, user } = options;
  const { width, height, touch, themes } = FORMS[form];
  const context = await browser.newContext({
    viewport: { width, height },
    hasTouch: touch,
    isMobile: form === 'phone',
    serviceWorkers: options.worker === true ? 'allow' : 'block',
    reducedMotion: 'reduce',
  });
  await options.before?.(context);
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error' && !OURS.test(message.text()))
      complaints.push(message.text().slice(0, 120));
  });
  page.on('pageerror', (error) => {
    complaints.push(error.message.slice(0, 120));
  });
  if (user !== null) await logIn(page, url, user);
  return {
    form,
    page,
    context,
    async take(set, shots) {
      mkdirSync(join(folder, set), { recursive: true });
      for (const { name, path, act, long = false, forms } of shots) {
        if (forms !== undefined && !forms.includes(form)) continue;
        complaints.length = 0;
        const notes: string[] = [];
        try {
          if (path !== undefined) await page.goto(`${url}${path}`);
          await atRest(page, options.loading === true);
          await act?.(page, form);
          if (act !== undefined) await atRest(page, options.loading === true);
        } catch (error) {
          notes.push(
            `not reached: ${error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error)}`.slice(
              0,
              160,
            ),
          );
        }
        const over = await page.evaluate<number>(
          'document.documentElement.scrollWidth - innerWidth',
        );
        if (over > 0) notes.push(`${over} px wider than the window`);
        if (options.quiet !== true) notes.push(...new Set(complaints));
        for (const theme of themes) {
          await page.emulateMedia({ colorScheme: theme });
          await page.waitForTimeout(80);
          const file = `${set}/${name}-${form}-${theme}.png`;
          await page.screenshot({ path: join(folder, file) });
          pictures.push({ set, name, form, theme, file, notes });
          if (long && theme === 'light') {
            const whole = `${set}/${name}-${form}-whole.png`;
            await page.screenshot({ path: join(folder, whole), fullPage: true });
          }
        }
        if (notes.length > 0) process.stdout.write(`${set} ${name} ${form}: ${notes.join('; ')}\n`);
      }
    },
    close: () => context.close(),
  };
}
