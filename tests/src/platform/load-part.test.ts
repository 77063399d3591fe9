// @vitest-environment jsdom
/** Parts of the app's code: nothing is imported before its files are here, and each try is a new one. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { errorSentence } from '../../../src/format/error-text.ts';
import type * as LoadPart from '../../../src/platform/load-part.ts';

let loadPart: typeof LoadPart.loadPart;
let PartUnreachable: typeof LoadPart.PartUnreachable;
let untilReached: typeof LoadPart.untilReached;

const SCRIPT = { 'content-type': 'text/javascript; charset=utf-8' };
/** What the server answers for each file; null: nothing comes. */
const served = new Map<string, number | null>();
let asked: string[] = [];
const reported = vi.fn();
const onReport = (event: Event): void => {
  reported((event as Event & { payload: unknown }).payload);
};

beforeEach(async () => {
  vi.resetModules();
  ({ loadPart, PartUnreachable, untilReached } =
    await import('../../../src/platform/load-part.ts'));
  served.clear();
  asked = [];
  reported.mockReset();
  addEventListener('vite:preloadError', onReport);
  document.head.innerHTML = '';
  vi.stubGlobal('fetch', (file: string) => {
    asked.push(file);
    const status = served.get(file) ?? (served.has(file) ? null : 200);
    return status === null
      ? Promise.reject(new TypeError('Failed to fetch'))
      : Promise.resolve(new Response('export {}', { status, headers: SCRIPT }));
  });
});
afterEach(() => {
  removeEventListener('vite:preloadError', onReport);
  vi.unstubAllGlobals();
});

const settled = async (loading: Promise<unknown>): Promise<unknown> =>
  loading.catch((error: unknown) => error);
const appliedSheets = (): string[] =>
  [...document.head.querySelectorAll('link')].map((link) => link.getAttribute('href') ?? '');
const answerSheet = (type: 'load' | 'error'): void => {
  document.head.querySelector('link:last-of-type')?.dispatchEvent(new Event(type));
};

describe('a part of the app', () => {
  it('is imported once all of its files are here', async () => {
    const load = vi.fn(() => Promise.resolve('the part'));
    const loading = loadPart(load, ['assets/part.js', 'assets/rows.js']);
    expect(load).not.toHaveBeenCalled();
    expect(await loading).toBe('the part');
    expect(asked).toEqual(['/assets/part.js', '/assets/rows.js']);
  });

  it('with a file that did not come is not imported, asks for no other build, and comes at the next try', async () => {
    const load = vi.fn(() => Promise.resolve('the part'));
    served.set('/assets/rows.js', null);
    const files = ['assets/part.js', 'assets/rows.js'];
    expect(await settled(loadPart(load, files))).toBeInstanceOf(PartUnreachable);
    expect(load).not.toHaveBeenCalled();
    expect(reported).not.toHaveBeenCalled();
    served.clear();
    asked = [];
    expect(await loadPart(load, files)).toBe('the part');
    // What had come is not asked for again.
    expect(asked).toEqual(['/assets/rows.js']);
  });

  it('is not imported either where a file breaks off', async () => {
    const load = vi.fn(() => Promise.resolve('the part'));
    const body = new ReadableStream({
      start(controller) {
        controller.enqueue(new Uint8Array(10));
        controller.error(new TypeError('network error'));
      },
    });
    vi.stubGlobal('fetch', () => Promise.resolve(new Response(body, { headers: SCRIPT })));
    expect(await settled(loadPart(load, ['assets/part.js']))).toBeInstanceOf(PartUnreachable);
    expect(load).not.toHaveBeenCalled();
  });

  it('on a connection that has gone silent is given up, so that it can be asked for again', async () => {
    vi.useFakeTimers();
    vi.stubGlobal(
      'fetch',
      (_file: string, { signal }: { signal: AbortSignal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => {
            reject(new DOMException('aborted', 'AbortError'));
          });
        }),
    );
    const failed = vi.fn();
    void loadPart(() => Promise.resolve(), ['assets/part.js']).catch(failed);
    await vi.advanceTimersByTimeAsync(9_000);
    expect(failed).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(2_000);
    expect(failed).toHaveBeenCalledExactlyOnceWith(expect.any(PartUnreachable));
    vi.useRealTimers();
  });

  it('that comes slowly is waited for as long as it comes', async () => {
    vi.useFakeTimers();
    let chunks = 0;
    const body = new ReadableStream({
      async pull(controller) {
        await new Promise((resolve) => setTimeout(resolve, 8_000));
        if (++chunks > 5) controller.close();
        else controller.enqueue(new Uint8Array(10));
      },
    });
    vi.stubGlobal('fetch', (_file: string, { signal }: { signal: AbortSignal }) => {
      signal.addEventListener('abort', () => {
        chunks = Infinity;
      });
      return Promise.resolve(new Response(body, { headers: SCRIPT }));
    });
    const loaded = vi.fn();
    void loadPart(() => Promise.resolve('the part'), ['assets/part.js']).then(loaded);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(loaded).toHaveBeenCalledExactlyOnceWith('the part');
    vi.useRealTimers();
  });

  it.each([
    [null, 'Could not reach the server. Saved data is still available.'],
    [
      404,
      'This version of the app is too old for the server. Update it. Unsent commands are kept.',
    ],
  ])(
    'that is missing (%s) is told in a sentence, without a file name',
    async (status, sentence) => {
      served.set('/assets/part.js', status);
      const failure = await settled(loadPart(() => Promise.resolve(), ['assets/part.js']));
      expect(errorSentence(failure)).toBe(sentence);
    },
  );

  it('that two ask for at once is fetched once', async () => {
    const load = (): Promise<string> => Promise.resolve('the part');
    await Promise.all([loadPart(load, ['assets/part.js']), loadPart(load, ['assets/part.js'])]);
    expect(asked).toEqual(['/assets/part.js']);
  });

  it.each([500, 503, 429])('that a server answers by %i may come later', async (status) => {
    served.set('/assets/part.js', status);
    const failure = await settled(loadPart(() => Promise.resolve(), ['assets/part.js']));
    expect(failure).toBeInstanceOf(PartUnreachable);
    expect(reported).not.toHaveBeenCalled();
  });

  it('in place of which a network’s login page came is not imported', async () => {
    const load = vi.fn(() => Promise.resolve('the part'));
    vi.stubGlobal('fetch', () =>
      Promise.resolve(
        new Response('<!doctype html><p>Log in to the network</p>', {
          headers: { 'content-type': 'text/html' },
        }),
      ),
    );
    expect(await settled(loadPart(load, ['assets/part.js']))).toBeInstanceOf(PartUnreachable);
    expect(load).not.toHaveBeenCalled();
    expect(reported).not.toHaveBeenCalled();
  });

  it('that is gone with an older build is reported, since only the next build has it', async () => {
    served.set('/assets/part.js', 404);
    const failure = await settled(loadPart(() => Promise.resolve(), ['assets/part.js']));
    expect(failure).not.toBeInstanceOf(PartUnreachable);
    expect(reported).toHaveBeenCalledExactlyOnceWith(failure);
  });

  it('whose import fails although its files are here is reported', async () => {
    const fault = new TypeError('error loading dynamically imported module');
    expect(await settled(loadPart(() => Promise.reject(fault), ['assets/part.js']))).toBe(fault);
    expect(reported).toHaveBeenCalledExactlyOnceWith(fault);
  });

  it('whose import fails because the network went meanwhile is unreachable, and asks for no other build', async () => {
    const load = vi.fn(() => {
      served.set('/assets/part.js', null);
      return Promise.reject(new TypeError('Failed to fetch dynamically imported module'));
    });
    const files = ['assets/part.js'];
    expect(await settled(loadPart(load, files))).toBeInstanceOf(PartUnreachable);
    expect(reported).not.toHaveBeenCalled();
  });

  it('that the page began with needs no file', async () => {
    expect(await loadPart(() => Promise.resolve('start'))).toBe('start');
    expect(asked).toEqual([]);
  });
});

describe('the styles of a part', () => {
  it('apply before it runs, once', async () => {
    const load = vi.fn(() => Promise.resolve('the part'));
    const loading = loadPart(load, ['assets/part.css']);
    await vi.waitFor(() => {
      expect(appliedSheets()).toHaveLength(1);
    });
    expect(load).not.toHaveBeenCalled();
    answerSheet('load');
    expect(await loading).toBe('the part');
    await loadPart(load, ['assets/part.css']);
    expect(appliedSheets()).toEqual(['/assets/part.css']);
  });

  it('that the page has are not applied again', async () => {
    document.head.innerHTML = '<link rel="stylesheet" href="/assets/part.css">';
    expect(await loadPart(() => Promise.resolve('the part'), ['assets/part.css'])).toBe('the part');
    expect(appliedSheets()).toEqual(['/assets/part.css']);
  });

  it('that did not come are asked for again at the next try', async () => {
    const load = vi.fn(() => Promise.resolve('the part'));
    served.set('/assets/part.css', null);
    expect(await settled(loadPart(load, ['assets/part.css']))).toBeInstanceOf(PartUnreachable);
    served.clear();
    const first = settled(loadPart(load, ['assets/part.css']));
    await vi.waitFor(() => {
      expect(appliedSheets()).toHaveLength(1);
    });
    answerSheet('error');
    expect(await first).toBeInstanceOf(PartUnreachable);
    expect(load).not.toHaveBeenCalled();
    expect(appliedSheets()).toEqual([]);
    const second = loadPart(load, ['assets/part.css']);
    await vi.waitFor(() => {
      expect(appliedSheets()).toHaveLength(1);
    });
    answerSheet('load');
    expect(await second).toBe('the part');
  });
});

describe('work whose code does not come', () => {
  const withoutFile = async (): Promise<string> =>
    loadPart(() => Promise.resolve('done'), ['assets/part.js']);
  afterEach(() => {
    vi.useRealTimers();
  });

  it('is begun again after a while, for as long as it takes', async () => {
    vi.useFakeTimers();
    served.set('/assets/part.js', null);
    const done = vi.fn();
    void untilReached(withoutFile).then(done);
    await vi.advanceTimersByTimeAsync(7_000);
    expect(asked).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(600_000);
    // Longer each time, up to a minute.
    expect(asked.length).toBeGreaterThan(9);
    expect(asked.length).toBeLessThan(22);
    expect(done).not.toHaveBeenCalled();
    served.clear();
    await vi.advanceTimersByTimeAsync(76_000);
    expect(done).toHaveBeenCalledExactlyOnceWith('done');
    const asks = asked.length;
    await vi.advanceTimersByTimeAsync(600_000);
    expect(asked).toHaveLength(asks);
  });

  it('is begun again at once when the network is back', async () => {
    vi.useFakeTimers();
    served.set('/assets/part.js', null);
    const done = vi.fn();
    void untilReached(withoutFile).then(done);
    await vi.advanceTimersByTimeAsync(1);
    served.clear();
    dispatchEvent(new Event('online'));
    await vi.advanceTimersByTimeAsync(1);
    expect(done).toHaveBeenCalledExactlyOnceWith('done');
  });

  it('is not begun again after a fault of its own', async () => {
    const fault = new Error('broken');
    const work = vi.fn(() => Promise.reject(fault));
    expect(await settled(untilReached(work))).toBe(fault);
    expect(work).toHaveBeenCalledTimes(1);
  });
});
