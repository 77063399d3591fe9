/**
 * The live accounts of agents that decide in one batch, under lock: what each may use, why one buys
 * nothing, and its trades as planned orders.
 */
import { and, asc, eq, inArray, isNull } from 'drizzle-orm';
import {
  add,
  basisPoints,
  divide,
  formatFixed,
  maximum,
  minimum,
  parseFixed,
  subtract,
  sum,
  ZERO,
} from '../../contract/money.ts';
import type { Fixed } from '../../contract/money.ts';
import {
  holdingOf,
  withoutTrades,
  type StrategyHolding,
} from '../../engine/execution/agent-memory.ts';
import type { AgentOutcome, TradeDraft } from '../../engine/execution/agent-types.ts';
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
import { liveOrdersOf } from './order-rows.ts';
import { insertOrder } from './order-store.ts';
import { newClientOrderId, ORDER_LIFE_MS } from './pair-plan.ts';

/** How far above the ask a market purchase may be filled; the signer's collar is as wide. */
const COLLAR_BPS = parseFixed('200');
/** More than the dearest first tier of the three exchanges. */
const WORST_FEE_BPS = parseFixed('120');

/** Why an entry did not become an order, as the agent's journal says it. */
export type EntryRefusal = 'too_small' | 'no_rules' | 'limits';

const REFUSALS: Record<EntryRefusal, string> = {
  too_small: 'No order: the exchange takes no order this small.',
  no_rules: 'No order: the exchange does not trade this pair now.',
  limits: 'No order: your limits for this exchange account leave too little.',
};

/** One connection in the batch; agents of one account draw on it one after another. */
export class LiveAccountState {
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
    const limit = subtract(parseFixed(this.connection.maxExposure), this.exposure);
    const free = subtract(subtract(this.cash, this.reserved), this.heldElsewhere);
    return maximum(ZERO, minimum(free, limit));
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
    if (this.ordersThisHour >= connection.maxOrdersPerHour)
      return 'this exchange account has placed as many orders this hour as you allow.';
    return port.entriesOff(connection.id);
  }

  /** The most that may be bought at this ask, fee and collar covered. */
  affordable(ask: Fixed): Fixed {
    const worst = add(ask, basisPoints(ask, COLLAR_BPS, 'up'));
    const withFee = add(worst, basisPoints(worst, WORST_FEE_BPS, 'up'));
    return minimum(divide(this.freeCash, withFee, 'down'), divide(this.maxOrder, worst, 'down'));
  }

  take(amount: Fixed): void {
    this.reserved = add(this.reserved, amount);
    this.exposure = add(this.exposure, amount);
    this.ordersThisHour += 1;
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
}

/** Cuts a purchase to the exchange's rules and the account's limits. */
export function sizeEntry(
  state: LiveAccountState,
  port: LivePort | null,
  { fill }: TradeDraft,
): PlannedEntry | EntryRefusal {
  const rules = port?.rules(state.connection.exchange, fill.pair) ?? null;
  if (rules?.status !== 'trading') return 'no_rules';
  const most = state.affordable(fill.quoteAsk);
  const sized = sizeOrder(minimum(fill.quantity, most), fill.quoteAsk, rules);
  if (sized.kind === 'dust') return most < fill.quantity ? 'limits' : 'too_small';
  const { quantity } = sized;
  const worstPrice = add(fill.quoteAsk, basisPoints(fill.quoteAsk, COLLAR_BPS, 'up'));
  return {
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

/**
 * An outcome without fills: purchases as orders within the account's limits, each of which leaves
 * less to the next, and sales as exits. A purchase that cannot be ordered says why. A part that is
 * too small to sell is kept: its stops would make way for nothing.
 */
export function toLiveTrades(
  state: LiveAccountState,
  port: LivePort | null,
  outcome: AgentOutcome,
  memoryBefore: Readonly<Record<string, unknown>>,
): { outcome: AgentOutcome; live: LiveTrades } {
  const entries: LiveTrades['entries'][number][] = [];
  const exits: TradeDraft[] = [];
  const notYet = new Set<string>();
  const kept = new Set<string>();
  const refused = new Map<string, string>();
  for (const trade of outcome.trades) {
    const { pair, side } = trade.fill;
    const isKept = state.isTooLittleToSell(port, trade);
    if (isKept) kept.add(pair);
    if (isKept || side === 'buy') notYet.add(pair);
    else exits.push(trade);
    if (side === 'sell') continue;
    // Asked for each: the ones before may have used up what the person allows in an hour.
    const off = state.entriesOff(port);
    const planned = off === null ? sizeEntry(state, port, trade) : null;
    if (planned === null) refused.set(pair, `No order: ${off}`);
    else if (typeof planned === 'string') refused.set(pair, REFUSALS[planned]);
    else {
      state.take(planned.reservation.amount);
      entries.push({ trade, planned, holding: holdingOf(outcome.memory, trade.fill.pair) });
    }
  }
  const decisions = outcome.decisions.map((decision) => {
    if (kept.has(decision.pair)) return { ...decision, ...TOO_LITTLE_TO_SELL };
    const refusal = refused.get(decision.pair);
    if (refusal !== undefined) return { ...decision, action: 'skip' as const, text: refusal };
    const entry = entries.find(({ trade }) => trade.fill.pair === decision.pair);
    return { ...decision, text: asOrdered(decision.text, entry?.planned.quantity ?? null) };
  });
  return {
    outcome: {
      ...outcome,
      decisions,
      trades: [],
      // An order may be refused, expire, or fill in part: what is not traded is not remembered.
      memory: withoutTrades(outcome.memory, memoryBefore, notYet),
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
