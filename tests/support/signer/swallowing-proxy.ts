/** A TCP proxy whose connections can die without a word: they stay open, and nothing gets through. */
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

export interface SwallowingProxy {
  port: number;
  /** How many connections were made. */
  made(): number;
  /** From now on nothing gets through the connections that there are; new ones pass. */
  swallow(): void;
  /** Nor through new ones. */
  swallowAll(): void;
  close(): Promise<void>;
}

export async function startSwallowingProxy(toPort: number): Promise<SwallowingProxy> {
  const sockets = new Set<Socket>();
  let made = 0;
  /** Connections up to this one are dead. */
  let deadTo = 0;
  const server = createServer((near) => {
    made += 1;
    const number = made;
    const far = connect(toPort, '127.0.0.1');
    const pass = (from: Socket, to: Socket): void => {
      sockets.add(from);
      from.on('data', (piece) => {
        if (number > deadTo) to.write(piece);
      });
      from.on('error', () => from.destroy());
      from.once('close', () => {
        sockets.delete(from);
        if (number > deadTo) to.destroy();
      });
    };
    pass(near, far);
    pass(far, near);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    made: () => made,
    swallow: () => {
      deadTo = made;
    },
    swallowAll: () => {
      deadTo = Number.POSITIVE_INFINITY;
    },
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => {
          resolve();
        });
      }),
  };
}
