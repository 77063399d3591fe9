/**
 * Loads a part of the app's code. In many a Chromium an import that failed fails for as long as the
 * page lives, so a part is imported only once all of its files are on the device.
 */

/** What stands between the device and the file may be gone the next time. */
export class PartUnreachable extends Error {
  override readonly name = 'PartUnreachable';
  /** Said in the words of any other failure to reach the server. */
  readonly code = 'network';
  constructor(file: string, cause: unknown) {
    super(`Could not fetch ${file}`, { cause });
  }
}

/** A connection that has brought nothing for this long is given up: a tunnel says no word, ms. */
const SILENT_MS = 10_000;

/** The files that are here or on their way. */
const files = new Map<string, Promise<unknown>>();

/**
 * Into the browser's cache, from where whoever uses it takes it. @returns the status of the reply; 0
 * for something else than a script or styles, such as the page of a network that wants a login.
 */
export async function fetchFile(file: string): Promise<number> {
  const silence = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const heard = (): void => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      silence.abort();
    }, SILENT_MS);
  };
  try {
    heard();
    const { status, headers, body } = await fetch(file, { signal: silence.signal });
    const reader = body?.getReader();
    do heard();
    while ((await reader?.read())?.done === false);
    const isMeant = /\/(?:javascript|css)/.test(headers.get('content-type') ?? '');
    return status === 200 && !isMeant ? 0 : status;
  } catch (cause) {
    throw new PartUnreachable(file, cause);
  } finally {
    clearTimeout(timer);
  }
}

function failureOf(file: string, status: number): Error {
  // Gone with an older build. Whatever else the server says, it may say otherwise the next time.
  return status === 404
    ? Object.assign(new Error(`${file} is not on the server`), { code: 'contract_too_old' })
    : new PartUnreachable(file, status);
}

/** Resolves once the style sheet applies. */
function applyStyles(file: string): Promise<unknown> | undefined {
  if (document.querySelector(`link[rel=stylesheet][href="${file}"]`) !== null) return;
  const link = document.createElement('link');
  return new Promise((resolve, reject) => {
    link.onload = resolve;
    link.onerror = (cause) => {
      link.remove();
      reject(new PartUnreachable(file, cause));
    };
    document.head.append(Object.assign(link, { rel: 'stylesheet', crossOrigin: '', href: file }));
  });
}

async function bring(file: string): Promise<void> {
  try {
    const status = await fetchFile(file);
    if (status !== 200) throw failureOf(file, status);
    if (file.endsWith('.css')) await applyStyles(file);
  } catch (error) {
    files.delete(file);
    throw error;
  }
}

function brought(file: string): Promise<unknown> {
  const coming = files.get(file) ?? bring(file);
  files.set(file, coming);
  return coming;
}

/**
 * The build has every `import()` of the page made by this, with the files of the part, which are
 * its own and those that it imports. Rejects with `PartUnreachable` where a later try may succeed;
 * with anything else after a `vite:preloadError`, since only another build of the app can help.
 */
export async function loadPart<T>(
  load: () => Promise<T>,
  partFiles: readonly string[] = [],
): Promise<T> {
  try {
    await Promise.all(partFiles.map((file) => brought(`/${file}`)));
    return await load();
  } catch (error) {
    if (!(error instanceof PartUnreachable)) {
      // The network may have gone between the two: a reload would then lose the page.
      await Promise.all(partFiles.map((file) => fetchFile(`/${file}`)));
      dispatchEvent(Object.assign(new Event('vite:preloadError'), { payload: error }));
    }
    throw error;
  }
}

/** How long until code that could not be fetched is asked for again: longer each time, ms. */
const AGAIN_MS = 10_000;
const AGAIN_MAX_MS = 60_000;

/** After a while, or once the network is back. */
function soonAgain(delayMs: number): Promise<void> {
  return new Promise((resolve) => {
    const next = (): void => {
      clearTimeout(timer);
      removeEventListener('online', next);
      resolve();
    };
    const timer = setTimeout(next, delayMs * (0.75 + Math.random() / 2));
    addEventListener('online', next);
  });
}

/** Does it again and again while its code cannot be fetched: for what nobody could ask for anew. */
export async function untilReached<T>(work: () => Promise<T>): Promise<T> {
  for (let delayMs = AGAIN_MS; ; delayMs = Math.min(AGAIN_MAX_MS, delayMs * 1.5)) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof PartUnreachable)) throw error;
    }
    await soonAgain(delayMs);
  }
}
