/**
 * The only way to an exchange: ccxt signs, and everything else of it stays behind this file. A
 * request is sent once, to a listed address, and its raw answer is handed on unjudged.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { ApiKey, LiveExchange } from '../../contract/signer.ts';
import type { UnknownCause } from '../../contract/venue.ts';
import type { Waiting } from './adapter.ts';
import { ALLOWANCES } from './allowances.ts';
import { banOf, type Ban } from './bans.ts';
import { isOpen, type Endpoint } from './endpoints.ts';
import { Secrets } from '../secrets.ts';
import { NotSent, type Budget, type Clock } from './budget.ts';
import { Nonces } from './nonces.ts';

export interface RawReply {
  status: number;
  headers: Headers;
  /** Parsed JSON; undefined when it is none. */
  body: unknown;
}

/** A request was sent and nothing can be said of what it did. */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer';
  constructor(override readonly cause: UnknownCause) {
    super(cause);
  }
}

/** What of ccxt is used. `request` signs and sends; the rest are its settings. */
interface CcxtClient {
  request(
    path: string,
    api: string | readonly string[],
    method: string,
    params: Record<string, unknown>,
  ): Promise<unknown>;
  parseJson(text: string): unknown;
  nonce: () => number;
  milliseconds: () => number;
  seconds: () => number;
  fetchImplementation: unknown;
  urls: { api?: unknown };
}

export interface DoorSettings {
  exchange: LiveExchange;
  /** Null for public data. */
  key: ApiKey | null;
  /** Takes the place of scheme and host; for tests and testnets. */
  origin: string | null;
  byAddress: Budget;
  byKey: Budget | null;
  /** The key is not kept, only tried. */
  isTrial?: boolean;
  /** Of the key, which other doors may use too. */
  nonces?: Nonces;
  clock: Clock;
  fetch?: typeof fetch;
}

/** One for every door: each of these makes every promise of the process slower. */
const flights = new AsyncLocalStorage<Flight>();

const REQUEST_TIMEOUT_MS = 10_000;
/** No clock is set back by more. */
const SET_BACK_MOST_MS = 86_400_000;
const BODY_BYTES_MAX = 64 * 1024 * 1024;
/** A long list is read a page at a time, as fast as the exchange's limit lets it. */
const PATIENCE_MS: Record<Endpoint['lane'], number> = {
  order: 10_000,
  private: 120_000,
  public: 5_000,
};

interface Flight {
  sent: boolean;
  reply: { status: number; headers: Headers; text: string } | null;
  fault: UnknownCause | null;
}

function moved(address: unknown, origin: string): unknown {
  if (typeof address === 'string') return address.replace(/^https:\/\/[^/]+/, origin);
  if (typeof address !== 'object' || address === null) return address;
  return Object.fromEntries(
    Object.entries(address).map(([key, value]) => [key, moved(value, origin)]),
  );
}

async function openClient({ exchange, key, origin }: DoorSettings): Promise<CcxtClient> {
  const { default: ccxt } = await import('ccxt');
  // Its own types promise more than the rule "raw answers only" lets us use.
  const client = new ccxt[exchange]({
    ...(key === null ? {} : { apiKey: key.apiKey, secret: key.secret }),
    // The budgets here count per key and per process; ccxt's know one instance only.
    enableRateLimit: false,
    timeout: REQUEST_TIMEOUT_MS,
    options: { maxRetriesOnFailure: 0 },
  }) as unknown as CcxtClient;
  if (origin !== null) client.urls.api = moved(client.urls.api, origin);
  return client;
}

async function textWithin(response: Response, bytesMax: number): Promise<string> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of response.body ?? []) {
    bytes += (piece as Uint8Array).byteLength;
    if (bytes > bytesMax) throw new RangeError('answer too long');
    pieces.push(piece as Uint8Array);
  }
  return Buffer.concat(pieces).toString('utf8');
}

export class Door {
  readonly #client: CcxtClient;
  readonly #settings: DoorSettings;
  readonly #secrets = new Secrets();
  /** The exchange's clock less ours. */
  #offsetMs = 0;
  #timeSuspect = false;
  readonly #nonces: Nonces;

  private constructor(client: CcxtClient, settings: DoorSettings) {
    this.#client = client;
    this.#settings = settings;
    this.#nonces = settings.nonces ?? new Nonces();
    if (settings.key !== null)
      this.#secrets.hold('key', [settings.key.apiKey, settings.key.secret]);
    client.fetchImplementation = (url: string, init: RequestInit) => this.#send(url, init);
    client.nonce = () => this.#nonce();
    // Coinbase's tokens are dated by these.
    client.milliseconds = () => Math.round(this.now());
    client.seconds = () => Math.floor(this.now() / 1_000);
  }

  static async open(settings: DoorSettings): Promise<Door> {
    return new Door(await openClient(settings), settings);
  }

  get exchange(): LiveExchange {
    return this.#settings.exchange;
  }

  /** What time it is at the exchange. */
  now(): number {
    return this.#settings.clock.now() + this.#offsetMs;
  }

  /**
   * What time it was at the exchange at a moment of our own clock. One that is yet to come was noted
   * before that clock was set back, and how long ago nobody knows: a day is far enough to find what
   * an order did.
   */
  at(wallMs: number): number {
    const now = this.#settings.clock.now();
    const noted = wallMs > now ? now - SET_BACK_MOST_MS : wallMs;
    return Math.max(0, noted + this.#offsetMs);
  }

  /** How long until a moment of our own clock. */
  until(wallMs: number): number {
    return wallMs - this.#settings.clock.now();
  }

  /** The exchange said that our time is wrong. */
  suspectTime(): void {
    this.#timeSuspect = true;
  }

  get timeSuspect(): boolean {
    return this.#timeSuspect;
  }

  setExchangeTime(atMs: number): void {
    this.#timeSuspect = false;
    this.#offsetMs = atMs - this.#settings.clock.now();
  }

  /** For limits that an answer's own code reports. */
  ban(forMs: number, who: Ban['who']): void {
    this.#ban({ untilMs: this.#settings.clock.now() + forMs, who });
  }

  /**
   * Sends one request once, and not after `notAfterMs` of our clock, however long it had to wait.
   * @throws NotSent when nothing left the process, NoAnswer when something may have.
   */
  async ask(
    endpoint: Endpoint,
    params: Record<string, unknown> = {},
    notAfterMs: number | null = null,
    { untilMs, leaves }: Waiting = { untilMs: null },
  ): Promise<RawReply> {
    await this.#afford(endpoint, untilMs);
    const fly = async (): Promise<RawReply> => {
      // A ban may have come while this waited for its turn.
      this.#refuseBanned(endpoint.lane);
      if (notAfterMs !== null && this.#settings.clock.now() >= notAfterMs)
        throw new NotSent('deadline_passed');
      leaves?.();
      return this.#fly(endpoint, params);
    };
    // Kraken refuses a nonce lower than one it has seen, so its requests arrive one by one.
    if (this.exchange !== 'kraken' || endpoint.lane === 'public') return fly();
    return this.#nonces.turns.take(fly, endpoint.lane === 'order');
  }

  async #afford(
    { lane, method, weight, spare = 0, patienceMs: own }: Endpoint,
    untilMs: number | null,
  ): Promise<void> {
    const { byAddress, byKey } = this.#settings;
    const counts = ALLOWANCES[this.exchange];
    this.#refuseBanned(lane);
    if (weight === 0) return;
    const patienceMs =
      untilMs === null ? (own ?? PATIENCE_MS[lane]) : Math.max(0, this.until(untilMs));
    if (counts.byKey.counts === 'private' && lane !== 'public')
      await byKey?.take(weight, patienceMs, spare);
    // Cancellations do not count among them.
    const isNewOrder = lane === 'order' && method === 'POST';
    if (counts.byKey.counts === 'orders' && isNewOrder) await byKey?.take(1, patienceMs);
    if (counts.byAddress.counts === 'all' || lane === 'public')
      await byAddress.take(weight, patienceMs, spare);
  }

  /** Before anything is taken of a limit that others share. */
  #refuseBanned(lane: Endpoint['lane']): void {
    const { bans } = ALLOWANCES[this.exchange].byAddress;
    if (bans === 'all' || lane === 'public') this.#settings.byAddress.refuseBanned();
    this.#settings.byKey?.refuseBanned();
  }

  /** Without a key it can only be the address that is meant. */
  #ban({ untilMs, who }: Ban): void {
    const { byAddress, byKey } = this.#settings;
    (who === 'key' ? (byKey ?? byAddress) : byAddress).ban(untilMs);
  }

  async #fly(endpoint: Endpoint, params: Record<string, unknown>): Promise<RawReply> {
    const flight: Flight = { sent: false, reply: null, fault: null };
    try {
      await flights.run(flight, () =>
        this.#client.request(endpoint.path, endpoint.api, endpoint.method, { ...params }),
      );
    } catch (error) {
      // ccxt's own judgement of an answer does not count, and its words may quote the request.
      if (!flight.sent) throw error instanceof NotSent ? error : new NotSent('signing_failed');
    }
    if (flight.reply === null) throw new NoAnswer(flight.fault ?? 'connection');
    const { status, headers, text } = flight.reply;
    return { status, headers, body: text === '' ? undefined : this.#client.parseJson(text) };
  }

  /** Takes the place of fetch in ccxt. The time limit covers the body as well. */
  async #send(url: string, init: RequestInit): Promise<Response> {
    const flight = flights.getStore();
    const { exchange, clock, byAddress } = this.#settings;
    const method = init.method ?? 'GET';
    if (flight === undefined || flight.sent || !isOpen(exchange, method, new URL(url).pathname))
      throw new NotSent('closed_endpoint');
    flight.sent = true;
    try {
      const response = await (this.#settings.fetch ?? fetch)(url, {
        method,
        headers: init.headers ?? {},
        body: init.body ?? null,
        redirect: 'error',
        signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
      });
      // An exchange may quote what it was sent: the key goes no further than this.
      const text = this.#secrets.clean(await textWithin(response, BODY_BYTES_MAX));
      flight.reply = { status: response.status, headers: response.headers, text };
      const withKey = this.#settings.key !== null;
      const { isTrial = false } = this.#settings;
      const ban = banOf(exchange, { withKey, isTrial }, flight.reply, clock.now());
      if (ban !== null) this.#ban(ban);
      const used = Number(response.headers.get('x-mbx-used-weight-1m') ?? Number.NaN);
      if (Number.isFinite(used)) byAddress.used(used);
    } catch (error) {
      const late = error instanceof Error && error.name === 'TimeoutError';
      flight.fault = late ? 'timeout' : 'connection';
    }
    // An empty answer, about which ccxt has no opinion.
    return new Response('{}', { status: 200 });
  }

  #nonce(): number {
    if (this.exchange !== 'kraken') return Math.round(this.now());
    return this.#nonces.next(this.#settings.clock.now(), this.now());
  }
}
