/** The event stream: parsing, silence, gaps, and coming back. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { StreamEvent } from '../../../contract/stream.ts';
import {
  createSequence,
  openStream,
  STREAM_SILENCE_MS,
  type StreamState,
} from '../../../src/api/event-stream-client.ts';

const source = {
  id: 'simulated',
  kind: 'simulated',
  label: 'Simulated prices',
  quote: 'USDT',
} as const;
const hello = (sequence: number): StreamEvent => ({
  type: 'hello',
  sequence,
  serverTime: 1,
  marketTime: 1,
  source,
});
const heartbeat = (sequence: number): StreamEvent => ({
  type: 'heartbeat',
  serverTime: 1,
  marketTime: 1,
  sequence,
});
const changed = (sequence: number): StreamEvent => ({ type: 'portfolio.changed', sequence });
/** Firebase looks into its store this often for what other tabs have written there, ms. */
const PROVIDER_POLL_MS = 800;
const wire = (event: unknown): string => `event: x\ndata: ${JSON.stringify(event)}\n\n`;

describe('sequence', () => {
  const run = (...events: StreamEvent[]) => {
    const sequence = createSequence();
    return events.map((event) => sequence.sees(event));
  };

  it('sees a missing number, and each number once', () => {
    expect(run(hello(5), changed(6), changed(6), changed(5), changed(8))).toEqual([
      'next',
      'next',
      'known',
      'known',
      'gap',
    ]);
  });

  it('believes a greeting that promises what is still to come, and a heartbeat that names what was missed', () => {
    expect(
      run(hello(5), hello(7), changed(6), changed(7), heartbeat(7), heartbeat(9), changed(10)),
    ).toEqual(['next', 'next', 'next', 'next', 'known', 'gap', 'next']);
  });

  it('takes a lower number in a greeting for another history', () => {
    expect(run(hello(50), hello(3), changed(4))).toEqual(['next', 'gap', 'next']);
  });
});

describe('stream', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  function open() {
    const events: StreamEvent[] = [];
    const states: StreamState[] = [];
    const urls: string[] = [];
    const forced: boolean[] = [];
    const pipes: ReadableStreamDefaultController<Uint8Array>[] = [];
    let gaps = 0;
    let status: number | 'never' = 200;
    const stream = openStream({
      url: '/api/stream',
      random: () => 1,
      token: (force) => {
        forced.push(force);
        return Promise.resolve('token');
      },
      fetch: ((url: string) => {
        urls.push(url);
        if (status === 'never') return new Promise(() => undefined);
        if (status !== 200) return Promise.resolve(new Response('no', { status }));
        const body = new ReadableStream<Uint8Array>({
          start: (controller) => {
            pipes.push(controller);
          },
        });
        return Promise.resolve(
          new Response(body, { status, headers: { 'content-type': 'text/event-stream' } }),
        );
      }) as unknown as typeof fetch,
      onEvent: (event) => events.push(event),
      onState: (state) => states.push(state),
      onGap: () => {
        gaps += 1;
      },
    });
    const say = async (event: unknown): Promise<void> => {
      pipes.at(-1)?.enqueue(new TextEncoder().encode(wire(event)));
      await vi.advanceTimersByTimeAsync(0);
    };
    return {
      stream,
      events,
      states,
      urls,
      forced,
      pipes,
      say,
      gaps: () => gaps,
      answer: (code: number | 'never') => {
        status = code;
      },
    };
  }

  it('reads events however the bytes are cut, with any line ends, and passes over comments', async () => {
    const named = { ...hello(1), source: { ...source, label: 'Zürich ≥' } };
    const text = `: hi\n\n${wire(named)}event: x\r\ndata: ${JSON.stringify(changed(2))}\r\n\r\n`;
    const bytes = new TextEncoder().encode(text);
    for (let size = 1; size < 9; size += 1) {
      const { events, pipes, stream } = open();
      await vi.advanceTimersByTimeAsync(0);
      for (let i = 0; i < bytes.length; i += size) pipes.at(-1)?.enqueue(bytes.slice(i, i + size));
      await vi.advanceTimersByTimeAsync(0);
      expect(events, `by ${size}`).toEqual([named, changed(2)]);
      stream.close();
    }
  });

  it('that falls silent is called stale, closed and opened again after the last number it saw', async () => {
    const opened = open();
    await vi.advanceTimersByTimeAsync(0);
    await opened.say(hello(5));
    await opened.say(changed(6));
    expect(opened.states).toEqual(['opening', 'open']);
    await vi.advanceTimersByTimeAsync(STREAM_SILENCE_MS - 1);
    expect(opened.urls).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(opened.states).toEqual(['opening', 'open', 'stale']);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(opened.urls).toEqual(['/api/stream', '/api/stream?after=6']);
    expect(opened.states).toEqual(['opening', 'open', 'stale', 'open']);
    opened.stream.close();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(opened.urls).toHaveLength(2);
    expect(opened.states.at(-1)).toBe('closed');
  });

  it('that the server asks back opens again at once, and is not called stale (R9-02)', async () => {
    const opened = open();
    await vi.advanceTimersByTimeAsync(0);
    await opened.say(hello(5));
    opened.pipes[0]?.enqueue(new TextEncoder().encode('retry: 0\n\n'));
    opened.pipes[0]?.close();
    await vi.advanceTimersByTimeAsync(0);
    expect(opened.urls).toEqual(['/api/stream', '/api/stream?after=5']);
    expect(opened.states).toEqual(['opening', 'open', 'open']);
    // An end without that word is one like any other.
    opened.pipes[1]?.close();
    await vi.advanceTimersByTimeAsync(0);
    expect(opened.states).toEqual(['opening', 'open', 'open', 'stale']);
    opened.stream.close();
  });

  it('that was asked back is stale where it is refused, and where no answer comes', async () => {
    for (const refused of [true, false]) {
      const opened = open();
      await vi.advanceTimersByTimeAsync(0);
      opened.answer(refused ? 401 : 'never');
      opened.pipes[0]?.enqueue(new TextEncoder().encode('retry: 0\n\n'));
      opened.pipes[0]?.close();
      await vi.advanceTimersByTimeAsync(0);
      expect(opened.urls).toHaveLength(2);
      expect(opened.states.at(-1)).toBe(refused ? 'stale' : 'open');
      await vi.advanceTimersByTimeAsync(2_000);
      expect(opened.states.at(-1)).toBe('stale');
      opened.stream.close();
    }
  });

  it('stays open while heartbeats come', async () => {
    const opened = open();
    await vi.advanceTimersByTimeAsync(0);
    await opened.say(hello(1));
    for (let n = 0; n < 10; n += 1) {
      await vi.advanceTimersByTimeAsync(15_000);
      await opened.say(heartbeat(1));
    }
    expect(opened.urls).toHaveLength(1);
    expect(opened.gaps()).toBe(0);
    opened.stream.close();
  });

  it('asks for a fresh read when numbers are missing or an event does not read', async () => {
    const opened = open();
    await vi.advanceTimersByTimeAsync(0);
    await opened.say(hello(1));
    await opened.say(changed(4));
    expect(opened.gaps()).toBe(1);
    vi.spyOn(console, 'warn').mockImplementation(() => undefined);
    await opened.say({ type: 'agent.changed', sequence: 5 });
    expect(opened.gaps()).toBe(2);
    expect(opened.events).toEqual([hello(1), changed(4)]);
    opened.stream.close();
  });

  it('stays open where the page cannot take an event, and asks for a fresh read', async () => {
    const states: StreamState[] = [];
    let gaps = 0;
    let pipe: ReadableStreamDefaultController<Uint8Array> | undefined;
    vi.spyOn(console, 'error').mockImplementation(() => undefined);
    const stream = openStream({
      url: '/api/stream',
      random: () => 1,
      token: () => Promise.resolve('token'),
      onState: (state) => states.push(state),
      onGap: () => {
        gaps += 1;
      },
      onEvent: (event) => {
        if (event.type === 'portfolio.changed') throw new TypeError('a store failed');
      },
      fetch: () =>
        Promise.resolve(
          new Response(
            new ReadableStream<Uint8Array>({
              start: (controller) => {
                pipe = controller;
              },
            }),
            { headers: { 'content-type': 'text/event-stream' } },
          ),
        ),
    });
    await vi.advanceTimersByTimeAsync(0);
    for (const event of [hello(1), changed(2), heartbeat(2)])
      pipe?.enqueue(new TextEncoder().encode(wire(event)));
    await vi.advanceTimersByTimeAsync(0);
    expect(states).toEqual(['opening', 'open']);
    expect(gaps).toBe(1);
    stream.close();
  });

  it('is stale from its end on, and a wake gives up an attempt that nobody answers', async () => {
    const states: StreamState[] = [];
    const signals: (AbortSignal | null | undefined)[] = [];
    let answer = true;
    let pipe: ReadableStreamDefaultController<Uint8Array> | undefined;
    const stream = openStream({
      url: '/api/stream',
      random: () => 1,
      token: () => Promise.resolve('token'),
      onEvent: () => undefined,
      onGap: () => undefined,
      onState: (state) => states.push(state),
      fetch: (_url, init) => {
        signals.push(init?.signal);
        if (!answer)
          return new Promise((_resolve, reject) => {
            init?.signal?.addEventListener('abort', () => {
              reject(new DOMException('aborted', 'AbortError'));
            });
          });
        const body = new ReadableStream<Uint8Array>({
          start: (controller) => {
            pipe = controller;
          },
        });
        return Promise.resolve(
          new Response(body, { headers: { 'content-type': 'text/event-stream' } }),
        );
      },
    });
    await vi.advanceTimersByTimeAsync(0);
    answer = false;
    pipe?.close();
    await vi.advanceTimersByTimeAsync(0);
    expect(states).toEqual(['opening', 'open', 'stale']);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(signals).toHaveLength(2);
    stream.wake();
    await vi.advanceTimersByTimeAsync(0);
    expect(signals, 'an attempt of this moment is left alone').toHaveLength(2);
    await vi.advanceTimersByTimeAsync(2_000);
    answer = true;
    stream.wake();
    await vi.advanceTimersByTimeAsync(0);
    expect(signals[1]?.aborted).toBe(true);
    expect(signals).toHaveLength(3);
    expect(states.at(-1)).toBe('open');
    stream.close();
  });

  it('that should have been heard of by now is given up on waking, not half a minute later', async () => {
    const opened = open();
    await vi.advanceTimersByTimeAsync(0);
    await opened.say(hello(5));
    opened.stream.wake();
    await vi.advanceTimersByTimeAsync(0);
    expect(opened.urls, 'one that was just heard of is left alone').toHaveLength(1);
    // Asleep: the clock went on, the timers did not.
    vi.setSystemTime(Date.now() + 3_600_000);
    opened.stream.wake();
    await vi.advanceTimersByTimeAsync(0);
    expect(opened.urls).toEqual(['/api/stream', '/api/stream?after=5']);
    expect(opened.states).toEqual(['opening', 'open', 'stale', 'open']);
    opened.stream.close();
  });

  it('takes nothing that lay in the socket over a sleep, and opens again after the last number it saw (F108)', async () => {
    const opened = open();
    await vi.advanceTimersByTimeAsync(0);
    await opened.say(hello(5));
    await vi.advanceTimersByTimeAsync(15_000);
    vi.setSystemTime(Date.now() + 5 * 3_600_000);
    // The server sent them as the lid was closed.
    for (const event of [heartbeat(5), changed(6)])
      opened.pipes[0]?.enqueue(new TextEncoder().encode(wire(event)));
    await vi.advanceTimersByTimeAsync(0);
    expect(opened.events).toEqual([hello(5)]);
    expect(opened.urls).toEqual(['/api/stream', '/api/stream?after=5']);
    expect(opened.states).toEqual(['opening', 'open', 'stale', 'open']);
    await opened.say(changed(6));
    expect(opened.events).toEqual([hello(5), changed(6)]);
    opened.stream.close();
  });

  it('takes no greeting that came before a sleep either, and reads one that is only late', async () => {
    const opened = open();
    await vi.advanceTimersByTimeAsync(0);
    vi.setSystemTime(Date.now() + STREAM_SILENCE_MS + 1_000);
    await opened.say(hello(5));
    expect(opened.events).toEqual([hello(5)]);
    opened.stream.close();
    const slept = open();
    await vi.advanceTimersByTimeAsync(0);
    vi.setSystemTime(Date.now() + 3_600_000);
    await slept.say(hello(5));
    expect(slept.events).toEqual([]);
    expect(slept.urls).toHaveLength(2);
    slept.stream.close();
  });

  it('says that the sign-in is over or was revoked where the server refuses it for that', async () => {
    const refused: string[] = [];
    const said = {
      error: { code: 'token_revoked', message: 'This session was ended. Please log in again.' },
    };
    const stream = openStream({
      url: '/api/stream',
      random: () => 1,
      token: () => Promise.resolve('token'),
      onEvent: () => undefined,
      onGap: () => undefined,
      onState: () => undefined,
      onRefused: (code) => refused.push(code),
      fetch: () =>
        Promise.resolve(
          new Response(JSON.stringify(said), {
            status: 401,
            headers: { 'content-type': 'application/json' },
          }),
        ),
    });
    await vi.advanceTimersByTimeAsync(0);
    expect(refused, 'another tab may have a newer token').toEqual([]);
    await vi.advanceTimersByTimeAsync(1_500);
    expect(refused).toEqual(['token_revoked']);
    stream.close();
  });

  it.each(['token_revoked', 'reauth_required'])(
    'opens with the token that another tab got meanwhile, though it is told %s for its own, and has none renewed by force',
    async (code) => {
      const forced: boolean[] = [];
      const sent: (string | null)[] = [];
      const onRefused = vi.fn();
      const onState = vi.fn();
      let held = 'old';
      const stream = openStream({
        url: '/api/stream',
        random: () => 1,
        token: (force) => {
          forced.push(force);
          return Promise.resolve(held);
        },
        onEvent: () => undefined,
        onGap: () => undefined,
        onState,
        onRefused,
        fetch: (_url, init) => {
          const authorization = new Headers(init?.headers).get('authorization');
          sent.push(authorization);
          return Promise.resolve(
            authorization === 'Bearer old'
              ? new Response(JSON.stringify({ error: { code, message: 'x' } }), { status: 401 })
              : new Response(new ReadableStream(), {
                  headers: { 'content-type': 'text/event-stream' },
                }),
          );
        },
      });
      await vi.advanceTimersByTimeAsync(PROVIDER_POLL_MS);
      held = 'new';
      await vi.advanceTimersByTimeAsync(1_000);
      expect(sent).toEqual(['Bearer old', 'Bearer new']);
      expect(forced).toEqual([false, false]);
      expect(onRefused).not.toHaveBeenCalled();
      expect(onState.mock.calls).toEqual([['opening'], ['open']]);
      stream.close();
    },
  );

  it('that was closed while it waited for a newer token reports no refusal', async () => {
    const onRefused = vi.fn();
    const stream = openStream({
      url: '/api/stream',
      token: () => Promise.resolve('token'),
      onEvent: () => undefined,
      onGap: () => undefined,
      onState: () => undefined,
      onRefused,
      fetch: () =>
        Promise.resolve(
          new Response('{"error":{"code":"token_revoked","message":"x"}}', { status: 401 }),
        ),
    });
    await vi.advanceTimersByTimeAsync(0);
    stream.close();
    await vi.advanceTimersByTimeAsync(5_000);
    expect(onRefused).not.toHaveBeenCalled();
  });

  it('backs off after failures, wakes at once when told, and asks for a new token after 401', async () => {
    const opened = open();
    opened.answer(401);
    await vi.advanceTimersByTimeAsync(0);
    opened.stream.close();
    const again = open();
    again.answer(401);
    await vi.advanceTimersByTimeAsync(0);
    const before = again.urls.length;
    await vi.advanceTimersByTimeAsync(999);
    expect(again.urls).toHaveLength(before);
    again.stream.wake();
    await vi.advanceTimersByTimeAsync(0);
    expect(again.urls.length).toBe(before + 1);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(again.urls.length).toBe(before + 2);
    expect(again.forced.at(-1)).toBe(true);
    again.stream.close();
  });
});
