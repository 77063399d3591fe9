/**
 * Cash, positions, settings and plan of the agents under evaluation, for a batch read under lock.
 */
import { and, asc, eq, inArray, isNull, lte } from 'drizzle-orm';
import { agentsWithAPlace, placesOf } from '../../contract/consequences.ts';
import { STARTING_DEPOSIT } from '../../contract/limits.ts';
import { fixedFromNumber, minimum, parseFixed, subtract, ZERO } from '../../contract/money.ts';
import type { Fixed } from '../../contract/money.ts';
import { momentText } from '../../engine/guards/guard.ts';
import { markToMarket } from '../../engine/accounting/ledger.ts';
import { riskValues, type OwnRiskValues } from '../../engine/execution/risk-profiles.ts';
import type {
  AccountInput,
  OpenPosition,
  RiskValues,
  TradeDraft,
} from '../../engine/execution/agent-types.ts';
import type { Quote } from '../../engine/market-types.ts';
import type { Db, Tx } from '../db/database.ts';
import { accounts, agents } from '../db/schema.ts';
import { loadLiveAccounts, type LiveAccountState } from '../live/live-batch.ts';
import type { LivePort } from '../live/live-deps.ts';
import { isPricedSometime } from '../market/offered-pairs.ts';
import { IN_DOUBT, peopleInDoubt } from '../portfolio/alarms.ts';
import { cashOf } from '../portfolio/record-trades.ts';
import { cashOfAccounts, openPositionsOf, quotesOf, toOpenPosition } from '../portfolio/marks.ts';
import { haltOn, haltsInForce, type Halt } from './trading-halts.ts';
import { openAccount, openAccountOf, type AccountRow } from '../portfolio/open-account.ts';
import { readOwnRiskOf, readSettingsOf } from '../users/user-settings.ts';
import type { TradingDeps } from '../trading-deps.ts';
import { EVALUATED_STATUSES } from './agent-lifecycle.ts';
import { notOfTerms } from './due-agents.ts';
import { asAgentRow, takesPlace, type AgentRow, type AgentTerms } from './read-agents.ts';
import type { TickInputs } from './tick-inputs.ts';

/** What all of an account comes to, and of which held pairs no price tells that. */
type AccountWorth = Required<Pick<AccountInput, 'equity' | 'unpriced'>>;

export interface HeldPosition extends OpenPosition {
  agentId: string;
}

/** One account during a batch; agents of one person draw on it one after another. */
export interface AccountState {
  id: string;
  cash: Fixed;
  positions: HeldPosition[];
  /** Null on paper. */
  live: LiveAccountState | null;
}

/** Paper accounts are known by their owner, live ones by their connection. */
const accountKey = (row: Pick<AgentTerms, 'uid' | 'connectionId'>): string =>
  row.connectionId ?? row.uid;

interface PersonState {
  maxTradeAmount: Fixed;
  entriesAllowed: AccountInput['entriesAllowed'];
  /** Agents that run, and for which the plan has no place. */
  withoutPlace: ReadonlySet<string>;
  places: number;
  /** The person's own percentages, by profile. */
  own: ReadonlyMap<string, OwnRiskValues>;
}

/**
 * Agents due at `tick`, locked; those that another worker or a command holds are left to them, and
 * those of the terms left out stay due. Who waits longest comes first, then person by person, so
 * that workers seldom meet at one account.
 */
export async function claimDue(
  tx: Tx,
  source: string,
  { tick, leftOut }: Pick<TickInputs, 'tick' | 'leftOut'>,
  limit: number,
): Promise<AgentRow[]> {
  const rows = await tx.db
    .select()
    .from(agents)
    .where(
      and(
        eq(agents.source, source),
        inArray(agents.status, [...EVALUATED_STATUSES]),
        isNull(agents.deletedAt),
        lte(agents.nextDueMarketMs, tick),
        notOfTerms(leftOut),
      ),
    )
    .orderBy(asc(agents.nextDueMarketMs), asc(agents.uid), asc(agents.id))
    .limit(limit)
    .for('update', { skipLocked: true });
  return rows.map(asAgentRow);
}

export class BatchState {
  private readonly worths = new Map<string, AccountWorth>();

  private constructor(
    private readonly deps: TradingDeps,
    private readonly accounts: ReadonlyMap<string, AccountState>,
    private readonly people: ReadonlyMap<string, PersonState>,
    private readonly halts: readonly Halt[],
  ) {}

  /**
   * Locks the accounts of these agents in the order of their ids and reads what they hold: so many
   * statements, however many agents. An account that somebody else holds is not waited for: its
   * agents have no state here and stay due.
   */
  static async load(tx: Tx, deps: TradingDeps, rows: readonly AgentRow[]): Promise<BatchState> {
    const source = deps.market.source.id;
    const uids = [...new Set(rows.map((row) => row.uid))];
    const onPaper = rows.filter((row) => row.connectionId === null);
    const open = await lockPaperAccounts(tx, deps, [...new Set(onPaper.map((row) => row.uid))]);
    const states = await readAccounts(tx, open);
    const connectionIds = new Set(rows.flatMap((row) => row.connectionId ?? []));
    if (connectionIds.size > 0)
      for (const [id, state] of await readLive(tx, deps, [...connectionIds])) states.set(id, state);
    const halts = await haltsInForce(
      tx.db,
      source,
      uids,
      rows.map((row) => row.id),
      deps.clock.now(),
    );
    return new BatchState(deps, states, await readPeople(tx, deps, uids), halts);
  }

  /**
   * The same without a lock, for an evaluation that writes nothing. Who has no account yet has the
   * deposit that one opens with.
   */
  static async readUnlocked(
    tx: Tx,
    deps: TradingDeps,
    uid: string,
    agentId: string,
  ): Promise<BatchState> {
    const open = await openAccountOf(tx.db, uid, deps.market.source.id);
    const states =
      open === null
        ? new Map([
            [uid, { id: '', cash: parseFixed(STARTING_DEPOSIT), positions: [], live: null }],
          ])
        : await readAccounts(tx, [open]);
    const halts = await haltsInForce(
      tx.db,
      deps.market.source.id,
      [uid],
      agentId === '' ? [] : [agentId],
      deps.clock.now(),
    );
    return new BatchState(deps, states, await readPeople(tx, deps, [uid]), halts);
  }

  get port(): LivePort | null {
    return this.deps.live ?? null;
  }

  /** Whether the account could be had. */
  has(row: AgentTerms): boolean {
    return this.accounts.has(accountKey(row));
  }

  account(row: AgentTerms): AccountState {
    const state = this.accounts.get(accountKey(row));
    if (state === undefined) throw new Error('An agent without an account');
    return state;
  }

  risk(row: AgentTerms): RiskValues {
    return riskValues(row.riskProfile, this.people.get(row.uid)?.own.get(row.riskProfile) ?? null);
  }

  /**
   * The account as this agent may use it now: cash not yet spent by agents before it in the batch.
   */
  input(row: AgentTerms, quotes: ReadonlyMap<string, Quote>): AccountInput {
    const account = this.account(row);
    const person = this.people.get(row.uid);
    if (person === undefined) throw new Error('No such user');
    const { live } = account;
    return {
      freeCash: live === null ? account.cash : live.freeCash,
      ...this.worthOf(account, quotes),
      ...(live === null ? {} : { outsideCash: live.outsideCash, isSettling: live.isSettling }),
      maxTradeAmount:
        live === null ? person.maxTradeAmount : minimum(person.maxTradeAmount, live.maxOrder),
      entriesAllowed: this.entriesAllowed(row, person, live),
    };
  }

  /**
   * The widest switch is the one that is named: platform, venue, person, agent; a guard's halt
   * comes after all of them.
   */
  private entriesAllowed(
    row: AgentTerms,
    person: PersonState,
    live: LiveAccountState | null,
  ): AccountInput['entriesAllowed'] {
    const wide = haltOn(this.halts, row.uid, row.id, ['platform', 'venue', 'user']);
    if (wide !== null) return { allowed: false, reason: tradingHaltText(wide) };
    if (!person.entriesAllowed.allowed) return person.entriesAllowed;
    const narrow = haltOn(this.halts, row.uid, row.id, ['agent']);
    if (narrow !== null) return { allowed: false, reason: tradingHaltText(narrow) };
    if (person.withoutPlace.has(row.id))
      return { allowed: false, reason: `your plan allows ${person.places} running agents.` };
    const atExchange = live?.entriesOff(this.port) ?? null;
    if (live === null || atExchange === null) return { allowed: true };
    return { allowed: false, reason: atExchange, passes: live.isOffForNow(this.port) };
  }

  /** The person's own limit on any one order. */
  maxTradeAmount(row: Pick<AgentTerms, 'uid'>): Fixed {
    const person = this.people.get(row.uid);
    if (person === undefined) throw new Error('No such user');
    return person.maxTradeAmount;
  }

  /**
   * The same for every agent of the account until one of them trades. A pair that the market does
   * not offer gets no price any more and counts at cost.
   */
  private worthOf(account: AccountState, quotes: ReadonlyMap<string, Quote>): AccountWorth {
    const known = this.worths.get(account.id);
    if (known !== undefined) return known;
    const { market } = this.deps;
    const held = account.positions.map(({ pair }) => pair);
    const marks = quotesOf(market, held);
    for (const pair of held) {
      const first = quotes.get(pair);
      if (first !== undefined) marks.set(pair, first);
    }
    const { equity, unpriced } = markToMarket(account.cash, account.positions, marks);
    const worth = { equity, unpriced: unpriced.filter((pair) => isPricedSometime(market, pair)) };
    this.worths.set(account.id, worth);
    return worth;
  }

  held(row: AgentTerms): HeldPosition[] {
    const { live, positions } = this.account(row);
    const held = positions.filter((position) => position.agentId === row.id);
    if (live === null) return held;
    // Dust can neither be sold nor stand in the way of a new position.
    return held.filter(
      ({ pair, quantity }) =>
        !live.isDust(this.port, pair, quantity, this.deps.market.quote(pair)?.bid ?? null),
    );
  }

  /** Takes a decided trade into the account, so that whoever comes next in the batch sees it. */
  apply(row: AgentTerms, trade: TradeDraft): void {
    const account = this.account(row);
    this.worths.delete(account.id);
    account.cash = subtract(account.cash, cashOf(trade));
    const before = account.positions.find(
      (position) => position.agentId === row.id && position.pair === trade.after.pair,
    );
    account.positions = account.positions.filter((position) => position !== before);
    if (trade.after.quantity === ZERO) return;
    account.positions.push({
      ...trade.after,
      id: before?.id ?? '',
      agentId: row.id,
      openedAt: before?.openedAt ?? trade.fill.filledAt,
    });
  }
}

const HALTED = {
  platform: 'for everyone',
  venue: 'at this exchange',
  user: 'for your account',
  agent: 'for this agent',
} as const;

function tradingHaltText({ scope, reason, until }: Halt): string {
  return `the operator has paused new trades ${HALTED[scope]}${until === null ? '' : ` until ${momentText(until)}`} (${reason}).`;
}

/**
 * Locks the open accounts in the order of their ids; an account that somebody else holds is not
 * waited for.
 */
async function lockPaperAccounts(
  tx: Tx,
  deps: TradingDeps,
  uids: readonly string[],
): Promise<Pick<AccountRow, 'id' | 'uid'>[]> {
  if (uids.length === 0) return [];
  const theirs = and(
    inArray(accounts.uid, [...uids]),
    eq(accounts.source, deps.market.source.id),
    isNull(accounts.closedAt),
  );
  let open = await tx.db
    .select()
    .from(accounts)
    .where(theirs)
    .orderBy(asc(accounts.id))
    .for('update', { skipLocked: true });
  if (open.length < uids.length) {
    const having = new Set(
      (await tx.db.select({ uid: accounts.uid }).from(accounts).where(theirs)).map(
        ({ uid }) => uid,
      ),
    );
    for (const uid of uids) {
      if (!having.has(uid)) open = [...open, await openAccount(tx, uid, deps.market, deps.clock)];
    }
  }
  return open;
}

/** The live accounts of these connections, locked, with what their agents hold. */
async function readLive(
  tx: Tx,
  deps: TradingDeps,
  connectionIds: readonly string[],
): Promise<Map<string, AccountState>> {
  const live = await loadLiveAccounts(tx, deps, connectionIds);
  const states = new Map(
    [...live].map(([id, state]): [string, AccountState] => [
      id,
      { id: state.connection.accountId, cash: state.cash, positions: [], live: state },
    ]),
  );
  await readPositions(tx, [...states.values()]);
  return states;
}

async function readPositions(tx: Tx, states: readonly AccountState[]): Promise<void> {
  const byId = new Map(states.map((state) => [state.id, state]));
  for (const row of await openPositionsOf(tx.db, [...byId.keys()]))
    byId.get(row.accountId)?.positions.push({ ...toOpenPosition(row), agentId: row.agentId });
}

/** Cash and open positions of these accounts, by their owners. */
async function readAccounts(
  tx: Tx,
  open: readonly Pick<AccountRow, 'id' | 'uid'>[],
): Promise<Map<string, AccountState>> {
  const ids = open.map((account) => account.id);
  const cash = await cashOfAccounts(tx.db, ids);
  const states = new Map(
    open.map((account): [string, AccountState] => [
      account.uid,
      { id: account.id, cash: cash.get(account.id) ?? ZERO, positions: [], live: null },
    ]),
  );
  await readPositions(tx, [...states.values()]);
  return states;
}

type Running = Pick<AgentRow, 'id' | 'status' | 'createdAt'>;

async function runningAgentsOf(
  db: Db,
  uids: readonly string[],
  source: string,
): Promise<Map<string, Running[]>> {
  const rows = await db
    .select({ id: agents.id, uid: agents.uid, status: agents.status, createdAt: agents.createdAt })
    .from(agents)
    .where(
      and(
        inArray(agents.uid, [...uids]),
        takesPlace(source),
        inArray(agents.status, [...EVALUATED_STATUSES]),
      ),
    );
  const byUid = new Map<string, Running[]>();
  for (const { uid, ...row } of rows as (Running & { uid: string })[])
    byUid.set(uid, [...(byUid.get(uid) ?? []), row]);
  return byUid;
}

/**
 * What the person has set. Whoever changes it takes the account first, which the batch holds by
 * now: none is seen late.
 */
async function readPeople(
  tx: Tx,
  { entitlement, market }: TradingDeps,
  uids: readonly string[],
): Promise<Map<string, PersonState>> {
  const settings = await readSettingsOf(tx.db, uids);
  const plans = await entitlement.tiersOf(uids, tx);
  const own = await readOwnRiskOf(tx.db, uids);
  const runs = await runningAgentsOf(tx.db, uids, market.source.id);
  const doubted = await peopleInDoubt(tx.db, uids, market.source.id);
  return new Map(
    [...settings].map(([uid, { tradingEnabled, tradingMode, maxTradeAmount }]) => {
      const reason =
        plans.get(uid)?.lapsed !== false
          ? 'your plan has ended.'
          : !tradingEnabled
            ? 'trading is turned off in your settings.'
            : tradingMode === 'paused'
              ? 'trading is paused in your settings.'
              : doubted.has(uid)
                ? IN_DOUBT
                : null;
      const tier = plans.get(uid)?.tier ?? 'free';
      const placed = agentsWithAPlace(tier, runs.get(uid) ?? []);
      return [
        uid,
        {
          places: placesOf(tier),
          withoutPlace: new Set(
            (runs.get(uid) ?? []).filter(({ id }) => !placed.has(id)).map(({ id }) => id),
          ),
          maxTradeAmount: fixedFromNumber(maxTradeAmount),
          own: own.get(uid) ?? new Map<string, OwnRiskValues>(),
          entriesAllowed: reason === null ? { allowed: true } : { allowed: false, reason },
        },
      ];
    }),
  );
}
