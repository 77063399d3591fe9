// @vitest-environment jsdom
/** What the page says while its code does not come, and when it may reload by itself. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { CaughtStop } from '../../../src/first-frame/catch-stops.ts';

const caught: CaughtStop[] = [];
vi.mock('../../../src/first-frame/first-frame.ts', () => ({ caughtStops: () => caught }));
const { untilStarted } = await import('../../../src/first-frame/not-started.ts');

const reload = vi.fn();
const stop = (saved: Promise<boolean>): CaughtStop => ({
  press: {
    commandId: crypto.randomUUID(),
    agentId: 'a1',
    agentName: 'Harbour',
    seenGeneration: 1,
    pressedAt: 0,
  },
  bottomPx: 0,
  byKey: false,
  isLate: false,
  saved,
});
const said = (): string => document.querySelector('[role=alert]')?.textContent ?? '';
const failStart = (): Promise<void> => untilStarted(Promise.reject(new Error('Failed to fetch')));
const networkBack = async (): Promise<void> => {
  dispatchEvent(new Event('online'));
  await vi.advanceTimersByTimeAsync(1);
};

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal('location', { reload });
  vi.stubGlobal('reportError', vi.fn());
  document.body.innerHTML = '';
  caught.length = 0;
  reload.mockReset();
});
afterEach(async () => {
  // Each failed start waits for the network once.
  await networkBack();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

describe('an app that does not start', () => {
  it('says so, and reloads once the network is back', async () => {
    await failStart();
    expect(said()).toContain('Tradewind could not finish loading.');
    expect(reload).not.toHaveBeenCalled();
    await networkBack();
    expect(reload).toHaveBeenCalledTimes(1);
  });

  it('reloads after a stop on its last frame only once that is on the device', async () => {
    let save: (isSaved: boolean) => void = () => undefined;
    caught.push(stop(new Promise((resolve) => (save = resolve))));
    await failStart();
    await networkBack();
    expect(reload).not.toHaveBeenCalled();
    save(true);
    await vi.advanceTimersByTimeAsync(1);
    expect(reload).toHaveBeenCalledTimes(1);
  });

  it.each([
    ['was refused by the disk', () => Promise.resolve(false)],
    ['the disk did not answer about', () => new Promise<boolean>(() => undefined)],
  ])('does not reload by itself over a stop that %s, and says so', async (_why, saved) => {
    caught.push(stop(Promise.resolve(true)), stop(saved()));
    await failStart();
    await networkBack();
    await vi.advanceTimersByTimeAsync(5_000);
    expect(reload).not.toHaveBeenCalled();
    expect(said()).toContain('A stop was not saved and not sent');
    document.querySelector('button')?.click();
    expect(reload).toHaveBeenCalledTimes(1);
  });

  it('goes on waiting for a stop that no app will send, and reloads once the disk has taken it (F109)', async () => {
    let save: (isSaved: boolean) => void = () => undefined;
    const pressed = stop(new Promise((resolve) => (save = resolve)));
    caught.push(pressed);
    await failStart();
    await networkBack();
    await vi.advanceTimersByTimeAsync(6_000);
    expect(said()).toContain('A stop was not saved and not sent');
    expect(pressed.isLate, 'the disk may still take it').toBe(false);
    save(true);
    await vi.advanceTimersByTimeAsync(1);
    expect(reload).toHaveBeenCalledTimes(1);
  });

  it('does not reload by itself a page of the build, in which somebody may have typed', async () => {
    document.body.innerHTML = '<template id="built-page"></template>';
    await failStart();
    await networkBack();
    expect(reload).not.toHaveBeenCalled();
    document.querySelector('button')?.click();
    await vi.advanceTimersByTimeAsync(1);
    expect(reload).toHaveBeenCalledTimes(1);
  });
});

describe('an app that starts late', () => {
  it('says after a while that it is loading, and nothing any more once it has started', async () => {
    let start: () => void = () => undefined;
    const started = untilStarted(new Promise((resolve) => (start = resolve)));
    await vi.advanceTimersByTimeAsync(14_000);
    expect(said()).toBe('');
    await vi.advanceTimersByTimeAsync(2_000);
    expect(said()).toContain('Tradewind is still loading.');
    start();
    await started;
    expect(said()).toBe('');
  });

  it('says nothing where it starts in time', async () => {
    await untilStarted(Promise.resolve());
    await vi.advanceTimersByTimeAsync(60_000);
    expect(said()).toBe('');
  });
});
