/** Asks the signer, over its socket. A connection that breaks leaves what was asked unanswered. */
import { connect, type Socket } from 'node:net';
import { readFileSync } from 'node:fs';
import { connect as connectTls } from 'node:tls';
import * as z from 'zod/mini';
import { FrameReader, frameOf, REPLY_BYTES_MAX } from '../../contract/signer-frames.ts';
import {
  NOT_A_REQUEST,
  ReplyFrame,
  SIGNER_REPLIES,
  SignerAsk,
  type SignerReply,
} from '../../contract/signer.ts';
import type { SignerAddress } from '../config.ts';

/** No answer came. For an order this means: unknown. */
export class SignerUnreachable extends Error {
  override readonly name = 'SignerUnreachable';
}

/** The signer is older than this server, and does not know the act: it did nothing. */
export class SignerTooOld extends SignerUnreachable {}

/** Longer than an order may take at the exchange, waiting for a place included. */
const ORDER_TIMEOUT_MS = 60_000;
/** What the signer answers by itself: whoever waits may hold a transaction open. */
const OWN_TIMEOUT_MS = 5_000;
const OWN_ACTS: ReadonlySet<string> = new Set([
  'hello',
  'set_limits',
  'start_agent',
  'end_agent',
  'disconnect',
]);
/** Thousands of fills are read at the pace that an exchange allows. */
const READ_TIMEOUT_MS = 15 * 60_000;
/** So many requests in a row without a word, and the connection is taken to be dead. */
const SILENCE_MOST = 2;
/** How long nothing may be said until the system looks whether the signer is still there. */
const KEEP_ALIVE_MS = 10_000;

/** Acts later; what it gives back calls that off. */
type After = (ms: number, act: () => void) => () => void;
const afterTime: After = (ms, act) => {
  const timer = setTimeout(act, ms);
  return () => {
    clearTimeout(timer);
  };
};

interface Waiting {
  resolve: (reply: unknown) => void;
  reject: (error: Error) => void;
  stopTimer: () => void;
}

/** One connection, and what was asked over it. */
interface Link {
  socket: Socket;
  /** @throws SignerUnreachable when it is not made. */
  made: Promise<void>;
  waiting: Map<number, Waiting>;
  /** Requests in a row whose time ran out, and nothing was heard. */
  unanswered: number;
}

const timeoutOf = (act: SignerAsk['act']): number => {
  if (act === 'place' || act === 'may_sell' || act === 'cancel') return ORDER_TIMEOUT_MS;
  return OWN_ACTS.has(act) ? OWN_TIMEOUT_MS : READ_TIMEOUT_MS;
};

export class SignerClient {
  private link: Link | null = null;
  private lastId = 0;

  constructor(
    private readonly address: SignerAddress,
    private readonly after: After = afterTime,
  ) {}

  /** @throws SignerUnreachable when no answer, or none that can be read, came. */
  async ask<A extends SignerAsk['act']>(
    ask: Extract<SignerAsk, { act: A }>,
  ): Promise<SignerReply<A>> {
    this.link ??= this.connect();
    const { link } = this;
    await link.made;
    // Given up meanwhile: nothing would tell whoever waits.
    if (link.socket.destroyed) throw new SignerUnreachable('the connection was closed');
    this.lastId += 1;
    const id = this.lastId;
    const frame = frameOf({ id, ask: z.encode(SignerAsk, ask) });
    const reply = await new Promise<unknown>((resolve, reject) => {
      const stopTimer = this.after(timeoutOf(ask.act), () => {
        link.waiting.delete(id);
        reject(new SignerUnreachable('no answer in time'));
        this.noteSilence(link, ask.act);
      });
      link.waiting.set(id, { resolve, reject, stopTimer });
      link.socket.write(frame);
    });
    const schema: z.ZodMiniType = SIGNER_REPLIES[ask.act];
    const parsed = z.safeDecode(schema, reply);
    if (!parsed.success) throw new SignerUnreachable('an answer that cannot be read');
    return parsed.data as SignerReply<A>;
  }

  close(): void {
    this.link?.socket.destroy();
  }

  /** TCP would hold on to a dead connection for a quarter of an hour. The next request makes another. */
  private noteSilence(link: Link, act: SignerAsk['act']): void {
    link.unanswered += act === 'hello' ? SILENCE_MOST : 1;
    if (link.unanswered < SILENCE_MOST) return;
    this.forget(link);
    link.socket.destroy();
  }

  private forget(link: Link): void {
    if (this.link === link) this.link = null;
  }

  private connect(): Link {
    const socket = dial(this.address);
    const link: Link = {
      socket,
      made: new Promise((resolve, reject) => {
        const stopTimer = this.after(OWN_TIMEOUT_MS, () => {
          socket.destroy(new Error('no connection in time'));
        });
        socket.on('error', (error: Error) => {
          this.forget(link);
          reject(new SignerUnreachable(error.message));
        });
        socket.once('close', () => {
          stopTimer();
          this.forget(link);
          reject(new SignerUnreachable('the connection was closed'));
          endAll(link);
        });
        socket.once(this.address.kind === 'unix' ? 'connect' : 'secureConnect', () => {
          stopTimer();
          socket.setKeepAlive(true, KEEP_ALIVE_MS);
          resolve();
        });
      }),
      waiting: new Map(),
      unanswered: 0,
    };
    const reader = new FrameReader(REPLY_BYTES_MAX);
    socket.on('data', (piece: Buffer) => {
      link.unanswered = 0;
      try {
        for (const value of reader.take(piece)) settle(link, value);
      } catch {
        socket.destroy();
      }
    });
    return link;
  }
}

function dial(address: SignerAddress): Socket {
  if (address.kind === 'unix') return connect(address.path);
  return connectTls({
    host: address.host,
    port: address.port,
    cert: readFileSync(address.cert),
    key: readFileSync(address.key),
    ca: readFileSync(address.ca),
    minVersion: 'TLSv1.3',
  });
}

function settle({ waiting }: Link, value: unknown): void {
  const frame = ReplyFrame.parse(value);
  const asked = waiting.get(frame.id);
  if (asked === undefined) return;
  waiting.delete(frame.id);
  asked.stopTimer();
  if (frame.fault === undefined) asked.resolve(frame.reply);
  else if (frame.fault === NOT_A_REQUEST) asked.reject(new SignerTooOld(frame.fault));
  else asked.reject(new SignerUnreachable(frame.fault));
}

/** What was on its way has no answer, and may have been carried out. */
function endAll({ waiting }: Link): void {
  for (const { reject, stopTimer } of waiting.values()) {
    stopTimer();
    reject(new SignerUnreachable('the connection was closed'));
  }
  waiting.clear();
}
