/**
 * What the signer knows of each connection by itself: orders it sent, what they bought, what that
 * cost, and what was lost today. It believes the exchange, never the server.
 */
import {
  add,
  maximum,
  minimum,
  multiply,
  subtract,
  sum,
  ZERO,
  type Fixed,
} from '../contract/money.ts';
import type {
  KeyFault,
  LiveExchange,
  OrderIntent,
  SpendingLimits,
  StepUpKey,
} from '../contract/signer.ts';
import type { KeyPermissions, PlaceOutcome, VenueFill } from '../contract/venue.ts';
import { withChange } from './limits.ts';
import type { SignerRecord } from './records.ts';

export interface SentOrder {
  intent: OrderIntent;
  sentAtMs: number;
  worstPrice: Fixed;
  /** Of a market sale that goes no lower. */
  floor: Fixed | null;
  outcome: PlaceOutcome | null;
  exchangeOrderId: string | null;
  /** The exchange says that it is over; `filled` is then final. */
  ended: boolean;
  /** It ended because it was proved absent. What shows it after that opens it again. */
  absent: boolean;
  /** By the exchange's own count. */
  filled: Fixed;
  /** By the fills that were read. */
  booked: Fixed;
}

export interface Position {
  quantity: Fixed;
  /** What the quantity held cost, fees in quote currency included. */
  cost: Fixed;
}

interface DustLeft {
  day: string;
  /** What it had cost. */
  cost: Fixed;
  times: number;
}

export interface Connection {
  connectionId: string;
  ownerId: string;
  accountId: string;
  exchange: LiveExchange;
  /** Of the first time: connecting again begins no new first week. */
  connectedAtMs: number;
  /** False once its key was removed. What it bought stays known. */
  connected: boolean;
  /** How many were connected, one after the other. */
  keys: number;
  checkedAtMs: number;
  faults: KeyFault[];
  /** As last read again; null where that was never, or the exchange did not say. */
  permissions: KeyPermissions | null;
  limits: SpendingLimits;
  /** When they were last changed, as often as counts. */
  limitsChangedAtMs: number[];
  stepUpKeys: StepUpKey[];
  portfolioId: string | null;
  agents: Set<string>;
  orders: Map<string, SentOrder>;
  positions: Map<string, Position>;
  fillsSeen: Set<string>;
  writeOffsSeen: Set<string>;
  /** The dust that was left to the person on the last day of any. */
  dustLeft: DustLeft;
  /** By pair, when it was last bought, as the exchange says. */
  boughtAtMs: Map<string, number>;
  realised: { day: string; amount: Fixed };
  /** Charged in coins that are neither side of their pair, by coin. */
  otherFees: { day: string; byAsset: Map<string, Fixed> };
  /** `unmarked`: how much was held without a price then, by pair. It counts as worth nothing. */
  dayStart: { day: string; unrealised: Fixed; unmarked: ReadonlyMap<string, Fixed> };
}

export const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

const quoteOf = (symbol: string): string => symbol.split('/')[1] ?? '';
const baseOf = (symbol: string): string => symbol.split('/')[0] ?? '';
const feesIn = (fill: VenueFill, asset: string): Fixed =>
  sum(fill.fees.filter((fee) => fee.asset === asset).map(({ amount }) => amount));

export class Ledger {
  readonly connections = new Map<string, Connection>();
  /** Of every connection, removed ones too: an id is used once. */
  private readonly ordersById = new Map<string, SentOrder>();
  /** Of every connection together, in the order in which they were sent. */
  private readonly purchases = new Map<string, SentOrder[]>();
  private readonly nonces = new Set<string>();
  private readonly bans = new Map<string, { atMs: number; untilMs: number }>();

  order(clientOrderId: string): SentOrder | null {
    return this.ordersById.get(clientOrderId) ?? null;
  }

  /**
   * What every connection at the exchange has bought of a pair since then, or may yet buy, at worst.
   * Asked with a time that only grows: what is over and older is dropped.
   */
  boughtSince(exchange: LiveExchange, symbol: string, sinceMs: number): Fixed {
    const pair = `${exchange} ${symbol}`;
    const orders = (this.purchases.get(pair) ?? []).filter(
      ({ ended, sentAtMs }) => !ended || sentAtMs >= sinceMs,
    );
    this.purchases.set(pair, orders);
    return sum(orders.map(mostSpent));
  }

  isUsed(nonce: string): boolean {
    return this.nonces.has(nonce);
  }

  /** The last that was given, and when. */
  banOf(exchange: LiveExchange, scope: string): { atMs: number; untilMs: number } | null {
    return this.bans.get(`${exchange} ${scope}`) ?? null;
  }

  apply(record: SignerRecord): void {
    switch (record.kind) {
      case 'connected':
        this.connect(record);
        return;
      case 'disconnected':
        this.disconnect(record.connectionId);
        return;
      case 'ban':
        this.bans.set(`${record.exchange} ${record.scope}`, record);
        return;
      case 'step_up':
        this.useStepUp(record);
        return;
      case 'sending':
        this.applySending(record);
        return;
      case 'outcome':
      case 'seen':
      case 'absent':
        this.applyToOrder(record);
        return;
      case 'checked':
      case 'limits':
      case 'enrolled':
      case 'agent':
      case 'fill':
      case 'written_off':
      case 'day':
        this.applyToConnection(record);
    }
  }

  /** A passkey that counts its uses must count on: a copy of it would fall behind. */
  private useStepUp({
    nonce,
    connectionId,
    keyId,
    counter,
  }: Extract<SignerRecord, { kind: 'step_up' }>): void {
    this.nonces.add(nonce);
    const connection = this.connections.get(connectionId ?? '');
    if (connection === undefined || counter === undefined) return;
    connection.stepUpKeys = connection.stepUpKeys.map((key) =>
      key.id === keyId && key.kind === 'passkey' ? { ...key, counter } : key,
    );
  }

  private connect(record: Extract<SignerRecord, { kind: 'connected' }>): void {
    const before = this.connections.get(record.connectionId);
    // A key replaced by another keeps everything else: limits, first week, positions.
    if (before !== undefined) {
      before.connected = true;
      before.keys += 1;
      before.checkedAtMs = record.atMs;
      before.faults = [];
      before.permissions = null;
      return;
    }
    this.connections.set(record.connectionId, {
      connectionId: record.connectionId,
      ownerId: record.ownerId,
      accountId: record.accountId,
      exchange: record.exchange,
      connectedAtMs: record.atMs,
      connected: true,
      keys: 1,
      checkedAtMs: record.atMs,
      faults: [],
      permissions: null,
      limits: record.limits,
      limitsChangedAtMs: [],
      stepUpKeys: record.stepUpKeys,
      portfolioId: record.portfolioId,
      agents: new Set(),
      orders: new Map(),
      positions: new Map(),
      fillsSeen: new Set(),
      writeOffsSeen: new Set(),
      dustLeft: { day: '', cost: ZERO, times: 0 },
      boughtAtMs: new Map(),
      realised: { day: '', amount: ZERO },
      otherFees: { day: '', byAsset: new Map() },
      dayStart: { day: '', unrealised: ZERO, unmarked: new Map() },
    });
  }

  private disconnect(connectionId: string): void {
    const connection = this.connections.get(connectionId);
    if (connection === undefined) return;
    connection.connected = false;
    connection.agents.clear();
  }

  private applySending({
    intent,
    worstPrice,
    floor,
    atMs,
  }: Extract<SignerRecord, { kind: 'sending' }>): void {
    const order: SentOrder = {
      intent,
      sentAtMs: atMs,
      worstPrice,
      floor: floor ?? null,
      outcome: null,
      exchangeOrderId: null,
      ended: false,
      absent: false,
      filled: ZERO,
      booked: ZERO,
    };
    this.ordersById.set(intent.clientOrderId, order);
    const connection = this.connections.get(intent.connectionId);
    connection?.orders.set(intent.clientOrderId, order);
    if (connection === undefined || intent.side === 'sell') return;
    const pair = `${connection.exchange} ${intent.symbol}`;
    const earlier = this.purchases.get(pair);
    if (earlier === undefined) this.purchases.set(pair, [order]);
    else earlier.push(order);
  }

  private applyToOrder(
    record: Extract<SignerRecord, { kind: 'outcome' | 'seen' | 'absent' }>,
  ): void {
    const order = this.ordersById.get(record.clientOrderId);
    if (order === undefined) return;
    if (record.kind === 'absent') {
      order.ended = true;
      order.absent = true;
      return;
    }
    if (record.kind === 'outcome') {
      order.outcome = record.outcome;
      if (record.outcome.kind === 'confirmed') {
        reopenAbsent(order);
        order.exchangeOrderId = record.outcome.exchangeOrderId;
      }
      // Nothing exists at the exchange.
      if (record.outcome.kind === 'rejected' || record.outcome.kind === 'refused')
        order.ended = true;
      return;
    }
    reopenAbsent(order);
    order.exchangeOrderId = record.exchangeOrderId;
    order.filled = maximum(order.filled, record.filled);
    order.ended ||= record.status !== 'open';
  }

  private applyToConnection(
    record: Extract<
      SignerRecord,
      { kind: 'checked' | 'limits' | 'enrolled' | 'agent' | 'fill' | 'written_off' | 'day' }
    >,
  ): void {
    const connection = this.connections.get(record.connectionId);
    if (connection === undefined) return;
    if (record.kind === 'checked') {
      connection.checkedAtMs = record.atMs;
      connection.faults = record.faults;
      connection.permissions = record.permissions ?? null;
    } else if (record.kind === 'limits') {
      connection.limits = record.limits;
      connection.limitsChangedAtMs = withChange(connection.limitsChangedAtMs, record.atMs);
    } else if (record.kind === 'enrolled') connection.stepUpKeys.push(record.key);
    else if (record.kind === 'day') beginDay(connection, record);
    else if (record.kind === 'written_off') giveUp(connection, record);
    else if (record.kind === 'agent') {
      if (record.started) connection.agents.add(record.agentId);
      else connection.agents.delete(record.agentId);
    } else bookFill(connection, record.clientOrderId, record.fill);
  }
}

/** It exists after all, and counts in full until its end is seen. */
function reopenAbsent(order: SentOrder): void {
  if (!order.absent) return;
  order.absent = false;
  order.ended = false;
}

function beginDay(
  connection: Connection,
  { day, unrealised, unmarked = [] }: Extract<SignerRecord, { kind: 'day' }>,
): void {
  const without = new Map(unmarked.map(({ symbol, quantity }) => [symbol, quantity]));
  connection.dayStart = { day, unrealised, unmarked: without };
  // The clock was set back: losses of a day that is yet to come would hide those of this one.
  const { realised, otherFees } = connection;
  if (realised.day > day) connection.realised = { day, amount: minimum(ZERO, realised.amount) };
  if (otherFees.day > day) connection.otherFees = { ...otherFees, day };
}

/**
 * The day that a fill counts in. One from before the day began, and read since, counts in it: the
 * day began with what was sold then, and would be better off by what that had lost.
 */
function countsOn({ dayStart }: Connection, { atMs }: VenueFill): string {
  const day = dayOf(atMs);
  return day > dayStart.day ? day : dayStart.day;
}

/**
 * What the day began without, and is sold before it has a price: its price is what it was sold for.
 * Else all of it would count as won today, and hide other losses.
 */
function joinBySale(connection: Connection, fill: VenueFill, gone: Fixed): void {
  const { symbol } = fill;
  const { unmarked, unrealised, day } = connection.dayStart;
  const without = unmarked.get(symbol);
  if (without === undefined || fill.quantity <= 0n) return;
  const joins = minimum(without, gone);
  const worth = ((fill.quoteAmount * joins) / fill.quantity) as Fixed;
  const left = new Map(unmarked).set(symbol, subtract(without, joins));
  if (subtract(without, joins) <= 0n) left.delete(symbol);
  connection.dayStart = { day, unrealised: add(unrealised, worth), unmarked: left };
}

/** In one division: a product of two small amounts would be rounded away first. */
export const costOf = ({ quantity, cost }: Position, part: Fixed): Fixed =>
  quantity === 0n ? ZERO : (((cost * part + quantity - 1n) / quantity) as Fixed);

/** Their share of the cost goes with them, and the day has lost what it had. */
function giveUp(
  connection: Connection,
  {
    writeOffId,
    symbol,
    quantity,
    unrealised,
    isDust,
    atMs,
  }: Extract<SignerRecord, { kind: 'written_off' }>,
): void {
  if (connection.writeOffsSeen.has(writeOffId)) return;
  connection.writeOffsSeen.add(writeOffId);
  const { positions, dayStart } = connection;
  const position = positions.get(symbol) ?? { quantity: ZERO, cost: ZERO };
  const gone = minimum(position.quantity, quantity);
  const rest = subtract(position.quantity, gone);
  const cost = costOf(position, gone);
  if (isDust === true) noteDust(connection, dayOf(atMs), cost);
  if (rest <= 0n) positions.delete(symbol);
  else positions.set(symbol, { quantity: rest, cost: subtract(position.cost, cost) });
  const unmarked = new Map(dayStart.unmarked);
  const without = unmarked.get(symbol);
  if (without !== undefined && minimum(without, rest) > 0n)
    unmarked.set(symbol, minimum(without, rest));
  else unmarked.delete(symbol);
  connection.dayStart = {
    day: dayStart.day,
    unrealised: subtract(dayStart.unrealised, unrealised),
    unmarked,
  };
}

/** Where the clock was set back, what was left since counts on the later day. */
function noteDust(connection: Connection, day: string, cost: Fixed): void {
  const { dustLeft } = connection;
  connection.dustLeft =
    day > dustLeft.day
      ? { day, cost, times: 1 }
      : { ...dustLeft, cost: add(dustLeft.cost, cost), times: dustLeft.times + 1 };
}

/** The dust that was left to the person on `day`, or on one that is yet to come. */
export const dustLeftOn = (
  { dustLeft }: Connection,
  day: string,
): Pick<DustLeft, 'cost' | 'times'> => (dustLeft.day >= day ? dustLeft : { cost: ZERO, times: 0 });

/** A buy adds quantity and cost; a sale takes its share of the cost and realises the rest. */
function bookFill(connection: Connection, clientOrderId: string, fill: VenueFill): void {
  if (connection.fillsSeen.has(fill.tradeId)) return;
  connection.fillsSeen.add(fill.tradeId);
  const order = connection.orders.get(clientOrderId);
  if (order !== undefined) {
    reopenAbsent(order);
    order.booked = add(order.booked, fill.quantity);
  }
  noteOtherFees(connection, fill);
  const { symbol } = fill;
  const position = connection.positions.get(symbol) ?? { quantity: ZERO, cost: ZERO };
  const quoteFee = feesIn(fill, quoteOf(symbol));
  const baseFee = feesIn(fill, baseOf(symbol));
  if (fill.side === 'buy') {
    const { boughtAtMs } = connection;
    boughtAtMs.set(symbol, Math.max(boughtAtMs.get(symbol) ?? 0, fill.atMs));
    connection.positions.set(symbol, {
      quantity: add(position.quantity, subtract(fill.quantity, baseFee)),
      cost: add(position.cost, add(fill.quoteAmount, quoteFee)),
    });
    return;
  }
  const sold = add(fill.quantity, baseFee);
  const gone = minimum(position.quantity, sold);
  const costGone = costOf(position, gone);
  joinBySale(connection, fill, gone);
  const rest = subtract(position.quantity, gone);
  if (rest <= 0n) connection.positions.delete(symbol);
  else
    connection.positions.set(symbol, { quantity: rest, cost: subtract(position.cost, costGone) });
  // Where more was sold than is held, as by a sale that turned up after it was proved absent, the rest
  // has no cost here: what it brought would count as won, and hide losses.
  const brought = gone < sold ? (((fill.quoteAmount * gone) / sold) as Fixed) : fill.quoteAmount;
  const won = subtract(subtract(brought, quoteFee), costGone);
  const day = countsOn(connection, fill);
  if (day > connection.realised.day) connection.realised = { day, amount: won };
  else if (day === connection.realised.day)
    connection.realised.amount = add(connection.realised.amount, won);
}

/** Of today, like what was realised: an older day's are not limited any more. */
function noteOtherFees(connection: Connection, fill: VenueFill): void {
  const { symbol, fees } = fill;
  const day = countsOn(connection, fill);
  const others = fees.filter(({ asset }) => asset !== quoteOf(symbol) && asset !== baseOf(symbol));
  if (others.length === 0 || day < connection.otherFees.day) return;
  if (day > connection.otherFees.day) connection.otherFees = { day, byAsset: new Map() };
  const { byAsset } = connection.otherFees;
  for (const { asset, amount } of others)
    byAsset.set(asset, add(byAsset.get(asset) ?? ZERO, amount));
}

const mostSpent = ({ ended, filled, booked, intent, worstPrice }: SentOrder): Fixed =>
  multiply(ended ? maximum(filled, booked) : intent.quantity, worstPrice, 'up');

/** What an order may still take: all of it until the exchange says that it is over. */
export function remaining(order: SentOrder): Fixed {
  const total = order.ended ? order.filled : order.intent.quantity;
  return maximum(ZERO, subtract(total, order.booked));
}

/** Money in the market: what positions cost, and the most that open or unknown buys may cost. */
export function exposureOf(connection: Connection): Fixed {
  const held = sum([...connection.positions.values()].map(({ cost }) => maximum(ZERO, cost)));
  const reserved = [...connection.orders.values()]
    .filter(({ intent }) => intent.side === 'buy')
    .map((order) => multiply(remaining(order), order.worstPrice, 'up'));
  return add(held, sum(reserved));
}

/** What may be sold of a pair: what was bought through here, less what sales may still take. */
export function sellable(connection: Connection, symbol: string): Fixed {
  const held = connection.positions.get(symbol)?.quantity ?? ZERO;
  const selling = [...connection.orders.values()]
    .filter(({ intent }) => intent.side === 'sell' && intent.symbol === symbol)
    .map(remaining);
  return maximum(ZERO, subtract(held, sum(selling)));
}

/**
 * Whether a sale took all that the book had down to its limit: one that was cut to it, and one whose
 * book was gone when it came.
 */
function tookAll({ ended, filled, floor, intent, outcome }: SentOrder): boolean {
  if (floor !== null) return true;
  const isSale = intent.side === 'sell' && intent.type === 'market';
  return isSale && ended && outcome?.kind !== 'rejected' && filled < intent.quantity;
}

/** When a sale of the pair was last sent that took all down to its limit. */
export function lastToFloor(connection: Connection, symbol: string, now: number): number {
  let lastMs = Number.NEGATIVE_INFINITY;
  for (const order of connection.orders.values()) {
    const { intent, sentAtMs } = order;
    // What is noted later than now was sent before the clock was set back.
    if (intent.symbol !== symbol || sentAtMs > now || !tookAll(order)) continue;
    lastMs = Math.max(lastMs, sentAtMs);
  }
  return lastMs;
}

/** What open positions are worth above their cost. */
export function unrealisedOf(connection: Connection, marks: ReadonlyMap<string, Fixed>): Fixed {
  return sum(
    [...connection.positions].map(([symbol, { quantity, cost }]) =>
      subtract(multiply(quantity, marks.get(symbol) ?? ZERO, 'down'), cost),
    ),
  );
}

/** Charged on `day` in coins whose worth only the market can tell. */
export const otherFeesOf = ({ otherFees }: Connection, day: string): ReadonlyMap<string, Fixed> =>
  otherFees.day === day ? otherFees.byAsset : new Map();

/** Lost since the start of `day`; zero when it is a gain. */
export function lossOf(
  connection: Connection,
  day: string,
  marks: ReadonlyMap<string, Fixed>,
  /** What the other fees of the day are worth. */
  otherFees: Fixed = ZERO,
): Fixed {
  const realised = connection.realised.day === day ? connection.realised.amount : ZERO;
  const unrealised = unrealisedOf(connection, marks);
  const start = connection.dayStart.day === day ? connection.dayStart.unrealised : unrealised;
  const change = subtract(add(realised, subtract(unrealised, start)), otherFees);
  return change < 0n ? ((0n - change) as Fixed) : ZERO;
}

/** Sent, and neither confirmed, found nor proved absent. */
export const inDoubt = (connection: Connection): SentOrder[] =>
  [...connection.orders.values()].filter(
    ({ ended, outcome }) => !ended && outcome?.kind !== 'confirmed',
  );

export const unresolvedOf = (connection: Connection): string[] =>
  inDoubt(connection).map(({ intent }) => intent.clientOrderId);
