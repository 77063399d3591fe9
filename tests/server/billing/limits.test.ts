/** What comes to billing without a bearer token: how often, how much, and from whom. */
import { randomUUID } from 'node:crypto';
import Fastify, { type FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { registerBillingRoutes } from '../../../server/billing/routes.ts';
import { StripePayments } from '../../../server/billing/stripe-payments.ts';
import { FakePayments } from '../../../server/billing/fake-provider/fake-payments.ts';
import { webhookEvents } from '../../../server/db/schema-plans.ts';
import { RateLimit } from '../../../server/http/rate-limit.ts';
import { openWorld, ORIGIN, quietLog, type World } from './world.ts';

let world: World;
let app: FastifyInstance;
const served: FastifyInstance[] = [];
const stripe = () =>
  new StripePayments(
    {
      secretKey: 'sk_test_x',
      webhookSecret: 'whsec_x',
      apiBase: 'http://127.0.0.1:9',
      publicOrigin: ORIGIN,
      prices: { starter: [], standard: [], pro: [], 'pro-max': [] },
    },
    world.clock,
    quietLog,
  );
async function serve(payments: StripePayments | FakePayments): Promise<void> {
  const limit = new RateLimit(1, world.clock);
  app = Fastify();
  served.push(app);
  await registerBillingRoutes(app, {
    ...world,
    log: quietLog,
    payments,
    limit: (ip) => {
      limit.take(ip);
    },
  });
}

beforeAll(async () => {
  world = await openWorld();
});
afterAll(async () => {
  for (const one of served) await one.close();
  await world.close();
});
const form = { 'content-type': 'application/x-www-form-urlencoded' };

describe('a stranger', () => {
  it.each(['/test-checkout/', '/test-portal/', '/test-invoice/'])(
    'who tries links under %s is told to wait, and others are served',
    async (path) => {
      await serve(new FakePayments(world));
      const answers = await Promise.all(
        Array.from({ length: 40 }, () => app.inject(`${path}${randomUUID()}`)),
      );
      expect(answers.filter(({ statusCode }) => statusCode === 404)).toHaveLength(15);
      expect(answers.filter(({ statusCode }) => statusCode === 429)).toHaveLength(25);
      expect(
        (await app.inject({ url: `${path}${randomUUID()}`, remoteAddress: '10.0.0.9' })).statusCode,
      ).toBe(404);
    },
  );

  it('who posts to the webhook is told to wait, and leaves nothing behind', async () => {
    await serve(stripe());
    const answers = await Promise.all(
      Array.from({ length: 40 }, () =>
        app.inject({
          method: 'POST',
          url: '/webhooks/stripe',
          payload: '{}',
          headers: { 'content-type': 'application/json', 'stripe-signature': 't=1,v1=00' },
        }),
      ),
    );
    expect(answers.filter(({ statusCode }) => statusCode === 400)).toHaveLength(15);
    expect(answers.filter(({ statusCode }) => statusCode === 429)).toHaveLength(25);
    expect(await world.database.db.select().from(webhookEvents)).toEqual([]);
  });

  it('who sends more than a form or a webhook holds is refused unread', async () => {
    await serve(new FakePayments(world));
    expect(
      (
        await app.inject({
          method: 'POST',
          url: `/test-checkout/${randomUUID()}`,
          payload: `card=${'4'.repeat(20_000)}`,
          headers: form,
        })
      ).statusCode,
    ).toBe(413);
    expect(
      (
        await app.inject({
          method: 'POST',
          url: `/test-portal/${randomUUID()}`,
          payload: '{"act":"cancel"}',
          headers: { 'content-type': 'application/json' },
        })
      ).statusCode,
    ).toBe(415);
    await serve(stripe());
    expect(
      (
        await app.inject({
          method: 'POST',
          url: '/webhooks/stripe',
          payload: 'x'.repeat(1_000_001),
          headers: { 'content-type': 'application/json', 'stripe-signature': 't=1,v1=00' },
        })
      ).statusCode,
    ).toBe(413);
  });

  it('finds no test pages where payments are real', async () => {
    await serve(stripe());
    for (const path of ['/test-checkout/', '/test-portal/', '/test-invoice/'])
      expect((await app.inject(`${path}${randomUUID()}`)).statusCode).toBe(404);
  });
});
