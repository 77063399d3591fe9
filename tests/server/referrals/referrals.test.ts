/**
 * Referrals on the whole server over PGlite: codes, who may come by them, and the days they earn.
 */
import { randomUUID } from 'node:crypto';
import { and, eq, inArray, isNull } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { REFERRAL_ALPHABET, readReferralCode } from '../../../contract/referral-code.ts';
import {
  REFERRAL_JOINS_A_DAY,
  REFERRAL_REWARD_DAYS,
  REFERRAL_REWARDS_A_YEAR,
} from '../../../contract/referrals.ts';
import { referralCodes, referrals, users } from '../../../server/db/schema.ts';
import { planCredits, subscriptions } from '../../../server/db/schema-plans.ts';
import { FakePayments } from '../../../server/billing/fake-provider/fake-payments.ts';
import type { Lengthened, Payments } from '../../../server/billing/payments.ts';
import { mailboxOf } from '../../../server/users/mailbox.ts';
import { ownCode } from '../../../server/referrals/code.ts';
import { ReferralRewards } from '../../../server/referrals/rewards.ts';
import { buildTestApp, silentLog, TestClock, type TestApp } from '../../support/app.ts';

const DAY_MS = 86_400_000;
const clock = new TestClock();
let test: TestApp;
beforeAll(async () => {
  test = await buildTestApp({ clock });
}, 60_000);
afterAll(() => test.close());

let people = 0;
async function person(email?: string): Promise<{ uid: string; token: string }> {
  people += 1;
  const uid = `Person${people}x${randomUUID().slice(0, 6)}`;
  return { uid, token: await test.signToken(uid, email === undefined ? {} : { email }) };
}
const codeOf = async (token: string): Promise<string> =>
  (await test.hosted('referral', token, {})).code;
const claim = (token: string, code: string) => test.hosted('claimReferral', token, { code });
const failure = (work: Promise<unknown>): Promise<{ code: string; message: string }> =>
  work.then(
    () => {
      throw new Error('It was taken');
    },
    (error: unknown) => error as { code: string; message: string },
  );

async function pay(
  uid: string,
  change: Partial<typeof subscriptions.$inferInsert> = {},
): Promise<void> {
  const now = clock.now();
  const values = {
    provider: 'test',
    status: 'active',
    tier: 'starter',
    planId: 'starter',
    priceId: 'price_test_starter',
    providerSubscriptionId: `sub_${uid}`,
    currentPeriodEnd: now + 30 * DAY_MS,
    cancelAtPeriodEnd: false,
    updatedAt: now - 1,
    ...change,
  };
  await test.database.db
    .insert(subscriptions)
    .values({ uid, ...values })
    .onConflictDoUpdate({ target: subscriptions.uid, set: values });
}
const planOf = async (uid: string) =>
  (await test.database.db.select().from(subscriptions).where(eq(subscriptions.uid, uid)))[0];

describe("a code of one's own", () => {
  it('is made once, also by ten first calls at once, and reads back however it was typed (R2-13)', async () => {
    const { token } = await person();
    const codes = await Promise.all(Array.from({ length: 10 }, () => codeOf(token)));
    expect(new Set(codes).size).toBe(1);
    const code = codes[0] ?? '';
    expect(readReferralCode(` ${code.slice(0, 4).toLowerCase()}-${code.slice(4)} `)).toBe(code);
    expect([...code].every((char) => REFERRAL_ALPHABET.includes(char))).toBe(true);
    for (const text of ['', 'SHORT', 'OOOOOOOO', `${code}A`, '<script>'])
      expect(readReferralCode(text), text).toBeNull();
  });

  it('is another one where the first that came up is taken', async () => {
    const [one, two] = [await person(), await person()];
    const taken = await codeOf(one.token);
    await codeOf(two.token);
    await test.database.db.delete(referralCodes).where(eq(referralCodes.uid, two.uid));
    const offered = [taken, taken, 'ABCDEFGH'];
    expect(
      await test.database.transaction((tx) =>
        ownCode(tx, two.uid, clock.now(), () => offered.shift() ?? 'JKMNPQRS'),
      ),
    ).toBe('ABCDEFGH');
  });
});

describe('coming by a code', () => {
  it('counts once, is listed by day and state alone, and names nobody (R2-13, R1-05)', async () => {
    const [inviter, friend] = [await person(), await person()];
    const code = await codeOf(inviter.token);
    const first = await claim(friend.token, code.toLowerCase());
    expect(await claim(friend.token, code)).toEqual(first);
    const seen = await test.hosted('referral', inviter.token, {});
    expect(seen).toMatchObject({
      joinedCount: 1,
      joined: [{ day: new Date(clock.now()).toISOString().slice(0, 10), state: 'joined' }],
      days: { added: 0, waiting: 0 },
      invitedOn: null,
    });
    expect(JSON.stringify(seen)).not.toContain(friend.uid);
    expect(JSON.stringify(seen)).not.toContain('@');
    expect((await test.hosted('referral', friend.token, {})).invitedOn).toBe(first.invitedOn);
  });

  it("refuses one's own code, also from another spelling of the same mailbox", async () => {
    const mine = await person('jane.doe@gmail.com');
    const again = await person('JaneDoe+second@gmail.com');
    const code = await codeOf(mine.token);
    expect(await failure(claim(mine.token, code))).toMatchObject({
      code: 'referral_refused',
      status: 409,
    });
    expect(await failure(claim(again.token, code))).toMatchObject({ code: 'referral_refused' });
    expect(mailboxOf('Jane.Doe@GoogleMail.com')).toBe(mailboxOf('janedoe@gmail.com'));
    expect(mailboxOf('a.b+c@example.com')).toBe('a.b@example.com');
    expect(mailboxOf(null)).toBeNull();
  });

  it('refuses loops, of two, of three, and of two at once', async () => {
    const [a, b, c] = [await person(), await person(), await person()];
    const [codeA, codeB, codeC] = [
      await codeOf(a.token),
      await codeOf(b.token),
      await codeOf(c.token),
    ];
    await claim(b.token, codeA);
    expect(await failure(claim(a.token, codeB))).toMatchObject({ code: 'referral_refused' });
    await claim(c.token, codeB);
    expect(await failure(claim(a.token, codeC))).toMatchObject({ code: 'referral_refused' });
    const [d, e] = [await person(), await person()];
    const [codeD, codeE] = [await codeOf(d.token), await codeOf(e.token)];
    const both = await Promise.allSettled([claim(d.token, codeE), claim(e.token, codeD)]);
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  });

  it('refuses a second code, an unknown one, and an account that is not new', async () => {
    const [one, two, friend] = [await person(), await person(), await person()];
    const [codeOne, codeTwo] = [await codeOf(one.token), await codeOf(two.token)];
    await claim(friend.token, codeOne);
    expect((await failure(claim(friend.token, codeTwo))).message).toContain('another code');
    expect(await failure(claim(two.token, 'ZZZZZZZZ'))).toMatchObject({
      code: 'not_found',
      status: 404,
    });
    const old = await person();
    await codeOf(old.token);
    await test.database.db
      .update(users)
      .set({ createdAt: clock.now() - 8 * DAY_MS })
      .where(eq(users.uid, old.uid));
    expect((await failure(claim(old.token, codeOne))).message).toContain('first 7 days');
  });

  it('stops tries without end, and a code that too many come by in a day', async () => {
    const guesser = await person();
    const tries = [];
    for (let i = 0; i < 12; i += 1)
      tries.push((await failure(claim(guesser.token, 'ZZZZZZZZ'))).code);
    expect(tries).toEqual([
      ...Array.from({ length: 10 }, () => 'not_found'),
      'limit_reached',
      'limit_reached',
    ]);
    const popular = await person();
    const code = await codeOf(popular.token);
    await test.database.db.insert(referrals).values(
      Array.from({ length: REFERRAL_JOINS_A_DAY }, () => ({
        id: randomUUID(),
        inviterUid: popular.uid,
        invitedUid: randomUUID(),
        joinedAt: clock.now() - 1_000,
      })),
    );
    expect(await failure(claim((await person()).token, code))).toMatchObject({
      code: 'limit_reached',
      status: 429,
    });
  });
});

/** Sets the end that it is told, as Stripe does, be it sooner than the one that is there. */
class ToldPayments extends FakePayments {
  readonly ends = new Map<string, number>();
  readonly asked: { creditId: string; paidUntil: number }[] = [];
  /** So many further questions never arrive. */
  silent = 0;
  /** Happens between the provider's yes and our note. */
  meanwhile: (() => Promise<void>) | null = null;
  isHeld = Promise.resolve();
  private heldUntil: Promise<void> | null = null;
  private reached = (): void => undefined;

  constructor() {
    super({ database: test.database, events: test.events, clock });
  }

  /** Keeps the next answer back until the returned function is called. */
  hold(): () => void {
    let release = (): void => undefined;
    this.heldUntil = new Promise((resolve) => {
      release = resolve;
    });
    this.isHeld = new Promise((resolve) => {
      this.reached = resolve;
    });
    return release;
  }

  override async lengthen(order: {
    creditId: string;
    subscriptionId: string;
    paidUntil: number;
  }): Promise<Lengthened> {
    const { subscriptionId, paidUntil } = order;
    this.asked.push(order);
    if (this.silent > 0) {
      this.silent -= 1;
      throw new Error('No answer in time');
    }
    const seen = await this.fetchSubscription(subscriptionId);
    if (seen === null) throw new Error('No such subscription');
    this.ends.set(subscriptionId, paidUntil);
    const heldUntil = this.heldUntil;
    this.heldUntil = null;
    this.reached();
    await heldUntil;
    await this.meanwhile?.();
    return { subscription: { ...seen, currentPeriodEnd: paidUntil }, isGiven: true };
  }
}

const rewardsBy = (payments: Payments): ReferralRewards =>
  new ReferralRewards({
    database: test.database,
    events: test.events,
    clock,
    log: silentLog,
    payments,
  });
const credits = (uid: string) =>
  test.database.db
    .select()
    .from(planCredits)
    .where(eq(planCredits.uid, uid))
    .orderBy(planCredits.createdAt);
/** Somebody whose plan runs, and who waits for so many credits. */
async function waiting(count: number): Promise<{ uid: string; end: number }> {
  const { uid, token } = await person();
  await codeOf(token);
  await pay(uid);
  await test.database.db.insert(planCredits).values(
    Array.from({ length: count }, (_, nth) => ({
      id: randomUUID(),
      uid,
      cause: `inviter:${randomUUID()}`,
      days: REFERRAL_REWARD_DAYS,
      createdAt: clock.now() + nth,
    })),
  );
  return { uid, end: (await planOf(uid))?.currentPeriodEnd ?? 0 };
}

describe('the reward', () => {
  async function pair(): Promise<{
    inviter: { uid: string; token: string };
    friend: { uid: string; token: string };
  }> {
    const [inviter, friend] = [await person(), await person()];
    await claim(friend.token, await codeOf(inviter.token));
    return { inviter, friend };
  }

  it("comes with the friend's first paid plan, lengthens both plans through the payments port, and comes once", async () => {
    const { inviter, friend } = await pair();
    await test.rewards.runOnce();
    expect((await test.hosted('referral', inviter.token, {})).joined[0]?.state).toBe('joined');
    await pay(inviter.uid);
    await pay(friend.uid);
    const ends = {
      inviter: (await planOf(inviter.uid))?.currentPeriodEnd ?? 0,
      friend: (await planOf(friend.uid))?.currentPeriodEnd ?? 0,
    };
    await Promise.all([test.rewards.runOnce(), test.rewards.runOnce()]);
    await test.rewards.runOnce();
    expect((await planOf(inviter.uid))?.currentPeriodEnd).toBe(
      ends.inviter + REFERRAL_REWARD_DAYS * DAY_MS,
    );
    expect((await planOf(friend.uid))?.currentPeriodEnd).toBe(
      ends.friend + REFERRAL_REWARD_DAYS * DAY_MS,
    );
    expect(await test.hosted('referral', inviter.token, {})).toMatchObject({
      joined: [{ state: 'earned' }],
      days: { added: REFERRAL_REWARD_DAYS, waiting: 0 },
    });
  });

  it("does not come by a checkout that was only begun, an unpaid plan, or the provider's own trial", async () => {
    const { inviter, friend } = await pair();
    for (const status of ['incomplete', 'past_due', 'trialing', 'canceled']) {
      await pay(friend.uid, { status });
      await test.rewards.runOnce();
      expect((await test.hosted('referral', inviter.token, {})).joined[0]?.state, status).toBe(
        'joined',
      );
    }
  });

  it('waits for a plan where there is none, lengthens a trial that runs, and leaves alone a plan that ends', async () => {
    const { inviter, friend } = await pair();
    await pay(friend.uid, { cancelAtPeriodEnd: true });
    await test.rewards.runOnce();
    expect((await test.hosted('referral', inviter.token, {})).days).toEqual({
      added: 0,
      waiting: REFERRAL_REWARD_DAYS,
    });
    expect((await test.hosted('referral', friend.token, {})).days).toEqual({
      added: 0,
      waiting: REFERRAL_REWARD_DAYS,
    });
    const trialEndsAt = clock.now() + 3 * DAY_MS;
    await test.database.db
      .update(users)
      .set({ trialStartedAt: clock.now(), trialEndsAt })
      .where(eq(users.uid, inviter.uid));
    await test.rewards.runOnce();
    await test.rewards.runOnce();
    expect(
      (await test.database.db.select().from(users).where(eq(users.uid, inviter.uid)))[0]
        ?.trialEndsAt,
    ).toBe(trialEndsAt + REFERRAL_REWARD_DAYS * DAY_MS);
    await pay(friend.uid, { cancelAtPeriodEnd: false });
    await test.rewards.runOnce();
    expect((await test.hosted('referral', friend.token, {})).days).toEqual({
      added: REFERRAL_REWARD_DAYS,
      waiting: 0,
    });
  });

  it('asks the provider for the same end again after a crash between its yes and our note', async () => {
    const { inviter, friend } = await pair();
    await pay(friend.uid);
    await pay(inviter.uid);
    await test.rewards.runOnce();
    const end = (await planOf(inviter.uid))?.currentPeriodEnd;
    await test.database.db
      .update(planCredits)
      .set({ grantedAt: null })
      .where(eq(planCredits.uid, inviter.uid));
    await test.rewards.runOnce();
    expect((await planOf(inviter.uid))?.currentPeriodEnd).toBe(end);
  });

  it('is given credit by credit, each from the end of the one before, where one is answered late (R2-13)', async () => {
    const { uid, end } = await waiting(3);
    const told = new ToldPayments();
    const servers = [rewardsBy(told), rewardsBy(told)];
    told.silent = 1;
    await servers[0]?.runOnce();
    // The first is open: nothing else of this person is asked for, by another server neither.
    expect(told.asked.map(({ paidUntil }) => paidUntil - end)).toEqual([14 * DAY_MS]);
    const reply = told.hold();
    const first = servers[0]?.runOnce();
    await told.isHeld;
    told.silent = 1;
    await servers[1]?.runOnce();
    expect(new Set(told.asked.map(({ paidUntil }) => paidUntil - end))).toEqual(
      new Set([14 * DAY_MS]),
    );
    reply();
    await first;
    await servers[1]?.runOnce();
    expect(told.ends.get(`sub_${uid}`)).toBe(end + 42 * DAY_MS);
    expect((await planOf(uid))?.currentPeriodEnd).toBe(end + 42 * DAY_MS);
    expect((await credits(uid)).every(({ grantedAt }) => grantedAt !== null)).toBe(true);
  });

  it('is not done where an earlier look at the plan was written after it, until the plan has its end (R2-13)', async () => {
    const { uid, end } = await waiting(2);
    const told = new ToldPayments();
    const rewards = rewardsBy(told);
    // A look that began later and saw the plan before the days reached it.
    told.meanwhile = () => pay(uid, { currentPeriodEnd: end, observation: 2 ** 40 });
    await rewards.runOnce();
    expect((await credits(uid)).map(({ grantedAt }) => grantedAt)).toEqual([null, null]);
    told.meanwhile = null;
    await pay(uid, { currentPeriodEnd: end, observation: 0 });
    await rewards.runOnce();
    expect((await planOf(uid))?.currentPeriodEnd).toBe(end + 28 * DAY_MS);
  });

  it('is not given more often than the year allows, and says so', async () => {
    const { inviter, friend } = await pair();
    await test.database.db.insert(planCredits).values(
      Array.from({ length: REFERRAL_REWARDS_A_YEAR }, () => ({
        id: randomUUID(),
        uid: inviter.uid,
        cause: `inviter:${randomUUID()}`,
        days: 14,
        createdAt: clock.now() - DAY_MS,
        grantedAt: clock.now(),
      })),
    );
    await pay(friend.uid);
    await test.rewards.runOnce();
    expect((await test.hosted('referral', inviter.token, {})).joined[0]?.state).toBe('unrewarded');
    expect((await test.hosted('referral', friend.token, {})).days.added).toBe(REFERRAL_REWARD_DAYS);
  });

  it('is looked for with those alone who have something to lengthen, and given to all of them', async () => {
    const now = clock.now();
    await test.rewards.runOnce();
    const uids = (kind: string) => Array.from({ length: 120 }, (_, nth) => `${kind}${nth}`);
    const [poor, tried] = [uids('Poor'), uids('Tried')];
    await test.database.db
      .insert(users)
      .values([
        ...poor.map((uid) => ({ uid, createdAt: now, settings: {}, trialEndsAt: now - 1 })),
        ...tried.map((uid) => ({ uid, createdAt: now, settings: {}, trialEndsAt: now + DAY_MS })),
      ]);
    await test.database.db.insert(planCredits).values(
      [...poor, ...tried].map((uid) => ({
        id: randomUUID(),
        uid,
        cause: `invited:${randomUUID()}`,
        days: REFERRAL_REWARD_DAYS,
        createdAt: now,
      })),
    );
    // Plans that are not lengthened: the days wait for the next.
    for (const [nth, change] of [
      { status: 'past_due' },
      { status: 'canceled' },
      { cancelAtPeriodEnd: true },
      { currentPeriodEnd: now - 4 * DAY_MS },
      { provider: 'other' },
    ].entries())
      await pay(poor[nth] ?? '', change);
    let transactions = 0;
    const counted = new ReferralRewards({
      database: {
        ...test.database,
        transaction: (work) => {
          transactions += 1;
          return test.database.transaction(work);
        },
      },
      events: test.events,
      clock,
      log: silentLog,
      payments: new ToldPayments(),
    });
    await counted.runOnce();
    expect(transactions).toBe(tried.length);
    const waits = async (): Promise<number> =>
      (
        await test.database.db
          .select()
          .from(planCredits)
          .where(and(inArray(planCredits.uid, [...poor, ...tried]), isNull(planCredits.grantedAt)))
      ).length;
    expect(await waits()).toBe(poor.length);
    await pay(poor[1] ?? '');
    await counted.runOnce();
    expect(await waits()).toBe(poor.length - 1);
  });

  it('is earned behind any number of friends whose plan is none', async () => {
    const now = clock.now();
    const friends = Array.from({ length: 120 }, (_, nth) => `Free${nth}`);
    await test.database.db.insert(referrals).values(
      friends.map((invitedUid) => ({
        id: randomUUID(),
        inviterUid: 'Inviter',
        invitedUid,
        joinedAt: now - DAY_MS,
      })),
    );
    for (const [nth, uid] of friends.entries())
      await pay(uid, nth % 2 === 0 ? { tier: 'free' } : { currentPeriodEnd: now - 4 * DAY_MS });
    const { inviter, friend } = await pair();
    await pay(friend.uid);
    await test.rewards.runOnce();
    expect((await test.hosted('referral', inviter.token, {})).joined[0]?.state).toBe('earned');
  });
});
