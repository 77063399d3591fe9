// @vitest-environment happy-dom
/**
 * One stream a browser: who reads, who listens, who takes over. Locks and channel stand in for the
 * browser's.
 */
import { proxy } from 'valtio';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { StreamEvent } from '../../../contract/stream.ts';
import { joinStream, type SharedState, type SharedStream } from '../../../src/api/shared-stream.ts';
import { STREAM_SILENCE_MS } from '../../../src/api/event-stream-client.ts';

const source = {
  id: 'simulated',
  kind: 'simulated',
  label: 'Simulated prices',
  quote: 'USDT',
} as const;
const hello: StreamEvent = { type: 'hello', sequence: 5, serverTime: 1, marketTime: 1, source };
const changed = (sequence: number): StreamEvent => ({ type: 'portfolio.changed', sequence });
const wire = (event: unknown): Uint8Array =>
  new TextEncoder().encode(`data: ${JSON.stringify(event)}\n\n`);

/** The browser's lock manager, as far as one exclusive lock goes. */
function lockManager(): LockManager {
  let held: Promise<unknown> = Promise.resolve();
  const waiting = new Set<object>();
  return {
    query: () => Promise.resolve({ pending: [...waiting].map(() => ({ name: 'stream' })) }),
    request(_name: string, { signal }: { signal: AbortSignal }, work: () => Promise<unknown>) {
      const one = {};
      waiting.add(one);
      signal.addEventListener('abort', () => waiting.delete(one));
      const mine = held.then(() => {
        waiting.delete(one);
        signal.throwIfAborted();
        return work();
      });
      held = mine.catch(() => undefined);
      return Promise.race([
        mine,
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => {
            reject(signal.reason as Error);
          });
        }),
      ]);
    },
  } as unknown as LockManager;
}

class Line {
  onmessage: ((event: MessageEvent) => void) | null = null;
  /** Events passed on through any of them. */
  static passed = 0;
  constructor(private readonly all: Set<Line>) {
    all.add(this);
  }
  postMessage(data: unknown): void {
    if (Object.hasOwn(data as object, 'event')) Line.passed += 1;
    for (const other of this.all)
      if (other !== this) other.onmessage?.({ data: structuredClone(data) } as MessageEvent);
  }
  close(): void {
    this.all.delete(this);
  }
}

const pipes: ReadableStreamDefaultController<Uint8Array>[] = [];
let lines: Set<Line>;
let locks: LockManager;
let open: SharedStream[];

interface Tab {
  stream: SharedStream;
  events: StreamEvent[];
  states: SharedState[];
  gaps: number;
  hidden: boolean;
}
function tab(
  uid = 'ann',
  shared: LockManager | undefined = locks,
  take: (event: StreamEvent) => void = () => undefined,
): Tab {
  const one: Omit<Tab, 'stream'> & { stream?: SharedStream } = {
    events: [],
    states: [],
    gaps: 0,
    hidden: false,
  };
  one.stream = joinStream({
    uid,
    url: '/api/stream',
    token: () => Promise.resolve('token'),
    random: () => 1,
    locks: shared,
    channel: () => new Line(lines) as unknown as BroadcastChannel,
    hidden: () => one.hidden,
    fetch: () =>
      Promise.resolve(
        new Response(
          new ReadableStream<Uint8Array>({
            start: (pipe) => {
              pipes.push(pipe);
            },
          }),
          { headers: { 'content-type': 'text/event-stream' } },
        ),
      ),
    onEvent: (event) => {
      one.events.push(event);
      take(event);
    },
    onGap: () => {
      one.gaps += 1;
    },
    onState: (state) => one.states.push(state),
  });
  open.push(one.stream);
  return one as Tab;
}
const pass = (ms = 0): Promise<unknown> => vi.advanceTimersByTimeAsync(ms);
const say = async (event: StreamEvent): Promise<void> => {
  pipes.at(-1)?.enqueue(wire(event));
  await pass();
};
const turn = async (one: Tab, hidden: boolean): Promise<void> => {
  one.hidden = hidden;
  document.dispatchEvent(new Event('visibilitychange'));
  await pass();
};

beforeEach(() => {
  vi.useFakeTimers();
  Line.passed = 0;
  pipes.length = 0;
  lines = new Set();
  locks = lockManager();
  open = [];
});
afterEach(async () => {
  for (const one of open) one.close();
  await pass();
  vi.useRealTimers();
});

describe('a tab that is alone', () => {
  it('copies no event for tabs that are not there, and each from when one comes until it has gone', async () => {
    tab();
    await pass();
    await say(hello);
    await say(changed(6));
    expect(Line.passed).toBe(0);
    const second = tab();
    await pass();
    await say(changed(7));
    expect(second.events).toEqual([changed(7)]);
    second.stream.close();
    await pass();
    await say({ type: 'heartbeat', serverTime: 2, marketTime: 2, sequence: 7 });
    const before = Line.passed;
    await say(changed(8));
    expect(Line.passed).toBe(before);
  });
});

describe('two tabs of one person', () => {
  it('hold one stream, and both hear it', async () => {
    const [first, second] = [tab(), tab()];
    await pass();
    await say(hello);
    await say(changed(6));
    expect(pipes).toHaveLength(1);
    expect(first.events).toEqual([hello, changed(6)]);
    expect(second.events).toEqual([hello, changed(6)]);
    expect(second.states.at(-1)).toBe('shared');
  });

  it('go on hearing where the first keeps what it is told in a store of its own', async () => {
    const store = proxy<{ last: StreamEvent | null }>({ last: null });
    const [first, second] = [
      tab('ann', locks, (event) => {
        store.last = event;
      }),
      tab(),
    ];
    await pass();
    await say(hello);
    const ran: StreamEvent = {
      type: 'agents.ran',
      agents: [{ id: '3b241101-e2bb-4255-8caf-4136c566a962', lastRunAt: 1, nextRunAt: 2 }],
    };
    await say(ran);
    await say(changed(6));
    expect(first.states).not.toContain('stale');
    expect(second.events).toEqual([hello, ran, changed(6)]);
    expect(pipes).toHaveLength(1);
  });

  it('both read again when numbers are missing', async () => {
    const [first, second] = [tab(), tab()];
    await pass();
    await say(hello);
    await say(changed(9));
    expect([first.gaps, second.gaps]).toEqual([1, 1]);
  });

  it('both learn at once that the server is gone, and that it is back', async () => {
    const [first, second] = [tab(), tab()];
    await pass();
    await say(hello);
    pipes[0]?.close();
    await pass();
    expect([first.states.at(-1), second.states.at(-1)]).toEqual(['stale', 'stale']);
    await pass(1_000);
    expect(pipes).toHaveLength(2);
    expect([first.states.at(-1), second.states.at(-1)]).toEqual(['open', 'shared']);
  });

  it('hand over: the other reads as soon as the reader is hidden or closed, and whoever comes back reads afresh', async () => {
    const [first, second] = [tab(), tab()];
    await pass();
    await say(hello);
    await turn(first, true);
    expect(first.states.at(-1)).toBe('closed');
    expect(pipes).toHaveLength(2);
    await say(hello);
    await say(changed(6));
    expect(first.events, 'a hidden page hears nothing').toEqual([hello]);
    expect(second.events.at(-1)).toEqual(changed(6));
    const before = first.gaps;
    await turn(first, false);
    expect(first.gaps).toBe(before + 1);
    expect(pipes).toHaveLength(2);
    second.stream.close();
    await pass();
    expect(pipes).toHaveLength(3);
    await say(hello);
    expect(first.states.at(-1)).toBe('open');
  });
});

describe('a tab', () => {
  it('takes nothing of another person, and nothing that the contract does not know', async () => {
    const ann = tab();
    await pass();
    const bob = tab('bob');
    await say(hello);
    expect(bob.events).toEqual([]);
    const stranger = new Line(lines);
    stranger.postMessage({
      uid: 'bob',
      event: { type: 'agent.changed', sequence: 1, agent: { id: '<img>' } },
    });
    expect(bob.events).toEqual([]);
    expect(ann.events).toEqual([hello]);
  });

  it('that hears nothing of the reader is stale', async () => {
    tab();
    await pass();
    const second = tab();
    await pass(STREAM_SILENCE_MS);
    expect(second.states).toContain('stale');
  });

  it('reads for itself where the browser has no locks, or refuses them', async () => {
    const lone = tab('ann', undefined);
    await pass();
    await say(hello);
    expect(lone.states.at(-1)).toBe('open');
    vi.spyOn(console, 'warn').mockImplementation(() => undefined);
    const refused = tab('ann', {
      request: () => Promise.reject(new DOMException('no', 'SecurityError')),
    } as unknown as LockManager);
    await pass();
    await say(hello);
    expect(refused.states.at(-1)).toBe('open');
  });
});
