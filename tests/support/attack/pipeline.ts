/**
 * One connection to a server on loopback over which many requests are under way at once. Bytes are
 * written as they are given, right or wrong.
 */
import { connect, type Socket } from 'node:net';
import { AnswerParser, type RawAnswer } from './answer-parser.ts';

export interface Shot {
  /** What the request was, for whoever has to repeat it. */
  what: string;
  bytes: Buffer;
  isHead: boolean;
  /** The sender leaves without waiting for the rest. */
  hangsUp?: boolean;
}

export interface Under {
  shot: Shot;
  sentAt: number;
}

export interface PipelineEvents {
  onAnswer(under: Under, answer: RawAnswer): void;
  /** Every byte that comes back, before it is taken apart. */
  onBytes(data: Buffer): void;
  /** The connection is gone; these had no answer. */
  onGone(left: readonly Under[], why: string): void;
}

export class Pipeline {
  private socket: Socket | null = null;
  private readonly underWay: Under[] = [];
  private hasEnded = false;

  constructor(
    private readonly port: number,
    private readonly events: PipelineEvents,
  ) {}

  get waiting(): number {
    return this.underWay.length;
  }

  /** The request that the next answer is to. */
  get oldest(): Under | null {
    return this.underWay[0] ?? null;
  }

  /** Whether it can take another request. */
  get isUsable(): boolean {
    return !this.hasEnded;
  }

  send(shot: Shot): void {
    this.underWay.push({ shot, sentAt: Date.now() });
    const socket = (this.socket ??= this.open());
    socket.write(shot.bytes);
    if (shot.hangsUp === true) socket.end();
  }

  close(): void {
    this.gone('closed here');
  }

  private open(): Socket {
    const socket = connect({ port: this.port, host: '127.0.0.1', allowHalfOpen: true });
    socket.setNoDelay(true);
    const parser = new AnswerParser(
      () => this.underWay[0]?.shot.isHead ?? false,
      (answer) => {
        const under = this.underWay.shift();
        // An answer to a request that lay within another one's bytes.
        const to = under ?? { shot: { ...NOBODY }, sentAt: Date.now() };
        this.events.onAnswer(to, answer);
        if (answer.closes) this.gone('the server closed it behind an answer');
      },
    );
    socket.on('data', (data) => {
      if (this.hasEnded) return;
      this.events.onBytes(data);
      try {
        parser.take(data);
      } catch (error) {
        this.gone(String(error));
      }
    });
    socket.on('end', () => {
      parser.end();
      this.gone('the server ended it');
    });
    socket.on('error', (error) => {
      this.gone(error.message);
    });
    socket.on('close', () => {
      this.gone('closed');
    });
    return socket;
  }

  private gone(why: string): void {
    if (this.hasEnded) return;
    this.hasEnded = true;
    this.socket?.destroy();
    this.events.onGone(this.underWay.splice(0), why);
  }
}

const NOBODY: Shot = { what: 'within another request', bytes: Buffer.alloc(0), isHead: false };
