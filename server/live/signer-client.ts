/** Asks the signer, over its socket. A connection that breaks leaves what was asked unanswered. */
import { connect, type Socket } from 'node:net';
import { readFileSync } from 'node:fs';
import { connect as connectTls } from 'node:tls';
import * as z from 'zod/mini';
import { FrameReader, frameOf, REPLY_BYTES_MAX } from '../../contract/signer-frames.ts';
import { ReplyFrame, SIGNER_REPLIES, SignerAsk, type SignerReply } from '../../contract/signer.ts';
import type { SignerAddress } from '../config.ts';

/** No answer came. For an order this means: unknown. */
export class SignerUnreachable extends Error {
  override readonly name = 'SignerUnreachable';
}

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

interface Waiting {
  resolve: (reply: unknown) => void;
  reject: (error: Error) => void;
  timer: NodeJS.Timeout;
}

export class SignerClient {
  private socket: Promise<Socket> | null = null;
  private readonly waiting = new Map<number, Waiting>();
  private lastId = 0;

  constructor(private readonly address: SignerAddress) {}

  /** @throws SignerUnreachable when no answer, or none that can be read, came. */
  async ask<A extends SignerAsk['act']>(
    ask: Extract<SignerAsk, { act: A }>,
  ): Promise<SignerReply<A>> {
    const socket = await this.open();
    this.lastId += 1;
    const id = this.lastId;
    const reply = await new Promise<unknown>((resolve, reject) => {
      const isOrder = ask.act === 'place' || ask.act === 'cancel';
      const timer = setTimeout(
        () => {
          this.waiting.delete(id);
          reject(new SignerUnreachable('no answer in time'));
        },
        isOrder ? ORDER_TIMEOUT_MS : OWN_ACTS.has(ask.act) ? OWN_TIMEOUT_MS : READ_TIMEOUT_MS,
      );
      this.waiting.set(id, { resolve, reject, timer });
      socket.write(frameOf({ id, ask: z.encode(SignerAsk, ask) }));
    });
    const schema: z.ZodMiniType = SIGNER_REPLIES[ask.act];
    const parsed = z.safeDecode(schema, reply);
    if (!parsed.success) throw new SignerUnreachable('an answer that cannot be read');
    return parsed.data as SignerReply<A>;
  }

  close(): void {
    this.socket?.then((socket) => socket.destroy()).catch(() => undefined);
  }

  private open(): Promise<Socket> {
    this.socket ??= this.connect();
    return this.socket;
  }

  private connect(): Promise<Socket> {
    const { address } = this;
    const socket =
      address.kind === 'unix'
        ? connect(address.path)
        : connectTls({
            host: address.host,
            port: address.port,
            cert: readFileSync(address.cert),
            key: readFileSync(address.key),
            ca: readFileSync(address.ca),
            minVersion: 'TLSv1.3',
          });
    const reader = new FrameReader(REPLY_BYTES_MAX);
    socket.on('data', (piece: Buffer) => {
      try {
        for (const value of reader.take(piece)) this.settle(value);
      } catch {
        socket.destroy();
      }
    });
    socket.once('close', () => {
      this.socket = null;
      for (const { reject, timer } of this.waiting.values()) {
        clearTimeout(timer);
        reject(new SignerUnreachable('the connection was closed'));
      }
      this.waiting.clear();
    });
    return new Promise((resolve, reject) => {
      socket.once('error', (error: Error) => {
        this.socket = null;
        reject(new SignerUnreachable(error.message));
      });
      socket.once(address.kind === 'unix' ? 'connect' : 'secureConnect', () => {
        resolve(socket);
      });
    });
  }

  private settle(value: unknown): void {
    const frame = ReplyFrame.parse(value);
    const waiting = this.waiting.get(frame.id);
    if (waiting === undefined) return;
    this.waiting.delete(frame.id);
    clearTimeout(waiting.timer);
    if (frame.fault === undefined) waiting.resolve(frame.reply);
    else waiting.reject(new SignerUnreachable(frame.fault));
  }
}
