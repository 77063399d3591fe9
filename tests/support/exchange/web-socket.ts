/** The server's half of a websocket (RFC 6455), as much as the exchanges' clients need: text, ping, close. */
import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';

const MAGIC = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';
const TEXT = 0x1;
const CLOSE = 0x8;
const PING = 0x9;
const PONG = 0xa;

interface Frame {
  opcode: number;
  isLast: boolean;
  payload: Buffer;
  /** Bytes it took. */
  length: number;
}

export class ServerSocket {
  private pending: Buffer = Buffer.alloc(0);
  private text = '';
  private readonly onText: ((text: string) => void)[] = [];
  private readonly onClose: (() => void)[] = [];
  private isClosed = false;

  constructor(private readonly duplex: Duplex) {
    duplex.on('data', (chunk: Buffer) => {
      this.pending = Buffer.concat([this.pending, chunk]);
      this.read();
    });
    for (const event of ['close', 'end', 'error'])
      duplex.on(event, () => {
        this.gone();
      });
  }

  listen(onText: (text: string) => void): void {
    this.onText.push(onText);
  }

  whenClosed(listener: () => void): void {
    this.onClose.push(listener);
  }

  send(text: string): void {
    if (!this.isClosed) this.duplex.write(frameOf(TEXT, Buffer.from(text)));
  }

  /** Cuts the connection without a farewell, as a failing network does. */
  cut(): void {
    this.duplex.destroy();
    this.gone();
  }

  private gone(): void {
    if (this.isClosed) return;
    this.isClosed = true;
    this.duplex.destroy();
    for (const listener of this.onClose) listener();
  }

  private read(): void {
    for (let frame = parseFrame(this.pending); frame !== null; frame = parseFrame(this.pending)) {
      this.pending = this.pending.subarray(frame.length);
      this.take(frame);
    }
  }

  private take({ opcode, isLast, payload }: Frame): void {
    if (opcode === CLOSE) {
      if (!this.isClosed) this.duplex.write(frameOf(CLOSE, payload));
      this.gone();
      return;
    }
    if (opcode === PING) this.duplex.write(frameOf(PONG, payload));
    if (opcode > TEXT) return;
    this.text += payload.toString('utf8');
    if (!isLast) return;
    const whole = this.text;
    this.text = '';
    for (const listener of this.onText) listener(whole);
  }
}

/** Answers an upgrade and hands over the open socket. */
export function acceptSocket(request: IncomingMessage, duplex: Duplex): ServerSocket {
  const key = `${request.headers['sec-websocket-key'] ?? ''}${MAGIC}`;
  const accept = createHash('sha1').update(key).digest('base64');
  duplex.write(
    `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
  );
  return new ServerSocket(duplex);
}

function frameOf(opcode: number, payload: Buffer): Buffer {
  const first = 0x80 | opcode;
  if (payload.length < 126) return Buffer.concat([Buffer.from([first, payload.length]), payload]);
  if (payload.length < 65_536) {
    const head = Buffer.from([first, 126, payload.length >> 8, payload.length & 255]);
    return Buffer.concat([head, payload]);
  }
  const head = Buffer.alloc(10);
  head[0] = first;
  head[1] = 127;
  head.writeBigUInt64BE(BigInt(payload.length), 2);
  return Buffer.concat([head, payload]);
}

/** The first whole frame in the buffer; null until it is there. */
function parseFrame(buffer: Buffer): Frame | null {
  const [first, second] = buffer;
  if (first === undefined || second === undefined) return null;
  let [size, at] = [second & 0x7f, 2];
  if (size === 126) {
    if (buffer.length < 4) return null;
    [size, at] = [buffer.readUInt16BE(2), 4];
  } else if (size === 127) {
    if (buffer.length < 10) return null;
    [size, at] = [Number(buffer.readBigUInt64BE(2)), 10];
  }
  const isMasked = (second & 0x80) !== 0;
  const start = at + (isMasked ? 4 : 0);
  if (buffer.length < start + size) return null;
  const payload = Buffer.from(buffer.subarray(start, start + size));
  if (isMasked)
    for (let index = 0; index < size; index += 1)
      payload[index] = (payload[index] ?? 0) ^ (buffer[at + (index % 4)] ?? 0);
  return {
    opcode: first & 0x0f,
    isLast: (first & 0x80) !== 0,
    payload,
    length: start + size,
  };
}
