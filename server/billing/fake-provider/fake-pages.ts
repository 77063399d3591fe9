/**
 * The fake provider's pages as HTML. They carry no script, no foreign address and no unescaped
 * text.
 */
import { createHash } from 'node:crypto';
import { formatFixed, parseFixed, ZERO } from '../../../contract/money.ts';
import type { Plan, Subscription } from '../../../contract/subscription.ts';
import type { Bill } from '../proration.ts';

const STYLE = `
:root{color-scheme:light dark;--ground:oklch(.973 .004 210);--surface:oklch(.993 .002 210);--line:oklch(.885 .009 212);--edge:oklch(.62 .018 214);--ink:oklch(.235 .018 220);--ink-2:oklch(.42 .018 218);--accent:oklch(.47 .086 196);--accent-ink:oklch(.99 .004 196);--amber:oklch(.5 .108 66);--amber-wash:oklch(.95 .038 82);--danger:oklch(.5 .17 27)}
@media (prefers-color-scheme:dark){:root{--ground:oklch(.185 .014 218);--surface:oklch(.218 .016 218);--line:oklch(.305 .018 218);--edge:oklch(.55 .02 216);--ink:oklch(.945 .006 205);--ink-2:oklch(.79 .012 208);--accent:oklch(.765 .098 192);--accent-ink:oklch(.18 .03 200);--amber:oklch(.8 .12 78);--amber-wash:oklch(.27 .04 76);--danger:oklch(.76 .13 25)}}
*{box-sizing:border-box}
body{margin:0;background:var(--ground);color:var(--ink);font:.9375rem/1.5 system-ui,sans-serif;font-variant-numeric:tabular-nums lining-nums slashed-zero}
header{display:flex;align-items:center;justify-content:space-between;gap:1rem;min-height:52px;padding:0 1rem;border-bottom:1px solid var(--line)}
header b{font-size:1rem;letter-spacing:-.01em}
.test{margin:0;padding:.625rem 1rem;background:var(--amber-wash);color:var(--amber);border-bottom:1px solid var(--line)}
.tag{display:inline-block;margin-right:.5rem;border:2px solid;border-radius:.25rem;padding:0 .375rem;font-size:.75rem;font-weight:700;letter-spacing:.08em}
main{max-width:30rem;margin:0 auto;padding:1.5rem 1rem 3rem}
h1{margin:0;font-size:1.375rem;line-height:1.25}
h2{margin:0;font-size:1rem}
p{margin:.375rem 0;color:var(--ink-2)}
form,section{margin:1.25rem 0 0;padding-top:1.25rem;border-top:1px solid var(--line)}
label{display:block;font-weight:500;margin-bottom:.25rem}
input,select{width:100%;height:44px;padding:0 .75rem;font:inherit;border:1px solid var(--edge);border-radius:.375rem;background:var(--surface);color:var(--ink)}
button,.button{display:inline-flex;align-items:center;justify-content:center;min-height:44px;margin:.75rem .5rem 0 0;padding:0 1rem;font:inherit;font-weight:500;border:1px solid var(--accent);border-radius:.375rem;background:var(--accent);color:var(--accent-ink);text-decoration:none;cursor:pointer}
button.plain,.button.plain{background:transparent;border-color:var(--edge);color:var(--ink)}
:focus-visible{outline:2px solid var(--accent);outline-offset:2px}
.error{margin:1rem 0 0;border-left:2px solid var(--danger);padding:.25rem .75rem;color:var(--danger)}
dl{display:grid;grid-template-columns:minmax(0,1fr) auto;margin:1rem 0 0}
dt,dd{margin:0;padding:.5rem 0;border-top:1px solid var(--line)}
dt{color:var(--ink-2);padding-right:1rem}dd{text-align:right;font-weight:500}
@media (max-width:30rem){button,.button{width:100%;margin-right:0}}
`;

/** Inline style by its hash, forms to ourselves, nothing else. */
export const PAGE_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'content-security-policy': [
    "default-src 'none'",
    `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  // Not 'no-referrer': with it browsers send forms with the origin 'null', which is refused as
  // foreign.
  'referrer-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
} as const;

const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
const escape = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');

function page(title: string, body: string): string {
  return (
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">` +
    `<meta name="robots" content="noindex"><title>${escape(title)} · Tradewind test payments</title><style>${STYLE}</style></head>` +
    `<body><header><b>Tradewind</b></header><p class="test"><span class="tag">TEST</span>No real money is charged. Never enter a real card number.</p><main>${body}</main></body></html>`
  );
}

const price = (plan: Plan): string => `${plan.amount} ${plan.currency} a ${plan.interval}`;
const problem = (text: string | null): string =>
  text === null ? '' : `<p class="error" role="alert">${escape(text)}</p>`;

const money = (amount: string, currency: string): string =>
  `${amount.replace('-', '−')} ${currency}`;
const day = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

/** What is charged, line by line where there is more than one. */
function billList(bill: Bill, currency: string): string {
  const lines =
    bill.lines.length < 2
      ? ''
      : `<dl>${bill.lines.map(({ text, amount }) => `<dt>${escape(text)}</dt><dd>${money(formatFixed(amount), currency)}</dd>`).join('')}</dl>`;
  const left =
    bill.credit > ZERO
      ? ` ${money(formatFixed(bill.credit), currency)} remains as credit for later invoices.`
      : '';
  return `${lines}<p>Charged now: ${money(formatFixed(bill.dueNow), currency)}.${left}</p>`;
}

export function checkoutPage(
  id: string,
  plan: Plan,
  bill: Bill,
  cancelPath: string,
  error: string | null,
): string {
  return page(
    `Pay for ${plan.name}`,
    `
<h1>Tradewind ${escape(plan.name)}</h1><p>${escape(price(plan))}, up to ${plan.agents} agents. Cancel anytime.</p>${billList(bill, plan.currency)}${problem(error)}
<form method="post" action="/test-checkout/${escape(id)}">
<label for="card">Test card number</label>
<input id="card" name="card" inputmode="numeric" autocomplete="off" required maxlength="30" aria-describedby="cards" value="4242 4242 4242 4242">
<dl id="cards"><dt>4242 4242 4242 4242</dt><dd>accepted</dd><dt>4000 0000 0000 0002</dt><dd>declined</dd><dt>4000 0000 0000 3220</dt><dd>needs confirmation by the bank</dd><dt>4000 0000 0000 0341</dt><dd>fails at renewal</dd></dl>
<button type="submit">Pay ${money(formatFixed(bill.dueNow), plan.currency)}</button>
<a class="button plain" href="${escape(cancelPath)}">Cancel</a></form>`,
  );
}

export function confirmPage(id: string, plan: Plan, bill: Bill): string {
  return page(
    'Confirm the payment',
    `
<h1>Your test bank</h1><p>Pay ${money(formatFixed(bill.dueNow), plan.currency)} to Tradewind?</p>
<form method="post" action="/test-checkout/${escape(id)}/confirm">
<button type="submit" name="answer" value="approve">Approve</button>
<button class="plain" type="submit" name="answer" value="refuse">Refuse</button></form>`,
  );
}

export interface PortalView {
  plans: readonly Plan[];
  subscription: Subscription | null;
  returnTo: string;
  error: string | null;
  /**
   * The change that the page was opened for, with what it would be billed; the free plan has no
   * bill.
   */
  asked: { plan: Plan; bill: Bill | null } | null;
}

export function portalPage(
  id: string,
  { plans, subscription, returnTo, error, asked }: PortalView,
): string {
  const mine = plans.find((plan) => plan.id === subscription?.planId);
  const living = subscription !== null && subscription.status !== 'canceled' && mine !== undefined;
  const end = subscription?.currentPeriodEnd;
  const until = end === null || end === undefined ? '' : day(end);
  const state = !living
    ? 'No plan.'
    : subscription.status === 'past_due'
      ? `${mine.name}. The invoice of ${until} is unpaid.`
      : subscription.cancelAtPeriodEnd
        ? `${mine.name}, ends on ${until}.`
        : `${mine.name}, ${price(mine)}, renews on ${until}.`;
  const form = (body: string): string =>
    `<form method="post" action="/test-portal/${escape(id)}">${body}</form>`;
  const options = plans
    .filter((plan) => plan.priceId !== null)
    .map(
      (plan) =>
        `<option value="${escape(plan.id)}"${plan.id === mine?.id ? ' selected' : ''}>${escape(plan.name)}, ${escape(price(plan))}</option>`,
    )
    .join('');
  const change =
    asked === null || asked.bill === null || asked.plan.id === mine?.id
      ? ''
      : form(`<h2>Change to ${escape(asked.plan.name)}</h2>${billList(asked.bill, asked.plan.currency)}<input type="hidden" name="plan" value="${escape(asked.plan.id)}">
<button type="submit" name="act" value="change">Change to ${escape(asked.plan.name)}</button>`);
  const forms = !living
    ? ''
    : [
        subscription.status !== 'past_due'
          ? ''
          : form(`<label for="card">Another test card</label><input id="card" name="card" inputmode="numeric" autocomplete="off" required maxlength="30" value="4242 4242 4242 4242">
<button type="submit" name="act" value="pay">Pay invoice</button>`),
        change,
        form(`<label for="plan">Plan</label><select id="plan" name="plan">${options}</select>
<button${change === '' ? '' : ' class="plain"'} type="submit" name="act" value="change">Change plan</button>`),
        form(
          subscription.cancelAtPeriodEnd
            ? '<button type="submit" name="act" value="resume">Keep plan</button>'
            : `<button class="plain" type="submit" name="act" value="cancel">${subscription.status === 'past_due' ? 'End plan now' : `End plan on ${until}`}</button>`,
        ),
      ].join('');
  return page(
    'Billing',
    `<h1>Billing</h1>${problem(error)}<section><p>${escape(state)}</p></section>${forms}
<p><a class="button plain" href="${escape(returnTo)}">Back to Tradewind</a></p>`,
  );
}

export function invoicePage(invoice: {
  number: string;
  text: string;
  amount: string;
  currency: string;
  status: string;
  createdAt: number;
}): string {
  return page(
    `Invoice ${invoice.number}`,
    `<h1>Invoice ${escape(invoice.number)}</h1><dl>
<dt>For</dt><dd>${escape(invoice.text)}</dd><dt>Amount</dt><dd>${escape(money(formatFixed(parseFixed(invoice.amount)), invoice.currency))}</dd>
<dt>Date</dt><dd>${day(invoice.createdAt)}</dd><dt>State</dt><dd>${escape(invoice.status)}</dd></dl>
<p><a class="button plain" href="/subscription">Back to Tradewind</a></p>`,
  );
}

export function gonePage(text: string): string {
  return page(
    'Not open',
    `<h1>Nothing to pay</h1><p>${escape(text)}</p><p><a class="button" href="/subscription">Back to Tradewind</a></p>`,
  );
}
