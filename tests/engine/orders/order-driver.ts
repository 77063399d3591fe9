/**
 * Trades on the small exchange by the pure functions of engine/orders, as the server will: commits
 * before it sends, restarts, reconciles, keeps stops. Its faults are planted one by one.
 */
import { add, multiply, ZERO } from '../../../contract/money.ts';
import type { Fixed } from '../../../contract/money.ts';
import type { PairRules, PlaceOutcome, VenueFill } from '../../../contract/venue.ts';
import { holdingBucket, sumsByAsset } from '../../../engine/accounting/ledger.ts';
import type { LedgerEntry } from '../../../engine/accounting/ledger-entry.ts';
import { hasEnded, planOrder } from '../../../engine/orders/live-order.ts';
import type {
  LiveOrder,
  OrderEffect,
  OrderEvent,
  OrderIntent,
  OrderPolicy,
} from '../../../engine/orders/live-order.ts';
import { CLOSED_AT_START, sendRefusal } from '../../../engine/orders/may-send.ts';
import type { Gate } from '../../../engine/orders/may-send.ts';
import { sizeOrder } from '../../../engine/orders/order-size.ts';
import { applyOrderEvent } from '../../../engine/orders/order-lifecycle.ts';
import { reconcile } from '../../../engine/orders/reconcile.ts';
import type {
  OurRecords,
  PendingDifference,
  Reconciliation,
  VenueFacts,
} from '../../../engine/orders/reconcile.ts';
import { reservationFor } from '../../../engine/orders/reservation.ts';
import { planStops, sellableNow } from '../../../engine/orders/stop-plan.ts';
import type { FailedStop, StopPlanInput } from '../../../engine/orders/stop-plan.ts';
import {
  externalEntries,
  handTradeEntries,
  ownedByAsset,
  reversed,
  venueFillEntries,
} from '../../../engine/orders/venue-ledger.ts';
import { baseOf } from '../../../engine/pair-coins.ts';
import { money, POLICY, RULES } from './order-samples.ts';
import { FEE_BPS, type Told, type TruthExchange } from './truth-exchange.ts';

export const MUTANTS = [
  'none',
  'unknown is rejected',
  'absence believed at once',
  'fills not told apart',
  'resent anywhere',
  'no answer to a cancellation awaited',
  'unknown stops not counted',
  'lost cancellations not repeated',
] as const;
export type Mutant = (typeof MUTANTS)[number];

interface Decision {
  id: number;
  agentId: string;
  symbol: string;
  side: 'buy' | 'sell';
  orders: string[];
}

export const AGENTS = [
  { agentId: 'ann', symbol: 'BTC/USD' },
  { agentId: 'bob', symbol: 'BTC/USD' },
  { agentId: 'cat', symbol: 'BNB/USD' },
] as const;

const RETRIES = 3;
const SINCE_EVER = 0;

export class OrderDriver {
  readonly orders = new Map<string, LiveOrder>();
  readonly entries: LedgerEntry[] = [];
  readonly decisions: Decision[] = [];
  readonly problems: string[] = [];
  readonly policy: OrderPolicy;
  readonly booked = new Map<string, string>();
  readonly handTrades = new Map<string, VenueFill>();
  /** What happened, by kind: a test that meets none of a kind proves nothing about it. */
  readonly counts = new Map<string, number>();
  private gate: Gate = CLOSED_AT_START;
  private pending: ReadonlyMap<string, PendingDifference> = new Map();
  private missing: ReadonlyMap<string, Fixed> = new Map();
  private isFirst = true;
  private isStarting = true;
  private reconciledToMs = 0;
  private readonly answers: { atMs: number; id: string; outcome: PlaceOutcome }[] = [];
  private readonly leaving = new Set<string>();
  private readonly failedStops = new Map<string, FailedStop>();
  private ids = 0;
  private deliveries = 0;

  constructor(
    readonly truth: TruthExchange,
    readonly mutant: Mutant,
  ) {
    this.policy = {
      ...POLICY,
      replaysIds: truth.dialect.replaysIds || mutant === 'resent anywhere',
      lagAllowanceMs: mutant === 'absence believed at once' ? -1e9 : POLICY.lagAllowanceMs,
    };
  }

  private get now(): number {
    return this.truth.nowMs;
  }

  rules(symbol: string): PairRules {
    return { ...RULES, symbol };
  }

  balance(bucket: string, asset: string): Fixed {
    return this.balances.get(`${bucket} ${asset}`) ?? ZERO;
  }

  private readonly balances = new Map<string, Fixed>();

  private post(entries: readonly LedgerEntry[]): void {
    for (const [asset, total] of sumsByAsset(entries))
      if (total !== 0n) this.problems.push(`entries of ${asset} do not balance`);
    for (const entry of entries) {
      this.entries.push(entry);
      const key = `${entry.bucket} ${entry.asset}`;
      this.balances.set(key, add(this.balances.get(key) ?? ZERO, entry.amount));
    }
  }

  held({ agentId, symbol }: { agentId: string; symbol: string }): Fixed {
    return this.balance(holdingBucket(agentId, symbol), baseOf(symbol));
  }

  /** One event, with everything that follows from it, as in one transaction. */
  apply(id: string, event: OrderEvent): void {
    const order = this.orders.get(id);
    if (order === undefined) return;
    const step = applyOrderEvent(order, this.mutated(event), this.policy);
    this.take(step.order, step.effects);
  }

  private mutated(event: OrderEvent): OrderEvent {
    if (this.mutant === 'unknown is rejected' && event.kind === 'outcome_unknown')
      return { kind: 'rejected', atMs: event.atMs, code: event.cause };
    if (this.mutant === 'fills not told apart' && event.kind === 'fill')
      return { ...event, fill: this.copied(event.fill) };
    return event;
  }

  private copied(fill: VenueFill): VenueFill {
    return { ...fill, tradeId: `${fill.tradeId}/${(this.deliveries += 1)}` };
  }

  private take(order: LiveOrder, effects: readonly OrderEffect[]): void {
    const id = order.intent.clientOrderId;
    this.orders.set(id, order);
    if (order.reserved < 0n) this.problems.push(`${id} reserves less than nothing`);
    if (hasEnded(order) && order.reserved !== 0n) this.problems.push(`${id} ended and reserves`);
    for (const effect of effects) {
      if (effect.kind === 'book') {
        this.booked.set(effect.fill.tradeId, id);
        this.post(venueFillEntries(order.intent.agentId, effect.fill));
        if (effect.late) this.count('late fill');
      } else if (effect.kind === 'look_up') this.lookUpNext.add(id);
      else if (effect.kind === 'cancel') this.cancelNext.add(id);
      else if (effect.kind === 'tell' || effect.kind === 'alarm') this.count(effect.code);
    }
    if (order.attempts > 1) this.count('resent');
    if (order.ending !== null && order.ending !== 'exchange') this.count(order.ending);
    this.count(order.state);
  }

  private count(kind: string): void {
    this.counts.set(kind, (this.counts.get(kind) ?? 0) + 1);
  }

  private readonly lookUpNext = new Set<string>();
  private readonly cancelNext = new Set<string>();

  decide(): void {
    const agent = this.truth.pick(AGENTS);
    const isSale = this.held(agent) > 0n && this.truth.chance(0.4);
    if (isSale) {
      this.leaving.add(agent.agentId);
      return;
    }
    const decision: Decision = { id: (this.ids += 1), ...agent, side: 'buy', orders: [] };
    this.decisions.push(decision);
    this.order(decision, money((0.5 + Math.floor(this.truth.draw() * 100) / 100).toFixed(4)));
  }

  private order(decision: Decision, quantity: Fixed, stopPrice: Fixed | null = null): void {
    const { symbol, side } = decision;
    const price = this.truth.price(symbol);
    // An exit takes what it gets.
    const isLimit = side === 'buy' && this.truth.chance(0.5);
    const worstPrice = multiply(price, money('1.2'), 'up');
    const clientOrderId = (this.ids += 1).toString(16).padStart(32, '0');
    const intent: OrderIntent = {
      clientOrderId,
      connectionId: 'connection',
      accountId: 'account',
      agentId: decision.agentId,
      symbol,
      side,
      type: stopPrice !== null ? 'stop' : isLimit ? 'limit' : 'market',
      quantity,
      limitPrice: isLimit ? price : null,
      stopPrice,
      deadlineMs: this.now + 60_000,
      cause: String(decision.id),
      reservation: reservationFor({
        symbol,
        side,
        quantity,
        worstPrice,
        worstFeeBps: FEE_BPS,
        feeFromBase: this.truth.dialect.saleFeeInBase,
      }),
    };
    decision.orders.push(clientOrderId);
    this.orders.set(clientOrderId, planOrder(intent));
  }

  /** Sends what may be sent. The answer comes at once, late, or to nobody. */
  private send(): void {
    for (const order of this.orders.values()) {
      if (hasEnded(order) || order.state === 'open' || order.state === 'sending') continue;
      const { clientOrderId, deadlineMs } = order.intent;
      this.apply(clientOrderId, { kind: 'deadline_passed', atMs: this.now });
      const current = this.orders.get(clientOrderId) ?? order;
      if (hasEnded(current) || this.now >= deadlineMs) continue;
      const refusal = sendRefusal(current, this.gate, this.orders.values(), this.policy, this.now);
      if (refusal !== null) continue;
      if (current.state === 'unknown' && !this.truth.chance(0.5)) continue;
      this.apply(clientOrderId, { kind: 'send_started', atMs: this.now });
      const outcome = this.truth.place(current.intent);
      const delay = this.truth.chance(0.3) ? Math.floor(this.truth.draw() * 30_000) : 0;
      this.answers.push({ atMs: this.now + delay, id: clientOrderId, outcome });
    }
  }

  private hear(): void {
    for (const answer of this.answers.filter(({ atMs }) => atMs <= this.now)) {
      this.answers.splice(this.answers.indexOf(answer), 1);
      this.apply(answer.id, eventOf(answer.outcome, this.now));
    }
    const { stream } = this.truth;
    for (const message of stream.filter(({ atMs }) => atMs <= this.now)) {
      stream.splice(stream.indexOf(message), 1);
      this.hearStream(message);
    }
  }

  private hearStream({ fill, order: shown }: Told): void {
    if (shown !== undefined && shown.clientOrderId !== null)
      this.apply(shown.clientOrderId, { kind: 'seen', atMs: this.now, order: shown });
    if (fill === undefined) return;
    const owner = [...this.orders.values()].find(
      (one) =>
        one.exchangeOrderId === fill.exchangeOrderId ||
        one.intent.clientOrderId === fill.clientOrderId,
    );
    // What is not known to be ours is left to the next reconciliation, which sees all of it.
    if (owner === undefined || this.handTrades.has(fill.tradeId)) return;
    this.apply(owner.intent.clientOrderId, { kind: 'fill', atMs: this.now, fill });
  }

  private lookUp(): void {
    for (const id of [...this.lookUpNext]) {
      this.lookUpNext.delete(id);
      const begunAtMs = this.now;
      const answer = this.truth.lookUp(id);
      if (answer.kind === 'found') {
        this.apply(id, { kind: 'seen', atMs: this.now, order: answer.order });
        for (const fill of answer.fills) {
          if (!this.handTrades.has(fill.tradeId))
            this.apply(id, { kind: 'fill', atMs: this.now, fill });
        }
      } else if (answer.kind === 'not_found') {
        const { searched } = answer;
        this.apply(id, { kind: 'not_found', atMs: this.now, begunAtMs, searched });
      }
    }
  }

  private cancel(): void {
    for (const id of [...this.cancelNext]) {
      this.cancelNext.delete(id);
      const order = this.orders.get(id);
      if (order?.exchangeOrderId === null || order === undefined || hasEnded(order)) continue;
      const { kind } = this.truth.cancel(order.exchangeOrderId);
      const name = kind === 'confirmed' ? 'cancel_acknowledged' : 'cancel_unknown';
      this.apply(id, {
        kind: kind === 'rejected' || kind === 'refused' ? 'cancel_refused' : name,
        atMs: this.now,
      });
    }
  }

  askToCancel(id: string): void {
    this.apply(id, { kind: 'cancel_asked', atMs: this.now });
    // The fault: what was asked to go is taken for gone.
    if (this.mutant === 'no answer to a cancellation awaited') this.ignored.add(id);
  }

  private readonly ignored = new Set<string>();

  stopPrice(symbol: string): Fixed {
    return multiply(this.truth.price(symbol), money('0.5'), 'down');
  }

  private stopInput(symbol: string): StopPlanInput {
    const counted = [...this.orders.values()].filter(({ intent, state }) => {
      if (intent.symbol !== symbol || this.ignored.has(intent.clientOrderId)) return false;
      return !(this.mutant === 'unknown stops not counted' && state === 'unknown');
    });
    return {
      rules: this.rules(symbol),
      abilities: { replaysIds: this.policy.replaysIds, restingStops: true },
      stopRoomBps: null,
      holders: AGENTS.filter((agent) => agent.symbol === symbol).map((agent) => ({
        agentId: agent.agentId,
        held: this.held(agent),
        stopPrice: this.stopPrice(symbol),
        leaving: this.leaving.has(agent.agentId),
        partToSell: ZERO,
        failedStop: this.failedStops.get(agent.agentId) ?? null,
      })),
      orders: counted,
      missing: this.missing.get(baseOf(symbol)) ?? ZERO,
      bid: null,
      baseFeeBps: this.truth.dialect.saleFeeInBase ? FEE_BPS : ZERO,
    };
  }

  private keepStops(symbol: string): void {
    for (const action of planStops(this.stopInput(symbol))) {
      if (action.kind === 'cancel') this.askToCancel(action.clientOrderId);
      if (action.kind !== 'place') continue;
      const decision: Decision = {
        ...{ id: (this.ids += 1), agentId: action.agentId, symbol, side: 'sell', orders: [] },
      };
      this.order(decision, action.quantity, action.stopPrice);
    }
    for (const agent of AGENTS) if (agent.symbol === symbol) this.leave(agent);
  }

  /** Sells all that an agent may sell, once its stops are gone. */
  private leave({ agentId, symbol }: (typeof AGENTS)[number]): void {
    if (!this.leaving.has(agentId)) return;
    const isOut = [...this.orders.values()].some(
      ({ intent, state }) =>
        intent.agentId === agentId &&
        intent.side === 'sell' &&
        state !== 'planned' &&
        !ended(state),
    );
    if (isOut) return;
    const input = this.stopInput(symbol);
    const size = sizeOrder(sellableNow(input, agentId), this.truth.price(symbol), input.rules);
    this.leaving.delete(agentId);
    if (size.kind === 'dust') return;
    const decision: Decision = {
      ...{ id: (this.ids += 1), agentId, symbol, side: 'sell', orders: [] },
    };
    this.decisions.push(decision);
    this.order(decision, size.quantity);
  }

  /** An order that never took effect is decided again, as an agent does at its next check. */
  private retry(): void {
    for (const decision of this.decisions) {
      const last = this.orders.get(decision.orders.at(-1) ?? '');
      const isVoid = last !== undefined && last.booked === 0n && hasEnded(last);
      if (!isVoid || last.state === 'cancelled' || decision.orders.length > RETRIES) continue;
      if (decision.side === 'sell') continue;
      this.order(decision, last.intent.quantity);
    }
  }

  /** The process dies: answers that were on their way find nobody. */
  restart(): void {
    this.answers.length = 0;
    this.lookUpNext.clear();
    this.cancelNext.clear();
    this.gate = CLOSED_AT_START;
    this.isStarting = true;
  }

  facts(): VenueFacts {
    return {
      begunAtMs: this.now,
      open: this.truth.list('open'),
      closed: this.truth.list('closed'),
      trades: this.truth.visibleTrades(),
      balances: this.truth.balanceList(),
      closedSinceMs: SINCE_EVER,
      tradesSinceMs: SINCE_EVER,
    };
  }

  private records(): OurRecords {
    const holdings = new Map<string, Fixed>();
    for (const agent of AGENTS) {
      const base = baseOf(agent.symbol);
      holdings.set(base, add(holdings.get(base) ?? ZERO, this.held(agent)));
    }
    return {
      orders: [...this.orders.values()],
      knownTrades: new Set([...this.booked.keys(), ...this.handTrades.keys()]),
      handTrades: [...this.handTrades.values()],
      owned: this.owned(),
      holdings,
      pending: this.pending,
      missing: this.missing,
      orphans: new Set(),
      reconciledToMs: this.isFirst ? this.now : this.reconciledToMs,
      openedAtMs: null,
      isFirst: this.isFirst,
      isStarting: this.isStarting,
    };
  }

  owned(): Map<string, Fixed> {
    return ownedByAsset(
      [...this.balances].map(([key, amount]) => {
        const [bucket = '', asset = ''] = key.split(' ');
        return { bucket, asset, amount };
      }),
    );
  }

  reconcile(): void {
    const facts = this.facts();
    this.settle(facts);
    if (!this.truth.chance(0.2) || this.mutant !== 'none') return;
    for (let time = 0; time < 3; time += 1) {
      const again = reconcile(facts, this.records(), this.policy, this.now);
      const changes = again.steps.length + again.external.length + again.alarms.length;
      if (changes > 0) this.problems.push(`the same facts changed ${changes} things again`);
    }
  }

  private settle(read: VenueFacts): void {
    const facts =
      this.mutant === 'fills not told apart'
        ? { ...read, trades: (read.trades ?? []).map((fill) => this.copied(fill)) }
        : read;
    const found: Reconciliation = reconcile(facts, this.records(), this.policy, this.now);
    for (const step of found.steps) {
      const isRepeat = step.event.kind === 'cancel_asked';
      if (this.mutant === 'lost cancellations not repeated' && isRepeat) continue;
      // The mutant's fault lies in how an unknown outcome is taken, also at a restart.
      if (this.mutant === 'unknown is rejected' && step.event.kind === 'outcome_unknown')
        this.apply(step.order.intent.clientOrderId, step.event);
      else this.take(step.order, step.effects);
    }
    for (const movement of found.external) {
      this.count(movement.kind);
      if (movement.kind === 'hand_trade') {
        this.handTrades.set(movement.fill.tradeId, movement.fill);
        this.post(handTradeEntries(movement.fill));
      } else if (movement.kind === 'hand_trade_undone') {
        this.handTrades.delete(movement.fill.tradeId);
        this.post(reversed(handTradeEntries(movement.fill)));
      } else this.post(externalEntries(movement.asset, movement.amount));
    }
    this.pending = found.pending;
    this.missing = found.missing;
    this.gate = found.gate;
    if (found.gate.kind === 'open') {
      this.isFirst = false;
      this.isStarting = false;
      this.reconciledToMs = facts.begunAtMs;
    }
  }

  step(): void {
    this.hear();
    this.cancel();
    this.lookUp();
    this.retry();
    for (const symbol of new Set(AGENTS.map((agent) => agent.symbol))) this.keepStops(symbol);
    this.send();
  }

  /** Winds down: asks for the end of all orders and waits. */
  windDown(): void {
    this.hear();
    for (const order of this.orders.values())
      if (!hasEnded(order) && (order.cancel === null || order.cancel !== 'acknowledged'))
        this.apply(order.intent.clientOrderId, { kind: 'cancel_asked', atMs: this.now });
    this.cancel();
    this.lookUp();
    this.reconcile();
  }
}

const ended = (state: LiveOrder['state']): boolean =>
  state === 'filled' || state === 'cancelled' || state === 'rejected' || state === 'expired';

function eventOf(outcome: PlaceOutcome, atMs: number): OrderEvent {
  switch (outcome.kind) {
    case 'confirmed':
      return { kind: 'acknowledged', atMs, exchangeOrderId: outcome.exchangeOrderId };
    case 'rejected':
    case 'refused':
      return { kind: outcome.kind, atMs, code: outcome.code };
    case 'unknown':
      return { kind: 'outcome_unknown', atMs, cause: outcome.cause };
  }
}
