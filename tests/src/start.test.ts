// @vitest-environment jsdom
/**
 * The page's beginning: no root element, errors that are only logged, one reload for a missing
 * chunk.
 */
import 'fake-indexeddb/auto';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { reloadOnce } from '../../src/platform/app-updates.ts';

vi.mock('../../src/App.tsx', () => ({ App: () => null }));
vi.mock('../../src/identity/firebase-app.ts', () => ({ openPageAuth: () => Promise.resolve({}) }));
vi.mock('../../src/identity/firebase-auth.ts', () => ({
  firebaseAuth: () => ({ observe: () => () => undefined, currentUser: () => null }),
}));

afterEach(() => {
  vi.restoreAllMocks();
});

describe('start', () => {
  it('says that the root element is missing, and only logs global errors, rejections and failed preloads (R8-28, R8-31)', async () => {
    const said = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(false);
    document.body.innerHTML = '';
    const failure: unknown = await import('../../src/start.tsx').then(
      () => null,
      (error: unknown) => error,
    );
    expect(String(failure)).toBe('Error: Root element not found');

    const error = new Error('broken');
    const alert = vi.spyOn(window, 'alert').mockImplementation(() => undefined);
    window.dispatchEvent(new ErrorEvent('error', { error }));
    window.dispatchEvent(Object.assign(new Event('unhandledrejection'), { reason: error }));
    window.dispatchEvent(Object.assign(new Event('vite:preloadError'), { payload: error }));
    expect(said.mock.calls).toEqual([
      ['Global error', error],
      ['Unhandled rejection', error],
      ['Could not load a part of the app', error],
    ]);
    expect(alert).not.toHaveBeenCalled();
    expect(document.body.innerHTML).toBe('');
  });

  it('reloads once for a missing chunk, and not in a loop', () => {
    const reload = vi.fn();
    sessionStorage.clear();
    expect(reloadOnce(() => sessionStorage, reload, 1_000_000)).toBe(true);
    expect(reloadOnce(() => sessionStorage, reload, 1_030_000)).toBe(false);
    expect(reloadOnce(() => sessionStorage, reload, 1_090_000)).toBe(true);
    expect(reload).toHaveBeenCalledTimes(2);
  });

  it('does not reload where the browser refuses to keep that it did', () => {
    const reload = vi.fn();
    expect(
      reloadOnce(() => {
        throw new DOMException('denied', 'SecurityError');
      }, reload),
    ).toBe(false);
    expect(reload).not.toHaveBeenCalled();
  });
});
