/**
 * One connection at work in this process: its gate, what is sent, looked up and cancelled, and when
 * it is reconciled. A new one begins with a closed gate.
 */
import { SIGNER_VERSION, type LiveExchange } from '../../contract/signer.ts';
import { PAIR_CLOSED_CODES, STOPS_CLOSED_CODES, type PairRules } from '../../contract/venue.ts';
import type { Quote } from '../../engine/market-types.ts';
import {
  endIsSeen,
  hasEnded,
  type LiveOrder,
  type OrderEvent,
} from '../../engine/orders/live-order.ts';
import { CLOSED_AT_START, sendRefusal, type Gate } from '../../engine/orders/may-send.ts';
import { Backoff } from './backoff.ts';
import { LossWatch } from './day-loss.ts';
import { policyOf, type ConnectionRow } from './live-accounts.ts';
import type { LiveDeps, LivePort } from './live-deps.ts';
import { liveOrdersOf } from './order-rows.ts';
import { isClosed } from './pair-facts.ts';
import { EndedAgents } from './end-agents.ts';
import { GATE_KEPT_MS } from './gate-kept.ts';
import { MissingRules } from './missing-rules.ts';
import { isLost, isProtecting } from './protecting-stop.ts';
import { Reachability } from './reachability.ts';
import { reconcileConnection, type Reconciled } from './reconcile-connection.ts';
import { tellRefusedBeyondLimit } from './refused-sales.ts';
import { Replans, type PairSaid } from './replans.ts';
import { UntoldWriteOffs } from './signer-write-offs.ts';
import { keepsFromReading } from './unread-orders.ts';
import { WatchedStops } from './watched-stops.ts';
import type { Watch } from './watches.ts';
import { cancel, claimSending, lookUp, maySell, place } from './send-order.ts';
import { settleOrder } from './settle-order.ts';
import { OTHER_SIGNER, otherVersionOf } from './signer-version.ts';

/**
 * While something rests or is out, and otherwise. Kraken lets a key ask for about one list in four
 * seconds: what is asked for more often than these is one list alone.
 */
const RECONCILE_BUSY_MS = 90_000;
const RECONCILE_IDLE_MS = 180_000;
const RECONCILE_RETRY_MS = 5_000;
/** Of what cannot be read: everybody's questions share the exchange's limit. */
const UNREAD_RETRY_MOST_MS = 30_000;
/** So many comparisons follow one another before the wait grows. */
const UNREAD_RETRIES = 4;
const KEY_REFUSED_RETRY_MS = 60_000;
/** Clocks are set back by less all the time, which does no harm. */
const SET_BACK_MS = 2_000;
/** How often a comparison that fails makes the exchange's rules be read again. */
const RULES_DOUBT_MS = 60_000;
/** How soon a stop that the person takes away is noticed. */
const OPEN_ORDERS_MS = 8_000;
const LOOK_FIRST_MS = 500;
const LOOK_MOST_MS = 60_000;
/** The same request about one order: each uses up what the exchange lets the key ask. */
const REPEAT_FIRST_MS = 500;
/** A sale may wait for the cancellation: it follows soon once the exchange takes it. */
const REPEAT_MOST_MS = 30_000;
/** The same question to the signer about a sale: each may read a book, of which all accounts get few. */
const QUESTION_MOST_MS = 10_000;
/** Why nothing is bought before the gate is open, as a sentence goes on. */
export const NOT_COMPARED = 'the exchange account is being compared with the exchange.';
/** A request is answered or given up by then; whoever sent it is gone. */
const STALE_SENDING_MS = 120_000;
/** Rounds of one pass: each does what the one before has made possible. */
const ROUNDS = 12;
/** Passes that news sets off between two looks: an exchange that is down answers at once, always. */
const PASSES = 24;

/** What a run needs of the desk besides. */
interface RunPort extends LivePort {
  /** An order was rejected, or a list not read: the exchange's rules may be others by now. */
  rulesMayHaveChanged(exchange: LiveExchange): void;
  /** Whether the exchange has ever told its rules. */
  knowsRules(exchange: LiveExchange): boolean;
  /** An order on the pair was rejected: it may take none by now, or some. */
  pairMayHaveChanged(exchange: LiveExchange, symbol: string): void;
  /** Asks whether a pair takes orders, where that is not known; null where nothing is asked now. */
  checkPair(exchange: LiveExchange, symbol: string): Promise<void> | null;
  /** What the exchange has answered of the pair in the last minute; null where that was nothing. */
  pairSaid(exchange: LiveExchange, symbol: string): PairRules['status'] | null;
  /** Whether the exchange last answered that the pair takes no orders, and that was not long ago. */
  isSaidClosed(exchange: LiveExchange, symbol: string): boolean;
  /** As the exchange has just said, or as is known where it does not say. */
  takesOrders(exchange: LiveExchange, symbol: string): boolean;
}

/** Only ever for a sale, which no doubt holds back. */
const ONLY_EXITS: Gate = { kind: 'open', doubtfulAssets: new Set(), doubtfulSymbols: new Set() };

/** It rests, as far as is known, and is to be cancelled. */
const isWaitingToGo = (order: LiveOrder): boolean =>
  order.cancel === 'asked' && order.exchangeOrderId !== null && !endIsSeen(order);

const hasDoubts = (gate: Gate): boolean => gate.kind === 'open' && gate.doubtfulAssets.size > 0;

/** By the exchange's word when the key was last read: then asking often is of no use. */
const isRefused = ({ keyFaults }: ConnectionRow): boolean => keyFaults.some(keepsFromReading);

export class LiveRun {
  gate: Gate = CLOSED_AT_START;
  private reconciledAtMs: number | null = null;
  private triedAtMs: number | null = null;
  /** So many comparisons one after the other could not read the exchange. */
  private unreadInTurn = 0;
  private lookedAtMs: number | null = null;
  private openReadAtMs = 0;
  private doubtedAtMs = Number.NEGATIVE_INFINITY;
  private readonly looks = new Backoff(LOOK_FIRST_MS, LOOK_MOST_MS);
  private readonly inFlight = new Set<string>();
  /** Sendings and cancellations, by what is done and order. News of the order changes nothing here. */
  private readonly repeats = new Backoff(REPEAT_FIRST_MS, REPEAT_MOST_MS);
  /** Stops of which the signer is asked whether a sale in their place would be signed. */
  private readonly questions = new Backoff(REPEAT_FIRST_MS, QUESTION_MOST_MS);
  /** When a position was last left without a stop at the exchange, by agent and pair. */
  private readonly unguardedSince = new Map<string, number>();
  /** Pairs of which is asked now whether they take orders. */
  private readonly checking = new Set<string>();
  /** What is asked about single orders and pairs, beside everything else. */
  private readonly beside = new Set<Promise<void>>();
  /** Passes that news has set off since the last look. */
  private passes = 0;
  private working: Promise<void> | null = null;
  private again = false;
  /** The process ends: what is out is heard, and nothing follows from it here. */
  private isStopping = false;
  private comparing: Promise<void> | null = null;
  private watching: Promise<void> | null = null;
  /** When news of an order last changed our records. */
  private settledAtMs = Number.NEGATIVE_INFINITY;
  /** How often the gate was closed from outside: a comparison that began before opens it no more. */
  private closings = 0;
  /** Closed from outside, and not opened since: nothing at all leaves. */
  private isShut = false;

  readonly ended: EndedAgents;
  private readonly writeOffs: UntoldWriteOffs;
  private readonly reachability: Reachability;
  private readonly missingRules: MissingRules;
  private readonly loss: LossWatch;
  private readonly watches: WatchedStops;
  private readonly replans: Replans;

  constructor(
    private readonly deps: LiveDeps,
    private readonly port: RunPort,
    private connection: ConnectionRow,
  ) {
    this.ended = new EndedAgents(deps, connection.id);
    this.writeOffs = new UntoldWriteOffs(deps, connection.id);
    this.reachability = new Reachability(deps);
    this.missingRules = new MissingRules(deps);
    this.loss = new LossWatch(deps);
    const rules = (symbol: string): PairRules | null => this.rules(symbol);
    this.watches = new WatchedStops(deps, port, rules);
    const said: PairSaid = (symbol) => port.pairSaid(this.exchange, symbol);
    this.replans = new Replans(deps, rules, said, this.watches);
  }

  /** As it is now in the database. */
  refresh(connection: ConnectionRow): void {
    // It was replaced, or mended at the exchange: the account is compared at once.
    if (isRefused(this.connection) && !isRefused(connection)) {
      this.triedAtMs = null;
      this.unreadInTurn = 0;
    }
    this.connection = connection;
  }

  get exchange(): LiveExchange {
    return this.connection.exchange;
  }

  /** Why nothing new is bought, as a sentence goes on; null where something may be. */
  get entriesOff(): string | null {
    if (this.gate.kind === 'closed') return NOT_COMPARED;
    if ((this.deps.signer.otherVersion?.() ?? null) !== null) return OTHER_SIGNER;
    return this.loss.isReached(this.connection)
      ? "today's losses, with what is held at its price now, have reached your limit for this exchange account."
      : null;
  }

  get watched(): readonly Watch[] {
    return this.watches.list;
  }

  /** The exchange changed these pairs' rules: what was turned down by the old ones may pass now. */
  rulesChanged(symbols: readonly string[]): void {
    this.replans.rulesChanged(symbols);
  }

  /**
   * Works now, or once more after the work that is under way. A comparison that is due goes on
   * beside it: reading lists takes an exchange up to half a minute, and no sale waits for that.
   * Resolves when all of it is done, and what is asked about single orders too.
   */
  async run(): Promise<void> {
    if (this.isStopping) return;
    this.noteTime();
    const { ended, writeOffs } = this;
    await Promise.all([
      this.work(),
      this.compare(),
      this.watch(),
      ended.compare(),
      ended.tell(),
      writeOffs.tell(true),
    ]);
    await this.answered();
  }

  /**
   * The regular run. It asks for nothing once more: work that takes longer than from one to the next
   * would never end, and no comparison that waits for it. It waits for what it has begun itself, and
   * not for what is asked about single orders: one comes every second, and answers may take minutes.
   */
  async runRegularly(): Promise<void> {
    if (this.isStopping) return;
    this.noteTime();
    await Promise.all([
      this.working === null ? this.work() : null,
      this.comparing === null ? this.compare() : null,
      this.watching === null ? this.watch() : null,
      this.ended.isComparing ? null : this.ended.compare(),
      this.ended.isTelling ? null : this.ended.tell(),
      this.writeOffs.isTelling ? null : this.writeOffs.tell(),
    ]);
  }

  /** Begins nothing more. Resolves when everything that is out was answered. */
  async stop(): Promise<void> {
    this.isStopping = true;
    await this.answered();
  }

  /** Whether anything is asked about a single order now. */
  get isAsking(): boolean {
    return this.beside.size > 0;
  }

  private async answered(): Promise<void> {
    while (this.beside.size > 0) await Promise.all(this.beside);
  }

  /** Closes a gate that is too old. What was read before a sleep opens it no more. */
  private noteTime(): void {
    this.passes = 0;
    const now = this.deps.clock.now();
    if (now < (this.lookedAtMs ?? now) - SET_BACK_MS) this.forgetTimes(now);
    const hasSlept = now - (this.lookedAtMs ?? now) > GATE_KEPT_MS;
    this.lookedAtMs = now;
    if (hasSlept) this.close();
    else if (!this.isRecent(this.reconciledAtMs)) this.gate = CLOSED_AT_START;
  }

  /** The clock was set back: what was noted later than now would hold things up until then. */
  private forgetTimes(now: number): void {
    this.close();
    this.triedAtMs = null;
    // Not null: this process has not just begun, and may have requests out.
    if (this.reconciledAtMs !== null) this.reconciledAtMs = Number.NEGATIVE_INFINITY;
    this.openReadAtMs = 0;
    this.doubtedAtMs = Number.NEGATIVE_INFINITY;
    this.settledAtMs = Number.NEGATIVE_INFINITY;
    this.looks.clear();
    this.repeats.clear();
    this.questions.clear();
    this.replans.clockSetBack(now);
  }

  private isRecent(atMs: number | null | undefined): boolean {
    return this.deps.clock.now() - (atMs ?? Number.NEGATIVE_INFINITY) <= GATE_KEPT_MS;
  }

  /** The exchange or the signer could not be reached: nothing leaves before a reconciliation. */
  close(): void {
    this.gate = CLOSED_AT_START;
    // It is closed after each comparison that throws too: that is no reason to make it more often.
    if (this.unreadInTurn === 0) this.triedAtMs = null;
    this.closings += 1;
    this.isShut = true;
    this.unguardedSince.clear();
  }

  /**
   * A list that cannot be read closes the gate. A position whose stop was cancelled for its sale a
   * moment before would have neither, and one whose stop the exchange ended would have none: what
   * guards it or sells it may still leave.
   */
  private gateFor({ intent: { agentId, side, symbol } }: LiveOrder): Gate {
    const isUnguarded = this.isRecent(this.unguardedSince.get(`${agentId} ${symbol}`));
    return side === 'sell' && isUnguarded && this.isRecent(this.reconciledAtMs)
      ? ONLY_EXITS
      : this.gate;
  }

  private work(): Promise<void> {
    if (this.isStopping) return this.working ?? Promise.resolve();
    if (this.working !== null) {
      this.again = true;
      return this.working;
    }
    this.working = this.workOff().finally(() => {
      this.working = null;
    });
    return this.working;
  }

  private async workOff(): Promise<void> {
    do {
      this.again = false;
      await this.replans.planDue(this.connection);
      this.checkClosed(await this.replans.planExits(this.connection));
      await this.watches.learn(this.connection);
      await this.missingRules.note(this.connection, this.port.knowsRules(this.exchange));
      await this.watches.lookAgain(this.connection);
      for (let round = 0; round < ROUNDS && !this.isStopping; round += 1)
        if (!(await this.stepAll())) break;
    } while (this.again && !this.isStopping);
  }

  /** What is read of the exchange between two comparisons. No sale waits for it either. */
  private watch(): Promise<void> {
    this.watching ??= this.watchOnce().finally(() => {
      this.watching = null;
    });
    return this.watching;
  }

  private async watchOnce(): Promise<void> {
    const [hasNews] = await Promise.all([this.readOpenOrders(), this.loss.look(this.connection)]);
    if (hasNews) await this.work();
  }

  private compare(): Promise<void> {
    this.comparing ??= this.reconcileIfDue().finally(() => {
      this.comparing = null;
    });
    return this.comparing;
  }

  private readonly rules = (symbol: string): PairRules | null =>
    this.port.rules(this.connection.exchange, symbol);

  private async orders(): Promise<LiveOrder[]> {
    return (await liveOrdersOf(this.deps.database.db, this.connection.id)).map(
      ({ order }) => order,
    );
  }

  private async reconcileIfDue(): Promise<void> {
    if (!(await this.isReconcileDue())) return;
    await this.reconcile();
    // What it has found or made possible.
    await this.work();
  }

  private async isReconcileDue(): Promise<boolean> {
    const waited = this.deps.clock.now() - (this.triedAtMs ?? Number.NEGATIVE_INFINITY);
    if (this.gate.kind === 'closed') return waited >= this.retryMs();
    if (waited < RECONCILE_BUSY_MS) return false;
    return waited >= RECONCILE_IDLE_MS || (await this.orders()).length > 0;
  }

  private retryMs(): number {
    // The key's faults may be older than a comparison that succeeded.
    if (this.unreadInTurn > 0 && isRefused(this.connection)) return KEY_REFUSED_RETRY_MS;
    const doublings = Math.max(0, this.unreadInTurn - UNREAD_RETRIES);
    return Math.min(UNREAD_RETRY_MOST_MS, RECONCILE_RETRY_MS * 2 ** doublings);
  }

  /** Reads and compares everything; opens the gate where that succeeded. */
  async reconcile(): Promise<void> {
    const { deps, connection } = this;
    const { closings } = this;
    const begunAtMs = deps.clock.now();
    this.triedAtMs = begunAtMs;
    const isStarting = this.reconciledAtMs === null;
    const found = await this.compareOnce(isStarting);
    this.noteTime();
    this.unreadInTurn = found.isRead ? 0 : this.unreadInTurn + 1;
    // An exchange may take minutes over its lists: their age counts from the last of them.
    if (found.gate.kind === 'open') this.reconciledAtMs = deps.clock.now();
    if (closings === this.closings) this.setGate(found.gate);
    for (const order of found.changed) this.noteLost(order);
    this.watches.replace(found.watches);
    // A pair that is gone makes the lists fail that name it.
    if (!found.isRead && begunAtMs - this.doubtedAtMs >= RULES_DOUBT_MS) {
      this.doubtedAtMs = begunAtMs;
      this.port.rulesMayHaveChanged(connection.exchange);
    }
    // What was booked while balances were read looks like money that is missing: no purchase waits
    // long for that.
    if (this.settledAtMs >= begunAtMs && hasDoubts(found.gate))
      this.triedAtMs = begunAtMs - RECONCILE_IDLE_MS + RECONCILE_RETRY_MS;
    await this.reachability.note(connection, found.isRead);
  }

  /** One that throws has not read the account either: it would fail for good, and nobody be told. */
  private async compareOnce(isStarting: boolean): Promise<Reconciled> {
    const { deps, connection } = this;
    try {
      return await reconcileConnection(deps, connection, this.rules, isStarting);
    } catch (error) {
      this.unreadInTurn += 1;
      await this.reachability.note(connection, false).catch(() => undefined);
      throw error;
    }
  }

  private setGate(gate: Gate): void {
    const { deps, connection } = this;
    if (gate.kind !== this.gate.kind)
      deps.log.info(
        {
          connection: connection.id,
          gate: gate.kind,
          ...(gate.kind === 'closed' ? { reasons: gate.reasons } : {}),
        },
        'A live account was compared with its exchange',
      );
    this.gate = gate;
    if (gate.kind === 'open') this.isShut = false;
  }

  /**
   * A stop that is not shown any more is looked up at once. True where that brought news. A gate that
   * another list has closed is no reason not to: what is lost meanwhile may be guarded anew.
   */
  private async readOpenOrders(): Promise<boolean> {
    const { clock, signer } = this.deps;
    const now = clock.now();
    if (this.isShut || !this.isRecent(this.reconciledAtMs)) return false;
    if (now - this.openReadAtMs < OPEN_ORDERS_MS) return false;
    const resting = (await this.orders()).filter(
      ({ state, intent }) => state === 'open' && intent.type !== 'market',
    );
    if (resting.length === 0) return false;
    this.openReadAtMs = now;
    const symbols = [...new Set(resting.map(({ intent }) => intent.symbol))];
    const read = await signer
      .ask({ act: 'open_orders', connectionId: this.connection.id, symbols })
      .catch(() => null);
    if (read?.kind !== 'read') return false;
    const shown = new Map(read.value.map((order) => [order.exchangeOrderId, order]));
    let hasNews = false;
    for (const order of resting) {
      if (this.isStopping) break;
      const seen = shown.get(order.exchangeOrderId ?? '');
      if (seen === undefined || seen.filled > order.booked)
        hasNews = (await this.look(order)) || hasNews;
      // Until it is known, a stop is taken to have the limit that the signer gives it.
      else if (order.intent.type === 'stop' && order.seen?.limitPrice === undefined)
        await this.settle(order, [{ kind: 'seen', atMs: now, order: seen }]);
    }
    return hasNews;
  }

  /** True where something was done that may make more possible. */
  private async stepAll(): Promise<boolean> {
    const orders = await this.orders();
    const done = await Promise.all(orders.map((order) => this.step(order, orders)));
    return done.some(Boolean);
  }

  private async step(order: LiveOrder, orders: readonly LiveOrder[]): Promise<boolean> {
    const { clock } = this.deps;
    const now = clock.now();
    const { clientOrderId, deadlineMs } = order.intent;
    if (this.inFlight.has(clientOrderId)) return false;
    if (order.state === 'planned' && now >= deadlineMs)
      return this.settle(order, [{ kind: 'deadline_passed', atMs: now }]);
    if (order.state === 'sending') {
      if (now - (order.sentAtMs ?? now) < STALE_SENDING_MS) return false;
      return this.settle(order, [{ kind: 'outcome_unknown', atMs: now, cause: 'interrupted' }]);
    }
    const isToSend =
      sendRefusal(order, this.gateFor(order), orders, policyOf(this.connection), now) === null;
    // Of one that is planned nothing has left: it waits for nothing.
    if (isToSend && (order.state === 'planned' || this.repeats.take(`send ${clientOrderId}`, now)))
      return this.askBeside(order, () => this.send(order));
    if (isWaitingToGo(order) && this.repeats.isDue(`cancel ${clientOrderId}`, now)) {
      const isGuard = await isProtecting(this.deps.database.db, order, orders);
      if (!isGuard || this.mayAskForGuard(order, now))
        return this.askBeside(order, () => this.takeAway(order, isGuard));
    }
    return this.lookIfDue(order, now);
  }

  /**
   * Neither a sale nor another stop could follow one that guards while the gate is closed, or while
   * the pair takes no orders.
   */
  private mayAskForGuard({ intent: { clientOrderId, symbol } }: LiveOrder, now: number): boolean {
    if (this.gate.kind !== 'open' || !this.takesOrders(symbol)) return false;
    return this.questions.take(clientOrderId, now);
  }

  /** A stop that guards goes only where the signer would sign what follows it now. */
  private async takeAway(order: LiveOrder, isGuard: boolean): Promise<boolean> {
    if (isGuard && !(await this.mayBeSold(order))) return false;
    // The gate may have closed while the signer was asked, or the pair.
    const isShut = this.gate.kind !== 'open' || !this.takesOrders(order.intent.symbol);
    if (this.isStopping || (isGuard && isShut)) return false;
    const now = this.deps.clock.now();
    if (!this.repeats.take(`cancel ${order.intent.clientOrderId}`, now)) return false;
    this.noteUnguarded(order, now);
    return this.settle(order, [await cancel(this.deps, order)]);
  }

  private async mayBeSold(order: LiveOrder): Promise<boolean> {
    const { deps, connection } = this;
    const answer = await maySell(deps, order);
    if (typeof answer !== 'object') return answer === 'yes';
    const rules = this.rules(order.intent.symbol);
    const lookUp = (): Promise<boolean> => this.look(order);
    await tellRefusedBeyondLimit(deps, connection, { order, rules, code: answer.code, lookUp });
    return false;
  }

  private takesOrders(symbol: string): boolean {
    this.checkPair(symbol);
    return this.port.takesOrders(this.connection.exchange, symbol);
  }

  /** What an answer makes possible is done at once. */
  private checkPair(symbol: string): void {
    const asked = this.port.checkPair(this.connection.exchange, symbol);
    if (asked === null || this.checking.has(symbol)) return;
    this.checking.add(symbol);
    this.keepBeside(asked.finally(() => this.checking.delete(symbol)).then(() => this.followUp()));
  }

  /** Of pairs that take no orders, or no stops, and where something waits for that. */
  private checkClosed(wanted: readonly string[]): void {
    const waiting = this.watches.list.filter(({ why }) => why === 'pair_not_trading');
    for (const symbol of new Set([...wanted, ...waiting.map((one) => one.symbol)])) {
      const rules = this.rules(symbol);
      if (isClosed(rules?.status) || rules?.takesStops === false) this.checkPair(symbol);
    }
  }

  private noteUnguarded({ intent }: LiveOrder, now: number): void {
    if (intent.type !== 'stop' || this.isShut) return;
    this.unguardedSince.set(`${intent.agentId} ${intent.symbol}`, now);
  }

  /** The gate may close before what takes the place of a stop has left, or with the news of its end. */
  private noteLost(order: LiveOrder): void {
    if (isLost(order)) this.noteUnguarded(order, this.deps.clock.now());
  }

  /**
   * Goes on beside the rest: an exchange may take a minute to answer about one order, and no other
   * waits for that, nor does what is to be planned. News makes the account be worked on again.
   */
  private askBeside({ intent }: LiveOrder, ask: () => Promise<boolean>): false {
    const { clientOrderId } = intent;
    this.inFlight.add(clientOrderId);
    this.keepBeside(
      ask()
        .finally(() => this.inFlight.delete(clientOrderId))
        .then((isNews) => (isNews ? this.followUp() : undefined)),
    );
    return false;
  }

  private keepBeside(asked: Promise<void>): void {
    const kept = asked
      .catch((error: unknown) => {
        this.close();
        this.deps.log.warn(
          { connection: this.connection.id, reason: String(error) },
          'An order could not be asked about; nothing is sent until the account is compared again',
        );
      })
      .finally(() => this.beside.delete(kept));
    this.beside.add(kept);
  }

  /** Once there were too many, the next regular look goes on. */
  private async followUp(): Promise<void> {
    this.passes += 1;
    if (this.passes <= PASSES) await this.work();
  }

  private async send(order: LiveOrder): Promise<boolean> {
    // A signer that cannot be reached has sent nothing: the order stays planned.
    const { version } = await this.deps.signer.ask({ act: 'hello', version: SIGNER_VERSION });
    const claimed = await claimSending(
      this.deps,
      this.connection,
      order.intent,
      this.gateFor(order),
      otherVersionOf(version) !== null,
    );
    if (claimed === null) return false;
    const event = await place(this.deps, claimed);
    const isSaidClosed = this.port.isSaidClosed(this.exchange, claimed.intent.symbol);
    if (event.kind === 'rejected') this.doubtRules(claimed, event.code);
    await this.settle(claimed, [event], isSaidClosed);
    if (event.kind === 'rejected' || event.kind === 'refused') this.replans.afterRefusal(claimed);
    return true;
  }

  private doubtRules({ intent: { symbol, type } }: LiveOrder, code: string): void {
    const { exchange } = this.connection;
    this.port.pairMayHaveChanged(exchange, symbol);
    // Of a pair that takes no orders for a while the lists say nothing that was wrong.
    const closed = type === 'stop' ? STOPS_CLOSED_CODES : PAIR_CLOSED_CODES;
    if (!closed.has(code)) this.port.rulesMayHaveChanged(exchange);
    this.checkPair(symbol);
  }

  private lookIfDue(order: LiveOrder, now: number): boolean {
    const { clientOrderId, type } = order.intent;
    const isWaited =
      order.state === 'unknown' ||
      (order.state === 'open' &&
        (type === 'market' || endIsSeen(order) || order.cancel === 'acknowledged')) ||
      // It may have ended by itself, which is why the cancellation was turned down.
      (isWaitingToGo(order) && this.repeats.has(`cancel ${clientOrderId}`));
    if (!isWaited || !this.looks.take(clientOrderId, now)) return false;
    return this.askBeside(order, () => this.look(order));
  }

  private async look(order: LiveOrder): Promise<boolean> {
    const events = await lookUp(this.deps, order);
    return events.length > 0 && (await this.settle(order, events));
  }

  private async settle(
    order: LiveOrder,
    events: readonly OrderEvent[],
    isSaidClosed = true,
  ): Promise<boolean> {
    const { deps, connection, rules } = this;
    const { clientOrderId, agentId } = order.intent;
    const ids = { clientOrderId, agentId };
    const settled = await settleOrder(deps, connection, ids, events, rules, isSaidClosed);
    if (settled?.changed !== true) return false;
    this.settledAtMs = this.deps.clock.now();
    this.looks.forget(clientOrderId);
    if (hasEnded(settled.order)) {
      for (const what of ['send', 'cancel']) this.repeats.forget(`${what} ${clientOrderId}`);
      this.questions.forget(clientOrderId);
    }
    this.watches.replaceOf(settled.symbol, settled.watches);
    this.noteLost(settled.order);
    return true;
  }

  /** A price that may have reached a stop that does not rest at the exchange. */
  onQuote(quote: Quote): Promise<void> {
    return this.watches.onQuote(this.connection, quote);
  }
}
