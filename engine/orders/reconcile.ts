/**
 * Compares our orders, fills and ledger with what the exchange shows, and says what follows: events
 * for our orders, movements that are not ours, alarms, and whether orders may be sent.
 */
import { add, maximum, negate, subtract, ZERO } from '../../contract/money.ts';
import type { Fixed } from '../../contract/money.ts';
import type { VenueBalance, VenueFill, VenueOrder } from '../../contract/venue.ts';
import { baseOf, quoteOf } from '../pair-coins.ts';
import { endIsSeen, filledQuantity, hasEnded } from './live-order.ts';
import type { LiveOrder, OrderEffect, OrderEvent, OrderPolicy } from './live-order.ts';
import type { Gate, GateReason } from './may-send.ts';
import { applyOrderEvent } from './order-lifecycle.ts';
import { balanceChanges, heldChange } from './venue-ledger.ts';

/** What was read from the exchange; null for a list that could not be read completely. */
export interface VenueFacts {
  /** Our clock when the reading began. Load our own records after the reading, not before. */
  begunAtMs: number;
  open: readonly VenueOrder[] | null;
  closed: readonly VenueOrder[] | null;
  trades: readonly VenueFill[] | null;
  balances: readonly VenueBalance[] | null;
  /** How far back the lists of ended orders and of trades reach, on our clock. */
  closedSinceMs: number;
  tradesSinceMs: number;
  /** Pairs that the exchange lists no more, of which these lists may say nothing. */
  unlisted?: ReadonlySet<string>;
  /** Ids of the exchange that were asked for one by one, and that it does not know. */
  absent?: ReadonlySet<string>;
}

/** A difference of a coin that nothing explains yet, and since when it is exactly this. */
export interface PendingDifference {
  amount: Fixed;
  sinceMs: number;
}

export interface OurRecords {
  /**
   * Orders that have not ended, those that have since the lists begin, and any that the lists name.
   */
  orders: readonly LiveOrder[];
  /** Every trade that is booked, ours or not, since the lists begin. */
  knownTrades: ReadonlySet<string>;
  /** Trades booked as made by hand, since the lists begin. */
  handTrades: readonly VenueFill[];
  /** Everything before this has been reconciled, on our clock. */
  reconciledToMs: number;
  /** When the reading began whose balances were the opening ones; null where that is not known. */
  openedAtMs: number | null;
  /** Cash and holdings of the ledger, by coin, and the holdings of agents alone. */
  owned: ReadonlyMap<string, Fixed>;
  holdings: ReadonlyMap<string, Fixed>;
  /** What the last reconciliation left behind. */
  pending: ReadonlyMap<string, PendingDifference>;
  missing: ReadonlyMap<string, Fixed>;
  orphans: ReadonlySet<string>;
  /**
   * First reading of a connection: whatever is there is the opening balance. Its trades are read
   * from this moment on.
   */
  isFirst: boolean;
  /** The process has just begun: a request that was out then has no one to take its answer. */
  isStarting: boolean;
}

export interface OrderStep {
  event: OrderEvent;
  /** After the event. */
  order: LiveOrder;
  effects: readonly OrderEffect[];
}

export type ExternalMovement =
  | { kind: 'hand_trade'; fill: VenueFill }
  /** Booked as made by hand, and now known to be ours: undo its entries; its fill is in `steps`. */
  | { kind: 'hand_trade_undone'; fill: VenueFill }
  | { kind: 'opening' | 'deposit' | 'withdrawal'; asset: string; amount: Fixed };

export type ReconcileAlarm =
  | { kind: 'order'; clientOrderId: string; code: string }
  /** Our kind of id, and no record of it: a restored database, or another installation. */
  | { kind: 'orphan'; order: VenueOrder }
  /** Agents hold more of a coin than the account has. */
  | { kind: 'coins_missing'; asset: string; amount: Fixed };

export interface Reconciliation {
  /** Only what changes something, in order. */
  steps: OrderStep[];
  external: ExternalMovement[];
  alarms: ReconcileAlarm[];
  /** Open orders that are not ours: shown, never touched. */
  foreign: VenueOrder[];
  pending: Map<string, PendingDifference>;
  /** How much agents hold beyond what the account has: the stop plan's `missing`. */
  missing: Map<string, Fixed>;
  gate: Gate;
}

const OUR_ID = /^[0-9a-f]{32}$/;

/** Pure: the same facts and records give the same answer, and applied records give nothing new. */
export function reconcile(
  facts: VenueFacts,
  records: OurRecords,
  policy: OrderPolicy,
  nowMs: number,
): Reconciliation {
  const work = new Work(records, policy, nowMs);
  if (records.isStarting) work.interrupt();
  const shown = [...(facts.closed ?? []), ...(facts.open ?? [])];
  for (const order of shown) work.see(order);
  work.takeTrades(facts.trades ?? []);
  work.takeBack();
  work.searchFor(shown, facts);
  work.repeatCancellations(facts);
  for (const order of work.orders.values()) work.apply(order, { kind: 'time_passed', atMs: nowMs });
  const balances =
    facts.balances === null || facts.trades === null
      ? { external: [], alarms: [], pending: records.pending, missing: records.missing }
      : compareBalances(facts.balances, facts.begunAtMs, records, work, policy);
  const reasons = unread(facts, records, policy);
  return {
    steps: work.steps,
    external: [...work.external, ...balances.external],
    alarms: [...work.alarms, ...balances.alarms],
    foreign: work.foreign,
    pending: new Map(balances.pending),
    missing: new Map(balances.missing),
    gate:
      reasons.length > 0
        ? { kind: 'closed', reasons }
        : {
            kind: 'open',
            doubtfulAssets: shrunk(balances.pending, facts.balances ?? []),
            doubtfulSymbols: work.doubtfulSymbols,
          },
  };
}

/** Trades are read from before the last reading on, because lists lag. */
function unread(facts: VenueFacts, records: OurRecords, policy: OrderPolicy): GateReason[] {
  const reasons: GateReason[] = [];
  const isGap = facts.tradesSinceMs > records.reconciledToMs - policy.lagAllowanceMs;
  if (facts.open === null) reasons.push('open_orders_unread');
  if (facts.closed === null) reasons.push('closed_orders_unread');
  if (facts.trades === null || (isGap && !records.isFirst)) reasons.push('trades_unread');
  if (facts.balances === null) reasons.push('balances_unread');
  return reasons;
}

/** Less than the exchange counts of a coin is no coin that is gone: its wallet was rounded. */
function shrunk(
  pending: ReadonlyMap<string, PendingDifference>,
  balances: readonly VenueBalance[],
): Set<string> {
  const finest = new Map(balances.map((balance) => [balance.asset, balance.finest ?? ZERO]));
  const assets = new Set<string>();
  for (const [asset, { amount }] of pending)
    if (amount < 0n && negate(amount) >= (finest.get(asset) ?? ZERO)) assets.add(asset);
  return assets;
}

/** Our orders as they change while the facts are gone through. */
class Work {
  readonly orders: Map<string, LiveOrder>;
  readonly steps: OrderStep[] = [];
  readonly external: ExternalMovement[] = [];
  readonly alarms: ReconcileAlarm[] = [];
  readonly foreign: VenueOrder[] = [];
  readonly doubtfulSymbols = new Set<string>();
  /**
   * Coins whose difference a trade of ours may explain that is not booked yet, each with the time at
   * which the first such order was sent, ms.
   */
  private readonly unsettledSince = new Map<string, number>();
  private readonly byExchangeId = new Map<string, string>();
  private readonly foreignIds = new Set<string>();
  /** Our orders that a trade of unknown origin may belong to. */
  private readonly candidates = new Set<string>();
  private readonly known: Set<string>;
  private readonly handTradeIds: ReadonlySet<string>;

  constructor(
    private readonly records: OurRecords,
    private readonly policy: OrderPolicy,
    private readonly nowMs: number,
  ) {
    this.known = new Set(records.knownTrades);
    this.handTradeIds = new Set(records.handTrades.map(({ tradeId }) => tradeId));
    this.orders = new Map(records.orders.map((order) => [order.intent.clientOrderId, order]));
    for (const order of records.orders) this.learnId(order);
  }

  apply(order: LiveOrder, event: OrderEvent): LiveOrder {
    const step = applyOrderEvent(order, event, this.policy);
    if (step.order === order) return order;
    const { clientOrderId } = order.intent;
    this.orders.set(clientOrderId, step.order);
    this.learnId(step.order);
    this.steps.push({ event, order: step.order, effects: step.effects });
    for (const effect of step.effects)
      if (effect.kind === 'alarm')
        this.alarms.push({ kind: 'order', clientOrderId, code: effect.code });
    return step.order;
  }

  interrupt(): void {
    for (const order of this.orders.values())
      if (order.state === 'sending')
        this.apply(order, { kind: 'outcome_unknown', atMs: this.nowMs, cause: 'interrupted' });
  }

  see(shown: VenueOrder): void {
    const ours = this.ownerOf(shown);
    if (ours !== null) {
      this.apply(ours, { kind: 'seen', atMs: this.nowMs, order: shown });
      return;
    }
    this.foreignIds.add(shown.exchangeOrderId);
    const isOurKind = shown.clientOrderId !== null && OUR_ID.test(shown.clientOrderId);
    if (isOurKind && !this.records.orphans.has(shown.exchangeOrderId))
      this.alarms.push({ kind: 'orphan', order: shown });
    if (shown.status === 'open') this.foreign.push(shown);
  }

  /** Those known to be ours first: one trade may name the client's id, and another only the order's. */
  takeTrades(fills: readonly VenueFill[]): void {
    const others = fills.filter((fill) => {
      const isKnown = this.ownerOf(fill) !== null;
      if (isKnown) this.trade(fill);
      return !isKnown;
    });
    for (const fill of others) this.trade(fill);
  }

  private trade(fill: VenueFill): void {
    const ours = this.ownerOf(fill);
    if (ours !== null) {
      // A trade booked as made by hand is taken back below.
      if (!this.handTradeIds.has(fill.tradeId))
        this.apply(ours, { kind: 'fill', atMs: this.nowMs, fill });
      if (matches(ours, fill)) return;
    }
    if (this.known.has(fill.tradeId)) return;
    const candidates = this.candidatesFor(fill);
    if (candidates.length > 0) {
      for (const order of candidates) this.candidates.add(order.intent.clientOrderId);
      this.doubtfulSymbols.add(fill.symbol);
      for (const asset of balanceChanges(fill).keys()) this.unsettledSince.set(asset, 0);
      return;
    }
    // The opening balances have it in them.
    const { openedAtMs } = this.records;
    if (openedAtMs !== null && fill.atMs < openedAtMs) return;
    this.known.add(fill.tradeId);
    this.external.push({ kind: 'hand_trade', fill });
  }

  /** Says of each live order that no list shows that it was not found, as far as the lists reach. */
  searchFor(shown: readonly VenueOrder[], facts: VenueFacts): void {
    const found = new Set(shown.map((order) => this.ownerOf(order)?.intent.clientOrderId));
    for (const order of this.orders.values()) {
      if (found.has(order.intent.clientOrderId) || hasEnded(order) || order.sentAtMs === null)
        continue;
      const isListed = facts.unlisted?.has(order.intent.symbol) !== true;
      const isAbsent = facts.absent?.has(order.exchangeOrderId ?? '') === true;
      const searched = {
        byClientId: false,
        open: facts.open !== null,
        closed:
          isListed && facts.closed !== null && (isAbsent || facts.closedSinceMs <= order.sentAtMs),
        trades:
          isListed &&
          facts.trades !== null &&
          (isAbsent || facts.tradesSinceMs <= order.sentAtMs) &&
          !this.candidates.has(order.intent.clientOrderId),
      };
      const { begunAtMs } = facts;
      this.apply(order, { kind: 'not_found', atMs: this.nowMs, begunAtMs, searched });
    }
    for (const order of this.orders.values()) this.noteUnsettled(order);
  }

  /**
   * Cancels again what is still shown open: at once where the answer was none or no, otherwise after
   * the allowance. A cancellation that was out when the process ended has had no answer.
   */
  repeatCancellations({ open, begunAtMs }: VenueFacts): void {
    for (const shown of open ?? []) {
      const order = this.ownerOf(shown);
      if (order === null || order.cancelAtMs === null || hasEnded(order) || endIsSeen(order))
        continue;
      const isAnswered = order.cancel === 'unknown' || order.cancel === 'refused';
      const isLost = order.cancel === 'asked' && this.records.isStarting;
      const waitMs = isAnswered || isLost ? 0 : this.policy.lagAllowanceMs;
      if (begunAtMs > order.cancelAtMs + waitMs)
        this.apply(order, { kind: 'cancel_asked', atMs: this.nowMs });
    }
  }

  private learnId({ exchangeOrderId, intent }: LiveOrder): void {
    if (exchangeOrderId !== null) this.byExchangeId.set(exchangeOrderId, intent.clientOrderId);
  }

  private ownerOf(shown: {
    clientOrderId: string | null;
    exchangeOrderId: string;
  }): LiveOrder | null {
    const byExchange = this.byExchangeId.get(shown.exchangeOrderId);
    return this.orders.get(byExchange ?? shown.clientOrderId ?? '') ?? null;
  }

  /** Trades booked as made by hand that belong to an order whose id was learnt since. */
  takeBack(): void {
    for (const fill of this.records.handTrades) {
      const order = this.ownerOf(fill);
      if (order === null || !matches(order, fill) || order.fills.has(fill.tradeId)) continue;
      this.external.push({ kind: 'hand_trade_undone', fill });
      this.apply(order, { kind: 'fill', atMs: this.nowMs, fill });
    }
  }

  /**
   * Orders whose trade it may be: out, of the same pair and side, and with no id of the exchange
   * known. None where the list of orders shows the trade's order to be somebody else's.
   */
  private candidatesFor(fill: VenueFill): LiveOrder[] {
    if (this.foreignIds.has(fill.exchangeOrderId)) return [];
    const { lagAllowanceMs } = this.policy;
    return [...this.orders.values()].filter(
      (order) =>
        (order.state === 'sending' || order.state === 'unknown') &&
        order.exchangeOrderId === null &&
        matches(order, fill) &&
        fill.atMs >= (order.sentAtMs ?? 0) - lagAllowanceMs,
    );
  }

  private noteUnsettled(order: LiveOrder): void {
    const isOut = order.state === 'sending' || order.state === 'unknown';
    const lacksFills = !hasEnded(order) && filledQuantity(order) > order.booked;
    if (!isOut && !lacksFills && !(order.state === 'open' && endIsSeen(order))) return;
    const { symbol } = order.intent;
    for (const asset of [baseOf(symbol), quoteOf(symbol)])
      this.unsettledSince.set(
        asset,
        Math.min(this.unsettledSince.get(asset) ?? Infinity, order.sentAtMs ?? 0),
      );
  }

  /** Whether a trade that is not booked yet may be why this coin differed at that time already. */
  mayExplain(asset: string, seenAtMs: number): boolean {
    return (this.unsettledSince.get(asset) ?? Infinity) <= seenAtMs;
  }
}

function matches({ intent }: LiveOrder, shown: Pick<VenueFill, 'symbol' | 'side'>): boolean {
  return intent.symbol === shown.symbol && intent.side === shown.side;
}

interface BalanceFindings {
  external: ExternalMovement[];
  alarms: ReconcileAlarm[];
  pending: Map<string, PendingDifference>;
  missing: Map<string, Fixed>;
}

/**
 * A difference is a deposit or a withdrawal only when it has stayed the same for the allowance, and
 * no order of ours that may explain it is unsettled: a fill may be late. One that was sent after the
 * difference was seen explains none of it: a sale that is tried again and again, because the coins
 * are gone, would keep it from ever being told.
 */
function compareBalances(
  balances: readonly VenueBalance[],
  begunAtMs: number,
  records: OurRecords,
  work: Work,
  policy: OrderPolicy,
): BalanceFindings {
  const expected = expectedAfter(records, work);
  const actual = new Map(balances.map(({ asset, total }) => [asset, total]));
  const found: BalanceFindings = {
    external: [],
    alarms: [],
    pending: new Map(),
    missing: new Map(),
  };
  for (const asset of new Set([...expected.keys(), ...actual.keys()])) {
    const amount = subtract(actual.get(asset) ?? ZERO, expected.get(asset) ?? ZERO);
    if (amount === 0n) continue;
    const before = records.pending.get(asset);
    const isSame =
      before !== undefined && before.amount === amount && !work.mayExplain(asset, before.sinceMs);
    const sinceMs = isSame ? before.sinceMs : begunAtMs;
    if (records.isFirst) found.external.push({ kind: 'opening', asset, amount });
    else if (isSame && begunAtMs - sinceMs >= policy.lagAllowanceMs)
      found.external.push({ kind: amount > 0n ? 'deposit' : 'withdrawal', asset, amount });
    else found.pending.set(asset, { amount, sinceMs });
  }
  findMissing(actual, records, work, found);
  return found;
}

/** Coins that agents hold and the account has not: said once for each amount. */
function findMissing(
  actual: ReadonlyMap<string, Fixed>,
  records: OurRecords,
  work: Work,
  found: BalanceFindings,
): void {
  for (const [asset, held] of holdingsAfter(records, work)) {
    const amount = subtract(held, maximum(ZERO, actual.get(asset) ?? ZERO));
    const before = records.missing.get(asset);
    // While a difference may still be explained, what was known stays. Where there is none, no order
    // that is out has moved anything yet.
    if (found.pending.has(asset)) {
      if (before !== undefined) found.missing.set(asset, before);
    } else if (amount > 0n) {
      found.missing.set(asset, amount);
      if (before !== amount) found.alarms.push({ kind: 'coins_missing', asset, amount });
    }
  }
}

function booked(steps: readonly OrderStep[]): VenueFill[] {
  return steps.flatMap(({ effects }) =>
    effects.flatMap((effect) => (effect.kind === 'book' ? [effect.fill] : [])),
  );
}

/** What the ledger will say is at the exchange when the steps and movements are booked. */
function expectedAfter(records: OurRecords, work: Work): Map<string, Fixed> {
  const expected = new Map(records.owned);
  const change = (fill: VenueFill, isUndone: boolean): void => {
    for (const [asset, amount] of balanceChanges(fill))
      expected.set(asset, add(expected.get(asset) ?? ZERO, isUndone ? negate(amount) : amount));
  };
  for (const fill of booked(work.steps)) change(fill, false);
  for (const one of work.external)
    if (one.kind === 'hand_trade' || one.kind === 'hand_trade_undone')
      change(one.fill, one.kind === 'hand_trade_undone');
  return expected;
}

function holdingsAfter(records: OurRecords, work: Work): Map<string, Fixed> {
  const holdings = new Map(records.holdings);
  for (const fill of booked(work.steps)) {
    const base = baseOf(fill.symbol);
    holdings.set(base, add(holdings.get(base) ?? ZERO, heldChange(fill)));
  }
  return holdings;
}
