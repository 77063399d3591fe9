/**
 * Connects a person's account at an exchange: the key goes to the signer sealed, and is kept nowhere
 * here. A connection has one live account, for good.
 */
import { createHash, randomUUID } from 'node:crypto';
import { and, eq, lt, ne } from 'drizzle-orm';
import * as z from 'zod/mini';
import { Refusal } from '../../contract/errors.ts';
import {
  SIGNER_VERSION,
  SpendingLimits,
  type ApiKey,
  type ConnectionState,
  type KeyReport,
  type LiveExchange,
  type StepUpKey,
} from '../../contract/signer.ts';
import { lockPerson } from '../billing/subscription-record.ts';
import type { Tx } from '../db/database.ts';
import { accountDeletions, accounts } from '../db/schema.ts';
import { liveConnections } from '../db/schema-live.ts';
import type { Market } from '../market/market-source.ts';
import { asConnection, liveSource, type ConnectionRow } from './live-accounts.ts';
import type { LiveDeps } from './live-deps.ts';
import { publishLive } from './live-news.ts';
import { refuseForeignPasskeys } from './passkeys.ts';
import { sealKey } from './seal-key.ts';

/** Placed by agents in an hour, stops apart, unless the person says otherwise. */
const ORDERS_PER_HOUR = 30;
/** Of one person at a time: each is compared for good, and an exchange counts who asks, not for whom. */
const CONNECTIONS_MAX = 5;

export interface Wanted {
  exchange: LiveExchange;
  label: string;
  key: ApiKey;
  limits: SpendingLimits | null;
  stepUpKeys: StepUpKey[];
}

/** The same command always means the same connection, and nobody else's. */
export function connectionIdOf(uid: string, commandId: string): string {
  const digest = createHash('sha256').update(`${uid} ${commandId}`).digest('hex');
  return `${digest.slice(0, 8)}-${digest.slice(8, 12)}-4${digest.slice(13, 16)}-a${digest.slice(17, 20)}-${digest.slice(20, 32)}`;
}

export const unreachable = (): Refusal =>
  new Refusal('signer_unavailable', 'The exchange cannot be reached now. Try again in a minute.');

/** For the signer alone, and for this connection of this person alone. */
export async function seal(
  { signer }: Pick<LiveDeps, 'signer'>,
  connectionId: string,
  uid: string,
  { exchange, key }: Pick<Wanted, 'exchange' | 'key'>,
) {
  const hello = await signer.ask({ act: 'hello', version: SIGNER_VERSION }).catch(() => null);
  if (hello === null) throw unreachable();
  const owner = { connectionId, ownerId: uid, exchange };
  const sealedKey = await sealKey(key, owner, hello.boxKey);
  return { sealed: { ...owner, sealedKey }, firstWeek: hello.firstWeek };
}

export interface CheckedKey {
  report: KeyReport;
  firstWeek: SpendingLimits;
  /** Traded there now, and with prices here. */
  pairs: string[];
}

/** What a key may do, and what could be traded with it. Nothing is kept. */
export async function checkKey(
  deps: Pick<LiveDeps, 'signer' | 'market'>,
  uid: string,
  wanted: Pick<Wanted, 'exchange' | 'key'>,
): Promise<CheckedKey> {
  const { exchange } = wanted;
  const { firstWeek, sealed } = await seal(deps, randomUUID(), uid, wanted);
  const report = await deps.signer.ask({ act: 'check_key', ...sealed }).catch(() => null);
  if (report?.kind !== 'read') throw unreachable();
  const rules = await deps.signer
    .ask({ act: 'pair_rules', exchange, symbols: [] })
    .catch(() => null);
  if (rules?.kind !== 'read') throw unreachable();
  const traded = rules.value.filter(({ status }) => status === 'trading');
  const pairs = traded
    .map(({ symbol }) => symbol)
    .filter((symbol) => deps.market.rules(symbol) !== null)
    .sort();
  return { report: report.value, firstWeek, pairs };
}

/** Real money is never traded by made or replayed prices. */
export function refuseMadePrices({ source }: Pick<Market, 'source'>): void {
  if (source.kind !== 'exchange')
    throw new Refusal(
      'trading_disabled',
      `This server shows ${source.label}. Live trading needs prices of an exchange.`,
    );
}

export interface Connected {
  report: KeyReport;
  /** Null where the key was not taken. */
  connection: ConnectionRow | null;
}

/** Written first as `connecting`: whatever breaks off in between is found and taken back. */
export async function connectExchange(
  deps: LiveDeps,
  uid: string,
  connectionId: string,
  wanted: Wanted,
): Promise<Connected> {
  const { database, signer } = deps;
  refuseMadePrices(deps.market);
  await refuseForeignPasskeys(database.db, uid, wanted.stepUpKeys);
  const { sealed } = await seal(deps, connectionId, uid, wanted);
  const row = await database.transaction((tx) => begin(tx, deps, uid, connectionId, wanted));
  if (row.state === 'ended') throw new Refusal('connection_ended', 'This connection has ended.');
  const answer = await signer
    .ask({
      act: 'connect',
      ...sealed,
      accountId: row.accountId,
      limits: wanted.limits,
      stepUpKeys: wanted.stepUpKeys,
    })
    .catch(() => null);
  if (answer?.kind !== 'read') throw unreachable();
  if (!answer.value.accepted) {
    await database.transaction((tx) => endRow(tx, deps, connectionId));
    return { report: answer.value, connection: null };
  }
  const state = await signer.ask({ act: 'state', connectionId }).catch(() => null);
  if (state?.kind !== 'read') throw unreachable();
  const { permissions } = answer.value;
  const connection = await database.transaction((tx) =>
    open(tx, deps, { uid, connectionId, stepUpKeys: wanted.stepUpKeys }, permissions, state.value),
  );
  if (connection === null) throw await takeBack(deps, connectionId);
  return { report: answer.value, connection };
}

/** Null where the row is gone by now: then nobody would ever ask for its key to be deleted. */
async function open(
  tx: Tx,
  deps: LiveDeps,
  { uid, connectionId, stepUpKeys }: { uid: string; connectionId: string; stepUpKeys: StepUpKey[] },
  permissions: KeyReport['permissions'],
  state: ConnectionState,
): Promise<ConnectionRow | null> {
  const [opened] = await tx.db
    .update(liveConnections)
    .set({
      state: 'open',
      abilities: state.abilities,
      permissions,
      permissionsReadAt: state.permissionsReadAtMs,
      firstWeekUntil: state.firstWeekUntilMs,
      stepUpKeys,
      ...limitColumns(state),
    })
    .where(and(eq(liveConnections.id, connectionId), eq(liveConnections.uid, uid)))
    .returning();
  if (opened === undefined) return null;
  await openLiveAccount(tx, deps, uid, opened);
  await publishLive(tx, deps, asConnection(opened), true);
  return asConnection(opened);
}

/** Has the signer delete a key that nobody here knows of; what its person is told. */
async function takeBack({ signer, log }: LiveDeps, connectionId: string): Promise<Refusal> {
  const answer = await signer.ask({ act: 'disconnect', connectionId }).catch(() => null);
  if (answer === null || (answer.kind === 'refused' && answer.code !== 'no_connection'))
    log.error({ connection: connectionId }, 'a key of no account could not be deleted');
  return new Refusal('connection_ended', 'This connection has ended.');
}

/** What a person chose, and what of it is in force. */
export type SignerLimits = Pick<ConnectionState, 'limits' | 'limitsInForce'>;

export const LIMITS = [
  'maxOrder',
  'maxExposure',
  'maxDailyLoss',
] as const satisfies readonly (keyof SpendingLimits)[];

export const limitColumns = ({ limits, limitsInForce }: SignerLimits) => ({
  ...z.encode(SpendingLimits, limitsInForce),
  limitsChosen: LIMITS.every((name) => limits[name] === limitsInForce[name])
    ? null
    : z.encode(SpendingLimits, limits),
});

async function begin(
  tx: Tx,
  { clock }: LiveDeps,
  uid: string,
  id: string,
  { exchange, label }: Wanted,
): Promise<typeof liveConnections.$inferSelect> {
  const now = clock.now();
  await tx.db
    .insert(liveConnections)
    .values({
      id,
      uid,
      exchange,
      label,
      state: 'connecting',
      accountId: randomUUID(),
      abilities: { replaysIds: false, restingStops: false },
      permissions: null,
      permissionsReadAt: now,
      maxOrder: '0',
      maxExposure: '0',
      maxDailyLoss: '0',
      maxOrdersPerHour: ORDERS_PER_HOUR,
      createdAt: now,
    })
    .onConflictDoNothing();
  const [row] = await tx.db
    .select()
    .from(liveConnections)
    .where(and(eq(liveConnections.id, id), eq(liveConnections.uid, uid)))
    .for('update');
  if (row === undefined) throw new Error('The connection is gone');
  // A deletion counts connections under the same lock: from its wish on, none is added.
  const isThere = await lockPerson(tx, uid);
  if (!isThere || (await tx.db.$count(accountDeletions, eq(accountDeletions.uid, uid))) > 0)
    throw new Refusal('token_revoked', 'This account was deleted.');
  await refuseTooMany(tx, uid, id);
  return row;
}

/** The caller has the person's lock, so that two at once are not both the last one. */
async function refuseTooMany(tx: Tx, uid: string, id: string): Promise<void> {
  const others = and(
    eq(liveConnections.uid, uid),
    ne(liveConnections.id, id),
    ne(liveConnections.state, 'ended'),
  );
  if ((await tx.db.$count(liveConnections, others)) >= CONNECTIONS_MAX)
    throw new Refusal(
      'live_orders_open',
      `You have reached the limit of ${CONNECTIONS_MAX} exchange accounts. Remove one to connect another.`,
    );
}

/** Without a deposit: the first reconciliation books what is there. */
async function openLiveAccount(
  tx: Tx,
  { market, clock }: LiveDeps,
  uid: string,
  { id, accountId }: Pick<ConnectionRow, 'id' | 'accountId'>,
): Promise<void> {
  await tx.db
    .insert(accounts)
    .values({
      id: accountId,
      uid,
      source: liveSource(id),
      quote: market.source.quote,
      book: 1,
      connectionId: id,
      openedAt: clock.now(),
      openedMarketMs: market.now(),
    })
    .onConflictDoNothing();
}

export async function endRow(
  tx: Tx,
  { clock }: Pick<LiveDeps, 'clock'>,
  connectionId: string,
): Promise<void> {
  const now = clock.now();
  await tx.db
    .update(liveConnections)
    .set({ state: 'ended', endedAt: now })
    .where(eq(liveConnections.id, connectionId));
  await tx.db
    .update(accounts)
    .set({ closedAt: now })
    .where(eq(accounts.connectionId, connectionId));
}

/** Longer than any connecting takes. */
const BROKEN_AFTER_MS = 5 * 60_000;

/** A connecting that broke off may have left a key with the signer: it is deleted. */
export async function takeBackBroken({ database, signer, clock }: LiveDeps): Promise<void> {
  const broken = await database.db
    .select({ id: liveConnections.id })
    .from(liveConnections)
    .where(
      and(
        eq(liveConnections.state, 'connecting'),
        lt(liveConnections.createdAt, clock.now() - BROKEN_AFTER_MS),
      ),
    );
  for (const { id } of broken) {
    const answer = await signer.ask({ act: 'disconnect', connectionId: id }).catch(() => null);
    if (answer === null || (answer.kind === 'refused' && answer.code !== 'no_connection')) continue;
    await database.transaction((tx) => endRow(tx, { clock }, id));
  }
}
