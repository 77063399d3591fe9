/**
 * A person's own account on the whole server over PGlite: everything held is exported, and nothing
 * is left after its end.
 */
import { createHash, randomUUID } from 'node:crypto';
import { and, eq, getTableName, is, isNull, sql, type SQL } from 'drizzle-orm';
import { PgTable } from 'drizzle-orm/pg-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  EXPORT_PARTS,
  ExportPage,
  type ExportPart,
  type ExportRows,
  USED_OFFERS_KEEP_DAYS,
} from '../../../contract/account.ts';
import { forgetOld } from '../../../server/retention.ts';
import { exportStored } from '../../../server/users/account-export.ts';
import { PARTS } from '../../../server/users/account-export-parts.ts';
import type { Db } from '../../../server/db/database.ts';
import * as coreTables from '../../../server/db/schema.ts';
import * as planTables from '../../../server/db/schema-plans.ts';
import * as supportTables from '../../../server/db/schema-support.ts';
import * as alertTables from '../../../server/db/schema-alerts.ts';
import * as liveTables from '../../../server/db/schema-live.ts';
import * as walletTables from '../../../server/db/schema-wallet.ts';
import { checkLedger } from '../../../server/portfolio/check-ledgers.ts';
import type { HostedFailed } from '../../support/app.ts';
import { buildTestApp, TestClock, type TestApp } from '../../support/app.ts';
import { writeLiveRows } from '../../support/live/live-rows.ts';
import { IdentityBook } from '../../support/identity-accounts.ts';

const DAY_MS = 86_400_000;
const schema = {
  ...coreTables,
  ...planTables,
  ...supportTables,
  ...walletTables,
  ...alertTables,
  ...liveTables,
};
const TABLES = Object.values(schema).filter((table) => is(table, PgTable));
/** Of nobody in particular, or of an account that is already gone. */
const NOT_PERSONAL = [
  'webhook_events',
  'ticks',
  'market_clocks',
  'alert_watches',
  'meta',
  'deleted_accounts',
  'used_offers',
  'account_deletions',
];
const SIGNED_ADDRESS = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
const SECRET = 'BPushKeyThatIsNobodysBusiness';

const clock = new TestClock();
const book = new IdentityBook(() => clock.now());
let test: TestApp;
beforeAll(async () => {
  test = await buildTestApp({
    clock,
    accounts: book,
    administration: book,
    env: { PUSH_ALLOW_LOCAL: 'true' },
  });
}, 60_000);
afterAll(() => test.close());

const db = () => test.database.db;
const failure = (work: Promise<unknown>): Promise<HostedFailed> =>
  work.then(
    () => {
      throw new Error('It was taken');
    },
    (error: unknown) => error as HostedFailed,
  );

/** Every row of every table as text. */
async function dump(): Promise<Map<string, string[]>> {
  const found = new Map<string, string[]>();
  for (const table of TABLES) {
    const name = getTableName(table);
    const answer: unknown = await db().execute(
      sql`select to_jsonb(t)::text as row from ${sql.identifier(name)} t`,
    );
    found.set(name, (answer as { rows: { row: string }[] }).rows.map(({ row }) => row).sort());
  }
  return found;
}

interface Person {
  uid: string;
  email: string;
  token: string;
  marks: string[];
  agentId: string;
}
let people = 0;

/**
 * Somebody with something in every table: made by the calls where there are such, by hand where
 * only time or a market makes it.
 */
async function livedIn(): Promise<Person> {
  people += 1;
  const uid = `Ledger${people}Keeper${randomUUID().slice(0, 8)}`;
  const email = `keeper.${people}.${randomUUID().slice(0, 8)}@example.com`;
  const token = await test.signToken(uid, { email });
  const now = clock.now();
  await test.call('trialStart', { token, body: { userId: uid } });
  await test.call('riskProfile', {
    token,
    body: {
      profile: 'Moderate',
      max_position_percentage: 12,
      confidence_threshold: 0.5,
      stop_loss_percentage: 4,
    },
  });
  await db()
    .insert(schema.subscriptions)
    .values({
      uid,
      provider: 'test',
      status: 'active',
      tier: 'pro-max',
      planId: 'pro-max',
      priceId: 'p',
      customerId: `cus_test_${uid}`,
      providerSubscriptionId: `sub_${uid}`,
      currentPeriodEnd: now + 30 * DAY_MS,
      updatedAt: now,
    });
  const made = await test.call('createAgent', {
    token,
    body: {
      name: `Harbour ${people}`,
      trading_pairs: ['BTC/USDT'],
      risk_profile: 'Moderate',
      max_position_size: 500,
      execution_interval: '5-minute',
      enabled: true,
    },
  });
  const {
    agent: { id: agentId },
  } = made.json as { agent: { id: string } };
  const [account] = await db()
    .select()
    .from(schema.accounts)
    .where(and(eq(schema.accounts.uid, uid), isNull(schema.accounts.closedAt)));
  const accountId = account?.id ?? '';
  const [orderId, subscriptionId] = [randomUUID(), randomUUID()];
  const tick = { agentId, pair: 'BTC/USDT', tickId: `t:${uid}` };
  await db()
    .insert(schema.orders)
    .values({
      id: orderId,
      clientOrderId: `c-${uid}`,
      accountId,
      ...tick,
      side: 'buy',
      quantity: '0.01',
      reserved: '0',
      reason: 'entered',
      state: 'filled',
      decidedMarketMs: now,
    });
  await db()
    .insert(schema.fills)
    .values({
      id: randomUUID(),
      orderId,
      accountId,
      ...tick,
      side: 'buy',
      quantity: '0.01',
      price: '60000',
      notional: '600',
      fee: '0.6',
      feeBps: '10',
      slippageBps: '2',
      quoteBid: '1',
      quoteAsk: '2',
      ruleVersion: 1,
      reason: 'entered',
      decidedMarketMs: now,
      filledMarketMs: now,
    });
  await db().insert(schema.positions).values({
    id: randomUUID(),
    accountId,
    agentId,
    pair: 'BTC/USDT',
    quantity: '0.01',
    cost: '600.6',
    openedMarketMs: now,
  });
  await db()
    .insert(schema.decisions)
    .values({
      id: randomUUID(),
      ...tick,
      atMarketMs: now,
      recordedAt: now,
      action: 'enter',
      reason: 'entered',
      strength: 0.61,
      threshold: 0.55,
      text: 'Signal 0.61 over 0.55',
    });
  await db()
    .insert(schema.agentTests)
    .values({
      agentId,
      tested: { settings: 'abc' },
      keptAt: now,
      keptMarketMs: now,
      equity: '10000',
      result: '0',
    });
  const alert = {
    uid,
    source: 'simulated',
    symbol: 'BTC/USDT',
    condition: { kind: 'above', price: '70000' },
    note: `Noted by ${uid}`,
  };
  const alertId = randomUUID();
  await db()
    .insert(schema.alerts)
    .values({
      id: alertId,
      ...alert,
      active: true,
      phase: 'watching',
      arming: 1,
      sinceMarketMs: now,
      version: 1,
      createdAt: now,
      changedAt: now,
    });
  await db()
    .insert(schema.alertFirings)
    .values({
      id: randomUUID(),
      alertId,
      arming: 0,
      ...alert,
      price: '70001',
      atMarketMs: now,
      late: false,
      simulated: true,
      recordedAt: now,
    });
  await writeLiveRows(db(), { uid, agentId, accountId, now });
  await db()
    .insert(schema.accountAlarms)
    .values({ accountId, foundAt: now, checkedAt: now, count: 1, differences: ['cash'] });
  await db()
    .insert(schema.decisionCounts)
    .values({ agentId, day: '2026-01-01', reason: 'below_threshold', count: 12 });
  await db()
    .insert(schema.equityPoints)
    .values({ accountId, atMarketMs: now, equity: '10000' })
    .onConflictDoNothing();
  await db()
    .insert(schema.accountDrawdowns)
    .values({
      ...{ accountId, toMarketMs: now, peak: '10000', peakMarketMs: now },
      ...{ deepest: 0.25, deepestMarketMs: now },
    });
  await db()
    .insert(schema.testInvoices)
    .values({
      id: randomUUID(),
      uid,
      subscriptionId: `sub-${uid}`,
      cause: 'start',
      text: 'Pro',
      amount: '99',
      credit: '0',
      currency: 'USD',
      status: 'paid',
      card: '4242424242424242',
      createdAt: now,
    });
  await db()
    .insert(schema.checkouts)
    .values({
      id: `co-${uid}`,
      uid,
      priceId: 'p',
      state: 'open',
      successUrl: '/',
      cancelUrl: '/',
      createdAt: now,
    });
  await db()
    .insert(schema.pushSubscriptions)
    .values({
      id: subscriptionId,
      uid,
      endpoint: `https://push.example.com/${uid}`,
      p256dh: SECRET,
      auth: SECRET,
      sequence: 0,
      createdAt: now,
    });
  await db()
    .insert(schema.pushPreferences)
    .values({ uid, settings: { kinds: {} } });
  await db()
    .insert(schema.pushMessages)
    .values({
      id: randomUUID(),
      subscriptionId,
      cause: `x:${uid}`,
      kind: 'fills',
      facts: { agentId },
      state: 'sent',
      nextAttemptAt: now,
      createdAt: now,
    });
  await db()
    .insert(schema.planCredits)
    .values({ id: randomUUID(), uid, cause: `inviter:${randomUUID()}`, days: 14, createdAt: now });
  await db()
    .insert(schema.linkedAddresses)
    .values({
      id: randomUUID(),
      uid,
      chainId: 84_532,
      address: `0x${randomUUID().replaceAll('-', '')}00000000`,
      label: 'Smart wallet',
      proof: 'contract',
      linkedAt: now,
    });
  await db()
    .insert(schema.linkMessages)
    .values({
      nonce: randomUUID(),
      uid,
      chainId: 84_532,
      address: SIGNED_ADDRESS,
      message: `Signed for ${uid}`,
      createdAt: now,
      expiresAt: now,
    });
  await db()
    .insert(schema.halts)
    .values(
      [
        { scope: 'user', target: uid },
        { scope: 'agent', target: agentId },
      ].map((of) => ({
        ...of,
        act: 'halt',
        reason: `Asked by ${uid}`,
        by: 'ops',
        until: now - 1,
        at: now - 2,
      })),
    );
  await test.hosted('referral', token, {});
  await test.hosted('openSupportRequest', token, {
    id: randomUUID(),
    category: 'billing',
    text: `A question by ${uid}`,
    diagnostics: null,
  });
  return {
    uid,
    email,
    token,
    agentId,
    marks: [uid, email, agentId, alertId, accountId, subscriptionId, orderId, `Harbour ${people}`],
  };
}

/** So many decisions of one agent. */
async function decide(agentId: string, many: number): Promise<void> {
  await db().execute(sql`
    insert into decisions (id, agent_id, pair, tick_id, at_market_ms, recorded_at, action, reason, text)
    select gen_random_uuid(), ${agentId}::uuid, 'ETH/USDT', 't:' || n, n, n, 'hold', 'r', 'Held'
    from generate_series(1, ${many}::int) n`);
}

interface PlanNode {
  'Relation Name'?: string;
  'Index Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  Plans?: PlanNode[];
}

const scansOf = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(scansOf)];

/** Runs each statement as it is, and keeps the plan that it was carried out by. */
const explained = (inner: Db, plans: PlanNode[]): Db =>
  ({
    execute: async (query: SQL) => {
      const answer: unknown = await inner.execute(sql`explain (analyze, format json) ${query}`);
      const [row] = (answer as { rows: { 'QUERY PLAN': { Plan: PlanNode }[] }[] }).rows;
      for (const { Plan } of row?.['QUERY PLAN'] ?? []) plans.push(Plan);
      return inner.execute(query);
    },
  }) as unknown as Db;

async function everythingOf(token: string): Promise<Map<ExportPart, ExportRows>> {
  const parts = new Map<ExportPart, ExportRows>();
  for (const part of EXPORT_PARTS)
    parts.set(part, await test.hosted('exportPage', token, { part }));
  return parts;
}

describe('the export', () => {
  it('speaks of every table that holds anything personal, with at least a row of each (R2-19)', async () => {
    // By what a page asks for: a part that the contract does not name is asked for by nobody.
    const asked = EXPORT_PARTS.flatMap((part) => (part === 'signIn' ? [] : PARTS[part].tables));
    expect([...new Set(asked), ...NOT_PERSONAL].sort()).toEqual(TABLES.map(getTableName).sort());
    const [one, other] = [await livedIn(), await livedIn()];
    await test.hosted('claimReferral', other.token, {
      code: (await test.hosted('referral', one.token, {})).code,
    });
    const parts = await everythingOf(one.token);
    for (const [part, { rows, columns }] of parts) {
      expect(rows.length, part).toBeGreaterThan(0);
      for (const row of rows) expect(row.length, part).toBe(columns.length);
    }
    const text = JSON.stringify([...parts]);
    for (const mark of other.marks) expect(text, mark).not.toContain(mark);
    expect(text).not.toContain(SECRET);
    expect(text).not.toContain(`https://push.example.com/${one.uid}`);
    expect(parts.get('profile')?.rows[0]).toContain(one.email);
    expect(parts.get('pushDevices')?.rows[0]).toContain('push.example.com');
    expect(parts.get('fills')?.rows[0]).toContain('60000');
    expect(parts.get('referrals')?.rows[0]).toContain('inviter');
    expect(parts.get('signIn')?.rows[0]).toContain('password');
  });

  it('comes in pages that leave nothing out and give nothing twice', async () => {
    const { uid, agentId } = await livedIn();
    await db()
      .insert(schema.decisionCounts)
      .values(
        Array.from({ length: 23 }, (_none, index) => ({
          agentId,
          day: '2026-01-02',
          reason: `Reason-${index} ä`,
          count: index,
        })),
      );
    await db()
      .insert(schema.ledger)
      .values(
        Array.from({ length: 12 }, () => ({
          transactionId: randomUUID(),
          accountId: randomUUID(),
          bucket: 'cash',
          asset: 'USDT',
          amount: '0',
          cause: 'test',
          atMarketMs: 1,
        })),
      );
    const secondId = randomUUID();
    const [agent] = await db().select().from(schema.agents).where(eq(schema.agents.id, agentId));
    if (agent === undefined) throw new Error('No agent');
    await db()
      .insert(schema.agents)
      .values({ ...agent, id: secondId });
    for (const of of [agentId, secondId]) await decide(of, 7);
    for (const part of EXPORT_PARTS) {
      if (part === 'signIn') continue;
      const whole = await exportStored(db(), uid, part, undefined);
      const rows: ExportRows['rows'] = [];
      let after: string | null | undefined;
      do {
        const page: ExportRows = await exportStored(db(), uid, part, after ?? undefined, 2);
        rows.push(...page.rows);
        after = page.next;
      } while (after !== null);
      expect(rows, part).toEqual(whole.rows);
      if (part === 'decisions') expect(rows).toHaveLength(15);
    }
    await db().execute(sql`delete from ledger where cause = 'test'`);
  });

  it('reads for a page no more decisions than the page has, however many there are', async () => {
    const { uid, agentId } = await livedIn();
    await decide(agentId, 3_000);
    await db().execute(sql`analyze decisions`);
    const first = await exportStored(db(), uid, 'decisions', undefined, 50);
    const plans: PlanNode[] = [];
    const second = await exportStored(
      explained(db(), plans),
      uid,
      'decisions',
      first.next ?? undefined,
      50,
    );
    expect(second.rows).toHaveLength(50);
    const read = plans.flatMap(scansOf).filter((scan) => scan['Relation Name'] === 'decisions');
    expect(read.length).toBeGreaterThan(0);
    for (const scan of read) {
      const rows = scan['Actual Rows'] + (scan['Rows Removed by Filter'] ?? 0);
      expect(rows * scan['Actual Loops'], scan['Index Name']).toBeLessThanOrEqual(51);
    }
  });

  it('refuses the key of a page in another order, by a server of another version', async () => {
    const { uid, token, agentId } = await livedIn();
    const old = await failure(
      test.hosted('exportPage', token, { part: 'decisions', after: randomUUID() }),
    );
    expect([old.code, old.message]).toEqual([
      'invalid_request',
      'The server was updated during the export. Start the export again.',
    ]);
    await decide(agentId, 2);
    const { next } = await exportStored(db(), uid, 'decisions', undefined, 1);
    // So long that a server which has them in another order refuses it too.
    expect(next?.length).toBeGreaterThan(300);
    expect(ExportPage.safeParse({ part: 'decisions', after: next }).success).toBe(true);
  });

  it("gives nothing of another's, whatever a key names", async () => {
    const [one, other] = [await livedIn(), await livedIn()];
    const after = JSON.stringify([other.agentId, '', '']);
    const mine = await exportStored(db(), one.uid, 'decisions', undefined);
    const { rows } = await exportStored(db(), one.uid, 'decisions', after);
    expect(JSON.stringify(rows)).not.toContain(other.agentId);
    for (const row of rows) expect(mine.rows).toContainEqual(row);
  });

  it('takes no other part, and nothing in the place of a key (R7-01)', async () => {
    const { token } = await livedIn();
    expect(
      (await failure(test.hosted('exportPage', token, { part: 'users' as ExportPart }))).code,
    ).toBe('invalid_request');
    expect(
      (await test.hosted('exportPage', token, { part: 'agents', after: `'; drop table users; --` }))
        .columns,
    ).toContain('name');
    expect((await test.hosted('exportPage', token, { part: 'profile' })).rows).toHaveLength(1);
  });
});

describe('signing out everywhere', () => {
  it('refuses every token that was out, on this server at once, and not a later one; another person goes on (R7-28)', async () => {
    const [mine, other] = [await livedIn(), await livedIn()];
    clock.advance(10_000);
    await test.hosted('signOutEverywhere', mine.token, {});
    expect((await test.call('agents', { token: mine.token })).json).toMatchObject({
      error: { code: 'token_revoked' },
    });
    expect((await test.call('agents', { token: other.token })).status).toBe(200);
    clock.advance(1_000);
    expect(
      (await test.call('agents', { token: await test.signToken(mine.uid, { email: mine.email }) }))
        .status,
    ).toBe(200);
  });

  it('lets an older token stop agents still, but take no stop loss of real money away', async () => {
    const mine = await livedIn();
    const ofMine = eq(schema.liveConnections.uid, mine.uid);
    await db().update(schema.liveConnections).set({ state: 'open', endedAt: null }).where(ofMine);
    const connected = async () =>
      (await db().select().from(schema.liveConnections).where(ofMine))[0];
    const params = { id: (await connected())?.id ?? '' };
    const end = (token: string) => test.call('endLiveTrading', { token, params });
    clock.advance(10_000);
    await test.hosted('signOutEverywhere', mine.token, {});
    const { status, json } = await end(mine.token);
    expect([status, json]).toMatchObject([401, { error: { code: 'token_revoked' } }]);
    expect((await connected())?.entriesOffSince).toBeNull();
    expect((await test.call('stopAll', { token: mine.token, body: {} })).status).toBe(200);
    clock.advance(1_000);
    const token = await test.signToken(mine.uid, { email: mine.email });
    expect((await end(token)).status).toBe(200);
    expect((await connected())?.entriesOffSince).not.toBeNull();
  });

  it('ends the notifications of every device of theirs, and of nobody else (R2-19)', async () => {
    const [mine, other] = [await livedIn(), await livedIn()];
    const devicesOf = ({ uid }: Person) =>
      db().select().from(schema.pushSubscriptions).where(eq(schema.pushSubscriptions.uid, uid));
    const [device] = await devicesOf(mine);
    const waitingFor = () =>
      db()
        .select()
        .from(schema.pushMessages)
        .where(eq(schema.pushMessages.subscriptionId, device?.id ?? ''));
    expect((await waitingFor()).length).toBeGreaterThan(0);
    await test.hosted('signOutEverywhere', mine.token, {});
    expect([await devicesOf(mine), await waitingFor()]).toEqual([[], []]);
    expect(await devicesOf(other)).toHaveLength(1);
  });

  it('can be told of later for each device by the time of the token that registered it last', async () => {
    const mine = await livedIn();
    const subscription = {
      endpoint: `https://push.example.com/${randomUUID()}`,
      keys: { p256dh: 'B'.repeat(87), auth: 'A'.repeat(22) },
    };
    const issuedAt = async () => {
      const token = await test.signToken(mine.uid, { email: mine.email });
      const at = Math.floor(clock.now() / 1_000) * 1_000;
      await test.hosted('registerPush', token, { subscription });
      const [device] = await db()
        .select()
        .from(schema.pushSubscriptions)
        .where(eq(schema.pushSubscriptions.endpoint, subscription.endpoint));
      return [device?.tokenIssuedAt, at];
    };
    const [first, at] = await issuedAt();
    expect(first).toBe(at);
    clock.advance(60_000);
    const [renewed, later] = await issuedAt();
    expect(renewed).toBe(later);
    expect(later).toBeGreaterThan(at ?? Infinity);
  });

  it('says that nothing happened where the provider does not answer, and stops being asked without end', async () => {
    const mine = await livedIn();
    book.answers = false;
    expect((await failure(test.hosted('signOutEverywhere', mine.token, {}))).code).toBe(
      'identity_unavailable',
    );
    book.answers = true;
    expect((await test.call('agents', { token: mine.token })).status).toBe(200);
    let last = '';
    for (let i = 0; i < 12; i += 1) {
      clock.advance(1_000);
      last = await test.hosted('signOutEverywhere', await test.signToken(mine.uid), {}).then(
        () => 'taken',
        (error: unknown) => (error as HostedFailed).code,
      );
    }
    expect(last).toBe('limit_reached');
  });
});

describe('deleting an account', () => {
  it('needs the word, and a sign-in of the last five minutes', async () => {
    const mine = await livedIn();
    expect(
      (await failure(test.hosted('deleteAccount', mine.token, { confirm: 'delete' as 'DELETE' })))
        .code,
    ).toBe('invalid_request');
    clock.advance(6 * 60_000);
    const stale = await failure(test.hosted('deleteAccount', mine.token, { confirm: 'DELETE' }));
    expect([stale.code, stale.status]).toEqual(['recent_sign_in_required', 403]);
    expect((await test.call('agents', { token: mine.token })).status).toBe(200);
  });

  it('counts paper positions alone, and names exchange accounts still connected and coins left at an exchange (R2-19)', async () => {
    const mine = await livedIn();
    const now = clock.now();
    /** An exchange account where an agent holds so many pairs. */
    const atExchange = async (state: 'open' | 'ended', label: string, pairs: string[]) => {
      const [connectionId, accountId] = [randomUUID(), randomUUID()];
      await db()
        .insert(schema.liveConnections)
        .values({
          id: connectionId,
          uid: mine.uid,
          accountId,
          exchange: 'kraken',
          label,
          state,
          abilities: { replaysIds: false, restingStops: true },
          permissions: null,
          permissionsReadAt: now,
          maxOrder: '100',
          maxExposure: '500',
          maxDailyLoss: '25',
          maxOrdersPerHour: 30,
          createdAt: now,
          endedAt: state === 'ended' ? now : null,
        });
      await db()
        .insert(schema.accounts)
        .values({
          id: accountId,
          uid: mine.uid,
          source: `live:${connectionId}`,
          quote: 'USD',
          book: 1,
          connectionId,
          openedAt: now,
          openedMarketMs: now,
        });
      for (const pair of pairs)
        await db().insert(schema.positions).values({
          id: randomUUID(),
          accountId,
          agentId: randomUUID(),
          pair,
          quantity: '0.01',
          cost: '600',
          openedMarketMs: now,
        });
      return connectionId;
    };
    const connected = await atExchange('open', 'Savings', ['BTC/USD', 'ETH/USD']);
    const removed = await atExchange('ended', 'Old', ['SOL/USD', 'BTC/USD']);
    await atExchange('ended', 'Empty', []);
    expect(await test.hosted('deletionPreview', mine.token, {})).toMatchObject({
      positions: 1,
      connected: [{ id: connected, exchange: 'kraken', label: 'Savings' }],
      coinsLeft: [{ id: removed, exchange: 'kraken', label: 'Old', coins: ['BTC', 'SOL'] }],
    });
    const refused = await failure(test.hosted('deleteAccount', mine.token, { confirm: 'DELETE' }));
    expect(refused.code).toBe('live_orders_open');
  });

  it('says beforehand what ends, stops the agents, cancels the plan, and leaves no trace of the person in any table (R2-19)', async () => {
    const [mine, other] = [await livedIn(), await livedIn()];
    await test.hosted('claimReferral', other.token, {
      code: (await test.hosted('referral', mine.token, {})).code,
    });
    expect(await test.hosted('deletionPreview', mine.token, {})).toMatchObject({
      agents: 1,
      running: 1,
      positions: 1,
      plan: { tier: 'pro-max', provider: 'test' },
    });
    const before = await dump();
    for (const [name, rows] of before) {
      if (!NOT_PERSONAL.includes(name))
        expect(
          rows.some((row) => mine.marks.some((mark) => row.includes(mark))) ||
            [
              'support_messages',
              'referrals',
              'plan_credits',
              'equity_points',
              'balances',
              'ledger',
            ].includes(name),
          name,
        ).toBe(true);
    }
    expect(await test.hosted('deleteAccount', mine.token, { confirm: 'DELETE' })).toEqual({
      state: 'done',
    });
    const after = await dump();
    for (const [name, rows] of after) {
      for (const mark of mine.marks)
        expect(
          rows.filter((row) => row.includes(mark)),
          `${name}: ${mark}`,
        ).toEqual([]);
    }
    for (const mark of other.marks) {
      for (const [name, rows] of before)
        expect(
          after.get(name)?.filter((row) => row.includes(mark)).length,
          `${name}: ${mark}`,
        ).toBe(rows.filter((row) => row.includes(mark)).length);
    }
    expect(book.removed.has(mine.uid)).toBe(true);
    expect((await checkLedger(db())).problems.filter((problem) => problem.includes('sum'))).toEqual(
      [],
    );
    expect((await test.hosted('referral', other.token, {})).invitedOn).not.toBeNull();
  });

  it("is not undone by the person's last token, nor by one that another server had let in", async () => {
    const mine = await livedIn();
    await test.hosted('deleteAccount', mine.token, { confirm: 'DELETE' });
    book.removed.delete(mine.uid);
    for (const name of ['agents', 'portfolio'] as const)
      expect((await test.call(name, { token: mine.token })).json).toMatchObject({
        error: { code: 'token_revoked' },
      });
    expect(await db().select().from(schema.users).where(eq(schema.users.uid, mine.uid))).toEqual(
      [],
    );
    clock.advance(9 * 60 * 60_000);
    await test.deletions.runOnce();
    expect(await db().select().from(schema.deletedAccounts)).toEqual([]);
  });

  it('goes on by itself where the identity provider did not answer; nobody enters meanwhile', async () => {
    const mine = await livedIn();
    book.answers = false;
    expect(await test.hosted('deleteAccount', mine.token, { confirm: 'DELETE' })).toEqual({
      state: 'under-way',
    });
    expect((await test.call('agents', { token: mine.token })).json).toMatchObject({
      error: { code: 'token_revoked' },
    });
    await test.deletions.runOnce();
    expect(await db().select().from(schema.accountDeletions)).toHaveLength(1);
    book.answers = true;
    await test.deletions.runOnce();
    expect(await db().select().from(schema.accountDeletions)).toEqual([]);
    expect(book.removed.has(mine.uid)).toBe(true);
    for (const rows of (await dump()).values())
      for (const mark of mine.marks) expect(rows.some((row) => row.includes(mark))).toBe(false);
  });
});

describe('what a deleted account has used', () => {
  /** A new account with this address. */
  const join = async (email: string, isConfirmed = false) => {
    const uid = randomUUID();
    const token = await test.signToken(uid, { email, email_verified: isConfirmed });
    return { uid, token };
  };
  const trial = async ({ uid, token }: { uid: string; token: string }) => {
    const reply = await test.call('trialStart', { token, body: { userId: uid } });
    return (reply.json as { error?: { code: string } }).error?.code ?? 'started';
  };
  const leave = ({ token }: { token: string }) =>
    test.hosted('deleteAccount', token, { confirm: 'DELETE' });
  const hasUsed = async ({ token }: { token: string }) =>
    ((await test.call('trialStatus', { token })).json as { hasUsed: boolean }).hasUsed;
  let made = 0;
  const address = (): string => {
    made += 1;
    return `once.${made}.${randomUUID().slice(0, 8)}@gmail.com`;
  };

  it('is remembered of its mailbox: there is no second trial (R4-08, R8-20)', async () => {
    const email = address();
    const first = await join(email);
    expect(await hasUsed(first)).toBe(false);
    expect(await trial(first)).toBe('started');
    expect(await test.hosted('deletionPreview', first.token, {})).toMatchObject({
      remembered: { trial: true, invited: false },
    });
    await leave(first);
    const again = await join(email.replace('once.', 'onCe').replace('@', '+again@'));
    expect(await hasUsed(again)).toBe(true);
    expect(await trial(again)).toBe('trial_used');
    expect(await trial(await join(address()))).toBe('started');
    // It is remembered still when that account goes as well.
    await leave(again);
    expect(await trial(await join(email))).toBe('trial_used');
    // Google delivers both of its domains to one mailbox.
    expect(await trial(await join(email.replace('@gmail.', '@googlemail.')))).toBe('trial_used');
    const rows = (await dump()).get('used_offers') ?? [];
    expect(rows.join()).not.toContain('once');
    const plain = createHash('sha256').update(email.replaceAll('.', '')).digest('hex');
    expect(rows.join()).not.toContain(plain);
  });

  it('is nothing where it used nothing', async () => {
    const email = address();
    const first = await join(email);
    expect(await test.hosted('deletionPreview', first.token, {})).toMatchObject({
      remembered: { trial: false, invited: false },
    });
    const before = (await dump()).get('used_offers');
    await leave(first);
    expect((await dump()).get('used_offers')).toEqual(before);
    expect(await trial(await join(email))).toBe('started');
  });

  it('does not bind whoever confirms the address, until they have used it themselves', async () => {
    const email = address();
    const stranger = await join(email);
    await trial(stranger);
    await leave(stranger);
    const owner = await join(email, true);
    expect(await hasUsed(owner)).toBe(false);
    expect(await trial(owner)).toBe('started');
    await leave(owner);
    expect(await trial(await join(email, true))).toBe('trial_used');
    expect(await trial(await join(email))).toBe('trial_used');
  });

  it('is a code as well: nobody comes by a second one with a new account (R2-13)', async () => {
    const [inviter, email] = [await join(address()), address()];
    const { code } = await test.hosted('referral', inviter.token, {});
    const first = await join(email);
    await test.hosted('claimReferral', first.token, { code });
    await leave(first);
    const again = await join(email);
    expect((await failure(test.hosted('claimReferral', again.token, { code }))).code).toBe(
      'referral_refused',
    );
    expect(await trial(again)).toBe('started');
  });

  it('is forgotten after two years', async () => {
    const email = address();
    const first = await join(email);
    await trial(first);
    await leave(first);
    clock.advance(USED_OFFERS_KEEP_DAYS * DAY_MS - 1);
    await forgetOld(test.database, clock);
    expect(await trial(await join(email))).toBe('trial_used');
    clock.advance(1 + DAY_MS);
    await forgetOld(test.database, clock);
    expect(await db().select().from(schema.usedOffers)).toEqual([]);
    expect(await trial(await join(email))).toBe('started');
  });
});
