/** A name server on loopback (DNS over UDP) that answers as a test tells it, or keeps silent. */
import { createSocket } from 'node:dgram';
import { isIPv4 } from 'node:net';

type Answer = 'silent' | { v4?: readonly string[]; v6?: readonly string[] };

export interface NameServer {
  /** As `setServers` of a resolver takes it. */
  readonly address: string;
  /** Names that were asked for, each as often as it was. */
  readonly asked: string[];
  close(): Promise<void>;
}

const TYPE_V4 = 1;
const TYPE_V6 = 28;
const HEADER_BYTES = 12;

/** The first question, and where it ends. */
function questionOf(packet: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = HEADER_BYTES;
  for (let size = packet.readUInt8(at); size > 0; size = packet.readUInt8(at)) {
    labels.push(packet.subarray(at + 1, at + 1 + size).toString('latin1'));
    at += 1 + size;
  }
  return { name: labels.join('.'), type: packet.readUInt16BE(at + 1), end: at + 5 };
}

function bytesOf(address: string): Buffer {
  if (isIPv4(address)) return Buffer.from(address.split('.').map(Number));
  const [head = '', tail = ''] = address.split('::');
  const parts = (text: string): number[] =>
    text === '' ? [] : text.split(':').map((part) => Number.parseInt(part, 16));
  const [first, last] = [parts(head), parts(tail)];
  const words = [...first, ...Array<number>(8 - first.length - last.length).fill(0), ...last];
  const bytes = Buffer.alloc(16);
  words.forEach((word, index) => bytes.writeUInt16BE(word, index * 2));
  return bytes;
}

function replyTo(packet: Buffer, end: number, type: number, addresses: readonly string[]): Buffer {
  const header = Buffer.from(packet.subarray(0, HEADER_BYTES));
  header.writeUInt16BE(0x8180, 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(addresses.length, 6);
  header.writeUInt32BE(0, 8);
  const records = addresses.map((address) => {
    const data = bytesOf(address);
    const head = Buffer.alloc(12);
    // The name is the question's own.
    head.writeUInt16BE(0xc00c, 0);
    head.writeUInt16BE(type, 2);
    head.writeUInt16BE(1, 4);
    head.writeUInt32BE(60, 6);
    head.writeUInt16BE(data.length, 10);
    return Buffer.concat([head, data]);
  });
  return Buffer.concat([header, packet.subarray(HEADER_BYTES, end), ...records]);
}

/** `answers`: by name; of one that is not listed there are no addresses. */
export async function startNameServer(
  answers: Readonly<Record<string, Answer>>,
): Promise<NameServer> {
  const socket = createSocket('udp4');
  const asked: string[] = [];
  socket.on('message', (packet, from) => {
    const { name, type, end } = questionOf(packet);
    asked.push(name);
    const answer = answers[name] ?? {};
    if (answer === 'silent') return;
    const addresses = type === TYPE_V4 ? answer.v4 : type === TYPE_V6 ? answer.v6 : [];
    socket.send(replyTo(packet, end, type, addresses ?? []), from.port, from.address);
  });
  await new Promise<void>((resolve) => {
    socket.bind(0, '127.0.0.1', resolve);
  });
  return {
    address: `127.0.0.1:${socket.address().port}`,
    asked,
    close: () =>
      new Promise((resolve) => {
        socket.close(() => {
          resolve();
        });
      }),
  };
}
