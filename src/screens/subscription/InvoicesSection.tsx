/** Invoices, newest first, each with the provider's page. */
import { useSnapshot } from 'valtio';
import type { Invoice } from '../../../contract/plan-change.ts';
import { safeAddress } from '../../billing/checkout.ts';
import { ReadError, SkeletonRows } from '../../components/EmptyState.tsx';
import { Section } from '../../components/Section.tsx';
import { StatusBadge, type BadgeTone } from '../../components/Tags.tsx';
import { environment } from '../../environment.ts';
import { formatAmount } from '../../format/numbers.ts';
import { formatDate } from '../../format/times.ts';
import { connection } from '../../stores/connection.ts';
import { invoicesStore, loadInvoices } from '../../stores/subscription-store.ts';
import { useSlot } from '../use-store.ts';

const STATUS: Record<Invoice['status'], { tone: BadgeTone; word: string }> = {
  paid: { tone: 'good', word: 'Paid' },
  open: { tone: 'attention', word: 'Due' },
  draft: { tone: 'neutral', word: 'Draft' },
  void: { tone: 'neutral', word: 'Void' },
  uncollectible: { tone: 'bad', word: 'Not paid' },
};

function pageOf(url: string | null): string | null {
  if (url === null) return null;
  try {
    return safeAddress(url, environment.apiUrl === '' ? location.origin : environment.apiUrl);
  } catch {
    return null;
  }
}

function InvoiceRow({ invoice }: { invoice: Invoice }) {
  const page = pageOf(invoice.url);
  const { tone, word } = STATUS[invoice.status];
  return (
    <li className="rule grid grid-cols-[minmax(0,1fr)_auto] items-baseline gap-x-4 py-2 md:grid-cols-[8rem_minmax(0,1fr)_6rem_8rem_auto]">
      <span>{formatDate(invoice.createdAt)}</span>
      <span className="text-right font-medium md:order-4">
        {formatAmount(invoice.amount)}{' '}
        <span className="font-normal text-ink-3">{invoice.currency}</span>
      </span>
      <span className="min-w-0 text-ink-2 max-md:col-span-2 md:order-2">
        {invoice.text}
        {invoice.number !== null && (
          <span className="ml-2 text-xs text-ink-3">{invoice.number}</span>
        )}
      </span>
      <StatusBadge tone={tone} className="md:order-3">
        {word}
      </StatusBadge>
      <span className="text-right md:order-5">
        {page === null ? (
          <span className="text-ink-3" title="No page at the payment provider">
            —
          </span>
        ) : (
          <a
            href={page}
            target="_blank"
            rel="noreferrer"
            className="reach inline-flex min-h-8 items-center text-accent underline underline-offset-2"
          >
            View
            <span className="sr-only"> invoice of {formatDate(invoice.createdAt)}</span>
          </a>
        )}
      </span>
    </li>
  );
}

export function InvoicesSection({ expected }: { expected: boolean }) {
  const { data, error } = useSlot(invoicesStore, loadInvoices);
  const { online } = useSnapshot(connection);
  // Hidden for users who never had a plan.
  if (!expected && (data === null || data.invoices.length === 0)) return null;
  return (
    <Section title="Invoices">
      {online !== 'offline' && (
        <ReadError
          message={error}
          hasData={data !== null}
          onRetry={() => {
            void loadInvoices(true);
          }}
        />
      )}
      {data === null && (error === null || online === 'offline') && (
        <SkeletonRows rows={2} label="Invoices" />
      )}
      {data !== null && data.invoices.length === 0 && (
        <p className="rule row flex items-center text-ink-3">
          No invoices yet. Your first payment creates one.
        </p>
      )}
      {data !== null && data.invoices.length > 0 && (
        <ul>
          {data.invoices.map((invoice) => (
            <InvoiceRow key={invoice.id} invoice={invoice} />
          ))}
        </ul>
      )}
      {data?.more === true && (
        <p className="rule row flex items-center text-ink-3">
          See older invoices in the billing portal.
        </p>
      )}
    </Section>
  );
}
