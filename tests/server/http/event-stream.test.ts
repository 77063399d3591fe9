/** The event stream over a real socket: order, resumption, ends. */
import { randomUUID } from 'node:crypto';
import { EventEmitter } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eq } from 'drizzle-orm';
import { Refusal } from '../../../contract/errors.ts';
import { SESSION_MAX_AGE_MS } from '../../../contract/limits.ts';
import type { SymbolQuote } from '../../../contract/market.ts';
import { parseFixed } from '../../../contract/money.ts';
import { StreamEvent } from '../../../contract/stream.ts';
import type { PairRules } from '../../../engine/market-types.ts';
import { agents } from '../../../server/db/schema.ts';
import { liftSwitch, throwSwitch } from '../../../server/agents/trading-halts.ts';
import { Streams } from '../../../server/http/event-stream.ts';
import { FeedMarket } from '../../../server/market/running-market.ts';
import { HandFeed } from '../../support/hand-feed.ts';
import { buildTestApp, ErrorLog, TestClock, type TestApp } from '../../support/app.ts';

let test: TestApp;
let base = '';
const clock = new TestClock();
const log = new ErrorLog();
/** What the provider says of a person; nothing is a person in good standing. */
const standing = new Map<string, 'token_revoked' | 'identity_unavailable'>();
/** Tokens from before a change of password. */
const revokedTokens = new Set<string>();
const asked: string[] = [];
const accounts = {
  check: async (token: string, uid: string) => {
    asked.push(uid);
    if (revokedTokens.has(token)) throw new Refusal('token_revoked', 'said by the provider');
    const said = standing.get(uid);
    if (said !== undefined) throw new Refusal(said, 'said by the provider');
  },
  forget: () => undefined,
};
beforeAll(async () => {
  test = await buildTestApp({ clock, log, accounts });
  base = await test.app.listen({ port: 0, host: '127.0.0.1' });
}, 60_000);
afterAll(() => test.close());

interface Reader {
  events: StreamEvent[];
  ids: string[];
  /** Whether the reader is asked to come back at once. */
  askedBack(): boolean;
  until(what: (event: StreamEvent) => boolean): Promise<StreamEvent>;
  ended: Promise<void>;
  close(): void;
}

async function read(
  token: string,
  headers: Record<string, string> = {},
  address = base,
): Promise<Reader> {
  const abort = new AbortController();
  const response = await fetch(`${address}/api/stream`, {
    headers: { authorization: `Bearer ${token}`, ...headers },
    signal: abort.signal,
  });
  expect([
    response.status,
    response.headers.get('content-type'),
    response.headers.get('cache-control'),
  ]).toEqual([200, 'text/event-stream; charset=utf-8', 'no-store']);
  const events: StreamEvent[] = [];
  const ids: string[] = [];
  let askedBack = false;
  let woken: () => void = () => undefined;
  const body = response.body;
  if (body === null) throw new Error('no body');
  const ended = (async () => {
    let text = '';
    for await (const chunk of body.pipeThrough(
      new TextDecoderStream(),
    ) as unknown as AsyncIterable<string>) {
      text += chunk;
      const frames = text.split('\n\n');
      text = frames.pop() ?? '';
      for (const frame of frames) {
        if (frame === 'retry: 0') {
          askedBack = true;
          continue;
        }
        const id = /^id: (.*)$/m.exec(frame)?.[1];
        if (id !== undefined) ids.push(id);
        events.push(StreamEvent.parse(JSON.parse(/^data: (.*)$/m.exec(frame)?.[1] ?? 'null')));
      }
      woken();
    }
  })()
    .catch(() => undefined)
    .finally(() => {
      woken();
    });
  return {
    events,
    ids,
    askedBack: () => askedBack,
    ended,
    close: () => {
      abort.abort();
    },
    async until(what) {
      for (;;) {
        const found = events.find(what);
        if (found !== undefined) return found;
        await new Promise<void>((resolve) => {
          woken = resolve;
        });
      }
    },
  };
}

const endOf = (reader: Reader) => ({
  told: reader.events.some((event) => event.type === 'session.ended'),
  askedBack: reader.askedBack(),
});
/** What a stream that is opened with this token is answered. */
const answerTo = async (token: string) => {
  const response = await fetch(`${base}/api/stream`, {
    headers: { authorization: `Bearer ${token}` },
  });
  if (response.ok) {
    await response.body?.cancel();
    return { status: response.status };
  }
  return {
    status: response.status,
    code: ((await response.json()) as { error: { code: string } }).error.code,
  };
};

const change = (token: string, displayName: string) =>
  test.call('updateTradingSettings', {
    token,
    commandId: randomUUID(),
    body: {
      displayName,
      tradingEnabled: true,
      tradingMode: 'automatic',
      tradingFrequency: 'weekly',
      riskProfile: 'moderate',
      maxTradeAmount: 500,
      notificationsEnabled: true,
    },
  });

describe('the stream', () => {
  it('greets with the person’s present number, then tells each event once, in order, and nobody else’s', async () => {
    const alice = await test.signToken('Alice1');
    const bob = await test.signToken('Bob');
    const [forAlice, forBob] = [await read(alice), await read(bob)];
    const hello = await forAlice.until((event) => event.type === 'hello');
    expect(hello).toMatchObject({ type: 'hello', source: { kind: 'simulated' } });
    const start = hello.type === 'hello' ? hello.sequence : -1;
    for (const name of ['One', 'Two', 'Three'])
      expect((await change(alice, name)).status).toBe(200);
    await forAlice.until(
      (event) => 'sequence' in event && event.type !== 'hello' && event.sequence === start + 3,
    );
    expect(forAlice.ids).toEqual([start + 1, start + 2, start + 3].map(String));
    expect(forAlice.events.filter((event) => event.type === 'settings.changed')).toHaveLength(3);
    expect(forBob.events.filter((event) => event.type === 'settings.changed')).toEqual([]);
    forAlice.close();
    forBob.close();
  });

  it('goes on after the last event that was seen', async () => {
    const carol = await test.signToken('Carol');
    for (const name of ['One', 'Two', 'Three']) await change(carol, name);
    const first = await read(carol, { 'last-event-id': '1' });
    await first.until((event) => event.type === 'settings.changed' && event.sequence === 3);
    expect(first.ids).toEqual(['2', '3']);
    first.close();
  });

  it('sends the prices that changed, as the wire has them', async () => {
    const reader = await read(await test.signToken('Alice1'));
    const ticks = await reader.until((event) => event.type === 'ticks');
    expect(ticks.type === 'ticks' && ticks.symbols.length).toBeGreaterThan(0);
    reader.close();
  });

  it('says at once what is switched off, by whom and why, and when it is on again', async () => {
    const reader = await read(await test.signToken('Olga'));
    const last = () => reader.events.filter((event) => event.type === 'entries.off').at(-1);
    await reader.until((event) => event.type === 'entries.off');
    expect(last()).toEqual({ type: 'entries.off', off: [] });
    const ask = { scope: 'platform', target: '', reason: 'Checking prices', by: 'ops' } as const;
    const thrown = await test.database.transaction((tx) =>
      throwSwitch(tx, { ...ask, until: clock.now() + 60_000 }, clock.now()),
    );
    await reader.until((event) => event.type === 'entries.off' && event.off.length > 0);
    expect(last()).toEqual({
      type: 'entries.off',
      off: [
        {
          scope: 'platform',
          by: 'operator',
          agentId: null,
          reason: 'Checking prices',
          since: thrown.at,
          until: thrown.until,
        },
      ],
    });
    await test.database.transaction((tx) => liftSwitch(tx, ask, clock.now()));
    await expect.poll(last, { timeout: 10_000 }).toEqual({ type: 'entries.off', off: [] });
    reader.close();
  }, 20_000);

  it('beats when nothing else is said, and ends with the four hours of its token: whoever has logged in again since comes back at once, and the old token is refused (R9-02)', async () => {
    const signedInMs = clock.now() - SESSION_MAX_AGE_MS + 30_000;
    const token = await test.signToken('Dave', { auth_time: Math.ceil(signedInMs / 1_000) });
    const reader = await read(token);
    await reader.until((event) => event.type === 'hello');
    clock.advance(15_000);
    await reader.until((event) => event.type === 'heartbeat');
    const again = await test.signToken('Dave');
    clock.advance(16_000);
    await reader.ended;
    expect(endOf(reader)).toEqual({ told: false, askedBack: true });
    expect(await answerTo(again)).toEqual({ status: 200 });
    expect(await answerTo(token)).toEqual({ status: 401, code: 'reauth_required' });
  });

  it('of a token that a change of password has ended says nothing of the session: the device that changed it comes back with its new token', async () => {
    const old = await test.signToken('Petra');
    const reader = await read(old);
    await reader.until((event) => event.type === 'hello');
    revokedTokens.add(old);
    const fresh = await test.signToken('Petra', { iat: Math.floor(clock.now() / 1_000) + 1 });
    clock.advance(2 * test.config.accountCheckMs);
    await reader.ended;
    expect(endOf(reader)).toEqual({ told: false, askedBack: true });
    expect(await answerTo(fresh)).toEqual({ status: 200 });
    expect(await answerTo(old)).toEqual({ status: 401, code: 'token_revoked' });
  });

  it('ends for a person who was revoked meanwhile, for all their screens and nobody else, and an outage of the provider ends none (F30)', async () => {
    const [mallory, nina] = [await test.signToken('Mallory'), await test.signToken('Nina')];
    const [one, two, other] = [await read(mallory), await read(mallory), await read(nina)];
    for (const reader of [one, two, other]) await reader.until((event) => event.type === 'hello');
    const before = asked.length;
    standing.set('Mallory', 'identity_unavailable');
    clock.advance(2 * test.config.accountCheckMs);
    await expect.poll(() => asked.slice(before).sort()).toEqual(['Mallory', 'Mallory', 'Nina']);
    await change(nina, 'Still');
    await other.until((event) => event.type === 'settings.changed');
    expect(
      [...one.events, ...two.events].filter((event) => event.type === 'session.ended'),
    ).toEqual([]);
    standing.set('Mallory', 'token_revoked');
    clock.advance(2 * test.config.accountCheckMs);
    for (const reader of [one, two]) {
      await reader.ended;
      expect(endOf(reader)).toEqual({ told: false, askedBack: true });
    }
    expect(await answerTo(mallory)).toEqual({ status: 401, code: 'token_revoked' });
    await expect.poll(() => asked.filter((uid) => uid === 'Nina').length).toBeGreaterThan(3);
    expect(other.events.some((event) => event.type === 'session.ended')).toBe(false);
    other.close();
  });

  it('is not outlived by its token: the reader comes back with a new one, and the session goes on', async () => {
    const reader = await read(await test.signToken('Oscar'));
    await reader.until((event) => event.type === 'hello');
    clock.advance(3_600_000);
    await reader.ended;
    expect(endOf(reader)).toEqual({ told: false, askedBack: true });
  });

  it('needs a token, and is not opened without end', async () => {
    expect((await fetch(`${base}/api/stream`)).status).toBe(401);
    const eve = await test.signToken('Eve');
    const readers = [];
    for (let i = 0; i < 12; i += 1) readers.push(await read(eve));
    const refused = await fetch(`${base}/api/stream`, {
      headers: { authorization: `Bearer ${eve}` },
    });
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '5']);
    for (const reader of readers) reader.close();
  });

  it('is not opened without end by asking many times at once, nor kept for whoever went away meanwhile', async () => {
    const [grace, ivy] = [await test.signToken('Grace'), await test.signToken('Ivy')];
    for (const token of [grace, ivy]) await test.call('tradingSettings', { token });
    let release: () => void = () => undefined;
    const busy = test.database.transaction(
      () =>
        new Promise<void>((resolve) => {
          release = resolve;
        }),
    );
    const stop = new AbortController();
    const ask = (token: string, signal: AbortSignal) =>
      fetch(`${base}/api/stream`, { headers: { authorization: `Bearer ${token}` }, signal }).catch(
        () => null,
      );
    const leave = new AbortController();
    const left = Array.from({ length: 12 }, () => ask(ivy, leave.signal));
    const asked = Array.from({ length: 30 }, () => ask(grace, stop.signal));
    await new Promise((resolve) => {
      setTimeout(resolve, 400);
    });
    leave.abort();
    await Promise.all(left);
    await new Promise((resolve) => {
      setTimeout(resolve, 100);
    });
    release();
    await busy;
    const statuses = (await Promise.all(asked)).map((response) => response?.status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(12);
    expect(statuses.filter((status) => status === 429)).toHaveLength(18);
    stop.abort();
    const again = await Promise.all(Array.from({ length: 12 }, () => read(ivy)));
    for (const reader of again) reader.close();
  });

  it('tells when agents last looked, once for each look, to their owner only', async () => {
    const [token, other] = [await test.signToken('Jan'), await test.signToken('Kim')];
    await test.call('agents', { token });
    const [id, stopped] = [randomUUID(), randomUUID()];
    const { id: source, quote } = test.market.source;
    const row = {
      uid: 'Jan',
      source,
      quote,
      name: 'Looks',
      tradingPairs: [],
      pool: 'all_pools',
      riskProfile: 'Moderate',
      maxPositionSize: '10',
      executionInterval: '5-minute',
      tradingFrequency: 'high',
      enabled: true,
      createdAt: 1,
    };
    await test.database.db.insert(agents).values([
      { ...row, id, status: 'running', lastRunMarketMs: 100, nextDueMarketMs: 400 },
      { ...row, id: stopped, status: 'stopped', lastRunMarketMs: 100 },
    ]);
    const [mine, theirs] = [await read(token), await read(other)];
    expect(await mine.until((event) => event.type === 'agents.ran')).toEqual({
      type: 'agents.ran',
      agents: [{ id, lastRunAt: 100, nextRunAt: 400 }],
    });
    await test.database.db
      .update(agents)
      .set({ lastRunMarketMs: 400, nextDueMarketMs: 700 })
      .where(eq(agents.id, id));
    await mine.until((event) => event.type === 'agents.ran' && event.agents[0]?.lastRunAt === 400);
    expect(mine.events.filter((event) => event.type === 'agents.ran').length).toBe(2);
    expect(theirs.events.some((event) => event.type === 'agents.ran')).toBe(false);
    mine.close();
    theirs.close();
  });

  it('drops a reader that does not read, instead of keeping everything for it', async () => {
    const token = await test.signToken('Slow');
    await test.call('tradingSettings', { token });
    const socket = connect({ port: Number(new URL(base).port), host: '127.0.0.1' });
    socket.write(
      `GET /api/stream HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${token}\r\n\r\n`,
    );
    const closed = new Promise<void>((resolve) => {
      socket.on('close', () => {
        resolve();
      });
      socket.on('error', () => undefined);
    });
    await new Promise<void>((resolve) => {
      socket.once('data', () => {
        socket.pause();
        resolve();
      });
    });
    const large = { type: 'settings.changed' as const, padding: 'x'.repeat(100_000) };
    const count = 300;
    for (let i = 0; i < count; i += 1)
      await test.database.transaction((tx) => test.events.append(tx, 'Slow', [large]));
    // What the system holds for a socket is read out now; the rest never comes, because the server
    // has let go.
    let received = 0;
    socket.on('data', (data) => {
      received += data.length;
    });
    socket.resume();
    await closed;
    expect(received).toBeLessThan(count * 100_000);
  });
});

describe('a price that falls silent', () => {
  const rules = (pair: string): PairRules => ({
    pair,
    base: pair.slice(0, 3),
    quote: 'USDT',
    lot: parseFixed('0.001'),
    minNotional: parseFixed('5'),
    halfSpreadBps: 2,
    feeBps: 10,
  });
  const symbolsIn = (reader: Reader): SymbolQuote[] =>
    reader.events.flatMap((event) => (event.type === 'ticks' ? event.symbols : []));
  const staleIn = (reader: Reader): string[] =>
    symbolsIn(reader).flatMap(({ symbol, stale }) => (stale ? [symbol] : []));
  const heartbeat = async (reader: Reader): Promise<void> => {
    const count = (): number => reader.events.filter(({ type }) => type === 'heartbeat').length;
    const before = count();
    clock.advance(15_000);
    await expect.poll(count, { timeout: 5_000 }).toBe(before + 1);
  };
  let feed: HandFeed;
  let market: FeedMarket;
  let server: TestApp;
  let address = '';
  beforeAll(async () => {
    const pairs = ['BTC/USDT', 'ETH/USDT'].map(rules);
    feed = new HandFeed(Date.UTC(2026, 0, 1), 'exchange', pairs, new Map());
    market = new FeedMarket(feed, log);
    await market.start();
    server = await buildTestApp({ clock, log, market, accounts, database: test.database });
    address = await server.app.listen({ port: 0, host: '127.0.0.1' });
  }, 60_000);
  afterAll(async () => {
    await server.close();
    await market.stop();
  });

  it('is told once more, as stale, and at once to whoever came later, until it speaks (F57)', async () => {
    const reader = await read(await server.signToken('Pia'), {}, address);
    await reader.until((event) => event.type === 'hello');
    for (const pair of ['BTC/USDT', 'ETH/USDT']) feed.say(pair, '100');
    await expect.poll(() => symbolsIn(reader).length, { timeout: 5_000 }).toBe(2);
    feed.clock += 60_001;
    feed.say('ETH/USDT', '101');
    await expect.poll(() => staleIn(reader), { timeout: 5_000 }).toEqual(['BTC/USDT']);
    await new Promise((resolve) => {
      setTimeout(resolve, 700);
    });
    expect(staleIn(reader)).toEqual(['BTC/USDT']);

    const later = await read(await server.signToken('Quinn'), {}, address);
    await later.until((event) => event.type === 'ticks');
    expect(later.events.map(({ type }) => type).slice(0, 2)).toEqual(['hello', 'ticks']);
    expect(staleIn(later)).toEqual(['BTC/USDT']);
    feed.say('BTC/USDT', '100');
    await expect
      .poll(() => symbolsIn(later).at(-1), { timeout: 5_000 })
      .toMatchObject({ stale: false });
    await heartbeat(later);
    await new Promise((resolve) => {
      setTimeout(resolve, 300);
    });
    expect(staleIn(later)).toEqual(['BTC/USDT']);
    reader.close();
    later.close();
  }, 30_000);

  it('is told once a minute to each reader of a feed that is dead, whatever the heartbeats, and at once to one who comes back (F57)', async () => {
    const token = await server.signToken('Rosa');
    const reader = await read(token, {}, address);
    await reader.until((event) => event.type === 'hello');
    for (const pair of ['BTC/USDT', 'ETH/USDT']) feed.say(pair, '100');
    await expect.poll(() => symbolsIn(reader).at(-1)?.stale, { timeout: 5_000 }).toBe(false);
    const told = staleIn(reader).length;
    feed.clock += 60_001;
    const all = ['BTC/USDT', 'ETH/USDT'];
    await expect.poll(() => staleIn(reader).slice(told).sort(), { timeout: 5_000 }).toEqual(all);
    for (let beat = 0; beat < 3; beat += 1) await heartbeat(reader);
    await new Promise((resolve) => {
      setTimeout(resolve, 300);
    });
    expect(staleIn(reader).slice(told).sort()).toEqual(all);
    for (let beat = 0; beat < 2; beat += 1) await heartbeat(reader);
    await expect
      .poll(() => staleIn(reader).slice(told).sort(), { timeout: 5_000 })
      .toEqual([...all, ...all].sort());
    reader.close();

    const back = await read(token, { 'last-event-id': '0' }, address);
    await back.until((event) => event.type === 'ticks');
    await heartbeat(back);
    expect(staleIn(back).sort()).toEqual(all);
    back.close();
  }, 30_000);

  it('is told again to a reader that was busy as it fell silent, as soon as it takes something (F57)', async () => {
    for (const pair of ['BTC/USDT', 'ETH/USDT']) feed.say(pair, '100');
    const streams = new Streams({
      database: test.database,
      notifier: { listen: () => () => undefined } as never,
      market,
      clock,
      log,
      gate: null as never,
      recheckMs: 3_600_000,
      readMarks: () => Promise.resolve(null),
      readRuns: () => Promise.resolve(new Map()),
      readEntriesOff: () => Promise.resolve(new Map()),
    });
    const response = new BusyResponse();
    const identity = { uid: 'Sven', authTimeMs: clock.now(), expiresAtMs: clock.now() + 3_600_000 };
    streams.start();
    await streams.open(response as never, identity as never, 'token', null);
    response.writableNeedDrain = true;
    feed.clock += 60_001;
    await new Promise((resolve) => {
      setTimeout(resolve, 700);
    });
    expect(response.written).not.toContain('"stale":true');
    response.writableNeedDrain = false;
    await expect
      .poll(() => response.written.split('"stale":true').length - 1, { timeout: 5_000 })
      .toBe(2);
    streams.stop();
  }, 30_000);
});

/** The answer of a reader whose buffer is full when the test says so. */
class BusyResponse extends EventEmitter {
  destroyed = false;
  writableEnded = false;
  writableLength = 0;
  writableNeedDrain = false;
  written = '';
  write(text: string): boolean {
    this.written += text;
    return true;
  }
  end(): void {
    this.writableEnded = true;
  }
  destroy(): void {
    this.destroyed = true;
    this.emit('close');
  }
}

describe('afterwards', () => {
  it('nothing went wrong on the way', () => {
    expect(log.errors).toEqual([]);
  });
});
