/**
 * The live accounts of agents that decide in one batch, under lock: what each may use, why one buys
 * nothing, and its trades as planned orders.
 */
import { and, asc, eq, inArray, isNull } from 'drizzle-orm';
import type { TradingFrequency } from '../../contract/agents.ts';
import {
  add,
  basisPoints,
  divide,
  formatFixed,
  maximum,
  minimum,
  multiply,
  parseFixed,
  subtract,
  sum,
  ZERO,
} from '../../contract/money.ts';
import type { Fixed } from '../../contract/money.ts';
import {
  holdingOf,
  rememberOwed,
  withoutTrades,
  type StrategyHolding,
} from '../../engine/execution/agent-memory.ts';
import type { AgentOutcome, TradeDraft } from '../../engine/execution/agent-types.ts';
import { rebalancesAlways } from '../../engine/execution/schedule.ts';
import { hasEnded } from '../../engine/orders/live-order.ts';
import { sizeOrder } from '../../engine/orders/order-size.ts';
import { reservationFor } from '../../engine/orders/reservation.ts';
import type { Tx } from '../db/database.ts';
import { accountAlarms, accounts } from '../db/schema.ts';
import { liveConnections, liveExits } from '../db/schema-live.ts';
import { askExit } from './ask-exit.ts';
import { ordersThisHour } from './brakes.ts';
import { lossToday } from './day-loss.ts';
import { loadGuardedAccounts, type GuardedAccount } from './guarded-account.ts';
import { asConnection, heldElsewhereOf, type ConnectionRow } from './live-accounts.ts';
import type { BookDeps, LivePort } from './live-deps.ts';
import { NOT_COMPARED } from './live-run.ts';
import { liveOrdersOf } from './order-rows.ts';
import { insertOrder } from './order-store.ts';
import { newClientOrderId, ORDER_LIFE_MS } from './pair-plan.ts';
import { OTHER_SIGNER } from './signer-version.ts';

/** What this process waits for, and a rebalance moment with it. */
const PASSING: ReadonlySet<string> = new Set([NOT_COMPARED, OTHER_SIGNER]);

/** How far above the ask a market purchase may be filled; the signer's collar is as wide. */
const COLLAR_BPS = parseFixed('200');
/** More than the dearest first tier of the three exchanges. */
const WORST_FEE_BPS = parseFixed('120');

/** The most that a purchase at market may be filled at. */
const worstOf = (ask: Fixed): Fixed => add(ask, basisPoints(ask, COLLAR_BPS, 'up'));

/** Why an entry did not become an order, as the agent's journal says it. */
export type EntryRefusal =
  | 'too_small'
  | 'no_rules'
  | 'limits'
  | 'own_limits'
  | 'no_room'
  | 'no_cash';

const REFUSALS: Record<EntryRefusal, string> = {
  too_small: 'No order: the exchange takes no order this small.',
  no_rules: 'No order: the exchange does not trade this pair now.',
  limits: 'No order: your limits for this exchange account leave too little.',
  own_limits: 'No order: your own maximum per order or position leaves too little.',
  no_room: 'No order: the most you allow in the market is used up.',
  no_cash: 'No order: too little cash is free in this exchange account.',
};
/** Why there is too little for now: what is sold at the same close, or before, frees cash and room. */
const UNTIL_SETTLED = 'It is decided again when the orders under way have ended.';

/** One connection in the batch; agents of one account draw on it one after another. */
export class LiveAccountState {
  /** Whether this batch has bought or sold anything of the account. */
  private hasMoved = false;

  constructor(
    readonly connection: ConnectionRow,
    readonly cash: Fixed,
    /** Cash that came from outside so far, less what went there. */
    readonly outsideCash: Fixed,
    /** Held back by orders, those of this batch among them. */
    private reserved: Fixed,
    /** Held back at the exchange by orders that are not ours. */
    private readonly heldElsewhere: Fixed,
    /** The cost of positions, and what open purchases may cost. */
    private exposure: Fixed,
    private ordersThisHour: number,
    private readonly lossToday: Fixed,
    private readonly isInDoubt: boolean,
    /** `AGENT PAIR` of each entry, exit or sale that is under way. */
    private readonly busy: ReadonlySet<string>,
  ) {}

  get freeCash(): Fixed {
    return maximum(ZERO, minimum(this.cashLeft, this.roomLeft));
  }

  private get cashLeft(): Fixed {
    return subtract(subtract(this.cash, this.reserved), this.heldElsewhere);
  }

  /** Of what the person allows in the market. */
  private get roomLeft(): Fixed {
    return subtract(parseFixed(this.connection.maxExposure), this.exposure);
  }

  /** What leaves less than was wanted, where it is not one order's own limit. */
  get shortOf(): 'no_cash' | 'no_room' {
    return this.cashLeft <= this.roomLeft ? 'no_cash' : 'no_room';
  }

  /** Orders are under way: what can be bought with may be more when they have ended. */
  get isSettling(): boolean {
    return this.hasMoved || this.busy.size > 0;
  }

  get maxOrder(): Fixed {
    return parseFixed(this.connection.maxOrder);
  }

  isBusy(agentId: string, pair: string): boolean {
    return this.busy.has(`${agentId} ${pair}`);
  }

  /** Too little for any order of the exchange. */
  isDust(port: LivePort | null, pair: string, quantity: Fixed, bid: Fixed | null): boolean {
    const rules = port?.rules(this.connection.exchange, pair) ?? null;
    return rules !== null && bid !== null && sizeOrder(quantity, bid, rules).kind === 'dust';
  }

  /**
   * Whether a sale takes a part that is too small for an order, also at the lowest price that the
   * signer lets pass: the price may fall before the stops in its way have ended.
   */
  isTooLittleToSell(port: LivePort | null, trade: TradeDraft): boolean {
    const { fill } = trade;
    const worst = subtract(fill.quoteBid, basisPoints(fill.quoteBid, COLLAR_BPS, 'up'));
    return isPart(trade) && this.isDust(port, fill.pair, fill.wanted, worst);
  }

  /** Why nothing is bought, as a sentence goes on; exits go on. */
  entriesOff(port: LivePort | null): string | null {
    return this.lastingOff(port) ?? this.passingOff(port);
  }

  /** Whether nothing is bought for a while only: a rebalance moment waits for that. */
  isOffForNow(port: LivePort | null): boolean {
    return this.lastingOff(port) === null && this.passingOff(port) !== null;
  }

  private lastingOff(port: LivePort | null): string | null {
    const { connection } = this;
    if (connection.state === 'ended') return 'live trading has ended for this exchange account.';
    if (connection.entriesOffSince !== null)
      return 'you have turned off purchases for this exchange account.';
    if (connection.keyFaults.length > 0)
      return 'the key of this exchange account is not accepted any more.';
    if (this.isInDoubt)
      return 'the ledger of this account does not add up, and the operator has to check it.';
    if (port === null) return 'live trading is turned off on this server.';
    if (this.lossToday >= parseFixed(connection.maxDailyLoss))
      return "today's losses have reached your limit for this exchange account.";
    const ofPort = port.entriesOff(connection.id);
    return ofPort === null || PASSING.has(ofPort) ? null : ofPort;
  }

  private passingOff(port: LivePort | null): string | null {
    const { connection } = this;
    if (this.ordersThisHour >= connection.maxOrdersPerHour)
      return 'this exchange account has placed as many orders this hour as you allow.';
    return port?.entriesOff(connection.id) ?? null;
  }

  /**
   * What may be bought at this ask, fee and collar covered: for cash and room, and in one order, of
   * which the person's own rules allow `ownMost`.
   */
  affordable(ask: Fixed, ownMost: Fixed): { forCash: Fixed; inOneOrder: Fixed } {
    const worst = worstOf(ask);
    const withFee = add(worst, basisPoints(worst, WORST_FEE_BPS, 'up'));
    return {
      forCash: divide(this.freeCash, withFee, 'down'),
      inOneOrder: divide(minimum(this.maxOrder, ownMost), worst, 'down'),
    };
  }

  take(amount: Fixed): void {
    this.reserved = add(this.reserved, amount);
    this.exposure = add(this.exposure, amount);
    this.ordersThisHour += 1;
    this.hasMoved = true;
  }

  /** Something of it is to be sold. */
  noteExit(): void {
    this.hasMoved = true;
  }
}

/** Locks the accounts of these connections; one that somebody else holds is left out. */
export async function loadLiveAccounts(
  tx: Tx,
  deps: Pick<BookDeps, 'clock'>,
  connectionIds: readonly string[],
): Promise<Map<string, LiveAccountState>> {
  const open = await tx.db
    .select({ accountId: accounts.id, quote: accounts.quote })
    .from(accounts)
    .where(and(inArray(accounts.connectionId, [...connectionIds]), isNull(accounts.closedAt)))
    .orderBy(asc(accounts.id))
    .for('update', { skipLocked: true });
  // After the lock: a statement that locks has read other tables before it, and the person's brakes
  // may have been set in between.
  const rows = await tx.db
    .select()
    .from(liveConnections)
    .where(
      inArray(
        liveConnections.accountId,
        open.map(({ accountId }) => accountId),
      ),
    );
  const guarded = await loadGuardedAccounts(
    tx.db,
    rows.map(({ id }) => id),
  );
  const quotes = new Map(open.map(({ accountId, quote }) => [accountId, quote]));
  const states = new Map<string, LiveAccountState>();
  for (const row of rows) {
    const account = guarded.get(row.id);
    const quote = quotes.get(row.accountId);
    if (account === undefined || quote === undefined) throw new Error('The account is gone');
    states.set(row.id, await loadOne(tx, deps, asConnection(row), quote, account));
  }
  return states;
}

async function loadOne(
  tx: Tx,
  { clock }: Pick<BookDeps, 'clock'>,
  connection: ConnectionRow,
  quote: string,
  { cash, outsideCash, positions }: GuardedAccount,
): Promise<LiveAccountState> {
  const { db } = tx;
  const { accountId } = connection;
  const now = clock.now();
  const orders = (await liveOrdersOf(db, connection.id)).map(({ order }) => order);
  const exits = await db
    .select({ agentId: liveExits.agentId, symbol: liveExits.symbol })
    .from(liveExits)
    .where(eq(liveExits.connectionId, connection.id));
  const doubt = await db.$count(accountAlarms, eq(accountAlarms.accountId, accountId));
  const reserved = orders.reduce(
    (total, { intent, reserved: one }) =>
      intent.reservation.asset === quote ? add(total, one) : total,
    ZERO,
  );
  const working = orders.filter((one) => one.intent.type !== 'stop' && !hasEnded(one));
  return new LiveAccountState(
    connection,
    cash,
    outsideCash,
    reserved,
    (await heldElsewhereOf(db, connection.id)).get(quote) ?? ZERO,
    add(sum(positions.map(({ cost }) => cost)), reserved),
    await ordersThisHour(db, connection.id, now),
    await lossToday(db, accountId, now),
    doubt > 0,
    new Set([
      ...working.map(({ intent }) => `${intent.agentId} ${intent.symbol}`),
      ...exits.map(({ agentId, symbol }) => `${agentId} ${symbol}`),
    ]),
  );
}

/** A decided purchase as the order that may be made of it now. */
export interface PlannedEntry {
  quantity: Fixed;
  reservation: { asset: string; amount: Fixed };
  /** Cut, because too little cash or room is free. */
  isShort: boolean;
}

/** What the person allows for one order and for one position of the agent, in quote currency. */
interface EntryLimits {
  maxTradeAmount: Fixed;
  maxPositionSize: Fixed;
}

/** Cuts a purchase to the exchange's rules, the account's limits and the person's own. */
export function sizeEntry(
  state: LiveAccountState,
  port: LivePort | null,
  { fill, after }: TradeDraft,
  { maxTradeAmount, maxPositionSize }: EntryLimits,
): PlannedEntry | EntryRefusal {
  const rules = port?.rules(state.connection.exchange, fill.pair) ?? null;
  if (rules?.status !== 'trading') return 'no_rules';
  // The engine has cut to both at the price that is shown; it may be filled higher.
  const held = multiply(subtract(after.quantity, fill.quantity), fill.quoteBid, 'down');
  const ownMost = minimum(maxTradeAmount, maximum(ZERO, subtract(maxPositionSize, held)));
  const { forCash, inOneOrder } = state.affordable(fill.quoteAsk, ownMost);
  const sized = sizeOrder(
    minimum(fill.quantity, minimum(forCash, inOneOrder)),
    fill.quoteAsk,
    rules,
  );
  // The engine has cut to the cash that was free as well: what it wanted counts.
  const isShort = forCash < minimum(fill.wanted, inOneOrder);
  if (sized.kind === 'dust') {
    if (isShort) return state.shortOf;
    if (inOneOrder >= fill.quantity) return 'too_small';
    return ownMost < state.maxOrder ? 'own_limits' : 'limits';
  }
  const { quantity } = sized;
  const worstPrice = worstOf(fill.quoteAsk);
  return {
    isShort,
    quantity,
    reservation: reservationFor({
      symbol: fill.pair,
      side: 'buy',
      quantity,
      worstPrice,
      worstFeeBps: WORST_FEE_BPS,
      feeFromBase: false,
    }),
  };
}

/** What becomes of a live agent's trades. */
export interface LiveTrades {
  connection: ConnectionRow;
  entries: readonly {
    trade: TradeDraft;
    planned: PlannedEntry;
    /** What the agent remembers of it once it is bought. */
    holding: StrategyHolding | null;
  }[];
  exits: readonly TradeDraft[];
}

/** A sale of less than all; what the market's depth would leave for later is wanted all the same. */
const isPart = ({ fill, after }: TradeDraft): boolean =>
  fill.side === 'sell' && fill.wanted < add(after.quantity, fill.quantity);

const TOO_LITTLE_TO_SELL = {
  action: 'hold',
  reason: 'too_little_to_sell',
  text: 'Holding: the exchange takes no sale this small.',
} as const;

/** Nothing is bought or sold before the exchange has said so. */
function asOrdered(text: string, bought: Fixed | null): string {
  return bought === null
    ? text.replace(/^Sold/, 'To be sold')
    : text.replace(/^Bought \S+/, `Ordered ${formatFixed(bought)}`);
}

/** What a live agent decided at one tick. */
export interface LiveDecision extends LiveTrades {
  agentId: string;
  tickId: string;
  /** Close of the candle it decided on. */
  close: number;
}

/** What purchases are cut to and remembered by, besides the account. */
export interface EntryTerms extends EntryLimits {
  /** The agent's memory as it was before it decided. */
  memory: Readonly<Record<string, unknown>>;
  tradingFrequency: TradingFrequency;
}

/** Purchases of one agent that are made, and those that are not, with what its journal says. */
interface Bought {
  entries: LiveTrades['entries'][number][];
  refused: Map<string, string>;
  /** Not bought, or in part only, for a reason that passes. */
  missed: Set<string>;
}

/**
 * Each purchase leaves less to the next. The account's sales must be noted: they free cash that is
 * not there yet.
 */
function buyWithin(
  state: LiveAccountState,
  port: LivePort | null,
  { trades, memory }: AgentOutcome,
  limits: EntryLimits,
): Bought {
  const bought: Bought = { entries: [], refused: new Map(), missed: new Set() };
  for (const trade of trades) {
    const { pair, side } = trade.fill;
    if (side === 'sell') continue;
    // Asked for each: the ones before may have used up what the person allows in an hour.
    const off = state.entriesOff(port);
    if (off !== null) {
      bought.refused.set(pair, `No order: ${off}`);
      if (state.isOffForNow(port)) bought.missed.add(pair);
      continue;
    }
    // Before it is taken: its own order is nothing that the rest of it could wait for.
    const { isSettling } = state;
    const planned = sizeEntry(state, port, trade, limits);
    if (typeof planned !== 'string') {
      state.take(planned.reservation.amount);
      bought.entries.push({ trade, planned, holding: holdingOf(memory, pair) });
      if (planned.isShort && isSettling) bought.missed.add(pair);
      continue;
    }
    const isShort = planned === 'no_cash' || planned === 'no_room';
    const isLater = isShort && isSettling;
    bought.refused.set(pair, `${REFUSALS[planned]}${isLater ? ` ${UNTIL_SETTLED}` : ''}`);
    if (isLater || planned === 'no_rules') bought.missed.add(pair);
  }
  return bought;
}

/**
 * An outcome without fills: purchases as orders within the account's limits, and sales as exits. A
 * purchase that cannot be ordered says why, and is owed where that passes. A part that is too small
 * to sell is kept: its stops would make way for nothing.
 */
export function toLiveTrades(
  state: LiveAccountState,
  port: LivePort | null,
  outcome: AgentOutcome,
  terms: EntryTerms,
): { outcome: AgentOutcome; live: LiveTrades } {
  const exits: TradeDraft[] = [];
  const notYet = new Set<string>();
  const kept = new Set<string>();
  for (const trade of outcome.trades) {
    const { pair, side } = trade.fill;
    const isKept = state.isTooLittleToSell(port, trade);
    if (isKept) kept.add(pair);
    if (isKept || side === 'buy') notYet.add(pair);
    else exits.push(trade);
  }
  if (exits.length > 0) state.noteExit();
  const { entries, refused, missed } = buyWithin(state, port, outcome, terms);
  const decisions = outcome.decisions.map((decision) => {
    if (kept.has(decision.pair)) return { ...decision, ...TOO_LITTLE_TO_SELL };
    const refusal = refused.get(decision.pair);
    if (refusal !== undefined) return { ...decision, action: 'skip' as const, text: refusal };
    const entry = entries.find(({ trade }) => trade.fill.pair === decision.pair);
    return { ...decision, text: asOrdered(decision.text, entry?.planned.quantity ?? null) };
  });
  // An order may be refused, expire, or fill in part: what is not traded is not remembered.
  const memory = withoutTrades(outcome.memory, terms.memory, notYet);
  return {
    outcome: {
      ...outcome,
      decisions,
      trades: [],
      memory: rebalancesAlways(terms.tradingFrequency) ? memory : rememberOwed(memory, [...missed]),
    },
    live: {
      connection: state.connection,
      entries,
      exits,
    },
  };
}

/** Commits orders and exits with their decision; they leave after the commit. */
export async function planDecided(
  tx: Tx,
  deps: BookDeps,
  port: LivePort | null,
  { connection, agentId, tickId, close, entries, exits }: LiveDecision,
): Promise<void> {
  for (const { trade, planned, holding } of entries) {
    await insertOrder(
      tx,
      deps,
      {
        clientOrderId: newClientOrderId(),
        connectionId: connection.id,
        accountId: connection.accountId,
        agentId,
        symbol: trade.fill.pair,
        side: 'buy',
        type: 'market',
        quantity: planned.quantity,
        limitPrice: null,
        stopPrice: null,
        deadlineMs: deps.clock.now() + ORDER_LIFE_MS,
        cause: trade.fill.reason,
        reservation: planned.reservation,
      },
      { tickId, decidedMarketMs: close, protectAt: trade.after.stopPrice, holding },
    );
  }
  for (const trade of exits)
    await askExit(tx, deps, port, {
      connectionId: connection.id,
      agentId,
      symbol: trade.fill.pair,
      reason: trade.fill.reason,
      quantity: isPart(trade) ? trade.fill.wanted : null,
      tickId,
    });
  if (entries.length > 0) tx.afterCommit(() => port?.poke(connection.id));
}
