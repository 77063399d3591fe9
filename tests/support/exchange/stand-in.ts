/**
 * The stand-in exchange: a real HTTP and websocket server on loopback that speaks as Kraken,
 * Coinbase Advanced or Binance does, and misbehaves as planned.
 */
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { AddressInfo } from 'node:net';
import { parseFixed, type Fixed } from '../../../contract/money.ts';
import { Accounts, type AccountOptions, type ApiKey, type KeyPermissions } from './accounts.ts';
import { makeBinance } from './binance/binance-dialect.ts';
import type { Arrived, Asked } from './calls.ts';
import { makeCoinbase } from './coinbase/coinbase-dialect.ts';
import type { Dialect, Floor } from './dialect.ts';
import { ExchangeClock, type ClockOptions } from './exchange-clock.ts';
import { FaultRunner } from './fault-runner.ts';
import type { PlannedFault } from './faults.ts';
import { floorOf } from './floor.ts';
import { makeIds } from './ids.ts';
import { instrumentsOf, type DialectName, type Instrument } from './instruments.ts';
import { Journal } from './journal.ts';
import { makeKraken } from './kraken/kraken-dialect.ts';
import { CONVENTIONS, type Conventions } from './market-conventions.ts';
import { MatchingCore } from './matching-core.ts';
import { Person } from './person.ts';
import { Prices } from './prices.ts';
import { RATE_LIMITS, RateMeter } from './rate-meter.ts';
import { respond, type Return } from './respond.ts';
import { fetchFrom } from './in-process.ts';
import { StreamHub } from './stream-hub.ts';
import { acceptSocket, type ServerSocket } from './web-socket.ts';

export interface StandInOptions {
  dialect: DialectName;
  seed?: number;
  clock?: Partial<ClockOptions>;
  accounts?: AccountOptions[];
  faults?: readonly PlannedFault[];
  /** Pairs instead of the usual ones. */
  instruments?: Instrument[];
  conventions?: Partial<Conventions>;
  /** Answers 429 to more than the real exchange allows; otherwise it is only measured. */
  enforcesLimits?: boolean;
  /** Whole spread in basis points, worth of a level in the quote coin, levels; as decimal text. */
  market?: { spreadBps?: string; levelValue?: string; levels?: number };
  /** Told when an answer begins to be held on the virtual clock, which somebody must move then. */
  onHold?: () => void;
}

/** A key as a client is given it. */
export interface Credentials {
  apiKey: string;
  secret: string;
}

const DIALECTS: Record<DialectName, (floor: Floor) => Dialect> = {
  kraken: makeKraken,
  coinbase: makeCoinbase,
  binance: makeBinance,
};

/** Where virtual time starts unless the test says otherwise. */
const START_MS = Date.UTC(2026, 0, 15, 9, 0, 0);

export class StandIn {
  /** Of an address that nobody has, until it listens. */
  url = 'http://stand-in.invalid';
  readonly journal: Journal;
  readonly clock: ExchangeClock;
  readonly accounts: Accounts;
  readonly core: MatchingCore;
  readonly person: Person;
  readonly hub: StreamHub;
  readonly faults: FaultRunner;
  readonly prices: Prices;
  /** What clients used of their allowance. */
  readonly meter: RateMeter;
  readonly instruments: Map<string, Instrument>;
  private readonly dialect: Dialect;
  private readonly sockets = new Set<ServerSocket>();
  /** Null where it is asked in process alone. */
  private app: FastifyInstance | null = null;
  private requests = 0;

  constructor(readonly options: StandInOptions) {
    const { dialect, seed = 1 } = options;
    this.meter = new RateMeter(RATE_LIMITS[dialect]);
    this.clock = new ExchangeClock({ startMs: START_MS, mode: 'still', ...options.clock });
    this.journal = new Journal(() => this.clock.trueNow());
    this.instruments =
      options.instruments === undefined
        ? instrumentsOf(dialect)
        : new Map(options.instruments.map((one) => [one.symbol, one]));
    this.prices = new Prices(
      {
        seed,
        spreadBps: parseFixed(options.market?.spreadBps ?? '4'),
        levelValue: parseFixed(options.market?.levelValue ?? '5000'),
        levels: options.market?.levels ?? 10,
      },
      this.instruments.values(),
    );
    const ids = makeIds(dialect, seed);
    this.accounts = new Accounts(dialect, this.journal, () => ids.uuid());
    const conventions = { ...CONVENTIONS[dialect], ...options.conventions };
    const { clock, journal, accounts, prices, instruments } = this;
    this.core = new MatchingCore({
      clock,
      journal,
      accounts,
      prices,
      instruments,
      conventions,
      ids,
    });
    this.hub = new StreamHub(clock, journal);
    this.core.listen((event) => {
      this.hub.tell(event);
    });
    this.person = new Person(this.core, accounts, clock, (symbol) => this.instrument(symbol));
    for (const account of options.accounts ?? []) accounts.open(account);
    const { core, hub, person } = this;
    this.faults = new FaultRunner(
      { clock, core, accounts, journal, hub, person },
      options.faults ?? [],
    );
    this.dialect = DIALECTS[dialect](
      floorOf({ clock, core, prices, accounts, instruments, ids, hub }, this.faults),
    );
  }

  /** A key for one of the accounts, which may trade and nothing more unless said otherwise. */
  issueKey(account: string, permissions: Partial<KeyPermissions> = {}): Credentials {
    const { apiKey, secret }: ApiKey = this.accounts.issueKey(account, permissions);
    return { apiKey, secret };
  }

  instrument(symbol: string): Instrument {
    const instrument = this.instruments.get(symbol);
    if (instrument === undefined) throw new RangeError(`No pair ${symbol}`);
    return instrument;
  }

  /** The market moves to a price of the test's choosing. */
  setPrice(symbol: string, price: string): void {
    this.core.setPrice(symbol, parseFixed(price));
  }

  /** Whoever bids and asks takes away most of it, or comes back: the worth of each level. */
  setDepth(levelValue: string): void {
    this.prices.setLevelValue(parseFixed(levelValue));
  }

  /** Whoever bids and asks goes away from the middle, or comes back: the whole spread. */
  setSpread(bps: string): void {
    this.prices.setSpreadBps(parseFixed(bps));
  }

  /** The market moves one step along the seeded path; the new price. */
  nextPrice(symbol: string): Fixed {
    const price = this.prices.next(this.instrument(symbol));
    this.core.setPrice(symbol, price);
    return price;
  }

  advance(ms: number): Promise<void> {
    return this.clock.advance(ms);
  }

  async listen(): Promise<void> {
    const app = Fastify({ bodyLimit: 1_048_576 });
    this.app = app;
    this.route(app);
    app.server.on('upgrade', (request, duplex) => {
      const socket = acceptSocket(request, duplex);
      this.sockets.add(socket);
      socket.whenClosed(() => this.sockets.delete(socket));
      this.dialect.openSocket(socket, request.url ?? '/');
    });
    await app.listen({ port: 0, host: '127.0.0.1' });
    const { port } = app.server.address() as AddressInfo;
    this.url = `http://127.0.0.1:${port}`;
  }

  async close(): Promise<void> {
    this.clock.close();
    for (const socket of this.sockets) socket.cut();
    this.app?.server.closeAllConnections();
    await this.app?.close();
  }

  private route(app: FastifyInstance): void {
    // Signatures are over the bytes as they were sent: nothing parses them first.
    app.removeAllContentTypeParsers();
    app.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => {
      done(null, body);
    });
    app.all('*', (request, reply) => this.handle(request, reply));
  }

  /** Takes the place of `fetch`: the same answers, and nothing goes through a socket. */
  readonly fetch = fetchFrom((arrived, way) => this.answer(arrived, way));

  private async handle(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const [path = '/', rawQuery = ''] = request.url.split('?');
    const headers: Asked['headers'] = {};
    for (const [name, value] of Object.entries(request.headers))
      headers[name] = Array.isArray(value) ? value.join(',') : value;
    const body = typeof request.body === 'string' ? request.body : '';
    await this.answer({ method: request.method, path, rawQuery, headers, body }, wayOf(reply));
    return reply;
  }

  private answer(arrived: Arrived, way: Return): Promise<void> {
    this.clock.runDue();
    this.requests += 1;
    const { dialect, journal, clock, hub, accounts, faults, meter } = this;
    const { enforcesLimits = false, onHold = () => undefined } = this.options;
    return respond(
      { dialect, journal, clock, hub, accounts, faults, meter, enforcesLimits, onHold },
      { asked: askedOf(arrived, this.requests), way },
    );
  }
}

const wayOf = (reply: FastifyReply): Return => ({
  get isGone() {
    return reply.raw.socket?.destroyed !== false;
  },
  send: (status, headers, body) => {
    void reply.code(status).headers(headers).send(body);
  },
  cut: () => {
    reply.hijack();
    reply.raw.destroy();
  },
  whenOver: (then) => {
    reply.raw.once('finish', then);
    reply.raw.once('close', then);
  },
});

function askedOf(arrived: Arrived, number: number): Asked {
  const { rawQuery, headers } = arrived;
  const host = headers.host ?? '';
  return { ...arrived, number, query: new URLSearchParams(rawQuery), host };
}

/** Starts one and waits until it can be asked. */
export async function startStandIn(options: StandInOptions): Promise<StandIn> {
  const standIn = new StandIn(options);
  await standIn.listen();
  return standIn;
}
