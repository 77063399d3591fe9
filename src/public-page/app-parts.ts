/** Fetches the app's code from a page of the build, and has it take the page over. */
import { fetchFile } from '../platform/load-part.ts';

/** What the build wrote into the page: the addresses of the app's parts. */
interface AppParts {
  styles: string[];
  /** Fetched first; what the entry then asks for is there. */
  chunks: string[];
  /** The forms' screens, and what a start mostly needs. */
  later: string[];
  /** The scripts of the app's own page, in their order. */
  scripts: string[];
}

function parts(): AppParts {
  return JSON.parse(document.getElementById('app-parts')?.textContent ?? '{}') as AppParts;
}

const link = (rel: string, href: string, more: Partial<HTMLLinkElement> = {}): HTMLLinkElement =>
  Object.assign(document.createElement('link'), { rel, href, ...more });

/** Resolves when it is there; rejects where it could not be fetched. */
function attached<T extends HTMLElement>(element: T): Promise<T> {
  return new Promise((resolve, reject) => {
    element.onload = () => {
      resolve(element);
    };
    element.onerror = () => {
      element.remove();
      reject(new Error('A part of the app could not be fetched'));
    };
    document.head.append(element);
  });
}

async function fetched(href: string): Promise<void> {
  if ((await fetchFile(href)) !== 200) throw new Error('A part of the app could not be fetched');
}

let isFetched = false;

/** Into the browser's cache, at low priority and without running it. */
export function fetchAhead(): void {
  if (isFetched) return;
  isFetched = true;
  const { styles, chunks, later, scripts } = parts();
  for (const href of [...scripts, ...chunks, ...styles, ...later])
    document.head.append(link('prefetch', href, { crossOrigin: '' }));
}

let taking: Promise<void> | undefined;

async function takeOver(): Promise<void> {
  const { styles, chunks, scripts } = parts();
  // Before the first of them runs: a script that did not come whole fails as long as the page lives.
  // And together: the first picture of the app is the whole one, and looks like this page.
  await Promise.all([
    ...[...chunks, ...scripts].map(fetched),
    ...styles.map(async (href) => {
      await fetched(href);
      await attached(link('stylesheet', href, { crossOrigin: '' }));
    }),
  ]);
  for (const src of scripts)
    await attached(
      Object.assign(document.createElement('script'), { type: 'module', src, crossOrigin: '' }),
    );
}

/** The app draws this page anew, with what was typed; once. After a failure it may be tried again. */
export function startApp(): Promise<void> {
  return (taking ??= takeOver().catch((error: unknown) => {
    taking = undefined;
    throw error;
  }));
}
