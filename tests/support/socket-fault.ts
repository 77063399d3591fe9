/** A socket in front of a server that passes on what comes, hangs, cuts off or answers garbage. */
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** `hang`: accepts and never answers, on connections that are open as well. */
type SocketMode = 'pass' | 'hang' | 'reset' | 'garbage';

const GARBAGE =
  'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 9\r\n\r\n<<nobody>';
const NO_HTTP = '\u0016\u0003\u0001 this is not HTTP at all\r\n\r\n';

export interface SocketFault {
  readonly port: number;
  set(mode: SocketMode): void;
  /** Connections that are open stay so and pass nothing more; later ones pass. */
  silence(): void;
  close(): Promise<void>;
}

export async function startSocketFault(targetPort: number): Promise<SocketFault> {
  let mode: SocketMode = 'pass';
  let answered = 0;
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    open.add(socket);
    socket.on('error', () => undefined).on('close', () => open.delete(socket));
    if (mode === 'hang') return;
    if (mode === 'reset') {
      socket.resetAndDestroy();
      return;
    }
    if (mode === 'garbage') {
      // By turns: an answer that is none of the provider's, and no HTTP.
      answered += 1;
      socket.once('data', () => socket.end(answered % 2 === 0 ? NO_HTTP : GARBAGE));
      return;
    }
    const onward = connect(targetPort, '127.0.0.1');
    onward.on('error', () => socket.destroy());
    socket.on('close', () => onward.destroy());
    socket.pipe(onward).pipe(socket);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    set(next) {
      mode = next;
      for (const socket of open) {
        if (next === 'hang') socket.unpipe().pause();
        else socket.destroy();
      }
    },
    silence() {
      for (const socket of open) socket.unpipe().pause();
    },
    close: () =>
      new Promise((resolve) => {
        for (const socket of open) socket.destroy();
        server.close(() => {
          resolve();
        });
      }),
  };
}
