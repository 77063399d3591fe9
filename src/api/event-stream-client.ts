/** The event stream of the server, read by fetch so that it carries the token. */
import { createParser } from 'eventsource-parser';
import { ASLEEP_MS, BACKOFF_BASE_MS } from '../../contract/limits.ts';
import { backoffCeilingMs, type Backoff } from '../../contract/retry.ts';
import { StreamEvent } from '../../contract/stream.ts';
import { CONTRACT_HEADER, CONTRACT_VERSION } from '../../contract/version.ts';
import { log } from '../platform/page-log.ts';
import { newerToken, sessionOver, type SessionOver } from './session-over.ts';

/** The server's heartbeat comes every 15 s; after two missed ones the stream counts as dead. */
export const STREAM_SILENCE_MS = 30_000;
const BACKOFF: Backoff = { baseMs: BACKOFF_BASE_MS, maxMs: 30_000 };

/** On waking, a stream last heard longer ago than this counts as dead: a heartbeat and some. */
const STREAM_OVERDUE_MS = 20_000;

/** An attempt without an answer for this long may hang on a lost network. */
const STREAM_STUCK_MS = 2_000;

/**
 * `opening` is the first attempt only: later the stream is `stale` from its end or silence until it
 * is open again.
 */
export type StreamState = 'opening' | 'open' | 'stale' | 'closed';

export interface StreamOptions {
  url: string;
  token(force: boolean): Promise<string>;
  fetch: typeof fetch;
  onEvent(event: StreamEvent): void;
  onState(state: StreamState): void;
  /** Events are missing: load again what they would have changed. */
  onGap(): void;
  /** The server rejected it: the session is too old or was revoked. */
  onRefused?(code: SessionOver): void;
  random?: () => number;
}

export interface Stream {
  /** Reconnects at once instead of waiting: the network or the page is back. */
  wake(): void;
  close(): void;
}

/**
 * Watches the sequence numbers of one person: `true` means that something in between was missed.
 */
export function createSequence(): {
  sees(event: StreamEvent): 'next' | 'known' | 'gap' | 'unnumbered';
  last(): number | null;
} {
  let last: number | null = null;
  return {
    last: () => last,
    sees(event) {
      if (!('sequence' in event)) return 'unnumbered';
      const { sequence } = event;
      if (last === null) {
        last = sequence;
        return 'next';
      }
      // A greeting or a heartbeat names the present number: events up to it are still to come, or
      // were missed.
      if (event.type === 'hello') {
        if (sequence >= last) return 'next';
        last = sequence;
        return 'gap';
      }
      if (event.type === 'heartbeat') {
        if (sequence <= last) return 'known';
        last = sequence;
        return 'gap';
      }
      if (sequence <= last) return 'known';
      const gap = sequence > last + 1;
      last = sequence;
      return gap ? 'gap' : 'next';
    },
  };
}

/** Opens the stream and keeps it open until closed. Resumes after the last number it saw. */
export function openStream(options: StreamOptions): Stream {
  const stream = new ReconnectingStream(options);
  void stream.keepOpen().finally(() => {
    options.onState('closed');
  });
  return stream;
}

class ReconnectingStream implements Stream {
  private readonly sequence = createSequence();
  private closed = false;
  private failures = 0;
  /** The server rejected the last token, but not its session: the next attempt renews it. */
  private refresh = false;
  /** When the present attempt began (ms), until it is answered. */
  private askedAt: number | null = null;
  /** Device clock (ms) of the last byte; timers do not run while a device sleeps. */
  private heardAt = 0;
  private silence: ReturnType<typeof setTimeout> | undefined;
  private isOpen = false;
  /** The attempt was cancelled on waking: the next one begins at once. */
  private again = false;
  /** The server ends the stream and asks for a new one at once: the token no longer counts. */
  private askedBack = false;
  private abort = new AbortController();
  private endPause: () => void = () => undefined;

  constructor(private readonly options: StreamOptions) {}

  wake(): void {
    this.failures = 0;
    const stuck = this.askedAt !== null && Date.now() - this.askedAt >= STREAM_STUCK_MS;
    const silent =
      this.isOpen && this.askedAt === null && Date.now() - this.heardAt >= STREAM_OVERDUE_MS;
    this.again = stuck || silent;
    if (this.again) this.abort.abort();
    else this.endPause();
  }

  close(): void {
    this.closed = true;
    this.abort.abort();
    this.endPause();
  }

  async keepOpen(): Promise<void> {
    const { options } = this;
    const random = options.random ?? Math.random;
    options.onState('opening');
    let resumes = false;
    while (!this.closed) {
      this.askedBack = false;
      try {
        await this.readOnce(resumes);
      } catch (error) {
        log.debug('The stream ended', error);
      }
      if (this.closed) return;
      // Nothing is lost yet: the stream is called stale only where it does not open again at once.
      resumes = this.askedBack;
      if (resumes) continue;
      options.onState('stale');
      if (this.again) {
        this.again = false;
        continue;
      }
      this.failures += 1;
      // Full jitter, so that a thousand browsers do not come back in one breath.
      await this.pause(Math.max(250, random() * backoffCeilingMs(BACKOFF, this.failures - 1)));
    }
  }

  private pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.endPause = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  private async readOnce(resumes: boolean): Promise<void> {
    this.abort = new AbortController();
    const { signal } = this.abort;
    this.heard();
    this.askedAt = Date.now();
    const late = setTimeout(() => {
      if (resumes && !this.closed) this.options.onState('stale');
    }, STREAM_STUCK_MS);
    try {
      const body = await this.request(signal);
      clearTimeout(late);
      this.askedAt = null;
      this.isOpen = true;
      this.options.onState('open');
      this.failures = 0;
      await this.readEvents(body, signal);
    } finally {
      this.askedAt = null;
      this.isOpen = false;
      clearTimeout(late);
      clearTimeout(this.silence);
      this.abort.abort();
    }
  }

  /** The server is alive: restarts the timeout. */
  private heard(): void {
    this.heardAt = Date.now();
    clearTimeout(this.silence);
    this.silence = setTimeout(() => {
      this.abort.abort();
    }, STREAM_SILENCE_MS);
  }

  private async request(signal: AbortSignal): Promise<NonNullable<Response['body']>> {
    const { options } = this;
    const token = await options.token(this.refresh);
    this.refresh = false;
    const response = await this.ask(token, signal);
    if (response.status !== 401) return opened(response);
    let over = sessionOver(await response.text());
    if (over !== null) {
      const newer = await newerToken(token, () => options.token(false), sleep);
      signal.throwIfAborted();
      if (newer !== null) {
        const again = await this.ask(newer, signal);
        if (again.status !== 401) return opened(again);
        over = sessionOver(await again.text());
      }
    }
    if (over === null) this.refresh = true;
    else options.onRefused?.(over);
    throw new Error('The stream answered 401');
  }

  private ask(token: string, signal: AbortSignal): Promise<Response> {
    const { options } = this;
    const last = this.sequence.last();
    return options.fetch(`${options.url}${last === null ? '' : `?after=${last}`}`, {
      headers: {
        authorization: `Bearer ${token}`,
        accept: 'text/event-stream',
        [CONTRACT_HEADER]: String(CONTRACT_VERSION),
      },
      signal,
      cache: 'no-store',
      credentials: 'omit',
      redirect: 'error',
    });
  }

  private async readEvents(
    body: NonNullable<Response['body']>,
    signal: AbortSignal,
  ): Promise<void> {
    const parser = createParser({
      onEvent: ({ data }) => {
        this.take(data);
      },
      onRetry: (waitMs) => {
        this.askedBack = waitMs === 0;
      },
    });
    const decoder = new TextDecoder();
    const reader = body.getReader();
    signal.addEventListener(
      'abort',
      () => {
        void reader.cancel().catch(() => undefined);
      },
      { once: true },
    );
    for (;;) {
      const { done, value } = await reader.read();
      if (done || signal.aborted) return;
      // What lay in the socket while the device slept is not the present: it is asked for again.
      if (Date.now() - this.heardAt > STREAM_SILENCE_MS + ASLEEP_MS) {
        this.again = true;
        return;
      }
      this.heard();
      parser.feed(decoder.decode(value, { stream: true }));
    }
  }

  private take(data: string): void {
    const { options } = this;
    const parsed = parseEvent(data);
    if (!parsed.success) {
      log.warn(
        'An event of the stream is not what the contract says',
        parsed.error.issues[0]?.message,
      );
      options.onGap();
      return;
    }
    const seen = this.sequence.sees(parsed.data);
    if (seen === 'known' && parsed.data.type !== 'heartbeat') return;
    try {
      options.onEvent(parsed.data);
    } catch (error) {
      // An error of our own, not of the connection: the stream stays, and the data is loaded again.
      log.error('An event of the stream could not be taken', error);
      options.onGap();
      return;
    }
    if (seen === 'gap') options.onGap();
  }
}

/** The body of an answer that is a stream. */
async function opened(response: Response): Promise<NonNullable<Response['body']>> {
  if (
    !response.ok ||
    response.body === null ||
    response.headers.get('content-type')?.startsWith('text/event-stream') !== true
  ) {
    await response.body?.cancel();
    throw new Error(`The stream answered ${response.status}`);
  }
  return response.body;
}

const sleep = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms);
  });

function parseEvent(data: string): ReturnType<typeof StreamEvent.safeParse> {
  try {
    return StreamEvent.safeParse(JSON.parse(data));
  } catch {
    return StreamEvent.safeParse(null);
  }
}
