/** Billing's own HTTP routes outside the contract: the webhook, and the fake provider's pages. */
import type { FastifyInstance } from 'fastify';
import { Refusal } from '../../contract/errors.ts';
import type { WallClock } from '../clock.ts';
import type { Database } from '../db/database.ts';
import type { EventLog } from '../db/user-events.ts';
import type { Log } from '../log.ts';
import type { Payments } from './payments.ts';
import { fakeProviderRoutes } from './fake-provider/fake-routes.ts';
import { takeWebhook } from './webhook.ts';

export interface BillingRouteDeps {
  database: Database;
  events: EventLog;
  clock: WallClock;
  log: Log;
  payments: Payments;
  /**
   * Takes one of the address's requests, or refuses with 429. What comes here has no bearer token.
   */
  limit(ip: string): void;
}

const WEBHOOK_BODY_MAX = 1_000_000;

/**
 * Adds the routes in scopes of their own, so that raw and form bodies are read here and nowhere
 * else.
 */
export async function registerBillingRoutes(
  app: FastifyInstance,
  deps: BillingRouteDeps,
): Promise<void> {
  const { readWebhook } = deps.payments;
  if (readWebhook !== null)
    await app.register((scope, _options, done) => {
      webhookRoute(scope, deps, readWebhook);
      done();
    });
  if (deps.payments.provider === 'test')
    await app.register((scope, _options, done) => {
      fakeProviderRoutes(scope, deps);
      done();
    });
}

function webhookRoute(
  scope: FastifyInstance,
  deps: BillingRouteDeps,
  readWebhook: NonNullable<Payments['readWebhook']>,
): void {
  // The signature is over the bytes as they came: parsed and written again they are another text.
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser(
    '*',
    { parseAs: 'buffer', bodyLimit: WEBHOOK_BODY_MAX },
    (_request, body, done) => {
      done(null, body);
    },
  );
  scope.addHook('onRequest', async (request) => {
    deps.limit(request.ip);
  });
  scope.post('/webhooks/stripe', async (request, reply) => {
    const signature = request.headers['stripe-signature'];
    if (typeof signature !== 'string' || !Buffer.isBuffer(request.body)) {
      throw new Refusal('invalid_signature', 'The webhook signature does not match');
    }
    const taken = await takeWebhook(deps, readWebhook(request.body, signature));
    return reply.header('cache-control', 'no-store').send({ received: true, duplicate: !taken });
  });
}
