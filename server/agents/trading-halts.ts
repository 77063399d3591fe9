/**
 * The operator's trading halts: set, lifted and read. Rows are append-only, and exits are never
 * affected.
 */
import { and, asc, desc, eq, inArray, isNull, or, sql } from 'drizzle-orm';
import { Refusal } from '../../contract/errors.ts';
import { HALT_REASON_MAX, type EntriesOff, type HaltScope } from '../../contract/halts.ts';
import { byPrecedence } from '../../contract/entries-off.ts';
import type { Db, Tx } from '../db/database.ts';
import { accounts, agents, users } from '../db/schema.ts';
import { halts } from '../db/schema-support.ts';
import { isLiveSource } from '../live/live-accounts.ts';
import { readSettingsOf } from '../users/user-settings.ts';

/** Names the one lock that batches share and a switch takes alone. */
const LOCK = 7_310_042;

export type HaltRow = typeof halts.$inferSelect;
export interface Halt {
  scope: HaltScope;
  target: string;
  reason: string;
  by: string;
  since: number;
  until: number | null;
}

/**
 * What the operator asks for. `target`: of a venue its source, of a user the uid or the address, of
 * an agent its id; empty for the platform.
 */
export interface HaltRequest {
  scope: HaltScope;
  target: string;
  reason: string;
  until: number | null;
  by: string;
}

/**
 * To be called first in a transaction that may buy: until it ends no switch can be committed. So a
 * switch that is committed is one that every later purchase has read, and whoever throws it waits
 * for the batches under way. First, because a batch that waited here while it held rows could be
 * waited for by one that was let in before.
 */
export async function holdSwitches(tx: Tx): Promise<void> {
  await tx.db.execute(sql`select pg_advisory_xact_lock_shared(${LOCK})`);
}

/**
 * What is in force at `now` (wall clock) at a venue, for these people and agents too. The newest
 * row of each target counts.
 */
export async function haltsInForce(
  db: Db,
  source: string,
  uids: readonly string[],
  agentIds: readonly string[],
  now: number,
): Promise<Halt[]> {
  const rows = await db
    .selectDistinctOn([halts.scope, halts.target])
    .from(halts)
    .where(
      or(
        eq(halts.scope, 'platform'),
        and(eq(halts.scope, 'venue'), eq(halts.target, source)),
        uids.length === 0
          ? undefined
          : and(eq(halts.scope, 'user'), inArray(halts.target, [...uids])),
        agentIds.length === 0
          ? undefined
          : and(eq(halts.scope, 'agent'), inArray(halts.target, [...agentIds])),
      ),
    )
    .orderBy(halts.scope, halts.target, desc(halts.id));
  return rows.filter((row) => isInForce(row, now)).map(asHalt);
}

const isInForce = (row: Pick<HaltRow, 'act' | 'until'>, now: number): boolean =>
  row.act === 'halt' && (row.until === null || row.until > now);
const asHalt = (row: HaltRow): Halt => ({
  scope: row.scope as HaltScope,
  target: row.target,
  reason: row.reason,
  by: row.by,
  since: row.at,
  until: row.until,
});

/** The widest switch that stops this agent's entries; `within` keeps to some of the scopes. */
export function haltOn(
  list: readonly Halt[],
  uid: string,
  agentId: string,
  within: readonly HaltScope[],
): Halt | null {
  const targets: Record<HaltScope, string | null> = {
    platform: null,
    venue: null,
    user: uid,
    agent: agentId,
  };
  const mine = list.filter(
    ({ scope, target }) =>
      within.includes(scope) && (targets[scope] === null || targets[scope] === target),
  );
  return (
    mine.sort((one, other) =>
      byPrecedence({ ...one, by: 'operator' }, { ...other, by: 'operator' }),
    )[0] ?? null
  );
}

/** What is off for each of these people, widest first, their own settings among it. */
export async function entriesOffOf(
  db: Db,
  source: string,
  uids: readonly string[],
  now: number,
): Promise<Map<string, EntriesOff[]>> {
  if (uids.length === 0) return new Map();
  const owned = await db
    .select({ id: agents.id, uid: agents.uid })
    .from(agents)
    .innerJoin(halts, and(eq(halts.scope, 'agent'), eq(halts.target, sql`${agents.id}::text`)))
    .where(
      and(inArray(agents.uid, [...uids]), eq(agents.source, source), isNull(agents.deletedAt)),
    );
  const list = await haltsInForce(db, source, uids, [...new Set(owned.map(({ id }) => id))], now);
  const settings = await readSettingsOf(db, uids);
  return new Map(
    uids.map((uid) => {
      const agentIds = new Set(owned.filter((one) => one.uid === uid).map(({ id }) => id));
      const theirs = list
        .filter(({ scope, target }) =>
          scope === 'user' ? target === uid : scope === 'agent' ? agentIds.has(target) : true,
        )
        .map(onWire);
      const mine = settings.get(uid);
      const own =
        mine === undefined || (mine.tradingEnabled && mine.tradingMode !== 'paused')
          ? []
          : [
              {
                scope: 'user',
                by: 'you',
                agentId: null,
                reason: mine.tradingEnabled ? 'paused' : 'off',
                since: null,
                until: null,
              } as const,
            ];
      return [uid, [...theirs, ...own].sort(byPrecedence)];
    }),
  );
}

const onWire = ({ scope, target, reason, since, until }: Halt): EntriesOff => ({
  scope,
  by: 'operator',
  agentId: scope === 'agent' ? target : null,
  reason,
  since,
  until,
});

/**
 * Throws a switch, or changes the reason or the end of one that is thrown. Answers once no purchase
 * decided before can still be committed.
 */
export async function throwSwitch(tx: Tx, ask: HaltRequest, now: number): Promise<HaltRow> {
  const reason = ask.reason.trim();
  if (reason === '' || reason.length > HALT_REASON_MAX)
    throw new Refusal(
      'invalid_request',
      `Give a reason of at most ${HALT_REASON_MAX} characters. Users will read it.`,
    );
  if (ask.until !== null && ask.until <= now)
    throw new Refusal('invalid_request', 'The end time is in the past.');
  const target = await targetOf(tx.db, ask);
  if (ask.scope === 'venue') await refuseLiveAccount(tx.db, target);
  await alone(tx);
  return insert(tx, { ...ask, target, reason, act: 'halt', at: now });
}

/** @throws Refusal where nothing is in force there. */
export async function liftSwitch(
  tx: Tx,
  ask: Omit<HaltRequest, 'until'>,
  now: number,
): Promise<HaltRow> {
  const target = await targetOf(tx.db, ask);
  await alone(tx);
  const [newest] = await tx.db
    .select()
    .from(halts)
    .where(and(eq(halts.scope, ask.scope), eq(halts.target, target)))
    .orderBy(desc(halts.id))
    .limit(1);
  if (newest === undefined || !isInForce(newest, now))
    throw new Refusal('not_found', 'There is no trading halt to lift.');
  return insert(tx, {
    ...ask,
    target,
    reason: ask.reason.trim(),
    until: null,
    act: 'lift',
    at: now,
  });
}

/** Every switch ever thrown or lifted, oldest first; without `all` only what is in force. */
export async function listSwitches(db: Db, all: boolean, now: number): Promise<HaltRow[]> {
  if (all) return db.select().from(halts).orderBy(asc(halts.id));
  const newest = await db
    .selectDistinctOn([halts.scope, halts.target])
    .from(halts)
    .orderBy(halts.scope, halts.target, desc(halts.id));
  return newest.filter((row) => isInForce(row, now)).sort((one, other) => one.id - other.id);
}

async function alone(tx: Tx): Promise<void> {
  await tx.db.execute(sql`select pg_advisory_xact_lock(${LOCK})`);
}

async function insert(tx: Tx, row: typeof halts.$inferInsert): Promise<HaltRow> {
  const [written] = await tx.db.insert(halts).values(row).returning();
  if (written === undefined) throw new Error('The trading halt was not saved');
  return written;
}

/**
 * A live account has a source of its own, which is where its money is and no venue: agents there
 * decide by the prices of the server's source, and a halt of the account's would stop nobody. One
 * that was set when it was taken can be lifted.
 */
async function refuseLiveAccount(db: Db, source: string): Promise<void> {
  if (!isLiveSource(source)) return;
  const [owner] = await db
    .select({ uid: accounts.uid })
    .from(accounts)
    .where(eq(accounts.source, source));
  throw new Refusal(
    'invalid_request',
    `“${source}” is an exchange account of one person, and no venue. Halt that person with --user ${owner?.uid ?? 'UID'}, or a single agent with --agent ID.`,
  );
}

const none = (what: string): Refusal => new Refusal('not_found', what);

/**
 * The uid of whom an operator names. Anybody may sign up with any address: one that nobody has
 * confirmed may be another person's than the operator means.
 */
async function personOf(db: Db, named: string): Promise<string> {
  const rows = await db
    .select({ uid: users.uid, isConfirmed: users.emailVerified })
    .from(users)
    .where(or(eq(users.uid, named), eq(users.email, named)))
    .orderBy(users.uid);
  const isNamed = rows.find(({ uid }) => uid === named);
  if (isNamed !== undefined) return isNamed.uid;
  const [confirmed, second] = rows.filter(({ isConfirmed }) => isConfirmed === true);
  if (second !== undefined)
    throw new Refusal(
      'invalid_request',
      `Several users have the address ${named}. Give the uid instead.`,
    );
  if (confirmed !== undefined) return confirmed.uid;
  if (rows.length === 0) throw none(`There is no user with the uid or address “${named}”.`);
  throw new Refusal(
    'invalid_request',
    `Nobody has confirmed the address ${named}: it may be someone else's. If you mean this user, give the uid: ${rows.map(({ uid }) => uid).join(' or ')}.`,
  );
}

/** A switch that names nothing would stop nothing, and whoever threw it would think it did. */
async function targetOf(
  db: Db,
  { scope, target }: Pick<HaltRequest, 'scope' | 'target'>,
): Promise<string> {
  if (scope === 'platform') return '';
  if (scope === 'venue') {
    const known = (await db.selectDistinct({ source: accounts.source }).from(accounts))
      .map(({ source }) => source)
      .sort();
    if (known.includes(target)) return target;
    const venues = known.filter((source) => !isLiveSource(source));
    throw none(
      `No account trades at “${target}”. Known sources: ${venues.length === 0 ? 'none yet' : venues.join(', ')}.`,
    );
  }
  if (scope === 'user') {
    return personOf(db, target);
  }
  const [agent] = await db
    .select({ id: agents.id })
    .from(agents)
    .where(and(eq(sql`${agents.id}::text`, target.toLowerCase()), isNull(agents.deletedAt)));
  if (agent === undefined) throw none(`There is no agent with the id “${target}”.`);
  return agent.id;
}
