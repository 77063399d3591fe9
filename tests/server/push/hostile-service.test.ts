/** Push services that never finish their answers: each holds up its own message at most. */
import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { Agent as HttpsAgent, createServer, type Server } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  it,
  onTestFinished,
  vi,
} from 'vitest';
import { DEFAULT_PUSH_SETTINGS } from '../../../contract/push.ts';
import { readAgentList } from '../../../server/agents/read-agents.ts';
import { pushMessages, pushSubscriptions } from '../../../server/db/schema.ts';
import { readPortfolio } from '../../../server/portfolio/read-portfolio.ts';
import { postPush } from '../../../server/push/post-push.ts';
import { pushCallables } from '../../../server/push/push-callables.ts';
import { planFromEvents } from '../../../server/push/planner.ts';
import { PushSender } from '../../../server/push/sender.ts';
import { openVapid, type Vapid } from '../../../server/push/vapid.ts';
import { silentLog } from '../../support/app.ts';
import { testCertificate } from '../../support/certificate.ts';
import { startPushService, type PushService } from '../../support/push-service.ts';
import { AGGRESSIVE, openFloor, type Floor } from '../../support/trading.ts';
import { until } from '../../support/until.ts';

const VAPID = { publicKey: null, privateKey: null, subject: 'mailto:ops@example.com' };
const DRIP_MS = 50;

let floor: Floor;
let good: PushService;
let vapid: Vapid;
const { cert, key } = testCertificate();
const opened: Hostile[] = [];

interface Hostile {
  url: string;
  server: Server;
  sockets: Set<Socket>;
}

/** Answers every request by `answer`, which writes to the connection itself. */
async function startHostile(
  answer: (socket: Socket, headers: IncomingHttpHeaders) => void,
): Promise<Hostile> {
  const sockets = new Set<Socket>();
  const server = createServer({ cert, key }, (request) => {
    request.resume();
    request.on('end', () => {
      answer(request.socket, request.headers);
    });
  });
  server.on('secureConnection', (socket: TLSSocket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => undefined);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  const hostile = { url: `https://localhost:${port}`, server, sockets };
  opened.push(hostile);
  return hostile;
}

/** One byte every 50 milliseconds, so that no limit on idleness is ever reached. */
function drip(socket: Socket, head: string): void {
  socket.write(head);
  const timer = setInterval(() => {
    socket.write('x');
  }, DRIP_MS);
  socket.on('close', () => {
    clearInterval(timer);
  });
}

const closed = (hostile: Hostile): Promise<number> =>
  until(
    async () => hostile.sockets.size,
    (open) => open === 0,
    5_000,
  );

const HEAD = 'HTTP/1.1 201 Created\r\n';

function endless(socket: Socket): void {
  socket.write(`${HEAD}\r\n`);
  const chunk = Buffer.alloc(64 * 1024, 'x');
  const more = (): void => {
    while (!socket.destroyed && socket.write(chunk));
  };
  socket.on('drain', more);
  more();
}

beforeAll(async () => {
  floor = await openFloor();
  good = await startPushService({ cert, key });
  vapid = await openVapid(floor.database, { ...VAPID, allowLocal: true });
}, 60_000);
afterAll(async () => {
  await good.close();
  await floor.close();
});
beforeEach(async () => {
  good.taken.length = 0;
  await floor.database.db.delete(pushMessages);
  await floor.database.db.delete(pushSubscriptions);
});
afterEach(() => {
  for (const { server, sockets } of opened.splice(0)) {
    for (const socket of sockets) socket.destroy();
    server.close();
  }
});

const sender = (limitMs?: number): PushSender =>
  new PushSender(
    {
      database: floor.database,
      clock: floor.clock,
      log: silentLog,
      vapid,
      agent: new HttpsAgent({ ca: cert, keepAlive: true, maxSockets: 8 }),
      readAgents: (uid) => readAgentList(floor.deps, uid),
      readPortfolio: (uid) => readPortfolio(floor.deps, uid),
      readValidSince: async () => 0,
    },
    limitMs,
  );

/** A person whose devices' addresses are at `origin`, and for each of whom messages are due. */
async function messageTo(origin: string, devices = 1, messages = 1): Promise<void> {
  const uid = `p-${randomUUID().slice(0, 8)}`;
  await floor.join(uid);
  const { agent } = await floor.call(uid, 'createAgent', {
    body: { ...AGGRESSIVE, name: 'Harbour', enabled: false },
  });
  const caller = { uid, email: null };
  const calls = pushCallables({
    database: floor.database,
    clock: floor.clock,
    publicKey: vapid.publicKey,
    allowLocal: true,
  });
  for (let n = 0; n < devices; n += 1) {
    const { endpoint, keys } = good.subscribe();
    await calls.registerPush(caller, {
      subscription: { endpoint: `${origin}${new URL(endpoint).pathname}`, keys },
    });
  }
  await calls.pushSettings(caller, { settings: DEFAULT_PUSH_SETTINGS });
  const fill = (n: number) => ({
    id: randomUUID(),
    orderId: randomUUID(),
    agentId: agent.id,
    agentName: 'Harbour',
    pair: 'ETH/USDT',
    side: 'sell' as const,
    // Three are told apart by their lengths, which is all that is seen of them.
    quantity: '1'.repeat(1 + (n % 3)),
    price: '2400',
    notional: '2400',
    fee: '2.4',
    feeBps: '10',
    slippageBps: '3',
    realized: '-52.4',
    reason: 'stop_loss',
    decidedAt: 1,
    filledAt: 2,
    tickId: `t:${randomUUID()}`,
  });
  await floor.database.transaction((tx) =>
    floor.deps.events.append(
      tx,
      uid,
      Array.from({ length: messages }, (_, n) => ({
        type: 'fill.recorded' as const,
        fill: fill(n),
      })),
    ),
  );
}

const states = async (): Promise<string[]> =>
  (await floor.database.db.select().from(pushMessages)).map(({ state }) => state).sort();

describe('a push service that does not finish its answer', () => {
  it.each<[string, (socket: Socket) => void]>([
    [
      'sends the body one byte at a time',
      (socket) => {
        drip(socket, `${HEAD}content-length: 100000\r\n\r\n`);
      },
    ],
    [
      'closes after half of the body',
      (socket) => {
        socket.end(`${HEAD}content-length: 100\r\n\r\nhalf`);
      },
    ],
    ['sends a body without end', endless],
  ])('and %s is believed by its status, and its body is dropped', async (_name, answer) => {
    const hostile = await startHostile(answer);
    await messageTo(hostile.url);
    await messageTo(good.url);
    await sender().runOnce();
    expect(await states()).toEqual(['sent', 'sent']);
    expect(good.taken).toHaveLength(1);
  });

  it('has an endless body cut off', async () => {
    const hostile = await startHostile(endless);
    await messageTo(hostile.url);
    await sender().runOnce();
    await closed(hostile);
  });

  it('with its headers loses the message to a later attempt, and no other message', async () => {
    const hostile = await startHostile((socket) => {
      drip(socket, `${HEAD}x-drip: `);
    });
    await messageTo(hostile.url);
    await messageTo(good.url);
    await sender(1_000).runOnce();
    expect(await states()).toEqual(['sent', 'waiting']);
  });
});

/** Takes each request and never answers; once it has given up it ends each connection. */
async function startSilent() {
  let hasGivenUp = false;
  const silent = await startHostile((socket) => {
    counted.asked += 1;
    counted.most = Math.max(counted.most, counted.sockets.size);
    if (hasGivenUp) socket.destroy();
  });
  const counted = {
    ...silent,
    asked: 0,
    most: 0,
    giveUp() {
      hasGivenUp = true;
      for (const socket of silent.sockets) socket.destroy();
    },
  };
  return counted;
}

describe('a push service that never answers', () => {
  it('holds up no message to others, however many devices one person has at it (F97)', async () => {
    const silent = await startSilent();
    await messageTo(silent.url, 10, 3);
    floor.clock.at += 1_000;
    await messageTo(good.url);
    while (await planFromEvents(floor.database, floor.clock));
    const sending = sender(6_000).runOnce();
    await good.wait(1, 4_500);
    // Two for the person; one more may not have ended here yet.
    expect(silent.most).toBeLessThanOrEqual(3);
    silent.giveUp();
    await sending;
  }, 20_000);

  it('is tried for one message of a device, and the others of the device wait as well', async () => {
    const silent = await startSilent();
    await messageTo(silent.url, 1, 50);
    const one = sender(1_500);
    await one.runOnce();
    await one.runOnce();
    expect(silent.asked).toBe(1);
    const rows = await floor.database.db.select().from(pushMessages);
    expect(rows).toHaveLength(50);
    for (const { state, nextAttemptAt } of rows) {
      expect(state).toBe('waiting');
      expect(nextAttemptAt).toBeGreaterThan(floor.clock.at);
    }
    expect(rows.filter(({ attempts }) => attempts === 1)).toHaveLength(1);
  });

  it('is left alone for longer the more often it was silent, whichever message it was tried for', async () => {
    const silent = await startSilent();
    await messageTo(silent.url, 1, 20);
    const one = sender(500);
    vi.spyOn(Math, 'random').mockReturnValue(1);
    onTestFinished(() => {
      vi.restoreAllMocks();
    });
    const triedAt: number[] = [];
    for (let n = 0; n < 400 && triedAt.length < 7; n += 1) {
      const before = silent.asked;
      await one.runOnce();
      if (silent.asked > before) triedAt.push(floor.clock.at);
      floor.clock.at += 5_000;
    }
    expect(triedAt).toHaveLength(7);
    const pauses = triedAt.slice(1).map((at, n) => at - (triedAt[n] ?? 0));
    expect(pauses).toEqual([10_000, 15_000, 25_000, 45_000, 85_000, 165_000]);
  });

  it('keeps nothing that happens meanwhile from being told (F97)', async () => {
    const silent = await startSilent();
    await messageTo(silent.url, 10, 5);
    const working = sender(8_000);
    working.start();
    await until(
      async () => silent.asked,
      (asked) => asked > 0,
      5_000,
    );
    await messageTo(good.url);
    await good.wait(1, 5_000);
    silent.giveUp();
    await working.stop();
  }, 20_000);
});

describe('a push service that is away for hours', () => {
  it('is asked now and then for one message of a device, and gets all when it is back (F97)', async () => {
    const HOURS = 10;
    let isBack = false;
    let asked = 0;
    const away = await startHostile((socket) => {
      asked += 1;
      socket.write(
        isBack
          ? `${HEAD}content-length: 0\r\n\r\n`
          : 'HTTP/1.1 503 Service Unavailable\r\ncontent-length: 0\r\n\r\n',
      );
    });
    await messageTo(away.url, 2, 30);
    const one = sender();
    await one.runOnce();
    await one.runOnce();
    expect(asked).toBe(2);
    vi.spyOn(Math, 'random').mockReturnValue(1);
    onTestFinished(() => {
      vi.restoreAllMocks();
    });
    const hourly: number[] = [];
    for (let hour = 0; hour < HOURS; hour += 1) {
      const before = asked;
      for (let minutes = 0; minutes < 60; minutes += 5) {
        floor.clock.at += 5 * 60_000;
        await one.runOnce();
      }
      hourly.push(asked - before);
    }
    // Each of the two devices every quarter of an hour.
    expect(Math.max(...hourly.slice(1))).toBeLessThanOrEqual(8);
    expect(Math.min(...hourly.slice(1))).toBeGreaterThanOrEqual(6);
    expect(new Set(await states())).toEqual(new Set(['waiting']));
    isBack = true;
    floor.clock.at += 15 * 60_000;
    await one.runOnce();
    expect(new Set(await states())).toEqual(new Set(['sent']));
  }, 60_000);

  it('for one message alone holds up no other of the device', async () => {
    let rejected: unknown = null;
    const picky = await startHostile((socket, { 'content-length': length }) => {
      rejected ??= length;
      socket.write(
        length === rejected
          ? 'HTTP/1.1 500 Internal Server Error\r\ncontent-length: 0\r\n\r\n'
          : `${HEAD}content-length: 0\r\n\r\n`,
      );
    });
    await messageTo(picky.url, 1, 3);
    const one = sender();
    for (let n = 0; n < 60; n += 1) {
      await one.runOnce();
      floor.clock.at += 60_000;
    }
    expect(await states()).toEqual(['sent', 'sent', 'waiting']);
  });
});

describe('two servers on one database', () => {
  it('send each message once', async () => {
    for (let n = 0; n < 6; n += 1) await messageTo(good.url, 2, 3);
    await Promise.all([sender().runOnce(), sender().runOnce()]);
    const ids = good.taken.map(({ text }) => (JSON.parse(text) as { id: string }).id);
    expect(ids).toHaveLength(36);
    expect(new Set(ids).size).toBe(36);
    expect(new Set(await states())).toEqual(new Set(['sent']));
  });
});

describe('one request to a push service', () => {
  const request = (url: string, limitMs: number) =>
    postPush(
      { endpoint: `${url}/push`, method: 'POST', headers: {}, body: Buffer.from('text') },
      new HttpsAgent({ ca: cert }),
      limitMs,
    );

  it('ends at its limit, however busy the connection is', async () => {
    const hostile = await startHostile((socket) => {
      drip(socket, `${HEAD}x-drip: `);
    });
    const from = Date.now();
    await expect(request(hostile.url, 300)).rejects.toThrow('The push service took too long');
    expect(Date.now() - from).toBeLessThan(2_000);
    await closed(hostile);
  });

  it('ends at its limit where nobody answers at all', async () => {
    const hostile = await startHostile(() => undefined);
    hostile.server.removeAllListeners('secureConnection');
    await expect(request(hostile.url, 300)).rejects.toThrow('The push service took too long');
  });

  it('closes a connection whose body is still coming at the limit', async () => {
    const hostile = await startHostile((socket) => {
      drip(socket, `${HEAD}retry-after: 7\r\ncontent-length: 100000\r\n\r\n`);
    });
    expect(await request(hostile.url, 300)).toEqual({ status: 201, retryAfter: '7' });
    expect(hostile.sockets.size).toBe(1);
    await closed(hostile);
  });

  it('fails where the connection is closed without an answer', async () => {
    const hostile = await startHostile((socket) => {
      socket.destroy();
    });
    await expect(request(hostile.url, 5_000)).rejects.toThrow();
  });
});
