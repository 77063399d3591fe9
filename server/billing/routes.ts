/** Billing's own HTTP beside the contract: the provider's webhook, and the test pages where payments are a test. */
import type { FastifyInstance, FastifyReply } from 'fastify';
import { Refusal } from '../../contract/errors.ts';
import type { WallClock } from '../clock.ts';
import type { Database } from '../db/database.ts';
import type { EventLog } from '../events/events.ts';
import type { Log } from '../log.ts';
import { readSubscription } from './entitlement.ts';
import type { Payments } from './payments.ts';
import { builtInPlans } from './plans.ts';
import { subscriptionOnWire } from './subscription-record.ts';
import { checkoutPage, confirmPage, gonePage, PAGE_HEADERS, portalPage } from './test-pages.ts';
import { actInPortal, confirmPayment, findCheckout, findPortal, payWithCard, type PayAnswer, type PortalAct } from './test-till.ts';
import { takeWebhook } from './webhook.ts';

export interface BillingRouteDeps {
  database: Database;
  events: EventLog;
  clock: WallClock;
  log: Log;
  payments: Payments;
}

const WEBHOOK_BODY_MAX = 1_000_000;
const FORM_BODY_MAX = 10_000;
const CHECKOUT_GONE = 'This checkout has ended or never was. Choose a plan again.';
const PORTAL_GONE = 'This billing link has ended. Open it again from the Subscription screen.';

/** Adds the routes in scopes of their own, so that raw and form bodies are read here and nowhere else. */
export async function registerBillingRoutes(app: FastifyInstance, deps: BillingRouteDeps): Promise<void> {
  const { readWebhook } = deps.payments;
  if (readWebhook !== null) await app.register((scope, _options, done) => { webhookRoute(scope, deps, readWebhook); done(); });
  if (deps.payments.provider === 'test') await app.register((scope, _options, done) => { testRoutes(scope, deps); done(); });
}

function webhookRoute(scope: FastifyInstance, deps: BillingRouteDeps, readWebhook: NonNullable<Payments['readWebhook']>): void {
  // The signature is over the bytes as they came: parsed and written again they are another text.
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: WEBHOOK_BODY_MAX }, (_request, body, done) => { done(null, body); });
  scope.post('/webhooks/stripe', async (request, reply) => {
    const signature = request.headers['stripe-signature'];
    if (typeof signature !== 'string' || !Buffer.isBuffer(request.body)) {
      throw new Refusal('invalid_signature', 'The webhook signature does not match');
    }
    const taken = await takeWebhook(deps, readWebhook(request.body, signature));
    return reply.header('cache-control', 'no-store').send({ received: true, duplicate: !taken });
  });
}

const fieldOf = (body: unknown, name: string): string => (body instanceof URLSearchParams ? body.get(name) ?? '' : '');
const show = (reply: FastifyReply, html: string, status = 200): FastifyReply => reply.code(status).headers(PAGE_HEADERS).send(html);

function testRoutes(scope: FastifyInstance, deps: BillingRouteDeps): void {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string', bodyLimit: FORM_BODY_MAX },
    (_request, body, done) => { done(null, new URLSearchParams(body.toString())); });

  const answer = async (reply: FastifyReply, id: string, paid: PayAnswer): Promise<FastifyReply> => {
    switch (paid.kind) {
      case 'paid': return reply.redirect(paid.to, 303);
      case 'confirm': return reply.redirect(`/test-checkout/${id}`, 303);
      case 'gone': return show(reply, gonePage(CHECKOUT_GONE), 404);
      case 'error': {
        const found = await findCheckout(deps, id);
        return found === null ? show(reply, gonePage(CHECKOUT_GONE), 404) : show(reply, checkoutPage(id, found.plan, found.row.cancelUrl, paid.text), 422);
      }
    }
  };

  scope.get<{ Params: { id: string } }>('/test-checkout/:id', async (request, reply) => {
    const { id } = request.params;
    const found = await findCheckout(deps, id);
    if (found === null) return show(reply, gonePage(CHECKOUT_GONE), 404);
    if (found.row.state === 'complete') return show(reply, gonePage('This has been paid already.'));
    return show(reply, found.row.state === 'confirming' ? confirmPage(id, found.plan) : checkoutPage(id, found.plan, found.row.cancelUrl, null));
  });
  scope.post<{ Params: { id: string } }>('/test-checkout/:id', async (request, reply) =>
    answer(reply, request.params.id, await payWithCard(deps, request.params.id, fieldOf(request.body, 'card'))));
  scope.post<{ Params: { id: string } }>('/test-checkout/:id/confirm', async (request, reply) =>
    answer(reply, request.params.id, await confirmPayment(deps, request.params.id, fieldOf(request.body, 'answer') === 'approve')));

  const portal = async (reply: FastifyReply, id: string, error: string | null, status = 200): Promise<FastifyReply> => {
    const found = await findPortal(deps, id);
    if (found === null) return show(reply, gonePage(PORTAL_GONE), 404);
    const subscription = subscriptionOnWire(await readSubscription(deps.database.db, found.uid), deps.clock.now());
    return show(reply, portalPage(id, builtInPlans(), subscription, found.successUrl, error), status);
  };
  scope.get<{ Params: { id: string } }>('/test-portal/:id', (request, reply) => portal(reply, request.params.id, null));
  scope.post<{ Params: { id: string } }>('/test-portal/:id', async (request, reply) => {
    const { id } = request.params;
    const act = portalAct(request.body);
    const outcome = act === null ? 'That is not something to do here.' : await actInPortal(deps, id, act);
    if (outcome === null) return reply.redirect(`/test-portal/${id}`, 303);
    return portal(reply, id, outcome === false ? null : outcome, 422);
  });
}

function portalAct(body: unknown): PortalAct | null {
  const act = fieldOf(body, 'act');
  if (act === 'cancel' || act === 'resume') return { act };
  return act === 'change' ? { act, planId: fieldOf(body, 'plan') } : null;
}
