// @vitest-environment happy-dom
/**
 * What keeps a reading of the same moment as the stream's words: each evaluation leads to one
 * reading, a storm of them to few.
 */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { recordAgent } from '../../../src/api/recorded-replies.ts';
import {
  agentsStore,
  applyAgents,
  applyRuns,
  clearAgents,
} from '../../../src/stores/agents-store.ts';
import { connection } from '../../../src/stores/connection.ts';
import { applyHistory, clearHistory } from '../../../src/stores/fills-store.ts';
import {
  accountMark,
  evaluationMark,
  keepFresh,
  sharedFresh,
} from '../../../src/stores/keep-fresh.ts';

const MINUTE = 60_000;
const REST_MS = 2_000;
const ids = Array.from({ length: 100 }, (_, index) => `a${index}`);
let end: () => void = () => undefined;
let reads = 0;
/** The readings that wait for their answer. */
let waiting: (() => void)[] = [];

const read = (): Promise<void> => {
  reads += 1;
  return new Promise((resolve) => {
    waiting.push(resolve);
  });
};
const answer = async (): Promise<void> => {
  for (const one of waiting.splice(0)) one();
  await vi.advanceTimersByTimeAsync(0);
};
/** Every agent has looked once more, as the stream tells it. */
async function look(at: number): Promise<void> {
  applyRuns(ids.map((id) => ({ id, lastRunAt: at, nextRunAt: at + 5 * MINUTE })));
  await vi.advanceTimersByTimeAsync(0);
}

beforeEach(() => {
  vi.useFakeTimers();
  reads = 0;
  connection.online = 'online';
  applyAgents(
    {
      agents: ids.map((id) => ({
        ...recordAgent(id, id, 0),
        status: 'running',
        lastRunAt: 0,
        nextRunAt: 5 * MINUTE,
      })),
      sequence: 1,
      asOf: 0,
    },
    'network',
  );
  applyHistory({ fills: [], sequence: 1, asOf: 0 }, 'network');
});
afterEach(() => {
  end();
  waiting = [];
  clearAgents();
  clearHistory();
  vi.useRealTimers();
});

describe('a reading that is kept fresh', () => {
  it('is read once for each evaluation of its agent, and not for those of others', async () => {
    end = keepFresh({ mark: () => evaluationMark('a1'), read, restMs: REST_MS });
    applyRuns([{ id: 'a2', lastRunAt: 1, nextRunAt: 5 * MINUTE }]);
    await vi.advanceTimersByTimeAsync(REST_MS);
    expect(reads).toBe(0);
    for (const turn of [1, 2, 3]) {
      await look(turn * 5 * MINUTE);
      await answer();
      expect(reads).toBe(turn);
      await vi.advanceTimersByTimeAsync(5 * MINUTE);
    }
  });

  it('is asked for once at a time and once in a while, however fast a tape runs and however many agents there are', async () => {
    end = keepFresh({ mark: accountMark, read, restMs: REST_MS });
    for (let tick = 1; tick <= 100; tick += 1) {
      await look(tick * 5 * MINUTE);
      await vi.advanceTimersByTimeAsync(100);
    }
    // Ten seconds in which no answer came.
    expect(reads).toBe(1);
    await answer();
    for (let tick = 101; tick <= 200; tick += 1) {
      await look(tick * 5 * MINUTE);
      await vi.advanceTimersByTimeAsync(100);
      await answer();
    }
    expect(reads).toBeGreaterThan(4);
    expect(reads).toBeLessThanOrEqual(7);
    // The last word is always read.
    await vi.advanceTimersByTimeAsync(REST_MS);
    await answer();
    const settled = reads;
    await vi.advanceTimersByTimeAsync(MINUTE);
    expect(reads).toBe(settled);
  });

  it('asks nothing while the server is away or nobody looks, and makes up for it on return', async () => {
    const seen = vi.spyOn(document, 'visibilityState', 'get');
    end = keepFresh({ mark: () => evaluationMark('a1'), read, restMs: REST_MS });
    connection.online = 'offline';
    await look(5 * MINUTE);
    expect(reads).toBe(0);
    connection.online = 'online';
    await vi.advanceTimersByTimeAsync(0);
    await answer();
    expect(reads).toBe(1);
    seen.mockReturnValue('hidden');
    await look(10 * MINUTE);
    await vi.advanceTimersByTimeAsync(REST_MS);
    expect(reads).toBe(1);
    seen.mockReturnValue('visible');
    document.dispatchEvent(new Event('visibilitychange'));
    expect(reads).toBe(2);
    seen.mockRestore();
  });

  it('waits by chance for a moment where everybody would read at the same close, and reads once', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(0.5);
    end = keepFresh({ mark: accountMark, read, restMs: REST_MS, spreadMs: 3_000 });
    await look(5 * MINUTE);
    await vi.advanceTimersByTimeAsync(1_400);
    expect(reads).toBe(0);
    await look(10 * MINUTE);
    await vi.advanceTimersByTimeAsync(200);
    expect(reads).toBe(1);
    await answer();
    await vi.advanceTimersByTimeAsync(MINUTE);
    expect(reads).toBe(1);
    vi.mocked(Math.random).mockRestore();
  });

  it('is one reading for all the parts that show it, and one at once where it fell behind while none did', async () => {
    const join = sharedFresh({ mark: accountMark, read, restMs: REST_MS });
    const [one, other] = [join(), join()];
    await look(5 * MINUTE);
    await answer();
    expect(reads).toBe(1);
    one();
    other();
    await look(10 * MINUTE);
    await vi.advanceTimersByTimeAsync(REST_MS);
    expect(reads).toBe(1);
    end = join();
    expect(reads).toBe(2);
  });

  it('ends with its screen', async () => {
    end = keepFresh({ mark: accountMark, read, restMs: REST_MS });
    end();
    await look(5 * MINUTE);
    await vi.advanceTimersByTimeAsync(REST_MS);
    expect([reads, agentsStore.data?.agents[0]?.lastRunAt]).toEqual([0, 5 * MINUTE]);
  });
});
