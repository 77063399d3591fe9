/** What a batch of due agents trades with, read under lock: cash, positions, settings, plan; refuses to go stale within it. */
import { and, asc, eq, inArray, isNull, lte } from 'drizzle-orm';
import type { RiskProfile } from '../../contract/agents.ts';
import { fixedFromNumber, subtract, ZERO } from '../../contract/money.ts';
import type { Fixed } from '../../contract/money.ts';
import { markToMarket } from '../../engine/ledger.ts';
import type { AccountInput, OpenPosition, Quote, RiskValues, TradeDraft } from '../../engine/types.ts';
import type { Tx } from '../db/database.ts';
import { accounts, agents } from '../db/schema.ts';
import { cashOf } from '../portfolio/book.ts';
import { cashOfAccounts, openPositionsOf, quotesOf, toOpenPosition } from '../portfolio/marks.ts';
import { openAccount } from '../portfolio/open-account.ts';
import { readSettings, riskValuesFor } from '../user/settings.ts';
import type { TradingDeps } from './deps.ts';
import { LOOKING } from './lifecycle.ts';
import { asAgentRow, type AgentRow } from './read-agents.ts';

export interface HeldPosition extends OpenPosition {
  agentId: string;
}

/** One account during a batch; agents of one person draw on it one after another. */
export interface AccountState {
  id: string;
  cash: Fixed;
  positions: HeldPosition[];
}

interface PersonState {
  maxTradeAmount: Fixed;
  entriesAllowed: AccountInput['entriesAllowed'];
  risk: Map<RiskProfile, RiskValues>;
}

/** Agents due at `tick`, locked; those that another worker or a command holds are left to them. */
export async function claimDue(tx: Tx, source: string, tick: number, limit: number): Promise<AgentRow[]> {
  const rows = await tx.db.select().from(agents)
    .where(and(eq(agents.source, source), inArray(agents.status, [...LOOKING]), isNull(agents.deletedAt), lte(agents.nextDueMarketMs, tick)))
    .orderBy(asc(agents.nextDueMarketMs), asc(agents.id)).limit(limit).for('update', { skipLocked: true });
  return rows.map(asAgentRow);
}

export class BatchState {
  private readonly people = new Map<string, PersonState>();

  private constructor(private readonly deps: TradingDeps, private readonly accounts: Map<string, AccountState>) {}

  /** Locks the accounts of these agents in the order of their ids and reads what they hold. */
  static async load(tx: Tx, deps: TradingDeps, rows: readonly AgentRow[]): Promise<BatchState> {
    const source = deps.market.source.id;
    const uids = [...new Set(rows.map((row) => row.uid))];
    let open = await tx.db.select().from(accounts)
      .where(and(inArray(accounts.uid, uids), eq(accounts.source, source), isNull(accounts.closedAt))).orderBy(asc(accounts.id)).for('update');
    for (const uid of uids) {
      if (!open.some((account) => account.uid === uid)) open = [...open, await openAccount(tx, uid, deps.market, deps.clock)];
    }
    const ids = open.map((account) => account.id);
    const cash = await cashOfAccounts(tx.db, ids);
    const states = new Map(open.map((account): [string, AccountState] => [account.uid, { id: account.id, cash: cash.get(account.id) ?? ZERO, positions: [] }]));
    const byId = new Map([...states.values()].map((state) => [state.id, state]));
    for (const row of await openPositionsOf(tx.db, ids)) byId.get(row.accountId)?.positions.push({ ...toOpenPosition(row), agentId: row.agentId });
    const state = new BatchState(deps, states);
    for (const row of rows) await state.readPerson(tx, row);
    return state;
  }

  /** Kill switches are read inside the transaction, so that none is seen late. */
  private async readPerson(tx: Tx, row: AgentRow): Promise<void> {
    let person = this.people.get(row.uid);
    if (person === undefined) {
      const { settings } = await readSettings(tx.db, row.uid);
      const { lapsed } = await this.deps.entitlement.tierOf(row.uid, tx);
      const reason = lapsed ? 'your plan has ended.' : !settings.tradingEnabled ? 'trading is switched off in your settings.'
        : settings.tradingMode === 'paused' ? 'trading is paused in your settings.' : null;
      person = {
        maxTradeAmount: fixedFromNumber(settings.maxTradeAmount), risk: new Map(),
        entriesAllowed: reason === null ? { allowed: true } : { allowed: false, reason },
      };
      this.people.set(row.uid, person);
    }
    if (!person.risk.has(row.riskProfile)) person.risk.set(row.riskProfile, await riskValuesFor(tx.db, row.uid, row.riskProfile));
  }

  account(row: AgentRow): AccountState {
    const state = this.accounts.get(row.uid);
    if (state === undefined) throw new Error('An agent without an account');
    return state;
  }

  risk(row: AgentRow): RiskValues {
    const values = this.people.get(row.uid)?.risk.get(row.riskProfile);
    if (values === undefined) throw new Error('An agent without risk values');
    return values;
  }

  /** The account as this agent may use it now: cash not yet spent by agents before it in the batch. */
  input(row: AgentRow, quotes: ReadonlyMap<string, Quote>): AccountInput {
    const { cash, positions } = this.account(row);
    const person = this.people.get(row.uid);
    if (person === undefined) throw new Error('An agent without a person');
    const marks = new Map([...quotesOf(this.deps.market, positions.map(({ pair }) => pair)), ...quotes]);
    return { freeCash: cash, equity: markToMarket(cash, positions, marks).equity, maxTradeAmount: person.maxTradeAmount, entriesAllowed: person.entriesAllowed };
  }

  held(row: AgentRow): HeldPosition[] {
    return this.account(row).positions.filter((position) => position.agentId === row.id);
  }

  /** Takes a decided trade into the account, so that whoever comes next in the batch sees it. */
  apply(row: AgentRow, trade: TradeDraft): void {
    const account = this.account(row);
    account.cash = subtract(account.cash, cashOf(trade));
    const before = account.positions.find((position) => position.agentId === row.id && position.pair === trade.after.pair);
    account.positions = account.positions.filter((position) => position !== before);
    if (trade.after.quantity === ZERO) return;
    account.positions.push({ ...trade.after, id: before?.id ?? '', agentId: row.id, openedAt: before?.openedAt ?? trade.fill.filledAt });
  }
}
