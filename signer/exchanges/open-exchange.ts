/** Opens an exchange: one door for its public data, and one for each connection's key. */
import { createHash } from 'node:crypto';
import type { ApiKey, LiveExchange, OrderRef } from '../../contract/signer.ts';
import type { Adapter, PublicData, Waiting } from './adapter.ts';
import { ALLOWANCES } from './allowances.ts';
import { BinanceAdapter } from './binance/adapter.ts';
import { BinancePublic } from './binance/public.ts';
import { Budget, NotSent, type BanRecord, type Clock } from './budget.ts';
import { CoinbaseAdapter } from './coinbase/adapter.ts';
import { CoinbasePublic } from './coinbase/public.ts';
import { Door } from './door.ts';
import { KrakenAdapter } from './kraken/adapter.ts';
import { KrakenPublic } from './kraken/public.ts';
import { Nonces } from './nonces.ts';
import { noneOfOursUnread, type OnUnread } from './rows.ts';
import type { SpentRecord } from '../spent.ts';
import { within } from '../within.ts';

/** How long the exchange's clock is taken to run like ours. */
const TIME_KEEP_MS = 10 * 60_000;
/** Our clock was set where it runs so far apart from one that nobody sets. */
const CLOCK_SET_MS = 2_000;
/** How long an act that needs no time waits for it, where none is known. */
const TIME_WAIT_MS = 5_000;
/** Keys whose use is remembered; whoever pastes more than this uses those that came first anew. */
const KEYS_KEPT = 1_000;

export interface ExchangeSettings {
  origin: string | null;
  clock: Clock;
  /** Of an address or a connection: bans that a process before this one was given. */
  bans?: (scope: string) => BanRecord;
  /** Of the address or a key's digest: what was used before this process. */
  spent?: (scope: string) => SpentRecord;
  /** What becomes of a list with a row that cannot be read; null for a key that is only read. */
  onUnread?: (connectionId: string | null) => OnUnread;
  fetch?: typeof fetch;
}

export interface OpenExchange {
  data: PublicData;
  /** An adapter that knows the exchange's time. `connectionId`: null for a key that is only read. */
  withKey(key: ApiKey, connectionId: string | null): Promise<Adapter>;
  bannedUntil(): number;
}

export async function openExchange(
  exchange: LiveExchange,
  { origin, clock, bans, spent, onUnread, fetch }: ExchangeSettings,
): Promise<OpenExchange> {
  const byAddress = new Budget(
    ALLOWANCES[exchange].byAddress,
    clock,
    bans?.('address') ?? null,
    spent?.('address') ?? null,
  );
  const byKey = new KeyBudgets((digest, connectionId) => {
    const { byKey: allowance } = ALLOWANCES[exchange];
    // Of a key that is only read nothing is written down.
    if (connectionId === null) return new Budget(allowance, clock);
    return new Budget(allowance, clock, bans?.(connectionId) ?? null, spent?.(digest) ?? null);
  });
  const allNonces = new Map<string, Nonces>();
  const noncesOf = (key: ApiKey, isKept: boolean): Nonces => {
    const digest = digestOf(key);
    const nonces = allNonces.get(digest) ?? new Nonces();
    if (isKept && exchange === 'kraken') nonces.keepIn(spent?.(`nonce.${digest}`) ?? null);
    keepNewest(allNonces, digest, nonces);
    return nonces;
  };
  const shared = { exchange, origin, byAddress, clock, ...(fetch === undefined ? {} : { fetch }) };
  const door = await Door.open({ ...shared, key: null, byKey: null });
  const ofNoKey = onUnread?.(null) ?? noneOfOursUnread;
  const publicData = {
    kraken: () => new KrakenPublic(door, ofNoKey),
    coinbase: () => new CoinbasePublic(door, ofNoKey),
    binance: () => new BinancePublic(door, ofNoKey),
  }[exchange]();
  const time = new ExchangeTime((waiting) => publicData.time(waiting), clock);
  return {
    data: publicData,
    bannedUntil: () => byAddress.bannedUntil,
    async withKey(key, connectionId) {
      const own = await Door.open({
        ...shared,
        key,
        byKey: byKey.of(key, connectionId),
        isTrial: connectionId === null,
        nonces: noncesOf(key, connectionId !== null),
      });
      const unread = onUnread?.(connectionId) ?? noneOfOursUnread;
      const adapter = adapterOf(own, publicData, unread);
      const setTime = async (untilMs: number | null): Promise<void> => {
        const offset = await time.offset(own.timeSuspect, untilMs);
        // After the wait: the time that passed in it is no part of the offset.
        own.setExchangeTime(clock.now() + offset);
      };
      const setTimeSoon = async (): Promise<void> => {
        const known = own.timeSuspect ? null : time.known;
        if (known !== null) own.setExchangeTime(clock.now() + known);
        const reading = setTime(null).catch(() => undefined);
        // What is a little old is read again beside the act.
        if (known === null) await within(reading, TIME_WAIT_MS);
      };
      return timed(adapter, setTime, setTimeSoon, (wallMs) => own.at(wallMs));
    },
  };
}

const digestOf = ({ apiKey }: Pick<ApiKey, 'apiKey'>): string =>
  createHash('sha256').update(apiKey).digest('base64url');

function keepNewest<T>(known: Map<string, T>, digest: string, value: T): void {
  known.delete(digest);
  known.set(digest, value);
  const [first] = known.keys();
  if (known.size > KEYS_KEPT && first !== undefined) known.delete(first);
}

/**
 * One allowance a key, however often it is opened: an exchange counts what a key asked, and not for
 * which of our purposes.
 */
class KeyBudgets {
  private readonly known = new Map<string, { connectionId: string | null; budget: Budget }>();

  constructor(private readonly open: (digest: string, connectionId: string | null) => Budget) {}

  of({ apiKey }: ApiKey, connectionId: string | null): Budget {
    const digest = digestOf({ apiKey });
    const known = this.known.get(digest);
    if (known !== undefined && (connectionId === null || known.connectionId === connectionId))
      return known.budget;
    const budget = this.open(digest, connectionId);
    // What a key was asked before it was connected counts as well.
    if (known !== undefined) budget.takeOver(known.budget);
    keepNewest(this.known, digest, { connectionId, budget });
    return budget;
  }
}

function adapterOf(
  door: Door,
  data: KrakenPublic | CoinbasePublic | BinancePublic,
  onUnread: OnUnread,
): Adapter {
  if (data instanceof KrakenPublic) return new KrakenAdapter(door, () => data.names(), onUnread);
  if (data instanceof BinancePublic) return new BinanceAdapter(door, () => data.names(), onUnread);
  return new CoinbaseAdapter(door, () => data.knownRules(), onUnread);
}

interface Offset {
  readAtMs: number;
  readAtRunning: number;
  offsetMs: number;
}

/** How far the exchange's clock is ahead of ours. */
class ExchangeTime {
  private last: Offset | null = null;
  /** All who ask meanwhile wait for it. */
  private reading: Promise<number> | null = null;

  constructor(
    private readonly read: (waiting: Waiting) => Promise<number>,
    private readonly clock: Clock,
  ) {}

  /** However old; null where our clock was set since. */
  get known(): number | null {
    const { last } = this;
    return last === null || this.isSetSince(last) ? null : last.offsetMs;
  }

  async offset(isSuspect: boolean, untilMs: number | null): Promise<number> {
    for (;;) {
      const { last, reading: joined } = this;
      if (last !== null && !isSuspect && this.isRecent(last)) return last.offsetMs;
      try {
        return await (joined ?? this.begin(untilMs));
      } catch (error) {
        // Whoever asked for it had less patience.
        if (joined === null || !(error instanceof NotSent)) throw error;
      }
    }
  }

  private begin(untilMs: number | null): Promise<number> {
    const reading = this.readOffset(untilMs).finally(() => {
      this.reading = null;
    });
    this.reading = reading;
    return reading;
  }

  private async readOffset(untilMs: number | null): Promise<number> {
    let before = this.running();
    // What it waits for the exchange's limit is no part of its way.
    const leaves = (): void => {
      before = this.running();
    };
    const there = await this.read({ untilMs, leaves });
    const readAtMs = this.clock.now();
    const readAtRunning = this.running();
    // Half of the way there and back.
    const offsetMs = there - (readAtMs - (readAtRunning - before) / 2);
    this.last = { readAtMs, readAtRunning, offsetMs };
    return offsetMs;
  }

  private running(): number {
    return this.clock.running?.() ?? this.clock.now();
  }

  private isRecent(one: Offset): boolean {
    const ageMs = this.clock.now() - one.readAtMs;
    return !this.isSetSince(one) && ageMs >= 0 && ageMs < TIME_KEEP_MS;
  }

  /** An offset to a clock that was set since says nothing. */
  private isSetSince({ readAtMs, readAtRunning }: Offset): boolean {
    const ageMs = this.clock.now() - readAtMs;
    return ageMs < 0 || Math.abs(ageMs - (this.running() - readAtRunning)) > CLOCK_SET_MS;
  }
}

/**
 * Sets the exchange's time before each act. Only a new order depends on it being known, and waits until
 * its deadline; a cancellation or a look-up never waits as long as a sale does. `there` tells
 * a time of ours by the exchange's clock: since a time that is ahead of it, it has nothing to show,
 * and an order that exists would seem absent.
 */
function timed(
  adapter: Adapter,
  setTime: (untilMs: number) => Promise<void>,
  setTimeSoon: () => Promise<void>,
  there: (wallMs: number) => number,
): Adapter {
  const after = async <T>(act: () => Promise<T>): Promise<T> => {
    await setTimeSoon();
    return act();
  };
  const refThere = (order: OrderRef): OrderRef => ({ ...order, sinceMs: there(order.sinceMs) });
  return {
    abilities: adapter.abilities,
    place: async (order) => {
      await setTime(order.deadlineMs);
      return adapter.place(order);
    },
    cancel: (order) => after(() => adapter.cancel(refThere(order))),
    lookUp: (order) => after(() => adapter.lookUp(refThere(order))),
    openOrders: (symbols) => after(() => adapter.openOrders(symbols)),
    closedOrders: (since, symbols) => after(() => adapter.closedOrders(there(since), symbols)),
    tradesSince: (since, symbols) => after(() => adapter.tradesSince(there(since), symbols)),
    balances: () => after(() => adapter.balances()),
    permissions: () => after(() => adapter.permissions()),
  };
}
