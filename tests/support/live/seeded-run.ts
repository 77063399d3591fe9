/**
 * One seeded run of live trading: agents that buy and sell, a person who does as they like, an
 * exchange that lies, and processes that are killed. Its journal decides what really happened.
 */
import { and, eq, isNull } from 'drizzle-orm';
import { Refusal } from '../../../contract/errors.ts';
import {
  add,
  fixedFromNumber,
  floorToStep,
  multiply,
  parseFixed,
  subtract,
  sum,
  ZERO,
  type Fixed,
} from '../../../contract/money.ts';
import { LiveExchange } from '../../../contract/signer.ts';
import { DatabaseEntitlement } from '../../../server/billing/entitlement.ts';
import type { Database } from '../../../server/db/database.ts';
import { agents, positions } from '../../../server/db/schema.ts';
import {
  liveExits,
  liveMarks,
  liveOrders,
  liveWriteOffs,
  venueFills,
} from '../../../server/db/schema-live.ts';
import { mayHaveUnbooked } from '../../../server/live/dust-doubts.ts';
import { closeLivePosition } from '../../../server/live/by-hand.ts';
import { endLiveTrading } from '../../../server/live/end-live.ts';
import { readLiveAccount } from '../../../server/live/read-live.ts';
import { withdrawEntries } from '../../../server/live/stop-live.ts';
import { writeOffPosition } from '../../../server/live/write-off.ts';
import { random } from '../tape.ts';
import { decideTrade, heldBy } from './agent-decision.ts';
import { isSettled, isWrong, judge, ownChange, type Case, type Findings } from './live-judge.ts';
import type { Planted } from './planted-faults.ts';
import { ACCOUNT, SeededWorld, type SeededWorldOptions } from './seeded-world.ts';

const STEPS = 16;
/** Half a minute each: what lists hide and what is banned is over long before. */
const QUIET_STEPS = 50;
const QUIET_STEP_MS = 30_000;
/** No exchange takes an order that is worth less. */
const LEAST_OF_ALL = parseFixed('0.4');
/** What is worth more is never left to the person, whatever the rules of the exchange are. */
const DUST_MOST = parseFixed('20');
/** Of each kind of finding. */
const SHOWN = 3;

export interface Verdict extends Findings {
  seed: number;
  dialect: LiveExchange;
  /** Requests for an order that left before it was committed, by the server or the signer. */
  uncommitted: string[];
  /** What failed inside that should not. */
  failed: string[];
  /** Orders that are not settled although nobody has lied for a long while. */
  unsettled: string[];
  faults: number;
  orders: number;
  fills: number;
  writeOffs: number;
  /** Positions whose dust was left to the person. */
  dustLeft: number;
  serverKills: number;
  signerKills: number;
  /** Processor time of this process; a database of its own has more. */
  cpuMs: number;
}

/** Seeds count up, and exchanges take turns. */
export const dialectOf = (
  seed: number,
  dialects: readonly LiveExchange[] = LiveExchange.options,
): LiveExchange => dialects[seed % dialects.length] ?? 'kraken';

export const isBad = (verdict: Verdict): boolean =>
  isWrong(verdict) ||
  verdict.uncommitted.length + verdict.failed.length + verdict.unsettled.length > 0;

export interface RunOptions {
  seed: number;
  dialect: LiveExchange;
  fault?: Planted | null;
  transport?: SeededWorldOptions['transport'];
}

export async function runSeed(
  database: Database,
  { seed, dialect, fault = null, transport = 'http' }: RunOptions,
): Promise<Verdict> {
  const before = process.cpuUsage();
  const world = await SeededWorld.open(database, { seed, dialect, fault, transport });
  try {
    const run = new Run(world, random(seed * 7_368_787 + 13), random(seed * 5_754_853 + 29));
    await run.live();
    const { user, system } = process.cpuUsage(before);
    return await run.verdict((user + system) / 1_000);
  } finally {
    await world.close();
  }
}

type WriteOffRow = typeof liveWriteOffs.$inferSelect;

class Run {
  /** Client order ids by decision, and the decision that each agent is at, by pair. */
  private readonly decisions = new Map<string, string[]>();
  private readonly current = new Map<string, string>();
  private readonly unsettled: string[] = [];
  private latest: { agentId: string; symbol: string } | null = null;

  constructor(
    private readonly world: SeededWorld,
    private readonly roll: () => number,
    /** What the person does with coins of agents; of its own, so that a seed's other acts stay. */
    private readonly rollCoins: () => number,
  ) {}

  async live(): Promise<void> {
    const { world } = this;
    await world.look();
    for (let step = 0; step < STEPS; step += 1) {
      await world.advance(1_000 + Math.floor(this.roll() * 35_000));
      await world.reviveSigner();
      this.moveMarket();
      this.actByHand();
      this.takeCoins();
      if (this.rollCoins() < 0.4) await this.writeOff();
      if (this.roll() < 0.12) world.server.killIn(1 + Math.floor(this.roll() * 30));
      if (this.roll() < 0.12) world.signer.killIn(1 + Math.floor(this.roll() * 15));
      if (this.roll() < 0.7) await this.decide();
      if (this.roll() < 0.12) await this.ask();
      await world.tellQuotes();
      await world.look();
    }
    world.standIn.faults.strikeRest();
    await this.calmDown();
    await this.tellSigner();
    await this.windDown();
    await this.tellSigner();
  }

  async verdict(cpuMs: number): Promise<Verdict> {
    const { world, unsettled } = this;
    const { journal } = world.standIn;
    const { db } = world.database;
    const isDust = eq(liveWriteOffs.cause, 'dust_left');
    const dustLeft = await db.$count(liveWriteOffs, isDust);
    const writeOffs = (await db.$count(liveWriteOffs)) - dustLeft;
    return {
      ...(await judge(this.case)),
      seed: world.options.seed,
      dialect: world.options.dialect,
      uncommitted: world.unwritten,
      failed: world.faults,
      unsettled,
      faults: journal.of('fault').length,
      orders: journal.orders({ by: 'api' }).length,
      fills: journal.fillsOf({ by: 'api' }).length,
      writeOffs,
      dustLeft,
      serverKills: world.serverKills,
      signerKills: world.signerKills,
      cpuMs,
    };
  }

  private get case(): Case {
    const { database, standIn, connection } = this.world;
    const { decisions } = this;
    return { db: database.db, journal: standIn.journal, account: ACCOUNT, connection, decisions };
  }

  private pick<T>(list: readonly T[]): T {
    const one = list[Math.floor(this.roll() * list.length)];
    if (one === undefined) throw new RangeError('Nothing to pick from');
    return one;
  }

  private moveMarket(): void {
    const { world, roll } = this;
    for (const symbol of world.symbols) {
      const jump = roll() < 0.1 ? (roll() - 0.6) * 0.09 : 0;
      world.setPrice(symbol, world.priceOf(symbol) * (1 + jump + (roll() - 0.5) * 0.008));
    }
  }

  /** The person at the exchange's own site. */
  private actByHand(): void {
    const { world, roll } = this;
    if (roll() > 0.12) return;
    const { person, accounts } = world.standIn;
    const symbol = this.pick(world.symbols);
    const [base = '', quote = ''] = symbol.split('/');
    const what = roll();
    if (what < 0.15) person.buyFor(ACCOUNT, symbol, '41.17');
    else if (what < 0.35)
      person.trade({
        account: ACCOUNT,
        symbol,
        side: 'buy',
        quantity: base === 'BTC' ? '0.001' : '0.02',
      });
    else if (what < 0.6) person.sellShare(ACCOUNT, symbol, parseFixed('0.3'));
    else if (what < 0.75) person.deposit(ACCOUNT, this.pick([base, quote]), '0.0123');
    else if (what < 0.9 && accounts.get(ACCOUNT).free(quote) > parseFixed('100'))
      person.withdraw(ACCOUNT, quote, '37.11');
    else person.cancelStops(ACCOUNT);
  }

  /** The person sells or takes out what agents hold, with all that is theirs of the coin. */
  private takeCoins(): void {
    const { world, rollCoins } = this;
    if (rollCoins() > 0.06) return;
    const { person } = world.standIn;
    const symbol = world.symbols[rollCoins() < 0.5 ? 0 : 1] ?? '';
    const share = parseFixed(rollCoins() < 0.5 ? '1' : '0.7');
    person.cancelStops(ACCOUNT);
    if (rollCoins() < 0.5) person.sellShare(ACCOUNT, symbol, share);
    else person.withdrawShare(ACCOUNT, symbol.split('/')[0] ?? '', share);
  }

  /** What is missing by the last comparison, of whichever agent holds it; all of it, or a part. */
  private async writeOff(): Promise<void> {
    const { world, rollCoins } = this;
    const { database, connection, live } = world;
    const deps = { ...this.trading, live };
    const { missing = [] } = await readLiveAccount(deps, connection.uid, connection.id);
    const holders = missing.flatMap((one) => one.holders);
    const holder = holders[Math.floor(rollCoins() * holders.length)];
    const share = parseFixed(rollCoins() < 0.7 ? '1' : '0.4');
    if (holder === undefined) return;
    const quantity = multiply(parseFixed(holder.most), share, 'down');
    if (quantity === ZERO) return;
    const ask = { positionId: holder.positionId, quantity, held: parseFixed(holder.held) };
    await database
      .transaction((tx) => writeOffPosition(tx, deps, connection.uid, ask))
      .catch((error: unknown) => {
        if (!(error instanceof Refusal)) throw error;
      });
  }

  /** An agent buys, or sells what it has. */
  private async decide(): Promise<void> {
    const { world } = this;
    const other = { agentId: this.pick(world.agentIds), symbol: this.pick(world.symbols) };
    // Whoever wanted something goes on wanting it.
    this.latest = this.roll() < 0.5 ? (this.latest ?? other) : other;
    const { agentId, symbol } = this.latest;
    const wish = this.roll();
    const isHeld = (await heldBy(world.database.db, agentId, symbol)) !== null;
    if (isHeld && wish > 0.4) return;
    await decideTrade(world.parts, world.live, {
      connectionId: world.connection.id,
      agentId,
      symbol,
      budget: 20 + Math.floor(wish * 70),
      tickId: `tick:${world.now}`,
    });
    if (!isHeld) await this.noteDecision(agentId, symbol);
  }

  /**
   * An agent that wants to hold a pair, and whose order came to nothing as far as we know, decides
   * the same again: of all these orders one may take effect.
   */
  private async noteDecision(agentId: string, symbol: string): Promise<void> {
    const orders = await this.world.database.db
      .select()
      .from(liveOrders)
      .where(
        and(
          eq(liveOrders.agentId, agentId),
          eq(liveOrders.symbol, symbol),
          eq(liveOrders.side, 'buy'),
        ),
      )
      .orderBy(liveOrders.plannedAt);
    const key = `${agentId} ${symbol}`;
    const newest = orders.at(-1);
    const known = this.decisions.get(this.current.get(key) ?? '') ?? [];
    if (newest === undefined || known.includes(newest.clientOrderId)) return;
    const cameToNothing = orders
      .filter(({ clientOrderId }) => known.includes(clientOrderId))
      .every(({ booked }) => parseFixed(booked) === ZERO);
    if (known.length > 0 && cameToNothing) known.push(newest.clientOrderId);
    else {
      const id = `decision ${this.decisions.size + 1}`;
      this.current.set(key, id);
      this.decisions.set(id, [newest.clientOrderId]);
    }
  }

  /** The person in our app: closes a position, stops an agent, ends live trading. */
  private async ask(): Promise<void> {
    const { world } = this;
    const { database, parts, connection, live } = world;
    const what = this.roll();
    const open = await database.db.select().from(positions).where(isNull(positions.closedMarketMs));
    await database.transaction(async (tx) => {
      if (what < 0.08) await endLiveTrading(tx, { ...this.trading, live }, connection);
      else if (what < 0.4) {
        const agent = { id: this.pick(world.agentIds), connectionId: connection.id };
        await tx.db.select().from(agents).where(eq(agents.id, agent.id)).for('update');
        await withdrawEntries(tx, parts, live, agent);
      } else if (open.length > 0)
        await closeLivePosition(tx, { ...this.trading, live }, connection.uid, this.pick(open).id);
    });
  }

  private get trading() {
    const { parts } = this.world;
    return { ...parts, entitlement: new DatabaseEntitlement(parts.database, parts.clock) };
  }

  /** Nobody lies, dies or trades any more. */
  private async calmDown(): Promise<void> {
    const { world } = this;
    world.server.killIn(Number.POSITIVE_INFINITY);
    for (let step = 0; step < QUIET_STEPS; step += 1) {
      await world.advance(QUIET_STEP_MS);
      await world.reviveSigner();
      world.signer.killIn(Number.POSITIVE_INFINITY);
      await world.tellQuotes();
      await world.look();
      if (this.rollCoins() < 0.3) await this.writeOff();
      // A fault that waits for a request strikes with the next reading.
      const isCalm = world.standIn.faults.isSpent && (await this.isOpened());
      if (isCalm && (await isSettled(this.case))) return;
    }
    if (!(await this.isOpened())) this.unsettled.push('the first reading did not end');
    const rows = await world.database.db.select().from(liveOrders);
    for (const { clientOrderId, state, type, side } of rows)
      if (['planned', 'sending', 'unknown', 'open'].includes(state))
        this.unsettled.push(`${side} ${type} ${clientOrderId} is ${state}`);
  }

  /** The opening balances are known: until then a trade by hand is a part of them. */
  private async isOpened(): Promise<boolean> {
    const { database, connection } = this.world;
    const [marks] = await database.db
      .select({ openedAtMs: liveMarks.openedAtMs })
      .from(liveMarks)
      .where(eq(liveMarks.connectionId, connection.id));
    return marks?.openedAtMs != null;
  }

  /** The signer has taken over what was written off. */
  private async tellSigner(): Promise<void> {
    const { world } = this;
    const untold = () =>
      world.database.db.select().from(liveWriteOffs).where(isNull(liveWriteOffs.signerToldAt));
    // What the signer was just told may be what a wish to sell had waited for: its order ends first.
    const isDone = async () => (await untold()).length === 0 && (await isSettled(this.case));
    for (let step = 0; step < QUIET_STEPS && !(await isDone()); step += 1) {
      await world.advance(QUIET_STEP_MS);
      await world.reviveSigner();
      world.signer.killIn(Number.POSITIVE_INFINITY);
      await world.look();
    }
    const mayWait = await this.mayGoOnCounting();
    for (const row of await untold())
      if (!mayWait(row))
        this.unsettled.push(
          `the signer does not know of ${row.cause} ${row.id}: ${row.quantity} ${row.symbol}`,
        );
  }

  /**
   * What the signer may refuse for longer than a run: coins that came back since, dust of such a
   * coin, which waits for them, dust of more than may be lost in a day, and what was dust by rules
   * that the exchange has changed before the signer heard of it.
   */
  private async mayGoOnCounting(): Promise<(row: WriteOffRow) => boolean> {
    const { database, connection } = this.world;
    const written = await database.db.select().from(liveWriteOffs);
    const told = written.filter(({ signerToldAt }) => signerToldAt !== null);
    const dust = written.filter(({ cause }) => cause === 'dust_left');
    const isMuch =
      sum(dust.map(({ cost }) => parseFixed(cost))) > parseFixed(connection.maxDailyLoss);
    const cameBack = (row: WriteOffRow): boolean =>
      row.cause === 'written_off' &&
      row.signerToldAt === null &&
      this.lacking(row.symbol, told) < parseFixed(row.quantity);
    return (row) =>
      row.cause === 'dust_left'
        ? isMuch ||
          this.mayBeSold(row) ||
          written.some((one) => one.symbol === row.symbol && cameBack(one))
        : cameBack(row);
  }

  /** By the rules of now an order may sell as much: up to twice the least worth counts as dust. */
  private mayBeSold({ symbol, quantity }: WriteOffRow): boolean {
    const { world } = this;
    const rules = world.standIn.instruments.get(symbol);
    if (rules === undefined) return false;
    const lots = floorToStep(parseFixed(quantity), rules.step);
    const worth = multiply(lots, fixedFromNumber(world.priceOf(symbol)), 'down');
    return lots > ZERO && lots >= rules.minQuantity && worth >= rules.minNotional * 2n;
  }

  /** In every other run everything is sold at the end. */
  private async windDown(): Promise<void> {
    const { world } = this;
    if (world.options.seed % 2 === 0 || this.unsettled.length > 0) return;
    const open = await world.database.db
      .select()
      .from(positions)
      .where(isNull(positions.closedMarketMs));
    const { live, database, connection } = world;
    for (const { id } of open)
      await database.transaction((tx) =>
        closeLivePosition(tx, { ...this.trading, live }, connection.uid, id),
      );
    let left = ['what was to be sold is still there'];
    for (let step = 0; step < QUIET_STEPS && left.length > 0; step += 1) {
      await world.advance(QUIET_STEP_MS);
      await world.look();
      const wanted = await database.db.select().from(liveExits);
      const writtenOff = await database.db.select().from(liveWriteOffs);
      const due = wanted.filter(({ symbol }) => !this.lacks(symbol, writtenOff));
      const waiting = await Promise.all(due.map((wish) => this.mayGoOnWishing(wish)));
      if (waiting.includes(false) || !(await isSettled(this.case))) continue;
      // Dust goes with the comparison that explains the last of its coin.
      left = await this.keptDust(writtenOff);
    }
    this.unsettled.push(...left);
  }

  /**
   * A wish to sell what the exchange takes no order of stays, as after a change of its rules, where it
   * is worth too much to be left, or where a stop placed before goes on resting: that alone may sell it.
   */
  private async mayGoOnWishing(wish: { agentId: string; symbol: string }): Promise<boolean> {
    const { world } = this;
    const { database, standIn } = world;
    const { agentId, symbol } = wish;
    const held = parseFixed((await heldBy(database.db, agentId, symbol))?.quantity ?? '0');
    const worth = multiply(held, fixedFromNumber(world.priceOf(symbol)), 'down');
    const rules = standIn.instruments.get(symbol);
    if (held === ZERO || rules === undefined) return false;
    // An order takes whole steps: what is left over may be what lacks to the minimum.
    const lots = floorToStep(held, rules.step);
    const sold = multiply(lots, fixedFromNumber(world.priceOf(symbol)), 'down');
    const isTooLittle = lots === ZERO || lots < rules.minQuantity || sold < rules.minNotional;
    return isTooLittle && (worth > DUST_MOST || (await this.hasRestingStop(agentId, symbol)));
  }

  private async hasRestingStop(agentId: string, symbol: string): Promise<boolean> {
    const resting = await this.world.database.db.$count(
      liveOrders,
      and(
        eq(liveOrders.agentId, agentId),
        eq(liveOrders.symbol, symbol),
        eq(liveOrders.type, 'stop'),
        eq(liveOrders.state, 'open'),
      ),
    );
    return resting > 0;
  }

  /** What a sale left that no exchange takes an order of, and that an agent holds all the same. */
  private async keptDust(
    writtenOff: readonly { symbol: string; quantity: string }[],
  ): Promise<string[]> {
    const kept: string[] = [];
    const { database, standIn } = this.world;
    const open = await database.db.select().from(positions).where(isNull(positions.closedMarketMs));
    const trades = await database.db.select().from(venueFills).orderBy(venueFills.number);
    for (const { agentId, pair, quantity } of open) {
      const last = trades.findLast((row) => row.agentId === agentId && row.symbol === pair);
      const { accountId } = this.world.connection;
      // An order that was held to be nowhere keeps it for days.
      const ofAgent = { accountId, agentId, symbol: pair };
      if (await mayHaveUnbooked(database.db, ofAgent, this.world.now)) continue;
      if (last?.side !== 'sell' || this.lacks(pair, writtenOff)) continue;
      const isListed = standIn.instruments.get(pair)?.status !== 'delisted';
      const worth = multiply(parseFixed(quantity), parseFixed(last.price), 'down');
      if (isListed && worth < LEAST_OF_ALL)
        kept.push(`${agentId} holds ${quantity} of ${pair}, which is dust`);
    }
    return kept;
  }

  /** The person has sold or withdrawn what agents hold of it. */
  private lacks(
    symbol: string,
    writtenOff: readonly { symbol: string; quantity: string }[],
  ): boolean {
    return this.lacking(symbol, writtenOff) > ZERO;
  }

  /** How much less of the coin the account has than agents bought, and did not write off. */
  private lacking(
    symbol: string,
    writtenOff: readonly { symbol: string; quantity: string }[],
  ): Fixed {
    const { standIn } = this.world;
    const base = symbol.split('/')[0] ?? '';
    let held = ZERO;
    for (const one of writtenOff)
      if (one.symbol === symbol) held = subtract(held, parseFixed(one.quantity));
    for (const fill of standIn.journal.fillsOf({ by: 'api' }))
      if (fill.symbol === symbol) held = add(held, ownChange(fill));
    return subtract(held, standIn.accounts.get(ACCOUNT).total(base));
  }
}

/** One line that says what was wrong, and how to see it again. */
export function describe(verdict: Verdict): string {
  const { seed, dialect } = verdict;
  const lists = Object.entries(verdict).flatMap(([name, value]) =>
    Array.isArray(value) && value.length > 0
      ? [`${name} (${value.length}): ${value.slice(0, SHOWN).join('; ')}`]
      : [],
  );
  return `${dialect} seed ${seed}: ${lists.join(' | ')}`;
}
