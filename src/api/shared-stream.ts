/**
 * One stream a browser: the visible tab that holds the lock reads it and passes it to the others;
 * refuses to read while hidden.
 */
import { StreamEvent } from '../../contract/stream.ts';
import { log } from '../log.ts';
import {
  openStream,
  STREAM_SILENCE_MS,
  type Stream,
  type StreamOptions,
  type StreamState,
} from './stream.ts';

/** `shared`: another tab of this browser reads, and passes on what it hears. */
export type SharedState = StreamState | 'shared';

export interface SharedStreamOptions extends Omit<StreamOptions, 'onState'> {
  /** Events are passed on only between tabs of the same person. */
  uid: string;
  onState(state: SharedState): void;
  locks?: LockManager | undefined;
  channel?: (name: string) => BroadcastChannel;
  hidden?: () => boolean;
}

const LOCK = 'stream';
const CHANNEL = 'tradewind.stream';

export interface SharedStream {
  wake(): void;
  close(): void;
}

/** Takes part in the browser's one stream while this page is visible. */
export function joinStream(options: SharedStreamOptions): SharedStream {
  const hidden = options.hidden ?? (() => document.visibilityState === 'hidden');
  const locks = 'locks' in options ? options.locks : navigator.locks;
  const channel = (options.channel ?? ((name: string) => new BroadcastChannel(name)))(CHANNEL);
  let closed = false;
  let own: Stream | null = null;
  let waiting: AbortController | null = null;
  let release: () => void = () => undefined;
  let silence: ReturnType<typeof setTimeout> | undefined;

  const tell = (event: StreamEvent): void => {
    // First to the others: a store that takes the event makes it its own, and what a store holds
    // cannot be passed on.
    channel.postMessage({ uid: options.uid, event });
    options.onEvent(event);
  };
  const read = (): Promise<void> =>
    new Promise((resolve) => {
      clearTimeout(silence);
      own = openStream({
        ...options,
        onEvent: tell,
        onState: (state) => {
          // A stream that was let go ends a moment later, when another may be in its place.
          if (state === 'closed') return;
          options.onState(state);
          channel.postMessage({ uid: options.uid, state });
        },
        onGap: () => {
          options.onGap();
          channel.postMessage({ uid: options.uid, gap: true });
        },
      });
      release = () => {
        own?.close();
        own = null;
        resolve();
      };
    });

  const follow = (): void => {
    clearTimeout(silence);
    silence = setTimeout(() => {
      if (own === null && !closed && !hidden()) options.onState('stale');
    }, STREAM_SILENCE_MS);
  };

  channel.onmessage = ({
    data,
  }: MessageEvent<{ uid?: unknown; event?: unknown; gap?: unknown; state?: unknown }>) => {
    if (closed || hidden() || own !== null || data.uid !== options.uid) return;
    if (data.gap === true) {
      options.onGap();
      return;
    }
    // The reader has lost the server, or found it again: this page hears it through the same line.
    if (data.state === 'stale' || data.state === 'open') {
      follow();
      options.onState(data.state === 'open' ? 'shared' : 'stale');
      return;
    }
    const parsed = StreamEvent.safeParse(data.event);
    if (!parsed.success) return;
    follow();
    options.onState('shared');
    options.onEvent(parsed.data);
  };

  function start(): void {
    if (closed || hidden() || own !== null || waiting !== null) return;
    // Without locks each tab reads for itself: more connections, the same truth.
    if (locks === undefined) {
      void read();
      return;
    }
    waiting = new AbortController();
    const { signal } = waiting;
    follow();
    locks
      .request(LOCK, { signal }, async () => {
        if (!closed && !hidden()) await read();
      })
      .catch((error: unknown) => {
        if (signal.aborted) return;
        // No lock to be had here at all: then as without locks.
        log.warn('The stream is not shared between tabs', error);
        if (!closed && !hidden() && own === null) void read();
      })
      .finally(() => {
        if (waiting?.signal === signal) waiting = null;
      });
  }

  function stop(): void {
    waiting?.abort();
    waiting = null;
    release();
    release = () => undefined;
    clearTimeout(silence);
  }

  const turn = (): void => {
    if (hidden()) {
      stop();
      options.onState('closed');
    } else {
      // What happened while hidden was not heard.
      if (own === null) options.onGap();
      start();
      own?.wake();
    }
  };
  const wake = (): void => {
    start();
    own?.wake();
  };

  document.addEventListener('visibilitychange', turn);
  document.addEventListener('resume', wake);
  addEventListener('pageshow', wake);
  addEventListener('online', wake);
  start();
  return {
    wake,
    close() {
      closed = true;
      stop();
      channel.close();
      document.removeEventListener('visibilitychange', turn);
      document.removeEventListener('resume', wake);
      removeEventListener('pageshow', wake);
      removeEventListener('online', wake);
      options.onState('closed');
    },
  };
}
