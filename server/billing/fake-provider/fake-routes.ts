/**
 * The fake provider's checkout, portal and invoices over HTTP. They exist only where payments are a
 * test.
 */
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { CheckoutRow } from '../open-checkout.ts';
import { readSubscription } from '../entitlement.ts';
import { builtInPlans } from '../plans.ts';
import { changeBill } from '../proration.ts';
import { subscriptionOnWire } from '../subscription-record.ts';
import { balanceOf, FAKE_PERIOD_MS, type FakeProviderDeps } from './fake-invoices.ts';
import {
  checkoutPage,
  confirmPage,
  gonePage,
  invoicePage,
  PAGE_HEADERS,
  portalPage,
  type PortalView,
} from './fake-pages.ts';
import { invoiceNumber } from './fake-payments.ts';
import {
  actInPortal,
  confirmPayment,
  findCheckout,
  findInvoice,
  findPortal,
  payWithCard,
  type PayAnswer,
  type PortalAct,
} from './fake-checkout.ts';

const FORM_BODY_MAX = 10_000;
const CHECKOUT_GONE = 'This checkout has expired or does not exist. Choose a plan again.';
const PORTAL_GONE = 'This billing link has expired. Open it again from the Subscription screen.';

export interface FakeRouteDeps extends FakeProviderDeps {
  limit(ip: string): void;
}

const fieldOf = (body: unknown, name: string): string =>
  body instanceof URLSearchParams ? (body.get(name) ?? '') : '';
const show = (reply: FastifyReply, html: string, status = 200): FastifyReply =>
  reply.code(status).headers(PAGE_HEADERS).send(html);

export function fakeProviderRoutes(scope: FastifyInstance, deps: FakeRouteDeps): void {
  scope.addHook('onRequest', async (request) => {
    deps.limit(request.ip);
  });
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string', bodyLimit: FORM_BODY_MAX },
    (_request, body, done) => {
      done(null, new URLSearchParams(body.toString()));
    },
  );

  checkoutRoutes(scope, deps);
  portalRoutes(scope, deps);
  scope.get<{ Params: { id: string } }>('/test-invoice/:id', async (request, reply) => {
    const invoice = await findInvoice(deps, request.params.id);
    return invoice === null
      ? show(reply, gonePage('Invoice not found.'), 404)
      : show(reply, invoicePage({ ...invoice, number: invoiceNumber(invoice) }));
  });
}

function checkoutRoutes(scope: FastifyInstance, deps: FakeProviderDeps): void {
  const answer = async (
    reply: FastifyReply,
    id: string,
    paid: PayAnswer,
  ): Promise<FastifyReply> => {
    switch (paid.kind) {
      case 'paid':
        return reply.redirect(paid.to, 303);
      case 'confirm':
        return reply.redirect(`/test-checkout/${id}`, 303);
      case 'gone':
        return show(reply, gonePage(CHECKOUT_GONE), 404);
      case 'error': {
        const found = await findCheckout(deps, id);
        return found === null
          ? show(reply, gonePage(CHECKOUT_GONE), 404)
          : show(
              reply,
              checkoutPage(id, found.plan, found.bill, found.row.cancelUrl, paid.text),
              422,
            );
      }
    }
  };

  scope.get<{ Params: { id: string } }>('/test-checkout/:id', async (request, reply) => {
    const { id } = request.params;
    const found = await findCheckout(deps, id);
    if (found === null) return show(reply, gonePage(CHECKOUT_GONE), 404);
    if (found.row.state === 'complete') return show(reply, gonePage('This has already been paid.'));
    return show(
      reply,
      found.row.state === 'confirming'
        ? confirmPage(id, found.plan, found.bill)
        : checkoutPage(id, found.plan, found.bill, found.row.cancelUrl, null),
    );
  });
  scope.post<{ Params: { id: string } }>('/test-checkout/:id', async (request, reply) =>
    answer(
      reply,
      request.params.id,
      await payWithCard(deps, request.params.id, fieldOf(request.body, 'card')),
    ),
  );
  scope.post<{ Params: { id: string } }>('/test-checkout/:id/confirm', async (request, reply) =>
    answer(
      reply,
      request.params.id,
      await confirmPayment(deps, request.params.id, fieldOf(request.body, 'answer') === 'approve'),
    ),
  );
}

function portalRoutes(scope: FastifyInstance, deps: FakeProviderDeps): void {
  const portal = async (
    reply: FastifyReply,
    id: string,
    error: string | null,
    status = 200,
  ): Promise<FastifyReply> => {
    const found = await findPortal(deps, id);
    if (found === null) return show(reply, gonePage(PORTAL_GONE), 404);
    return show(
      reply,
      portalPage(id, { ...(await viewOf(deps, found)), returnTo: found.successUrl, error }),
      status,
    );
  };
  scope.get<{ Params: { id: string } }>('/test-portal/:id', (request, reply) =>
    portal(reply, request.params.id, null),
  );
  scope.post<{ Params: { id: string } }>('/test-portal/:id', async (request, reply) => {
    const { id } = request.params;
    const act = portalAct(request.body);
    const outcome =
      act === null ? 'This action is not available here.' : await actInPortal(deps, id, act);
    if (outcome === null) return reply.redirect(`/test-portal/${id}`, 303);
    return portal(reply, id, outcome === false ? null : outcome, 422);
  });
}

/** What the portal shows of this person, with the bill of the change it was opened for. */
async function viewOf(
  deps: FakeProviderDeps,
  portal: CheckoutRow,
): Promise<Pick<PortalView, 'plans' | 'subscription' | 'asked'>> {
  const { db } = deps.database;
  const now = deps.clock.now();
  const plans = builtInPlans();
  const row = await readSubscription(db, portal.uid);
  const [mine, wanted] = [row?.planId, portal.priceId].map((id) =>
    plans.find((plan) => plan.id === id),
  );
  const bill =
    mine === undefined || wanted === undefined || wanted.priceId === null
      ? null
      : changeBill(
          mine,
          wanted,
          (row?.currentPeriodEnd ?? now) - now,
          FAKE_PERIOD_MS,
          await balanceOf(db, portal.uid),
        );
  return {
    plans,
    subscription: subscriptionOnWire(row, now),
    asked: wanted === undefined ? null : { plan: wanted, bill },
  };
}

function portalAct(body: unknown): PortalAct | null {
  const act = fieldOf(body, 'act');
  if (act === 'cancel' || act === 'resume') return { act };
  if (act === 'pay') return { act, card: fieldOf(body, 'card') };
  return act === 'change' ? { act, planId: fieldOf(body, 'plan') } : null;
}
