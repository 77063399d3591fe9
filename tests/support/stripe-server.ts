/**
 * A stand-in for Stripe's API over real HTTP: the objects we use in the SDK's own shapes,
 * idempotency, deliberate failures.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type Stripe from 'stripe';

const PERIOD_S = 30 * 86_400;

export interface StandInSubscription {
  id: string;
  customer: string;
  status: Stripe.Subscription.Status;
  priceId: string;
  uid: string | null;
  /** Seconds, as Stripe counts. */
  periodStart?: number;
  periodEnd: number;
  /** The last trial's, which stays known after it (s). */
  trialEnd?: number;
  cancelAtPeriodEnd: boolean;
  cancelAt?: number | null;
  /** What its newest invoice is for; the renewal that began the period unless told otherwise. */
  latestInvoice?: {
    reason: Stripe.Invoice.BillingReason;
    created: number;
    /** Where it is not what follows from the subscription's status. */
    status?: Stripe.Invoice.Status;
    /** Below zero where it is a credit. */
    total?: number;
  };
}

interface StandInInvoice {
  id: string;
  customer: string;
  created: number;
  total: number;
  currency: string;
  status: string;
  text: string;
  /** Whose it is; without one it bills something else. */
  subscription?: string;
  /** The state of the payment that was begun for it. */
  payment?: Stripe.PaymentIntent.Status;
}
type Fields = Record<string, string>;
type Answer = { status: number; body: object };
type Trouble = 'error' | 'busy' | 'declined' | 'silence';

export interface StripeStandIn {
  base: string;
  prices: Map<
    string,
    {
      unit_amount: number;
      currency: string;
      interval: 'month' | 'year' | 'week';
      interval_count?: number;
      /** Its amount is not fixed. */
      tiered?: boolean;
      active?: boolean;
    }
  >;
  coupons: Map<
    string,
    {
      percent_off: number | null;
      amount_off: number | null;
      currency: string | null;
      valid: boolean;
    }
  >;
  subscriptions: Map<string, StandInSubscription>;
  invoices: StandInInvoice[];
  /** What Stripe would have told by webhook, oldest first. */
  events: { id: string; type: string; created: number; data: { object: object } }[];
  /** Every request, newest last, with its form fields; `trim` forgets them. */
  requests: { method: string; path: string; fields: Fields; idempotencyKey: string | null }[];
  /** How many checkout sessions exist; and how many of them can be paid. */
  sessions(): number;
  openSessions(): number;
  customers(): number;
  /** Completes the newest checkout that is open, which makes its subscription. Returns its id. */
  pay(uid: string, nowMs: number): string;
  /** Completes it, and leaves the subscription to the test. */
  completeNewest(): void;
  /** Whether a customer with a person's name is still there. */
  remembers(uid: string): boolean;
  /** Does something after Stripe has done the next request to this path, before its answer comes. */
  meanwhile(path: string, work: () => Promise<unknown>): void;
  /** Removes a customer as somebody may in the dashboard. */
  removeCustomer(id: string): void;
  /** Answers this many further requests with trouble: 500 unless told otherwise. */
  fail(times: number, trouble?: Trouble): void;
  close(): Promise<void>;
}

/**
 * Fields we send, checked by the compiler to be the SDK's, and by the stand-in to be all there are.
 */
const known =
  <P>() =>
  <const K extends readonly (keyof P & string)[]>(...keys: K): ReadonlySet<string> =>
    new Set(keys);
const TAKEN: { method: string; path: RegExp; fields: ReadonlySet<string> }[] = [
  {
    method: 'POST',
    path: /^\/v1\/checkout\/sessions$/,
    fields: known<Stripe.Checkout.SessionCreateParams>()(
      'mode',
      'customer',
      'line_items',
      'client_reference_id',
      'metadata',
      'subscription_data',
      'ui_mode',
      'return_url',
      'success_url',
      'cancel_url',
      'discounts',
    ),
  },
  {
    method: 'POST',
    path: /^\/v1\/checkout\/sessions\/[^/]+\/expire$/,
    fields: known<Stripe.Checkout.SessionExpireParams>()(),
  },
  {
    method: 'POST',
    path: /^\/v1\/customers$/,
    fields: known<Stripe.CustomerCreateParams>()('email', 'metadata'),
  },
  {
    method: 'POST',
    path: /^\/v1\/billing_portal\/sessions$/,
    fields: known<Stripe.BillingPortal.SessionCreateParams>()(
      'customer',
      'return_url',
      'flow_data',
    ),
  },
  {
    method: 'POST',
    path: /^\/v1\/subscriptions\/[^/]+$/,
    fields: known<Stripe.SubscriptionUpdateParams>()(
      'cancel_at_period_end',
      'trial_end',
      'proration_behavior',
      'expand',
    ),
  },
  {
    method: 'GET',
    path: /^\/v1\/subscriptions\/[^/]+$/,
    fields: known<Stripe.SubscriptionRetrieveParams>()('expand'),
  },
  {
    method: 'POST',
    path: /^\/v1\/invoices\/create_preview$/,
    fields: known<Stripe.InvoiceCreatePreviewParams>()(
      'customer',
      'subscription',
      'subscription_details',
    ),
  },
  {
    method: 'GET',
    path: /^\/v1\/subscriptions$/,
    fields: known<Stripe.SubscriptionListParams>()('customer', 'status', 'limit', 'expand'),
  },
  {
    method: 'GET',
    path: /^\/v1\/invoices$/,
    fields: known<Stripe.InvoiceListParams>()('customer', 'status', 'limit'),
  },
  {
    method: 'POST',
    path: /^\/v1\/invoices\/[^/]+\/void$/,
    fields: known<Stripe.InvoiceVoidInvoiceParams>()(),
  },
  {
    method: 'GET',
    path: /^\/v1\/invoice_payments$/,
    fields: known<Stripe.InvoicePaymentListParams>()('invoice', 'status', 'limit', 'expand'),
  },
  {
    method: 'GET',
    path: /^\/v1\/events$/,
    fields: known<Stripe.EventListParams>()('types', 'created', 'limit', 'starting_after'),
  },
];

const failed = (
  status: number,
  type: string,
  code: string,
  message: string,
  param?: string,
): Answer => ({
  status,
  body: { error: { type, code, message, ...(param === undefined ? {} : { param }) } },
});
const missing = (param?: string): Answer =>
  failed(
    param === undefined ? 404 : 400,
    'invalid_request_error',
    'resource_missing',
    'No such object',
    param,
  );
const done = (body: object): Answer => ({ status: 200, body });
const listOf = (data: object[], more = false): Answer =>
  done({ object: 'list', data, has_more: more, url: '/v1/list' });

const OWING: ReadonlySet<string> = new Set(['past_due', 'unpaid', 'incomplete']);

/**
 * An id, as Stripe answers, unless the question asks for the whole. Where the books have no invoice
 * of the subscription, its status says whether it is paid.
 */
function latestInvoice(
  { id, periodStart, periodEnd, status, latestInvoice: latest }: StandInSubscription,
  invoices: readonly StandInInvoice[],
  isExpanded: boolean,
) {
  const booked = invoices.findLast(({ subscription }) => subscription === id)?.status;
  const invoice = {
    id: `in_${id}`,
    object: 'invoice' as const,
    status: latest?.status ?? booked ?? (OWING.has(status) ? 'open' : 'paid'),
    total: latest?.total ?? 1_900,
    billing_reason: latest?.reason ?? 'subscription_cycle',
    created: latest?.created ?? periodStart ?? periodEnd - PERIOD_S,
  } satisfies Partial<Stripe.Invoice>;
  return isExpanded ? invoice : invoice.id;
}

/** `prefix`: what an expansion in a list begins with. */
const subscriptionObject = (
  subscription: StandInSubscription,
  invoices: readonly StandInInvoice[],
  fields: Fields,
  prefix = '',
) =>
  ({
    id: subscription.id,
    object: 'subscription' as const,
    customer: subscription.customer,
    status: subscription.status,
    cancel_at: subscription.cancelAt ?? null,
    trial_end: subscription.trialEnd ?? null,
    cancel_at_period_end: subscription.cancelAtPeriodEnd,
    metadata: subscription.uid === null ? {} : { uid: subscription.uid },
    latest_invoice: latestInvoice(
      subscription,
      invoices,
      Object.entries(fields).some(
        ([name, value]) => name.startsWith('expand[') && value === `${prefix}latest_invoice`,
      ),
    ),
    items: {
      object: 'list' as const,
      data: [
        {
          id: `si_${subscription.id}`,
          object: 'subscription_item' as const,
          current_period_end: subscription.periodEnd,
          current_period_start: subscription.periodStart ?? subscription.periodEnd - PERIOD_S,
          price: {
            id: subscription.priceId,
            object: 'price' as const,
            // Each of them pays by the month.
            recurring: { interval: 'month' as const, interval_count: 1 },
          },
        },
      ],
    },
  }) satisfies Partial<Record<keyof Stripe.Subscription, unknown>>;

async function bodyOf(request: IncomingMessage): Promise<Fields> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  const query = new URLSearchParams((request.url ?? '').split('?')[1] ?? '');
  return Object.fromEntries([...query, ...new URLSearchParams(Buffer.concat(parts).toString())]);
}

/** What the SDK's types do not have is a mistake of ours. */
function unknownField(method: string, path: string, fields: Fields): string | null {
  const taken = TAKEN.find((one) => one.method === method && one.path.test(path));
  const names = Object.keys(fields).map((name) => name.split('[')[0] ?? '');
  return names.find((name) => taken === undefined || !taken.fields.has(name)) ?? null;
}

class Books {
  readonly prices: StripeStandIn['prices'] = new Map();
  readonly coupons: StripeStandIn['coupons'] = new Map();
  readonly subscriptions: StripeStandIn['subscriptions'] = new Map();
  readonly invoices: StandInInvoice[] = [];
  readonly events: StripeStandIn['events'] = [];
  readonly sessions = new Map<string, { id: string; status: string } & Record<string, unknown>>();
  /** The order of each session. */
  readonly orders = new Map<string, Fields>();
  readonly customers = new Map<string, Fields>();
  readonly deleted = new Set<string>();

  remembers(uid: string): boolean {
    return [...this.customers].some(
      ([id, fields]) => fields['metadata[uid]'] === uid && !this.deleted.has(id),
    );
  }

  private hasCustomer(id: string): boolean {
    return (
      !this.deleted.has(id) &&
      (this.customers.has(id) ||
        [...this.subscriptions.values()].some(({ customer }) => customer === id))
    );
  }

  answer(method: string, path: string, fields: Fields): Answer {
    const [, , kind = '', id = '', verb = ''] = path.split('/');
    const strange = unknownField(method, path, fields);
    if (strange !== null)
      return failed(
        400,
        'invalid_request_error',
        'parameter_unknown',
        `Received unknown parameter: ${strange}`,
        strange,
      );
    switch (kind) {
      case 'prices':
        return this.price(id);
      case 'coupons': {
        const coupon = this.coupons.get(id);
        return coupon === undefined
          ? missing()
          : done({ id, object: 'coupon', duration: 'once', duration_in_months: null, ...coupon });
      }
      case 'checkout':
        return this.checkout(path, fields);
      case 'billing_portal':
        return this.hasCustomer(fields.customer ?? '')
          ? done({
              id: 'bps_1',
              object: 'billing_portal.session',
              url: `https://billing.stripe.test/${fields.customer ?? ''}`,
            })
          : missing('customer');
      case 'subscriptions':
        return id === '' ? this.listSubscriptions(fields) : this.subscription(method, id, fields);
      case 'customers':
        return this.customer(method, id, fields);
      case 'invoices':
        if (verb === 'void') return this.voidInvoice(id);
        return id === 'create_preview' ? this.preview(fields) : this.listInvoices(fields);
      case 'invoice_payments':
        return this.listInvoicePayments(fields);
      case 'events':
        return this.listEvents(fields);
      default:
        return missing(verb);
    }
  }

  private price(id: string): Answer {
    const price = this.prices.get(id);
    return price === undefined
      ? missing()
      : done({
          id,
          object: 'price',
          active: price.active ?? true,
          unit_amount: price.tiered === true ? null : price.unit_amount,
          currency: price.currency,
          recurring: { interval: price.interval, interval_count: price.interval_count ?? 1 },
        });
  }

  private checkout(path: string, fields: Fields): Answer {
    const [, , , , id, verb] = path.split('/');
    if (id !== undefined) {
      const session = this.sessions.get(id);
      if (session === undefined) return missing();
      if (verb === 'expire') {
        if (session.status !== 'open')
          return failed(
            400,
            'invalid_request_error',
            'session_not_open',
            'Only open sessions can be expired',
          );
        session.status = 'expired';
      }
      return done(session);
    }
    const { customer = '' } = fields;
    if (!this.hasCustomer(customer)) return missing('customer');
    if (!this.prices.has(fields['line_items[0][price]'] ?? ''))
      return missing('line_items[0][price]');
    const session = `cs_${this.sessions.size + 1}`;
    const embedded = fields.ui_mode === 'embedded_page';
    const body = {
      id: session,
      object: 'checkout.session',
      status: 'open',
      customer,
      url: embedded ? null : `https://checkout.stripe.test/${session}`,
      client_secret: embedded ? `${session}_secret` : null,
    };
    this.sessions.set(session, body);
    this.orders.set(session, fields);
    return done(body);
  }

  newestOpen() {
    const session = [...this.sessions.values()].findLast(({ status }) => status === 'open');
    if (session === undefined) throw new Error('No open checkout');
    return session;
  }

  pay(uid: string, nowMs: number): string {
    const session = this.newestOpen();
    const order = this.orders.get(session.id);
    if (order === undefined) throw new Error('No order of this checkout');
    session.status = 'complete';
    const id = `sub_of_${session.id}`;
    this.subscriptions.set(id, {
      id,
      customer: order.customer ?? '',
      status: 'active',
      priceId: order['line_items[0][price]'] ?? '',
      uid,
      periodEnd: Math.floor(nowMs / 1_000) + PERIOD_S,
      cancelAtPeriodEnd: false,
    });
    return id;
  }

  private listSubscriptions(fields: Fields): Answer {
    const { customer, limit } = fields;
    // Newest first, as Stripe does.
    const theirs = [...this.subscriptions.values()]
      .filter((one) => one.customer === customer)
      .reverse();
    return listOf(
      theirs
        .slice(0, Number(limit ?? 10))
        .map((one) => subscriptionObject(one, this.invoices, fields, 'data.')),
    );
  }

  private subscription(method: string, id: string, fields: Fields): Answer {
    const subscription = this.subscriptions.get(id);
    if (subscription === undefined) return missing();
    if (method === 'DELETE') {
      if (subscription.status === 'canceled') return missing();
      subscription.status = 'canceled';
    }
    if (method === 'POST' && subscription.status === 'canceled')
      return failed(
        400,
        'invalid_request_error',
        'resource_missing',
        'A canceled subscription can only update its cancellation_details',
      );
    if (fields.cancel_at_period_end !== undefined)
      subscription.cancelAtPeriodEnd = fields.cancel_at_period_end === 'true';
    if (fields.trial_end !== undefined)
      Object.assign(subscription, {
        periodEnd: Number(fields.trial_end),
        trialEnd: Number(fields.trial_end),
        status: 'trialing',
      });
    return done(subscriptionObject(subscription, this.invoices, fields));
  }

  private customer(method: string, id: string, fields: Fields): Answer {
    if (method === 'POST') {
      const made = `cus_made_${this.customers.size + 1}`;
      this.customers.set(made, fields);
      return done({ id: made, object: 'customer' });
    }
    if (!this.hasCustomer(id)) return missing();
    if (method !== 'DELETE') return done({ id, object: 'customer' });
    this.deleted.add(id);
    for (const one of this.subscriptions.values()) if (one.customer === id) one.status = 'canceled';
    return done({ id, object: 'customer', deleted: true });
  }

  /** Half of the period is left, so that the sums are easy to see. */
  private preview(fields: Fields): Answer {
    const subscription = this.subscriptions.get(fields.subscription ?? '');
    const next = this.prices.get(fields['subscription_details[items][0][price]'] ?? '');
    const present = this.prices.get(subscription?.priceId ?? '');
    if (subscription === undefined || next === undefined || present === undefined)
      return missing('subscription');
    const lines = [
      { amount: -present.unit_amount / 2, description: 'Unused time' },
      { amount: next.unit_amount / 2, description: 'Remaining time' },
    ];
    const total = lines.reduce((all, { amount }) => all + amount, 0);
    return done({
      id: 'upcoming_in_1',
      object: 'invoice',
      currency: next.currency,
      total,
      amount_due: Math.max(0, total),
      created: 0,
      number: null,
      status: 'draft',
      lines: { object: 'list', data: lines.map((line) => ({ ...line, currency: next.currency })) },
    });
  }

  private voidInvoice(id: string): Answer {
    const invoice = this.invoices.find((one) => one.id === id);
    if (invoice === undefined) return missing();
    if (invoice.status !== 'open')
      return failed(400, 'invalid_request_error', 'invoice_not_editable', 'Not open');
    invoice.status = 'void';
    return done({ id, object: 'invoice', status: invoice.status });
  }

  /** The payment itself is an id unless the question asks for the whole. */
  private listInvoicePayments(fields: Fields): Answer {
    const invoice = this.invoices.find(({ id }) => id === fields.invoice);
    if (invoice === undefined) return missing('invoice');
    if (invoice.payment === undefined || invoice.status !== fields.status) return listOf([]);
    const id = `pi_of_${invoice.id}`;
    const isExpanded = fields['expand[0]'] === 'data.payment.payment_intent';
    return listOf([
      {
        id: `inpay_of_${invoice.id}`,
        object: 'invoice_payment',
        invoice: invoice.id,
        status: invoice.status,
        payment: {
          type: 'payment_intent',
          payment_intent: isExpanded ? { id, status: invoice.payment } : id,
        },
      },
    ]);
  }

  private listInvoices({ customer = '', limit, status }: Fields): Answer {
    if (!this.hasCustomer(customer)) return missing('customer');
    const theirs = this.invoices
      .filter((one) => one.customer === customer && (status ?? one.status) === one.status)
      .reverse();
    const shown = theirs.slice(0, Number(limit)).map((one) => ({
      id: one.id,
      object: 'invoice',
      number: `N-${one.id}`,
      created: one.created,
      total: one.total,
      amount_due: one.total,
      currency: one.currency,
      status: one.status,
      description: null,
      hosted_invoice_url: `https://invoice.stripe.test/${one.id}`,
      parent:
        one.subscription === undefined
          ? null
          : {
              type: 'subscription_details',
              subscription_details: { subscription: one.subscription },
            },
      lines: {
        object: 'list',
        data: [{ description: one.text, amount: one.total, currency: one.currency }],
      },
    }));
    return listOf(shown, theirs.length > shown.length);
  }

  private listEvents(fields: Fields): Answer {
    const types = Object.entries(fields)
      .filter(([name]) => name.startsWith('types['))
      .map(([, type]) => type);
    const since = Number(fields['created[gte]'] ?? 0);
    const all = this.events
      .filter((event) => event.created >= since && types.includes(event.type))
      .reverse();
    const from =
      fields.starting_after === undefined
        ? 0
        : all.findIndex(({ id }) => id === fields.starting_after) + 1;
    const page = all.slice(from, from + Number(fields.limit ?? 10));
    return listOf(
      page.map((event) => ({ object: 'event', ...event })),
      from + page.length < all.length,
    );
  }
}

const TROUBLE: Record<Exclude<Trouble, 'silence'>, Answer> = {
  error: failed(500, 'api_error', '', 'deliberate'),
  busy: failed(429, 'invalid_request_error', 'rate_limit', 'deliberate'),
  declined: failed(402, 'card_error', 'card_declined', 'deliberate'),
};

export async function startStripeStandIn(): Promise<StripeStandIn> {
  const books = new Books();
  const requests: StripeStandIn['requests'] = [];
  const replies = new Map<string, { fields: string; answer: Answer }>();
  let failures: { times: number; trouble: Trouble } = { times: 0, trouble: 'error' };
  const interruptions = new Map<string, () => Promise<unknown>>();

  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const fields = await bodyOf(request);
    const method = request.method ?? 'GET';
    const path = (request.url ?? '').split('?')[0] ?? '';
    const key = request.headers['idempotency-key'];
    const idempotencyKey = typeof key === 'string' ? key : null;
    requests.push({ method, path, fields, idempotencyKey });
    const send = ({ status, body }: Answer): void => {
      response
        .writeHead(status, {
          'content-type': 'application/json',
          'request-id': `req_${requests.length}`,
        })
        .end(JSON.stringify(body));
    };
    // As Stripe: what was answered under a key, a failure too, is answered again; with other fields
    // it is refused.
    const before = idempotencyKey === null ? undefined : replies.get(idempotencyKey);
    const asked = JSON.stringify([path, fields]);
    if (before !== undefined) {
      send(
        before.fields === asked
          ? before.answer
          : failed(400, 'idempotency_error', '', 'Other parameters under the same key'),
      );
      return;
    }
    let answer: Answer;
    if (failures.times > 0) {
      failures.times -= 1;
      if (failures.trouble === 'silence') return;
      answer = TROUBLE[failures.trouble];
    } else answer = books.answer(method, path, fields);
    if (
      idempotencyKey !== null &&
      method === 'POST' &&
      (answer.status === 200 || answer.status >= 500)
    )
      replies.set(idempotencyKey, { fields: asked, answer });
    const interruption = interruptions.get(path);
    interruptions.delete(path);
    await interruption?.();
    send(answer);
  };

  const server: Server = createServer((request, response) => {
    void handle(request, response);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { prices, coupons, subscriptions, invoices, events } = books;
  return {
    base: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    prices,
    coupons,
    subscriptions,
    invoices,
    events,
    requests,
    sessions: () => books.sessions.size,
    openSessions: () =>
      [...books.sessions.values()].filter(({ status }) => status === 'open').length,
    customers: () => books.customers.size,
    pay: (uid, nowMs) => books.pay(uid, nowMs),
    completeNewest: () => {
      books.newestOpen().status = 'complete';
    },
    remembers: (uid) => books.remembers(uid),
    meanwhile: (path, work) => {
      interruptions.set(path, work);
    },
    removeCustomer: (id) => {
      books.deleted.add(id);
    },
    fail: (times, trouble = 'error') => {
      failures = { times, trouble };
    },
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => {
          resolve();
        });
      }),
  };
}
