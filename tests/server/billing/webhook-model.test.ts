/**
 * Webhooks against a model: generated deliveries, doubled, shuffled, late, lost and forged, over
 * the real route, database and Stripe library. `WEBHOOKS` says how many, `WEBHOOK_SEED` which.
 */
import Fastify, { type FastifyInstance } from 'fastify';
import Stripe from 'stripe';
import { count } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DatabaseEntitlement } from '../../../server/billing/entitlement.ts';
import { Reconciliation } from '../../../server/billing/reconciliation.ts';
import { registerBillingRoutes } from '../../../server/billing/routes.ts';
import { StripePayments } from '../../../server/billing/stripe-payments.ts';
import { webhookEvents } from '../../../server/db/schema-plans.ts';
import {
  startStripeStandIn,
  type StandInSubscription,
  type StripeStandIn,
} from '../../support/stripe-server.ts';
import { openWorld, ORIGIN, quietLog, type World } from './world.ts';

const DELIVERIES = Number(process.env.WEBHOOKS ?? 450);
const SEED = Number(process.env.WEBHOOK_SEED ?? 20_260_105);
const SECRET = 'whsec_of_the_model';
const PRICES = {
  starter: 'price_starter',
  standard: 'price_standard',
  pro: 'price_pro',
  'pro-max': 'price_pro_max',
} as const;
const PEOPLE = 24;
const CHECK_EVERY = 150;
const DAY_S = 86_400;

/** The same numbers for the same seed. */
function dice(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

interface Waiting {
  id: string;
  payload: string;
  copies: number;
  sent: number;
}

let world: World;
let stripe: StripeStandIn;
let app: FastifyInstance;
let reconciliation: Reconciliation;
let entitlement: DatabaseEntitlement;

beforeAll(async () => {
  world = await openWorld();
  stripe = await startStripeStandIn();
  for (const price of Object.values(PRICES))
    stripe.prices.set(price, { unit_amount: 1_000, currency: 'usd', interval: 'month' });
  const payments = new StripePayments(
    {
      secretKey: 'sk_test_model',
      webhookSecret: SECRET,
      apiBase: stripe.base,
      publicOrigin: ORIGIN,
      prices: {
        starter: [PRICES.starter],
        standard: [PRICES.standard],
        pro: [PRICES.pro],
        'pro-max': [PRICES['pro-max']],
      },
      timeoutMs: 60_000,
    },
    world.clock,
    quietLog,
  );
  app = Fastify();
  await registerBillingRoutes(app, { ...world, log: quietLog, payments, limit: () => undefined });
  reconciliation = new Reconciliation({ ...world, log: quietLog, payments });
  entitlement = new DatabaseEntitlement(world.database, world.clock);
});
afterAll(async () => {
  await app.close();
  await stripe.close();
  await world.close();
});

const deliver = (payload: string, signature: string) =>
  app.inject({
    method: 'POST',
    url: '/webhooks/stripe',
    payload,
    headers: {
      'content-type': 'application/json',
      ...(signature === '' ? {} : { 'stripe-signature': signature }),
    },
  });
const nowS = (): number => Math.floor(world.clock.at / 1_000);
const sign = (payload: string, secret = SECRET, ageS = 0): string =>
  Stripe.webhooks.generateTestHeaderString({ payload, secret, timestamp: nowS() - ageS });

/** What the rules make of the provider's own books, written without the product's code. */
function modelTier(
  uid: string,
  books: Map<string, StandInSubscription>,
  now: number,
): { tier: string; lapsed: boolean } {
  const order = ['price_starter', 'price_standard', 'price_pro', 'price_pro_max'];
  const mine = [...books.values()].filter((one) => one.customer === `cus_${uid}`);
  const good = mine.filter((one) => {
    if (one.status === 'past_due')
      return now < ((one.periodStart ?? 0) + (one.cancelAtPeriodEnd ? 0 : 3 * DAY_S)) * 1_000;
    return (
      one.status === 'active' &&
      now < (one.periodEnd + (one.cancelAtPeriodEnd ? 0 : 3 * DAY_S)) * 1_000
    );
  });
  const best = good.map((one) => order.indexOf(one.priceId)).sort((a, b) => b - a)[0];
  if (best !== undefined)
    return { tier: ['starter', 'standard', 'pro', 'pro-max'][best] ?? '', lapsed: false };
  return { tier: 'free', lapsed: mine.length > 0 };
}

/** What Stripe's side does next to one person, and the type of the event it tells of it. */
function step(
  random: () => number,
  uid: string,
  subscriptions: Map<string, StandInSubscription>,
  made: () => number,
): { type: string; subject: StandInSubscription } {
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  const mine = [...subscriptions.values()].filter((one) => one.customer === `cus_${uid}`);
  const living = mine.find((one) => one.status !== 'canceled');
  if (living === undefined) {
    const id = `sub_${made()}`;
    const fresh: StandInSubscription = {
      id,
      customer: `cus_${uid}`,
      uid: mine.length > 0 && random() < 0.3 ? null : uid,
      status: 'active',
      priceId: pick(Object.values(PRICES)),
      periodStart: nowS(),
      periodEnd: nowS() + 30 * DAY_S,
      cancelAtPeriodEnd: false,
    };
    subscriptions.set(id, fresh);
    return { type: 'customer.subscription.created', subject: fresh };
  }
  const act = random();
  if (act < 0.3) {
    living.priceId = pick(Object.values(PRICES));
    return { type: 'customer.subscription.updated', subject: living };
  }
  if (act < 0.45) {
    living.cancelAtPeriodEnd = !living.cancelAtPeriodEnd;
    return { type: 'customer.subscription.updated', subject: living };
  }
  if (act < 0.6) {
    Object.assign(living, {
      status: 'past_due',
      periodStart: nowS() - Math.floor(random() * 4 * DAY_S),
      periodEnd: nowS() + 27 * DAY_S,
    });
    return { type: 'invoice.payment_failed', subject: living };
  }
  if (act < 0.8) {
    Object.assign(living, {
      status: 'active',
      periodStart: nowS(),
      periodEnd: nowS() + 30 * DAY_S,
    });
    return { type: 'invoice.paid', subject: living };
  }
  living.status = 'canceled';
  return { type: 'customer.subscription.deleted', subject: living };
}

describe('webhooks', () => {
  it(
    `leave everybody with what the provider's books say, after ${DELIVERIES} deliveries (F44, F45, F46, F47)`,
    async () => {
      const random = dice(SEED);
      const people = await Promise.all(Array.from({ length: PEOPLE }, () => world.person()));
      const waiting: Waiting[] = [];
      const told = new Map<string, number>();
      const unheard = new Set<string>();
      const figures = {
        delivered: 0,
        doubled: 0,
        forged: 0,
        lost: 0,
        late: 0,
        checks: 0,
        found: 0,
        changes: 0,
      };
      let counter = 0;

      const event = (): void => {
        const uid = people[Math.floor(random() * people.length)] ?? '';
        world.clock.at += Math.floor(random() * 60_000);
        const { type, subject } = step(random, uid, stripe.subscriptions, () => {
          counter += 1;
          return counter;
        });
        counter += 1;
        const id = `evt_${counter}`;
        figures.changes += 1;
        // The body says what was so when it was written, or something else altogether: it is not to
        // be believed.
        const body = {
          id: subject.id,
          object: 'subscription',
          customer: subject.customer,
          status: random() < 0.5 ? subject.status : 'active',
          metadata: { uid: random() < 0.1 ? people[0] : uid },
          items: {
            data: [{ price: { id: random() < 0.5 ? subject.priceId : PRICES['pro-max'] } }],
          },
        };
        const object = type.startsWith('invoice.')
          ? {
              id: `in_${counter}`,
              object: 'invoice',
              parent: { subscription_details: { subscription: subject.id } },
            }
          : body;
        stripe.events.push({ id, type, created: nowS(), data: { object } });
        if (random() < 0.12) {
          figures.lost += 1;
          unheard.add(uid);
          return;
        }
        const at = Math.floor(random() * (waiting.length + 1));
        waiting.splice(at, 0, {
          id,
          payload: JSON.stringify({ id, object: 'event', type, data: { object } }),
          copies: random() < 0.35 ? 2 + Math.floor(random() * 3) : 1,
          sent: 0,
        });
      };

      const send = async (one: Waiting): Promise<void> => {
        const answer = await deliver(
          one.payload,
          sign(one.payload, SECRET, Math.floor(random() * 300)),
        );
        expect(answer.statusCode).toBe(200);
        figures.delivered += 1;
        if (answer.json<{ duplicate: boolean }>().duplicate) figures.doubled += 1;
        else told.set(one.id, (told.get(one.id) ?? 0) + 1);
        one.sent += 1;
      };

      const forge = async (): Promise<void> => {
        const target =
          [...stripe.subscriptions.keys()][Math.floor(random() * stripe.subscriptions.size)] ??
          'sub_0';
        const payload = JSON.stringify({
          id: `evt_forged_${figures.forged}`,
          object: 'event',
          type: 'customer.subscription.updated',
          data: { object: { id: target, object: 'subscription' } },
        });
        const altered = payload.replace('updated', 'deleted');
        const ways: [string, string][] = [
          [payload, sign(payload, 'whsec_of_somebody_else')],
          [payload, sign(payload, SECRET, 301 + Math.floor(random() * 1e6))],
          [altered, sign(payload)],
          [JSON.stringify(JSON.parse(payload), null, 1), sign(payload)],
          [payload, ''],
          [payload, 't=1,v1=00'],
          ['', sign('')],
        ];
        const [body, signature] = ways[Math.floor(random() * ways.length)] ?? ['', ''];
        expect((await deliver(body, signature)).statusCode).toBe(400);
        figures.delivered += 1;
        figures.forged += 1;
      };

      const compare = async (who: readonly string[], when: string): Promise<void> => {
        for (const uid of who)
          expect(
            await entitlement.tierOf(uid),
            `${when}, after ${figures.delivered} deliveries, seed ${SEED}`,
          ).toEqual(modelTier(uid, stripe.subscriptions, world.clock.at));
      };

      const check = async (): Promise<void> => {
        while (waiting.length > 0) await send(waiting.shift() as Waiting);
        // Who lost no event is right already; the others are once the lost have been looked for.
        await compare(
          people.filter((uid) => !unheard.has(uid)),
          'without a loss',
        );
        figures.found += (await reconciliation.runOnce()).events;
        await compare(people, 'after reconciliation');
        unheard.clear();
        figures.checks += 1;
        stripe.requests.length = 0;
        if (random() < 0.3) world.clock.at += Math.floor(random() * 2 * DAY_S) * 1_000;
        // Time alone changes what counts, too.
        await compare(people, 'as time passes');
      };

      for (let next = CHECK_EVERY; figures.delivered < DELIVERIES;) {
        const roll = random();
        if (roll < 0.35 || waiting.length === 0) event();
        else if (roll < 0.55) await forge();
        else {
          // The last one is as old as can be: it stays while others overtake it.
          const place = random() < 0.8 ? 0 : waiting.length - 1;
          const one = waiting[place] as Waiting;
          if (place === 0 && one.id < (waiting.at(-1)?.id ?? '')) figures.late += 1;
          if (one.copies > 1 && random() < 0.5) {
            one.copies -= 1;
            await Promise.all([send(one), send(one)]);
          } else await send(one);
          one.copies -= 1;
          if (one.copies <= 0) waiting.splice(waiting.indexOf(one), 1);
        }
        if (figures.delivered < next) continue;
        await check();
        next = figures.delivered + CHECK_EVERY;
        if (process.env.WEBHOOKS !== undefined && figures.checks % 50 === 0)
          console.info(JSON.stringify(figures));
      }
      await check();
      // Each was taken once, whoever brought it; nothing forged was.
      expect([...told.values()].every((times) => times === 1)).toBe(true);
      const [kept] = await world.database.db.select({ rows: count() }).from(webhookEvents);
      expect(kept?.rows).toBe(stripe.events.length);
      expect(figures.found).toBe(figures.lost);
      expect(
        Math.min(figures.doubled, figures.forged, figures.lost, figures.checks),
      ).toBeGreaterThan(0);
      if (process.env.WEBHOOKS !== undefined) console.info(JSON.stringify(figures));
    },
    Math.max(300_000, DELIVERIES * 60),
  );
});
