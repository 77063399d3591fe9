/**
 * Shares one event stream between tabs. The visible tab that holds the lock reads it and passes
 * events to the others.
 */
import { StreamEvent } from '../../contract/stream.ts';
import { log } from '../platform/page-log.ts';
import {
  openStream,
  STREAM_SILENCE_MS,
  type Stream,
  type StreamOptions,
  type StreamState,
} from './event-stream-client.ts';

/** `shared`: another tab of this browser reads the stream and passes events on. */
export type SharedState = StreamState | 'shared';

export interface SharedStreamOptions extends Omit<StreamOptions, 'onState'> {
  /** Events are passed on only between tabs of the same user. */
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

/** Messages from one tab to the others. */
interface StreamMessage {
  uid?: unknown;
  event?: unknown;
  gap?: unknown;
  state?: unknown;
  /** A tab that wants to hear. */
  listens?: unknown;
}

/** Takes part in the shared stream while this page is visible. */
export function joinStream(options: SharedStreamOptions): SharedStream {
  const stream = new TabStream(options);
  stream.start();
  return stream;
}

class TabStream implements SharedStream {
  private readonly hidden: () => boolean;
  private readonly locks: LockManager | undefined;
  private readonly channel: BroadcastChannel;
  private closed = false;
  /** This tab's own connection, while it is the reader. */
  private own: Stream | null = null;
  /** Aborts the wait for the lock. */
  private waiting: AbortController | null = null;
  private release: () => void = () => undefined;
  private silence: ReturnType<typeof setTimeout> | undefined;
  /** Whether another tab listens. Passing an event on costs a copy of it, read by nobody or not. */
  private others = true;
  /** How often a tab has said that it listens. */
  private announced = 0;

  constructor(private readonly options: SharedStreamOptions) {
    this.hidden = options.hidden ?? (() => document.visibilityState === 'hidden');
    this.locks = 'locks' in options ? options.locks : navigator.locks;
    const open = options.channel ?? ((name: string) => new BroadcastChannel(name));
    this.channel = open(CHANNEL);
    this.channel.onmessage = ({ data }: MessageEvent<StreamMessage>) => {
      this.takeFromOther(data);
    };
    document.addEventListener('visibilitychange', this.onVisibility);
    document.addEventListener('resume', this.onWake);
    addEventListener('pageshow', this.onWake);
    addEventListener('online', this.onWake);
  }

  start(): void {
    if (this.closed || this.hidden() || this.own !== null || this.waiting !== null) return;
    // Without locks each tab reads for itself: more connections, the same data.
    if (this.locks === undefined) {
      void this.read();
      return;
    }
    this.waiting = new AbortController();
    const { signal } = this.waiting;
    this.follow();
    this.channel.postMessage({ uid: this.options.uid, listens: true } satisfies StreamMessage);
    this.locks
      .request(LOCK, { signal }, async () => {
        if (!this.closed && !this.hidden()) await this.read();
      })
      .catch((error: unknown) => {
        if (signal.aborted) return;
        // Locks are not available in this context: as without locks.
        log.warn('The stream is not shared between tabs', error);
        if (!this.closed && !this.hidden() && this.own === null) void this.read();
      })
      .finally(() => {
        if (this.waiting?.signal === signal) this.waiting = null;
      });
  }

  wake(): void {
    this.start();
    this.own?.wake();
  }

  close(): void {
    this.closed = true;
    this.stop();
    this.channel.close();
    document.removeEventListener('visibilitychange', this.onVisibility);
    document.removeEventListener('resume', this.onWake);
    removeEventListener('pageshow', this.onWake);
    removeEventListener('online', this.onWake);
    this.options.onState('closed');
  }

  private readonly onWake = (): void => {
    this.wake();
  };

  private readonly onVisibility = (): void => {
    if (this.hidden()) {
      this.stop();
      this.options.onState('closed');
    } else {
      // Events while hidden were missed.
      if (this.own === null) this.options.onGap();
      this.wake();
    }
  };

  private stop(): void {
    this.waiting?.abort();
    this.waiting = null;
    this.release();
    this.release = () => undefined;
    clearTimeout(this.silence);
  }

  /** Reads for all tabs, until released. */
  private read(): Promise<void> {
    const { options, channel } = this;
    void this.countOthers();
    return new Promise((resolve) => {
      clearTimeout(this.silence);
      this.own = openStream({
        ...options,
        onEvent: (event) => {
          if (event.type === 'heartbeat') void this.countOthers();
          // First to the others: a store turns the event into a proxy, which cannot be posted.
          if (this.others) channel.postMessage({ uid: options.uid, event });
          options.onEvent(event);
        },
        onState: (state) => {
          // A released stream ends a moment later, when another may have replaced it.
          if (state === 'closed') return;
          options.onState(state);
          channel.postMessage({ uid: options.uid, state });
        },
        onGap: () => {
          options.onGap();
          channel.postMessage({ uid: options.uid, gap: true });
        },
      });
      this.release = () => {
        this.own?.close();
        this.own = null;
        resolve();
      };
    });
  }

  /**
   * A tab that listens waits for the lock. One that has gone without a word is noticed at the next
   * heartbeat, one that has come has said so.
   */
  private async countOthers(): Promise<void> {
    const { announced } = this;
    try {
      const { pending } = (await this.locks?.query()) ?? {};
      // One that has come meanwhile need not be among those who waited then.
      if (announced === this.announced)
        this.others = pending?.some(({ name }) => name === LOCK) !== false;
    } catch {
      this.others = true;
    }
  }

  /** Another tab reads: waits for its next heartbeat. */
  private follow(): void {
    clearTimeout(this.silence);
    this.silence = setTimeout(() => {
      if (this.own === null && !this.closed && !this.hidden()) this.options.onState('stale');
    }, STREAM_SILENCE_MS);
  }

  private takeFromOther(data: StreamMessage): void {
    const { options } = this;
    if (data.listens === true) {
      this.announced += 1;
      this.others = true;
    }
    if (this.closed || this.hidden() || this.own !== null || data.uid !== options.uid) return;
    if (data.listens === true) return;
    if (data.gap === true) {
      options.onGap();
      return;
    }
    // The reader has lost the server or found it again: this page probably has too.
    if (data.state === 'stale' || data.state === 'open') {
      this.follow();
      options.onState(data.state === 'open' ? 'shared' : 'stale');
      return;
    }
    const parsed = StreamEvent.safeParse(data.event);
    if (!parsed.success) return;
    this.follow();
    options.onState('shared');
    options.onEvent(parsed.data);
  }
}
