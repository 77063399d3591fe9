/** The purchase card: header, amount in money or coins, payment methods and the Buy button. */
import { useEffect, useState, type Dispatch, type FormEvent, type SetStateAction } from 'react';
import { useSnapshot } from 'valtio';
import { formatFixed, type Fixed } from '../../../contract/money.ts';
import { Age } from '../../components/Age.tsx';
import { Button } from '../../components/Button.tsx';
import { SkeletonRows } from '../../components/EmptyState.tsx';
import { Field } from '../../components/Field.tsx';
import { localDecimal } from '../../format/number-marks.ts';
import { formatAmount } from '../../format/numbers.ts';
import { connection } from '../../stores/connection.ts';
import { reportWallet } from '../wallet-analytics.ts';
import { MethodChoice } from './MethodChoice.tsx';
import type { Market, Onramp } from './onramp-quotes.ts';
import { applePayHere, outsideLimits } from './payment-methods.ts';
import { bothAmounts, inOther, type TypedAmount } from './purchase-amount.ts';
import { openPurchase } from './purchase-window.ts';
import { usePurchaseStatus, useTerms, type PurchaseEvents } from './purchase.ts';
import { PurchaseText, TermsTrouble } from './PurchaseText.tsx';

export interface FundCardProps extends PurchaseEvents {
  asset: string;
  address: `0x${string}`;
  market: Market;
  onramp: Onramp;
  /** What is typed outlasts the card. */
  typed: TypedAmount;
  setTyped: Dispatch<SetStateAction<TypedAmount>>;
  /** Whether a purchase is being opened or paid for: it has to be a stable function. */
  onBusy?: (isBusy: boolean) => void;
  /** Defaults to 'Buy {ASSET}'. */
  headerText?: string;
  buttonText?: string;
}

/** A price is read each minute: older than two, it could not be. */
const RATE_STALE_MS = 120_000;

const coins = (value: Fixed, asset: string): string =>
  `${localDecimal(formatFixed(value))} ${asset}`;

const moneyIn =
  ({ currency }: Market) =>
  (value: Fixed): string =>
    `${formatAmount(formatFixed(value))} ${currency}`;

type Terms = ReturnType<typeof useTerms>;

/** The typed amount in both units, checked against the quote and the payment method's limits. */
function readAmount(typed: TypedAmount, chosen: string | null, terms: Terms, market: Market) {
  const rate = typeof terms.rate === 'bigint' ? terms.rate : null;
  const methods = (Array.isArray(terms.methods) ? terms.methods : []).filter(
    ({ id }) => id !== 'APPLE_PAY' || applePayHere(navigator.userAgent),
  );
  const method = methods.find(({ id }) => id === chosen) ?? methods[0] ?? null;
  const { crypto, fiat } = bothAmounts(typed, rate);
  const money = moneyIn(market);
  const outside = method === null || fiat === null ? null : outsideLimits(method, fiat, money);
  const wrong =
    typed.text.trim() !== '' && fiat === null && crypto === null
      ? 'Type an amount such as 25 or 0.01.'
      : undefined;
  const sum = typed.kind === 'fiat' ? fiat : crypto;
  return {
    rate,
    methods,
    method,
    crypto,
    fiat,
    sum,
    outside,
    error: wrong ?? outside ?? undefined,
  };
}

type AmountRead = ReturnType<typeof readAmount>;

/** The typed amount in the other unit, approximately. */
function otherText(
  kind: TypedAmount['kind'],
  { crypto, fiat, rate }: AmountRead,
  isReading: boolean,
  { asset, market }: { asset: string; market: Market },
): string {
  if (rate === null) return isReading ? 'Loading the price' : '—';
  if (kind === 'fiat') return `≈ ${crypto === null ? '—' : coins(crypto, asset)}`;
  return `≈ ${fiat === null ? '—' : moneyIn(market)(fiat)}`;
}

function AmountField({
  typed,
  read,
  isReading,
  ratedAt,
  asset,
  market,
  setTyped,
}: {
  typed: TypedAmount;
  read: AmountRead;
  isReading: boolean;
  ratedAt: number | null;
  asset: string;
  market: Market;
  setTyped: Dispatch<SetStateAction<TypedAmount>>;
}) {
  const { rate } = read;
  const type = (text: string): void => {
    setTyped((old) => ({ ...old, text }));
    const { fiat: next } = bothAmounts({ kind: typed.kind, text }, rate);
    if (next !== null)
      reportWallet('fundAmountChanged', {
        amount: Number(formatFixed(next)),
        currency: market.currency,
      });
  };
  return (
    <div>
      <Field
        label="Amount"
        unit={typed.kind === 'fiat' ? market.currency : asset}
        inputMode="decimal"
        autoComplete="off"
        value={typed.text}
        error={read.error}
        onChange={(event) => {
          type(event.target.value);
        }}
      />
      <div className="mt-1 flex min-h-11 items-center justify-between gap-3">
        <span className="min-w-0">
          <span className="block text-ink-2" aria-live="polite">
            {otherText(typed.kind, read, isReading, { asset, market })}
          </span>
          {ratedAt !== null && <Age savedAt={ratedAt} staleAfterMs={RATE_STALE_MS} />}
        </span>
        <Button
          tone="plain"
          size="sm"
          disabled={rate === null}
          onClick={() => {
            setTyped((old) => inOther(old, rate));
          }}
        >
          Enter amount in {typed.kind === 'fiat' ? asset : market.currency}
        </Button>
      </div>
    </div>
  );
}

function Methods({
  terms,
  read: { methods, method, fiat },
  market,
  onChoose,
}: {
  terms: Terms;
  read: AmountRead;
  market: Market;
  onChoose: (id: string) => void;
}) {
  if (terms.methods === null) return <SkeletonRows rows={2} label="Loading payment methods" />;
  return (
    methods.length > 0 && (
      <MethodChoice
        methods={methods}
        chosen={method?.id ?? null}
        amount={fiat}
        words={moneyIn(market)}
        onChoose={(id) => {
          onChoose(id);
          reportWallet('fundOptionSelected', { option: id });
        }}
      />
    )
  );
}

function Submit({
  isPending,
  ready,
  buttonText,
  currency,
}: {
  isPending: boolean;
  ready: boolean;
  buttonText: string;
  currency: string;
}) {
  return (
    <div>
      <Button type="submit" tone="primary" wide busy={isPending} disabled={!ready}>
        {isPending ? 'Continue in the other window' : buttonText}
      </Button>
      <p className="mt-2 text-xs text-ink-3">
        You pay in a Coinbase window, which shows the fees before you confirm. The price is an
        estimate, based on a purchase of 100 {currency}.
      </p>
    </div>
  );
}

/** Opens the payment page, or says why that failed. */
function useOpenPage(
  onramp: Onramp,
  { opened, left }: Pick<ReturnType<typeof usePurchaseStatus>, 'opened' | 'left'>,
) {
  const [trouble, setTrouble] = useState<string | null>(null);
  const [isOpening, setIsOpening] = useState(false);
  const open = (order: Parameters<Onramp['page']>[0]): void => {
    setTrouble(null);
    setIsOpening(true);
    reportWallet('fundInitiated', { currency: order.currency });
    void openPurchase(() => onramp.page(order), left).then((its) => {
      setIsOpening(false);
      if (typeof its !== 'string') opened(its);
      else {
        setTrouble(its);
        reportWallet('fundFailure', { error: its });
      }
    });
  };
  return { trouble, isOpening, open };
}

export function FundCard({
  asset,
  address,
  market,
  onramp,
  typed,
  setTyped,
  onBusy,
  headerText = `Buy ${asset.toUpperCase()}`,
  buttonText = 'Buy',
  ...events
}: FundCardProps) {
  const { online } = useSnapshot(connection);
  const [chosen, setChosen] = useState<string | null>(null);
  const terms = useTerms(onramp, asset, market, events.onError);
  const { status, ...purchase } = usePurchaseStatus(events);
  const { trouble, isOpening, open } = useOpenPage(onramp, purchase);
  const read = readAmount(typed, chosen, terms, market);
  const { method, sum } = read;
  const isPending = isOpening || status.statusName === 'transactionPending';
  const ready = method !== null && sum !== null && read.outside === null && online !== 'offline';

  useEffect(() => {
    onBusy?.(isPending);
  }, [isPending, onBusy]);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (!ready || isPending) return;
    open({
      asset,
      currency: market.currency,
      address,
      amount: { kind: typed.kind, value: formatFixed(sum) },
      method: method.id,
    });
  };
  return (
    <form
      noValidate
      onSubmit={submit}
      aria-label={headerText}
      className="grid max-w-md gap-4"
      data-purchase-status={status.statusName}
    >
      <h3 className="text-base font-semibold">{headerText}</h3>
      <AmountField
        typed={typed}
        read={read}
        isReading={terms.rate === null}
        ratedAt={terms.ratedAt}
        asset={asset}
        market={market}
        setTyped={setTyped}
      />
      <Methods terms={terms} read={read} market={market} onChoose={setChosen} />
      <TermsTrouble terms={terms} asset={asset} market={market} onAgain={terms.again} />
      {trouble !== null && (
        <p role="alert" className="text-danger">
          {trouble}
        </p>
      )}
      <PurchaseText status={status} asset={asset} />
      <Submit
        isPending={isPending}
        ready={ready}
        buttonText={buttonText}
        currency={market.currency}
      />
    </form>
  );
}
