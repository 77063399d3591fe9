/** Deletes every row about a person, in the order in which others take their locks. */
import { and, eq, inArray, isNull } from 'drizzle-orm';
import type { Tx } from '../db/database.ts';
import {
  accountAlarms,
  accountDrawdowns,
  accounts,
  agents,
  agentTests,
  balances,
  decisionCounts,
  decisions,
  equityPoints,
  events,
  fills,
  ledger,
  orders,
  positions,
  pushMessages,
  pushPreferences,
  pushSubscriptions,
  receipts,
  referralCodes,
  referrals,
  riskProfiles,
  users,
} from '../db/schema.ts';
import { halts, supportMessages, supportRequests } from '../db/schema-support.ts';
import { alertFirings, alerts } from '../db/schema-alerts.ts';
import { checkouts, planCredits, subscriptions, testInvoices } from '../db/schema-plans.ts';
import {
  externalMovements,
  liveAlarms,
  liveConnections,
  liveExits,
  liveFailedStops,
  liveMarks,
  liveOrderEvents,
  liveOrders,
  liveWriteOffs,
  passkeyChallenges,
  passkeys,
  venueFills,
} from '../db/schema-live.ts';
import { linkedAddresses, linkMessages } from '../db/schema-wallet.ts';

/**
 * Locks agents, then accounts, then the person. Whoever trades takes them in this order, so a trade
 * that is under way finishes first.
 */
async function lockOwned(
  { db }: Tx,
  uid: string,
): Promise<{ agentIds: string[]; accountIds: string[] }> {
  const agentIds = (
    await db
      .select({ id: agents.id })
      .from(agents)
      .where(eq(agents.uid, uid))
      .orderBy(agents.id)
      .for('update')
  ).map(({ id }) => id);
  const accountIds = (
    await db
      .select({ id: accounts.id })
      .from(accounts)
      .where(eq(accounts.uid, uid))
      .orderBy(accounts.id)
      .for('update')
  ).map(({ id }) => id);
  await db.select({ uid: users.uid }).from(users).where(eq(users.uid, uid)).for('update');
  return { agentIds, accountIds };
}

/** What is kept of exchange accounts. Their keys are with the signer, and were deleted before. */
async function deleteLive({ db }: Tx, uid: string): Promise<void> {
  const mine = db
    .select({ id: liveConnections.id })
    .from(liveConnections)
    .where(eq(liveConnections.uid, uid));
  const orders = db
    .select({ id: liveOrders.clientOrderId })
    .from(liveOrders)
    .where(inArray(liveOrders.connectionId, mine));
  await db.delete(liveOrderEvents).where(inArray(liveOrderEvents.clientOrderId, orders));
  for (const table of [
    liveOrders,
    venueFills,
    externalMovements,
    liveWriteOffs,
    liveMarks,
    liveExits,
    liveAlarms,
  ] as const)
    await db.delete(table).where(inArray(table.connectionId, mine));
  await db.delete(liveConnections).where(eq(liveConnections.uid, uid));
}

/**
 * Deletes the ledger account by account. The entries of a transaction lie in one account and sum to
 * zero, so what is left adds up as before. Money here is paper; nobody else's figure rests on it.
 * Returns the ids of the deleted accounts.
 */
export async function deleteRows(tx: Tx, uid: string): Promise<string[]> {
  const { db } = tx;
  const { agentIds, accountIds } = await lockOwned(tx, uid);
  if (agentIds.length > 0) {
    for (const table of [decisions, decisionCounts, agentTests] as const)
      await db.delete(table).where(inArray(table.agentId, agentIds));
    await db.delete(halts).where(and(eq(halts.scope, 'agent'), inArray(halts.target, agentIds)));
    await db.delete(liveFailedStops).where(inArray(liveFailedStops.agentId, agentIds));
  }
  if (accountIds.length > 0) {
    for (const table of [
      fills,
      orders,
      positions,
      equityPoints,
      accountDrawdowns,
      balances,
      ledger,
      accountAlarms,
    ] as const)
      await db.delete(table).where(inArray(table.accountId, accountIds));
  }
  await deleteLive(tx, uid);
  await db.delete(halts).where(and(eq(halts.scope, 'user'), eq(halts.target, uid)));
  const devices = db
    .select({ id: pushSubscriptions.id })
    .from(pushSubscriptions)
    .where(eq(pushSubscriptions.uid, uid));
  await db.delete(pushMessages).where(inArray(pushMessages.subscriptionId, devices));
  const requests = db
    .select({ id: supportRequests.id })
    .from(supportRequests)
    .where(eq(supportRequests.uid, uid));
  await db.delete(supportMessages).where(inArray(supportMessages.requestId, requests));
  for (const table of [
    alertFirings,
    alerts,
    linkedAddresses,
    linkMessages,
    passkeyChallenges,
    passkeys,
    pushSubscriptions,
    pushPreferences,
    supportRequests,
    planCredits,
    referralCodes,
    riskProfiles,
    checkouts,
    testInvoices,
    subscriptions,
    receipts,
    events,
    agents,
    accounts,
    users,
  ] as const)
    await db.delete(table).where(eq(table.uid, uid));
  // The other side keeps that somebody came, and what it earned; not who.
  await db.update(referrals).set({ inviterUid: null }).where(eq(referrals.inviterUid, uid));
  await db.update(referrals).set({ invitedUid: null }).where(eq(referrals.invitedUid, uid));
  await db.delete(referrals).where(and(isNull(referrals.inviterUid), isNull(referrals.invitedUid)));
  return accountIds;
}
