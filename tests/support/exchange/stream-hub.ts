/**
 * Tells subscribers what happened to their account, as faithfully as the faults of the moment
 * allow.
 */
import type { ExchangeClock } from './exchange-clock.ts';
import type { Journal } from './journal.ts';
import type { CoreEvent } from './matching-core.ts';

/** What an event is called on a stream. */
export type Topic = 'orders' | 'fills' | 'balances';

export interface Line {
  topic: Topic;
  text: string;
}

export interface Subscriber {
  account: string;
  /** The event as this subscriber's dialect writes it, now; empty where it does not tell such events. */
  write: (event: CoreEvent) => Line[];
  send(text: string): void;
  close(): void;
}

export type StreamMode = 'silent' | 'fills-twice' | 'fills-late' | 'out-of-order' | 'no-fills';

interface Message {
  subscriber: Subscriber;
  text: string;
  topic: Topic;
  ref: string;
}

export class StreamHub {
  private readonly subscribers = new Set<Subscriber>();
  private readonly modes = new Map<StreamMode, number>();
  private lateMs = 0;
  /** While a request is carried out, its events wait here until it has been answered. */
  private outbox: Message[] | null = null;
  private swapped: Message[] = [];
  /** Until when REST does not show a fill either. */
  private readonly lateFills = new Map<string, number>();

  constructor(
    private readonly clock: ExchangeClock,
    private readonly journal: Journal,
  ) {}

  get size(): number {
    return this.subscribers.size;
  }

  join(subscriber: Subscriber): () => void {
    this.subscribers.add(subscriber);
    this.note(subscriber, 'opened');
    return () => {
      if (this.subscribers.delete(subscriber)) this.note(subscriber, 'closed');
    };
  }

  setMode(mode: StreamMode, forMs: number, lateMs = 0): void {
    this.modes.set(mode, this.clock.trueNow() + forMs);
    if (mode === 'fills-late') this.lateMs = lateMs;
    // What is still held back when the disorder ends goes out then.
    if (mode === 'out-of-order')
      this.clock.after(forMs, () => {
        this.flushSwapped();
      });
  }

  isOn(mode: StreamMode): boolean {
    return (this.modes.get(mode) ?? 0) > this.clock.trueNow();
  }

  dropAll(): void {
    for (const subscriber of [...this.subscribers]) subscriber.close();
  }

  tell(event: CoreEvent): void {
    const account = event.type === 'transfer' ? event.account : event.order.account;
    if (event.type === 'fill' && this.isOn('fills-late'))
      this.lateFills.set(event.fill.id, this.clock.trueNow() + this.lateMs);
    for (const subscriber of this.subscribers) {
      if (subscriber.account !== account) continue;
      for (const { topic, text } of subscriber.write(event)) {
        const message: Message = { subscriber, text, topic, ref: refOf(event) };
        if (this.outbox === null) this.deliver(message);
        else this.outbox.push(message);
      }
    }
  }

  /** What happens while this runs is told only when it is released. */
  holdBack<T>(run: () => T): { result: T; release: () => void } {
    const own: Message[] = [];
    const outer = this.outbox;
    this.outbox = own;
    try {
      const result = run();
      const release = (): void => {
        for (const message of own.splice(0)) this.deliver(message);
      };
      return { result, release };
    } finally {
      this.outbox = outer;
    }
  }

  /** Whether REST does not show this fill yet. */
  isFillLate(fillId: string): boolean {
    return (this.lateFills.get(fillId) ?? 0) > this.clock.trueNow();
  }

  private deliver(message: Message): void {
    const isFill = message.topic === 'fills';
    if (this.isOn('silent') || (isFill && this.isOn('no-fills'))) {
      this.record(message, 'withheld');
      return;
    }
    if (isFill && this.isOn('fills-late')) {
      this.clock.after(this.lateMs, () => {
        this.send(message);
      });
      return;
    }
    if (message.topic !== 'balances' && this.isOn('out-of-order')) {
      this.swapped.push(message);
      if (this.swapped.length >= 2) this.flushSwapped();
      return;
    }
    this.send(message);
    if (isFill && this.isOn('fills-twice')) this.send(message);
  }

  private flushSwapped(): void {
    for (const message of this.swapped.splice(0).reverse()) this.send(message);
  }

  private send(message: Message): void {
    if (!this.subscribers.has(message.subscriber)) {
      this.record(message, 'withheld');
      return;
    }
    message.subscriber.send(message.text);
    this.record(message, 'sent');
  }

  private record({ subscriber, topic, ref }: Message, what: 'sent' | 'withheld'): void {
    this.journal.write({ kind: 'stream', account: subscriber.account, what, topic, ref });
  }

  private note({ account }: Subscriber, what: 'opened' | 'closed'): void {
    this.journal.write({ kind: 'stream', account, what, topic: 'connection', ref: '' });
  }
}

function refOf(event: CoreEvent): string {
  if (event.type === 'fill') return event.fill.id;
  return event.type === 'order' ? event.order.id : event.coin;
}
