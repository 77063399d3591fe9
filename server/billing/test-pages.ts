/** The test checkout's pages as HTML; refuses scripts, foreign addresses and unescaped text. */
import { createHash } from 'node:crypto';
import type { Plan, Subscription } from '../../contract/subscription.ts';

const STYLE = `
:root{color-scheme:light dark;font:16px/1.5 system-ui,sans-serif}
body{margin:0 auto;max-width:30rem;padding:1.5rem 1rem;background:#f6f8f8;color:#14211f}
.tag{display:inline-block;border:2px solid #8a5a00;color:#8a5a00;border-radius:.25rem;padding:0 .5rem;font-weight:700;letter-spacing:.08em}
h1{font-size:1.375rem;margin:1rem 0 .25rem}
form,section{margin:1.25rem 0}
label{display:block;font-weight:600;margin-top:.75rem}
input,select{box-sizing:border-box;width:100%;min-height:44px;padding:.5rem;font:inherit;border:1px solid #5b6d6a;border-radius:.375rem;background:#fff;color:#14211f}
button,.button{display:inline-flex;align-items:center;min-height:44px;margin:.75rem .75rem 0 0;padding:0 1rem;font:inherit;font-weight:600;border:1px solid #0b5d57;border-radius:.375rem;background:#0b5d57;color:#fff;text-decoration:none}
button.plain,.button.plain{background:transparent;color:#0b5d57}
.error{border-left:4px solid #b3261e;padding:.5rem .75rem;background:#fdecea;color:#601410}
dt{font-weight:600}dd{margin:0 0 .5rem}
@media (prefers-color-scheme:dark){body{background:#0e1615;color:#e3ecea}.tag{border-color:#f0b84d;color:#f0b84d}
input,select{background:#17211f;color:#e3ecea}button.plain,.button.plain{color:#6fd3c9;border-color:#6fd3c9}
.error{background:#3a1513;color:#ffdad6}}
`;

/** Inline style by its hash, forms to ourselves, nothing else. */
export const PAGE_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'content-security-policy': [
    "default-src 'none'", `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
    "form-action 'self'", "base-uri 'none'", "frame-ancestors 'none'",
  ].join('; '),
  // Not 'no-referrer': with it browsers send forms with the origin 'null', which is refused as foreign.
  'referrer-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
} as const;

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
const escape = (text: string): string => text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');

function page(title: string, body: string): string {
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">`
    + `<meta name="robots" content="noindex"><title>${escape(title)} · Tradewind test payments</title><style>${STYLE}</style></head>`
    + `<body><main><p><span class="tag">TEST</span> No real money moves here. Never type a real card number.</p>${body}</main></body></html>`;
}

const price = (plan: Plan): string => `${plan.amount} ${plan.currency} a ${plan.interval}`;
const problem = (text: string | null): string => (text === null ? '' : `<p class="error" role="alert">${escape(text)}</p>`);

export function checkoutPage(id: string, plan: Plan, cancelPath: string, error: string | null): string {
  return page(`Pay for ${plan.name}`, `
<h1>Tradewind ${escape(plan.name)}</h1><p>${escape(price(plan))}, up to ${plan.agents} agents. Ends when you say so.</p>${problem(error)}
<form method="post" action="/test-checkout/${escape(id)}">
<label for="card">Test card number</label>
<input id="card" name="card" inputmode="numeric" autocomplete="off" required maxlength="30" aria-describedby="cards" value="4242 4242 4242 4242">
<p id="cards">4242 4242 4242 4242 is accepted, 4000 0000 0000 0002 is declined, 4000 0000 0000 3220 asks the bank first.</p>
<button type="submit">Pay ${escape(plan.amount)} ${escape(plan.currency)}</button>
<a class="button plain" href="${escape(cancelPath)}">Cancel</a></form>`);
}

export function confirmPage(id: string, plan: Plan): string {
  return page('Confirm the payment', `
<h1>Your test bank asks</h1><p>Pay ${escape(price(plan))} to Tradewind?</p>
<form method="post" action="/test-checkout/${escape(id)}/confirm">
<button type="submit" name="answer" value="approve">Approve</button>
<button class="plain" type="submit" name="answer" value="refuse">Refuse</button></form>`);
}

export function portalPage(id: string, plans: readonly Plan[], subscription: Subscription | null, returnTo: string, error: string | null): string {
  const mine = plans.find((plan) => plan.id === subscription?.planId);
  const living = subscription !== null && subscription.status !== 'canceled' && mine !== undefined;
  const end = subscription?.currentPeriodEnd;
  const until = end === null || end === undefined ? '' : new Date(end).toISOString().slice(0, 10);
  const state = !living ? 'No plan.'
    : subscription.cancelAtPeriodEnd ? `${mine.name}, ends on ${until}.` : `${mine.name}, ${price(mine)}, paid until ${until}. Test plans do not renew by themselves.`;
  const options = plans.filter((plan) => plan.priceId !== null)
    .map((plan) => `<option value="${escape(plan.id)}"${plan.id === mine?.id ? ' selected' : ''}>${escape(plan.name)}, ${escape(price(plan))}</option>`).join('');
  const forms = !living ? '' : `
<form method="post" action="/test-portal/${escape(id)}"><label for="plan">Plan</label><select id="plan" name="plan">${options}</select>
<button type="submit" name="act" value="change">Change plan</button></form>
<form method="post" action="/test-portal/${escape(id)}">${subscription.cancelAtPeriodEnd
  ? '<button type="submit" name="act" value="resume">Keep the plan</button>'
  : `<button class="plain" type="submit" name="act" value="cancel">End the plan on ${until}</button>`}</form>`;
  return page('Billing', `<h1>Billing</h1>${problem(error)}<section><p>${escape(state)}</p></section>${forms}
<p><a class="button plain" href="${escape(returnTo)}">Back to Tradewind</a></p>`);
}

export function gonePage(text: string): string {
  return page('Not open', `<h1>Nothing to pay here</h1><p>${escape(text)}</p><p><a class="button" href="/subscription">Back to Tradewind</a></p>`);
}
