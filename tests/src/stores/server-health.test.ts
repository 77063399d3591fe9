// @vitest-environment happy-dom
/**
 * Whether the server is there: how often it is asked about, whose answer counts, and what asks at
 * once.
 */
import 'fake-indexeddb/auto';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { api } from '../../../src/api/api.ts';
import { connection } from '../../../src/stores/connection.ts';
import {
  noteServerTime,
  probeDelayMs,
  verifyOnline,
  watchHealth,
} from '../../../src/stores/server-health.ts';

const START = Date.parse('2026-01-10T12:00:00Z');
const healthy = (): Response =>
  new Response(JSON.stringify({ app: 'tradewind', status: 'ok', contract: 1, time: Date.now() }));
let answer: (signal: AbortSignal | null | undefined) => Promise<Response>;
let asked: number[];
let stop: () => void;
let visibility: DocumentVisibilityState;

const away = (): Promise<Response> => Promise.reject(new TypeError('Failed to fetch'));
const hangs = (signal: AbortSignal | null | undefined): Promise<Response> =>
  new Promise((_resolve, reject) => {
    signal?.addEventListener('abort', () => {
      reject(new DOMException('aborted', 'AbortError'));
    });
  });

beforeEach(() => {
  vi.useFakeTimers({ now: START });
  asked = [];
  answer = () => Promise.resolve(healthy());
  visibility = 'visible';
  vi.spyOn(document, 'visibilityState', 'get').mockImplementation(() => visibility);
  vi.stubGlobal('fetch', (_url: string, init: RequestInit) => {
    asked.push(Date.now() - START);
    return answer(init.signal);
  });
  Object.assign(connection, { online: 'unknown', verifiedAt: null, serverClockOffset: null });
  stop = watchHealth();
});
afterEach(() => {
  stop();
  vi.useRealTimers();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

const pass = (ms: number): Promise<unknown> => vi.advanceTimersByTimeAsync(ms);
/** Nobody answers any more, and the page has noticed. */
async function lose(): Promise<void> {
  await pass(0);
  answer = away;
  await verifyOnline();
  expect(connection.online).toBe('offline');
}

describe('while the server is away', () => {
  it('it is asked about at least every 1.3 s in the first minute, so that a restart is noticed within two', async () => {
    await lose();
    asked = [];
    await pass(30_000);
    const gaps = asked.slice(1).map((at, index) => at - (asked[index] ?? 0));
    expect(Math.max(...gaps)).toBeLessThanOrEqual(1_300);
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(650);
    answer = () => Promise.resolve(healthy());
    await pass(1_300);
    expect(connection.online).toBe('online');
    const count = asked.length;
    await pass(60_000);
    expect(asked, 'nobody is asked while all is well').toHaveLength(count);
  });

  it('the questions grow rarer after a minute, to one in 15 s at most', () => {
    expect(probeDelayMs(59_999, 1)).toBe(1_300);
    expect(probeDelayMs(120_000, 1)).toBe(4_300);
    expect(probeDelayMs(24 * 60 * 60_000, 1)).toBe(15_000);
    expect(probeDelayMs(24 * 60 * 60_000, 0)).toBe(7_500);
  });

  it('a hidden page asks nothing, and asks at once when it is shown', async () => {
    await lose();
    visibility = 'hidden';
    await pass(2_000);
    asked = [];
    await pass(10 * 60_000);
    expect(asked).toEqual([]);
    visibility = 'visible';
    document.dispatchEvent(new Event('visibilitychange'));
    await pass(0);
    expect(asked).toHaveLength(1);
  });

  it.each(['focus', 'online', 'pointerdown', 'keydown'])(
    '%s asks at once, however long the wait would be',
    async (type) => {
      await lose();
      await pass(20 * 60_000);
      await pass(1_000 - ((Date.now() - START) % 1_000));
      // A moment at which the last question is a while ago.
      while (Date.now() - START - (asked.at(-1) ?? 0) < 2_000) await pass(500);
      asked = [];
      answer = () => Promise.resolve(healthy());
      window.dispatchEvent(new Event(type));
      await pass(0);
      expect(asked).toHaveLength(1);
      expect(connection.online).toBe('online');
    },
  );

  it('many presses are not as many questions', async () => {
    await lose();
    asked = [];
    for (let n = 0; n < 20; n += 1) window.dispatchEvent(new Event('keydown'));
    await pass(0);
    expect(asked.length).toBeLessThanOrEqual(1);
  });
});

describe('an answer', () => {
  it("counts only if it is Tradewind's: JSON of something else is not the server", async () => {
    await lose();
    answer = () => Promise.resolve(new Response('{"ok":true}'));
    expect(await verifyOnline()).toBe(false);
    expect(connection.online).toBe('offline');
    expect(await api.call('readyz', { attempts: 1 }).catch(() => 'refused')).toBe('refused');
    expect(connection.online).toBe('offline');
  });

  it('that does not come is not waited for by whoever asks later', async () => {
    await lose();
    answer = hangs;
    const first = verifyOnline();
    await pass(1_000);
    answer = () => Promise.resolve(healthy());
    expect(await verifyOnline()).toBe(true);
    expect(await first).toBe(true);
    expect(connection.online).toBe('online');
  });

  it('to another call is proof too, and a call that fails is only a suspicion', async () => {
    await pass(0);
    asked = [];
    answer = away;
    const failed = api.call('readyz', { attempts: 1 }).catch(() => 'failed');
    answer = () => Promise.resolve(healthy());
    expect(await failed).toBe('failed');
    await pass(0);
    expect(connection.online).toBe('online');
    expect(asked).toHaveLength(2);
  });
});

describe('a network that goes', () => {
  it('makes a question that was under way count for nothing, though its answer still comes (F76)', async () => {
    await pass(0);
    let arrive: (response: Response) => void = () => undefined;
    answer = () =>
      new Promise((resolve) => {
        arrive = resolve;
      });
    const before = verifyOnline();
    await pass(300);
    answer = away;
    vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(false);
    dispatchEvent(new Event('offline'));
    arrive(healthy());
    await before;
    await pass(0);
    expect(connection.online).toBe('offline');
  });

  it('makes a call that was under way a suspicion, which the server itself must prove (F76)', async () => {
    await lose();
    vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(false);
    asked = [];
    answer = () => Promise.resolve(healthy());
    const late = api.call('healthz', { attempts: 1 });
    answer = away;
    await late;
    await pass(0);
    expect(connection.online).toBe('offline');
    expect(asked.length, 'the call, and a question').toBe(2);
    answer = () => Promise.resolve(healthy());
    await verifyOnline();
    expect(connection.online, 'a server on the same device is there without a network').toBe(
      'online',
    );
  });
});

describe("the server's clock", () => {
  it("is taken over when it is really another, and left alone for the network's own delay", () => {
    noteServerTime(START + 1_500, START);
    expect(connection.serverClockOffset).toBe(0);
    noteServerTime(START + 86_400_000, START);
    expect(connection.serverClockOffset).toBe(86_400_000);
    noteServerTime(START + 86_401_000, START);
    expect(connection.serverClockOffset).toBe(86_400_000);
  });
});
