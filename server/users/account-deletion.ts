/** Deletes an account in steps that resume after a failure. Nobody can log in to it meanwhile. */
import { createHash } from 'node:crypto';
import { and, count, eq, isNull, lt, ne } from 'drizzle-orm';
import type { DeletionPreview } from '../../contract/account.ts';
import { Refusal } from '../../contract/errors.ts';
import { SESSION_MAX_AGE_MS } from '../../contract/limits.ts';
import type { LiveExchange } from '../../contract/signer.ts';
import { baseOf } from '../../engine/pair-coins.ts';
import type { TradingDeps } from '../trading-deps.ts';
import { asAgentRow } from '../agents/read-agents.ts';
import { applyEvent } from '../agents/transitions.ts';
import { readSubscription } from '../billing/entitlement.ts';
import { lockPerson } from '../billing/subscription-record.ts';
import { subscriptionCounts } from '../billing/subscription-state.ts';
import type { Payments } from '../billing/payments.ts';
import type { Db, Tx } from '../db/database.ts';
import { accountDeletions, accounts, agents, deletedAccounts, positions } from '../db/schema.ts';
import { liveConnections } from '../db/schema-live.ts';
import { subscriptions } from '../db/schema-plans.ts';
import type { IdentityAdministration } from '../identity/administration.ts';
import type { EndedSessions } from '../identity/ended-sessions.ts';
import { PeriodicTask } from '../periodic-task.ts';
import { deleteRows } from './account-rows.ts';
import { offersToRemember, rememberOffers } from './used-offers.ts';

const RUN_EVERY_MS = 60_000;

export interface DeletionDeps {
  trading: TradingDeps;
  payments: Payments;
  administration: IdentityAdministration;
  ended: EndedSessions;
}

const digestOf = (uid: string): string =>
  createHash('sha256').update(`tradewind:${uid}`).digest('hex');

/**
 * @throws Refusal `token_revoked` for an account that is deleted, or about to be: its last tokens
 * must not make it anew.
 */
export async function refuseDeleted(tx: Tx, uid: string): Promise<void> {
  const [asked] = await tx.db
    .select({ uid: accountDeletions.uid })
    .from(accountDeletions)
    .where(eq(accountDeletions.uid, uid));
  const [gone] = await tx.db
    .select({ digest: deletedAccounts.digest })
    .from(deletedAccounts)
    .where(eq(deletedAccounts.digest, digestOf(uid)));
  if (asked !== undefined || gone !== undefined)
    throw new Refusal('token_revoked', 'This account was deleted.');
}

/** The person's exchange accounts whose key the signer still has. */
const connectedOf = (uid: string) =>
  and(eq(liveConnections.uid, uid), ne(liveConnections.state, 'ended'));

const NAMED = {
  id: liveConnections.id,
  exchange: liveConnections.exchange,
  label: liveConnections.label,
};

const asNamed = ({ id, exchange, label }: { id: string; exchange: string; label: string }) => ({
  id,
  exchange: exchange as LiveExchange,
  label,
});

/** Coins in the closed books of removed exchange accounts, as last read: real, and not sold by us. */
async function coinsLeft(db: Db, uid: string): Promise<NonNullable<DeletionPreview['coinsLeft']>> {
  const rows = await db
    .selectDistinct({ ...NAMED, createdAt: liveConnections.createdAt, pair: positions.pair })
    .from(positions)
    .innerJoin(accounts, eq(accounts.id, positions.accountId))
    .innerJoin(liveConnections, eq(liveConnections.id, accounts.connectionId))
    .where(
      and(
        eq(accounts.uid, uid),
        eq(liveConnections.state, 'ended'),
        isNull(positions.closedMarketMs),
      ),
    )
    .orderBy(liveConnections.createdAt, liveConnections.id, positions.pair);
  const left = new Map<string, NonNullable<DeletionPreview['coinsLeft']>[number]>();
  for (const row of rows) {
    const known = left.get(row.id) ?? { ...asNamed(row), coins: [] };
    left.set(row.id, known);
    if (!known.coins.includes(baseOf(row.pair))) known.coins.push(baseOf(row.pair));
  }
  return [...left.values()];
}

/** What would end, of every market source; and what is not ended by it, at exchanges. */
export async function deletionPreview(db: Db, uid: string, now: number): Promise<DeletionPreview> {
  const rows = await db
    .select({ status: agents.status })
    .from(agents)
    .where(and(eq(agents.uid, uid), isNull(agents.deletedAt)));
  const [held] = await db
    .select({ count: count() })
    .from(positions)
    .innerJoin(accounts, eq(accounts.id, positions.accountId))
    .where(
      and(eq(accounts.uid, uid), isNull(accounts.connectionId), isNull(positions.closedMarketMs)),
    );
  const [plan] = await db.select().from(subscriptions).where(eq(subscriptions.uid, uid));
  const connected = await db
    .select(NAMED)
    .from(liveConnections)
    .where(connectedOf(uid))
    .orderBy(liveConnections.createdAt, liveConnections.id);
  return {
    agents: rows.length,
    running: rows.filter(({ status }) => status === 'running' || status === 'halted').length,
    positions: held?.count ?? 0,
    connected: connected.map(asNamed),
    coinsLeft: await coinsLeft(db, uid),
    remembered: await offersToRemember(db, uid),
    plan:
      plan === undefined || !subscriptionCounts(plan, now)
        ? null
        : {
            tier: plan.tier,
            paidUntil: plan.currentPeriodEnd,
            provider: plan.provider === 'stripe' ? 'stripe' : 'test',
          },
  };
}

/**
 * A key at the signer and orders at an exchange would outlive the person's account: they go first,
 * by the person's own hand.
 */
async function refuseWhileLive(tx: Tx, uid: string): Promise<void> {
  if ((await tx.db.$count(liveConnections, connectedOf(uid))) > 0)
    throw new Refusal(
      'live_orders_open',
      'End live trading and remove your exchange accounts first.',
    );
}

export class Deletions {
  readonly task: PeriodicTask;

  constructor(private readonly deps: DeletionDeps) {
    this.task = new PeriodicTask(
      () => this.runOnce(),
      RUN_EVERY_MS,
      deps.trading.log,
      'deletions could not be processed',
    );
  }

  /**
   * Agents stop in the same transaction as the wish is written; from its commit on nobody enters by
   * the account. A person waits for that; the deletion itself is the product's own work.
   */
  async ask(uid: string): Promise<'done' | 'under-way'> {
    const { trading, ended } = this.deps;
    await trading.database.on('command').transaction(async (tx) => {
      const rows = await tx.db
        .select()
        .from(agents)
        .where(and(eq(agents.uid, uid), isNull(agents.deletedAt)))
        .orderBy(agents.id)
        .for('update');
      // A connecting takes the same lock: it is counted here, or finds the wish.
      await lockPerson(tx, uid);
      await refuseWhileLive(tx, uid);
      for (const row of rows) await applyEvent(tx, trading, asAgentRow(row), 'stop');
      await tx.db
        .insert(accountDeletions)
        .values({ uid, askedAt: trading.clock.now() })
        .onConflictDoNothing();
    });
    await ended.end(uid);
    try {
      await this.finish(uid);
      return 'done';
    } catch (error) {
      trading.log.error(
        { reason: String(error) },
        'an account could not be deleted at once; retrying every minute',
      );
      return 'under-way';
    }
  }

  /**
   * Every step may be done again: the plan, the rows, the identity, and the rows once more, for
   * what was under way meanwhile.
   */
  private async finish(uid: string): Promise<void> {
    const {
      trading: { database, clock, events },
      payments,
      administration,
      ended,
    } = this.deps;
    // Under the person's lock: a customer that is being kept at this moment is seen, and from here on
    // none is kept.
    const plan = await database.transaction(async (tx) => {
      await lockPerson(tx, uid);
      return readSubscription(tx.db, uid);
    });
    if (plan !== null && plan.provider === payments.provider)
      await payments.forget({
        subscriptionId: plan.providerSubscriptionId,
        customerId: plan.customerId,
      });
    const dropRows = async (tx: Tx): Promise<void> => {
      await rememberOffers(tx, uid, clock.now());
      await events.accountsClosed(tx, await deleteRows(tx, uid));
    };
    await database.transaction(dropRows);
    await administration.remove(uid);
    await database.transaction(async (tx) => {
      await dropRows(tx);
      await tx.db
        .insert(deletedAccounts)
        .values({ digest: digestOf(uid), deletedAt: clock.now() })
        .onConflictDoNothing();
      await tx.db.delete(accountDeletions).where(eq(accountDeletions.uid, uid));
    });
    await ended.end(uid);
  }

  /** What was asked for and is not finished; and digests that no token can need any more. */
  async runOnce(): Promise<void> {
    const {
      trading: { database, clock, log },
    } = this.deps;
    for (const { uid } of await database.db
      .select({ uid: accountDeletions.uid })
      .from(accountDeletions)) {
      try {
        await this.finish(uid);
      } catch (error) {
        log.error({ reason: String(error) }, 'an account could not be deleted yet');
      }
    }
    // A token lives an hour and a sign-in four: after twice that nobody can come by an old one.
    await database.db
      .delete(deletedAccounts)
      .where(lt(deletedAccounts.deletedAt, clock.now() - 2 * SESSION_MAX_AGE_MS));
  }
}
