/**
 * Signs and sends an order once. It is judged by the signer's own limits, written down, sent, and
 * its outcome written down, in this order.
 */
import * as z from 'zod/mini';
import { add, ZERO, type Fixed } from '../contract/money.ts';
import { OrderIntent } from '../contract/signer.ts';
import { stopRoomBps } from '../contract/stop-limit.ts';
import { STOP_REACHED, type PlaceOutcome } from '../contract/venue.ts';
import type { AuditLog } from './audit-log.ts';
import type { CountedRefusals } from './counted-refusals.ts';
import { lossToday } from './day-loss.ts';
import { isFull, isWritten } from './disk.ts';
import { ReadFailed, type Adapter } from './exchanges/adapter.ts';
import { NotSent } from './exchanges/budget.ts';
import { isAgainstRules } from './exchanges/rule-codes.ts';
import type { Journal } from './journal.ts';
import {
  exposureOf,
  inDoubt,
  lastToFloor,
  remaining,
  sellable,
  type Connection,
  type SentOrder,
} from './ledger.ts';
import {
  judgeOrder,
  judgeUnread,
  limitsInForce,
  SHARE_SPAN_MS,
  type Judged,
  type MarketFacts,
  type Refused,
} from './limits.ts';
import type { MarketView } from './market-view.ts';
import type { SignerRecord } from './records.ts';
import type { Reserve } from './reserve.ts';
import type { Secrets } from './secrets.ts';

export interface Placing {
  journal: Journal;
  audit: AuditLog;
  refusals: CountedRefusals;
  reserve: Reserve;
  secrets: Secrets;
  now: () => number;
  /** Client order ids whose request is out at this moment. */
  inFlight: Set<string>;
  /** The process is about to end. */
  isStopping: () => boolean;
  market: (connection: Connection) => Promise<MarketView>;
  adapter: (connection: Connection) => Promise<Adapter>;
  /** Sales that were confirmed, and of which the exchange has shown nothing for minutes. */
  lostSales: (connection: Connection) => SentOrder[];
  /** Looks for orders whose outcome is unknown, and for those sales, without being waited for. */
  settleDoubts: (connection: Connection) => void;
}

const refused = (code: string, detail: string): PlaceOutcome => ({
  kind: 'refused',
  by: 'signer',
  code,
  detail,
});

const wireOf = (intent: OrderIntent): string => JSON.stringify(z.encode(OrderIntent, intent));

/** Whoever bids has this long to come back before the rest is sold lower. */
const FLOOR_PAUSE_MS = 10_000;

/** As where the exchange's limit is used up: it is tried again soon. */
export const STOPPING: Refused = { code: 'busy', detail: 'the signer is about to end' };
export const DISK_FULL: Refused = { code: 'disk_full', detail: 'nothing could be written down' };
/** More than an exit writes to either file. */
const EXIT_BYTES = 16 * 1024;

/** Whether a stop can be cancelled and its sale be written down, whatever the disk takes besides. */
function canWriteExit({ journal, audit, reserve }: Placing): boolean {
  const bytes = reserve.isWhole() || reserve.holdsAnExit ? 0 : EXIT_BYTES;
  return journal.takes(bytes) && audit.takes(bytes);
}

/** A book that comes later before the deadline is of no use: the order has to get there too. */
const ON_ITS_WAY_MS = 5_000;
/** A question waits no longer than this: the sales that others made room for need the line. */
const QUESTION_WAIT_MS = 8_000;

interface Facts {
  market: MarketFacts;
  lossToday: Fixed;
}

interface GatherAs {
  /** Judged by a book that is yet to come. */
  isNew?: boolean;
  /** What a stop that is taken to be gone sells no more. */
  freed?: Fixed;
}

async function gather(
  placing: Placing,
  connection: Connection,
  intent: OrderIntent,
  { isNew = false, freed = ZERO }: GatherAs = {},
): Promise<Facts | Refused> {
  const { symbol, side, deadlineMs } = intent;
  if (side === 'sell') {
    const held = add(sellable(connection, symbol), freed);
    const unfit = judgeUnread(intent, held, placing.now());
    if (unfit !== null) return unfit;
  }
  // What is left on the disk is for sales.
  if (side === 'buy' && !placing.reserve.isWhole()) return DISK_FULL;
  try {
    const view = await placing.market(connection);
    const lastMs = freed === ZERO ? Infinity : placing.now() + QUESTION_WAIT_MS;
    const untilMs = Math.min(deadlineMs - ON_ITS_WAY_MS, lastMs);
    const market = await view.factsOf(symbol, side, { untilMs, isNew });
    // What was lost holds back no sale, and neither does a pair whose price cannot be read.
    if (side === 'sell') return { market, lossToday: ZERO };
    const { amount, unpriced, unmarked } = await lossToday(placing, connection, view);
    if (unmarked.length > 0)
      return { code: 'no_market_data', detail: `${unmarked.join(', ')} is held and has no book` };
    if (unpriced.length > 0)
      return {
        code: 'fee_unpriced',
        detail: `fees in ${unpriced.join(', ')} have no price in dollars`,
      };
    return { market, lossToday: amount };
  } catch (error) {
    if (error instanceof NotSent) return { code: error.code, detail: 'market data' };
    if (error instanceof ReadFailed) return { code: 'no_market_data', detail: error.cause };
    // The day's beginning could not be written down.
    if (isFull(error)) return DISK_FULL;
    throw error;
  }
}

/**
 * Judges with all that is known at this moment; nothing may be waited for before it is written down.
 * `freed`: what a stop that is taken to be gone sells no more.
 */
function judge(
  { journal, now: clock }: Placing,
  connection: Connection,
  intent: OrderIntent,
  { market, lossToday: loss }: Facts,
  freed: Fixed = ZERO,
): Judged {
  const buys = intent.side === 'buy';
  const now = clock();
  // Getting out needs no right that is new.
  if (buys && connection.faults.length > 0)
    return { code: 'key_not_accepted', detail: connection.faults.join(', ') };
  if (buys && connection.stepUpKeys.length > 0 && !connection.agents.has(intent.agentId))
    return { code: 'agent_not_started', detail: 'its start was not confirmed with a step-up' };
  const account = {
    limits: limitsInForce(connection.limits, connection.connectedAtMs, now),
    exposure: exposureOf(connection),
    lossToday: loss,
    sellable: add(sellable(connection, intent.symbol), freed),
    stopRoomBps: stopRoomBps(connection.exchange),
    boughtByAll: buys
      ? journal.ledger.boughtSince(connection.exchange, intent.symbol, now - SHARE_SPAN_MS)
      : ZERO,
  };
  const judged = judgeOrder(intent, market, account, now);
  if ('code' in judged || judged.floor === null) return judged;
  return now - lastToFloor(connection, intent.symbol, now) < FLOOR_PAUSE_MS
    ? { code: 'busy', detail: 'what the book held was sold a moment ago' }
    : judged;
}

/**
 * What an order in doubt holds back is held back until it is found or proved absent. The server may
 * have proved that from lists and asks no more: so it is looked for from here, and whoever wants to
 * sell meanwhile is told to come again.
 */
function unlessInDoubt(
  { lostSales, settleDoubts }: Placing,
  connection: Connection,
  { side, symbol }: OrderIntent,
  refusal: Refused,
): Refused {
  const doubts =
    refusal.code === 'not_held' || refusal.code === 'exposure_limit'
      ? [...inDoubt(connection), ...lostSales(connection)].filter(
          ({ intent }) => intent.side === side,
        )
      : [];
  if (doubts.length > 0) settleDoubts(connection);
  const isOnSale = doubts.some(({ intent }) => intent.symbol === symbol);
  if (refusal.code !== 'not_held' || !isOnSale) return refusal;
  return { code: 'busy', detail: 'the outcome of another sale is not known yet' };
}

/**
 * The id was sent before. Where the exchange replays ids the same order may be sent again; elsewhere
 * it may not, and what is known is said.
 */
function before(sent: SentOrder, intent: OrderIntent): PlaceOutcome {
  if (wireOf(sent.intent) !== wireOf(intent))
    return refused('id_used', 'this client order id belongs to another order');
  if (sent.outcome === null) return { kind: 'unknown', cause: 'connection' };
  return sent.outcome.kind === 'confirmed' ? { ...sent.outcome, replay: true } : sent.outcome;
}

/** What a book says against an order. */
const BY_BOOK: ReadonlySet<string> = new Set([
  'price_collar',
  'thin_book',
  'order_limit',
  STOP_REACHED,
]);

type Bounds = Pick<SentOrder, 'worstPrice' | 'floor'>;

/**
 * A triggered stop would sell at whatever there is: it has a limit, also where the server names none.
 * One that is sent again goes as it went: in a record of an older signer `worstPrice` is the stop, and
 * it was sent without.
 */
const limitOf = (
  { limitPrice, stopPrice }: OrderIntent,
  worstPrice: Fixed,
  isReplay: boolean,
): Fixed | null => limitPrice ?? (isReplay && worstPrice === stopPrice ? null : worstPrice);

function sendingOf(
  intent: OrderIntent,
  { worstPrice, floor }: Bounds,
  atMs: number,
): Extract<SignerRecord, { kind: 'sending' }> {
  return { kind: 'sending', atMs, intent, worstPrice, ...(floor === null ? {} : { floor }) };
}

async function sendOnce(
  placing: Placing,
  adapter: Adapter,
  intent: OrderIntent,
  { worstPrice }: Bounds,
  isReplay: boolean,
): Promise<PlaceOutcome> {
  const limitPrice =
    intent.type === 'stop' ? limitOf(intent, worstPrice, isReplay) : intent.limitPrice;
  try {
    const outcome = await adapter.place({ ...intent, limitPrice, worstPrice });
    if (outcome.kind !== 'rejected') return outcome;
    return { ...outcome, message: placing.secrets.clean(outcome.message).slice(0, 300) };
  } catch (error) {
    // Both are thrown before the order's request leaves, never after.
    if (error instanceof NotSent) return refused(error.code, 'nothing was sent');
    if (error instanceof ReadFailed) return refused('no_market_data', error.cause);
    throw error;
  }
}

/** A sale that an older server asks about, without a deadline, is judged as one that leaves now. */
const ASKED_LIFE_MS = 30_000;

/**
 * Whether what a stop sells would be sold at market if the stop were gone, by the judge of every
 * order. Null where it would be; nothing is written down.
 */
export async function refusalInPlaceOf(
  placing: Placing,
  connection: Connection,
  stop: SentOrder,
  /** As the server would give it to the sale. */
  deadlineMs: number | null,
): Promise<Refused | null> {
  const freed = remaining(stop);
  // It is over, as far as is known here: to cancel it takes nothing away.
  if (freed === ZERO) return null;
  if (!canWriteExit(placing)) return DISK_FULL;
  // The stop's own deadline is long over.
  const asked = (): OrderIntent => ({
    ...stop.intent,
    type: 'market',
    quantity: freed,
    limitPrice: null,
    stopPrice: null,
    deadlineMs: deadlineMs ?? placing.now() + ASKED_LIFE_MS,
  });
  const facts = await gather(placing, connection, asked(), { freed });
  // The market may have taken its time: so it would for the sale.
  const judged = 'code' in facts ? facts : judge(placing, connection, asked(), facts, freed);
  return 'code' in judged ? unlessInDoubt(placing, connection, asked(), judged) : null;
}

function noteRefusal(
  { refusals }: Placing,
  { clientOrderId, connectionId, agentId, symbol, side, type }: OrderIntent,
  { code }: Refused,
): void {
  const about = { connectionId, agentId, symbol, side, type, code };
  refusals.note('order refused', about, { clientOrderId });
}

/** Before a byte leaves. False where the disk is full. */
function noteSending(
  { audit, journal, now }: Placing,
  intent: OrderIntent,
  sent: SentOrder | null,
  bounds: Bounds,
): boolean {
  const { clientOrderId, connectionId, symbol, side, type } = intent;
  const about = { clientOrderId, connectionId, symbol, side, type };
  return isWritten(() => {
    // First what may stand there alone: an order that is only intended would count as in doubt.
    audit.write('server', sent === null ? 'order sent' : 'order sent again', about);
    if (sent === null) journal.write(sendingOf(intent, bounds, now()));
  });
}

/** Where the disk is full, the order counts in full here until it is looked up. */
function noteOutcome(
  { audit, journal, now }: Placing,
  { clientOrderId }: OrderIntent,
  outcome: PlaceOutcome,
): void {
  isWritten(() => {
    journal.write({ kind: 'outcome', atMs: now(), clientOrderId, outcome });
    audit.write('signer', `order ${outcome.kind}`, {
      clientOrderId,
      ...(outcome.kind === 'unknown' ? { cause: outcome.cause } : {}),
      ...(outcome.kind === 'rejected' || outcome.kind === 'refused' ? { code: outcome.code } : {}),
    });
  });
}

export async function placeOrder(
  placing: Placing,
  connection: Connection,
  intent: OrderIntent,
): Promise<PlaceOutcome> {
  const { journal } = placing;
  const { clientOrderId, symbol, side, type } = intent;
  const adapter = await placing.adapter(connection);
  const market = await placing.market(connection);
  const sent = journal.ledger.order(clientOrderId);
  // Without an outcome the signer was killed while it was out.
  const isOpen = sent !== null && (sent.outcome?.kind ?? 'unknown') === 'unknown';
  const isReplay = isOpen && adapter.abilities.replaysIds && !placing.inFlight.has(clientOrderId);
  if (sent !== null && !(isReplay && wireOf(sent.intent) === wireOf(intent)))
    return before(sent, intent);
  let bounds: Bounds | null = sent;
  if (bounds === null) {
    // It leaves with a limit: in a fall the bid of two seconds ago would buy nothing of it.
    const isNew = side === 'sell' && type === 'market';
    const facts = await gather(placing, connection, intent, { isNew });
    // Another request with the same id may have come first while the market was read.
    const raced = journal.ledger.order(clientOrderId);
    if (raced !== null) return before(raced, intent);
    const found = 'code' in facts ? facts : judge(placing, connection, intent, facts);
    const judged = 'code' in found ? unlessInDoubt(placing, connection, intent, found) : found;
    if ('code' in judged) {
      // The next one is judged by what the market has become.
      if (BY_BOOK.has(judged.code)) market.forgetBook(symbol);
      noteRefusal(placing, intent, judged);
      return refused(judged.code, judged.detail);
    }
    bounds = judged;
  }
  // Interrupted on its way it would be in doubt for minutes; it may follow from the next process.
  if (placing.isStopping())
    return sent === null ? refused(STOPPING.code, STOPPING.detail) : before(sent, intent);
  const isNoted = noteSending(placing, intent, sent, bounds);
  // Of one that was sent before it proves nothing.
  if (!isNoted)
    return sent === null ? refused(DISK_FULL.code, DISK_FULL.detail) : before(sent, intent);
  placing.inFlight.add(clientOrderId);
  market.forgetBook(symbol);
  const answer = await sendOnce(placing, adapter, intent, bounds, isReplay).finally(() => {
    placing.inFlight.delete(clientOrderId);
    market.forgetBook(symbol);
  });
  if (answer.kind === 'rejected') {
    market.forgetNow(symbol);
    // Everyone waits for lists that are read again: what one account may not do says nothing of them.
    if (isAgainstRules(answer.code)) market.forgetRules();
  }
  // Refused a second time proves nothing about the first.
  const outcome: PlaceOutcome =
    isReplay && answer.kind !== 'confirmed'
      ? {
          kind: 'unknown',
          cause: sent?.outcome?.kind === 'unknown' ? sent.outcome.cause : 'connection',
        }
      : answer;
  const told = isReplay && outcome.kind === 'confirmed' ? { ...outcome, replay: true } : outcome;
  noteOutcome(placing, intent, told);
  return told;
}
