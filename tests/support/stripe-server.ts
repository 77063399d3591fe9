/** A stand-in for Stripe's API over real HTTP: the few objects we use, their idempotency, and deliberate failures. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface StandInSubscription {
  id: string;
  customer: string;
  status: string;
  priceId: string;
  uid: string | null;
  /** Seconds, as Stripe counts. */
  periodEnd: number;
  cancelAtPeriodEnd: boolean;
}

export interface StripeStandIn {
  base: string;
  prices: Map<string, { unit_amount: number; currency: string; interval: 'month' | 'year' }>;
  subscriptions: Map<string, StandInSubscription>;
  /** Every request, newest last, with its form fields. */
  requests: { method: string; path: string; fields: Record<string, string>; idempotencyKey: string | null }[];
  /** How many checkout sessions exist. */
  sessions(): number;
  /** Answers this many further requests with 500. */
  fail(times: number): void;
  close(): Promise<void>;
}

const subscriptionObject = (subscription: StandInSubscription) => ({
  id: subscription.id, object: 'subscription', customer: subscription.customer, status: subscription.status,
  cancel_at_period_end: subscription.cancelAtPeriodEnd, metadata: subscription.uid === null ? {} : { uid: subscription.uid },
  items: { object: 'list', data: [{ id: 'si_1', object: 'subscription_item', current_period_end: subscription.periodEnd, price: { id: subscription.priceId, object: 'price' } }] },
});

async function bodyOf(request: IncomingMessage): Promise<Record<string, string>> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Object.fromEntries(new URLSearchParams(Buffer.concat(parts).toString()));
}

export async function startStripeStandIn(): Promise<StripeStandIn> {
  const requests: StripeStandIn['requests'] = [];
  const prices: StripeStandIn['prices'] = new Map();
  const subscriptions: StripeStandIn['subscriptions'] = new Map();
  const sessions = new Map<string, object>();
  const replies = new Map<string, object>();
  const deleted = new Set<string>();
  let failures = 0;

  const answer = (method: string, path: string, fields: Record<string, string>): { status: number; body: object } => {
    const missing = { status: 404, body: { error: { type: 'invalid_request_error', code: 'resource_missing', message: 'No such object' } } };
    const [, , kind = '', id = ''] = path.split('/');
    if (kind === 'prices') {
      const price = prices.get(id);
      return price === undefined ? missing : { status: 200, body: { id, object: 'price', unit_amount: price.unit_amount, currency: price.currency, recurring: { interval: price.interval } } };
    }
    if (path === '/v1/checkout/sessions') {
      const session = `cs_${sessions.size + 1}`;
      const embedded = fields.ui_mode === 'embedded_page';
      const body = { id: session, object: 'checkout.session', url: embedded ? null : `https://checkout.stripe.test/${session}`, client_secret: embedded ? `${session}_secret` : null };
      sessions.set(session, body);
      return { status: 200, body };
    }
    if (path === '/v1/billing_portal/sessions') return { status: 200, body: { id: 'bps_1', object: 'billing_portal.session', url: `https://billing.stripe.test/${fields.customer ?? ''}` } };
    if (kind === 'subscriptions') {
      const subscription = subscriptions.get(id);
      if (subscription === undefined) return missing;
      if (method === 'POST' && fields.cancel_at_period_end === 'true') subscription.cancelAtPeriodEnd = true;
      if (method === 'POST' && fields.trial_end !== undefined) Object.assign(subscription, { periodEnd: Number(fields.trial_end), status: 'trialing' });
      if (method === 'DELETE') {
        if (subscription.status === 'canceled') return missing;
        subscription.status = 'canceled';
      }
      return { status: 200, body: subscriptionObject(subscription) };
    }
    if (kind === 'customers' && method === 'DELETE') {
      const theirs = [...subscriptions.values()].filter(({ customer }) => customer === id);
      if (theirs.length === 0 || deleted.has(id)) return missing;
      deleted.add(id);
      for (const subscription of theirs) subscription.status = 'canceled';
      return { status: 200, body: { id, object: 'customer', deleted: true } };
    }
    return missing;
  };

  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const fields = await bodyOf(request);
    const path = (request.url ?? '').split('?')[0] ?? '';
    const key = request.headers['idempotency-key'];
    const idempotencyKey = typeof key === 'string' ? key : null;
    requests.push({ method: request.method ?? '', path, fields, idempotencyKey });
    const send = (status: number, body: object): void => {
      response.writeHead(status, { 'content-type': 'application/json', 'request-id': `req_${requests.length}` }).end(JSON.stringify(body));
    };
    if (failures > 0) { failures -= 1; send(500, { error: { type: 'api_error', message: 'deliberate' } }); return; }
    const known = idempotencyKey === null ? undefined : replies.get(idempotencyKey);
    if (known !== undefined) { send(200, known); return; }
    const { body, status } = answer(request.method ?? 'GET', path, fields);
    if (status === 200 && idempotencyKey !== null && path === '/v1/checkout/sessions') replies.set(idempotencyKey, body);
    send(status, body);
  };

  const server: Server = createServer((request, response) => { void handle(request, response); });
  await new Promise<void>((resolve) => { server.listen(0, '127.0.0.1', resolve); });
  return {
    base: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, prices, subscriptions, requests,
    sessions: () => sessions.size,
    fail: (times) => { failures = times; },
    close: () => new Promise((resolve) => { server.closeAllConnections(); server.close(() => { resolve(); }); }),
  };
}
