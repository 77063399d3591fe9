/**
 * The purchase card: header, amount in money or coins, ways to pay, submit; refuses an amount
 * outside the limits it was told.
 */
import { useState, type FormEvent } from 'react';
import { useSnapshot } from 'valtio';
import { formatFixed, type Fixed } from '../../../contract/money.ts';
import { Button } from '../../components/Button.tsx';
import { SkeletonRows } from '../../components/EmptyState.tsx';
import { Field } from '../../components/Field.tsx';
import { localDecimal } from '../../format/number-marks.ts';
import { formatAmount } from '../../format/numbers.ts';
import { connection } from '../../stores/connection.ts';
import { reportWallet } from '../wallet-analytics.ts';
import { MethodChoice } from './method-choice.tsx';
import type { Market, Onramp } from './onramp.ts';
import { applePayHere, outsideLimits } from './payment-methods.ts';
import { bothAmounts, inOther, type TypedAmount } from './purchase-amount.ts';
import { openPurchase } from './purchase-window.ts';
import { usePurchaseStatus, useTerms, type PurchaseEvents } from './purchase.ts';
import { PurchaseWords, TermsTrouble } from './purchase-words.tsx';

export interface FundCardProps extends PurchaseEvents {
  asset: string;
  address: `0x${string}`;
  market: Market;
  onramp: Onramp;
  /** 'Buy {ASSET}' unless told. */
  headerText?: string;
  buttonText?: string;
}

const coins = (value: Fixed, asset: string): string =>
  `${localDecimal(formatFixed(value))} ${asset}`;

export function FundCard({
  asset,
  address,
  market,
  onramp,
  headerText = `Buy ${asset.toUpperCase()}`,
  buttonText = 'Buy',
  ...events
}: FundCardProps) {
  const { online } = useSnapshot(connection);
  const [typed, setTyped] = useState<TypedAmount>({ kind: 'fiat', text: '' });
  const [chosen, setChosen] = useState<string | null>(null);
  const [trouble, setTrouble] = useState<string | null>(null);
  const terms = useTerms(onramp, asset, market, events.onError);
  const { status, opened, left } = usePurchaseStatus(events);
  const rate = typeof terms.rate === 'bigint' ? terms.rate : null;
  const methods = (Array.isArray(terms.methods) ? terms.methods : []).filter(
    ({ id }) => id !== 'APPLE_PAY' || applePayHere(navigator.userAgent),
  );
  const method = methods.find(({ id }) => id === chosen) ?? methods[0] ?? null;
  const { crypto, fiat } = bothAmounts(typed, rate);
  const money = (value: Fixed): string => `${formatAmount(formatFixed(value))} ${market.currency}`;
  const outside = method === null || fiat === null ? null : outsideLimits(method, fiat, money);
  const wrong =
    typed.text.trim() !== '' && fiat === null && crypto === null
      ? 'Type an amount such as 25 or 0.01.'
      : undefined;
  const sum = typed.kind === 'fiat' ? fiat : crypto;
  const ready = method !== null && sum !== null && outside === null && online !== 'offline';

  const type = (text: string): void => {
    setTyped((old) => ({ ...old, text }));
    const { fiat: next } = bothAmounts({ kind: typed.kind, text }, rate);
    if (next !== null)
      reportWallet('fundAmountChanged', {
        amount: Number(formatFixed(next)),
        currency: market.currency,
      });
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (!ready || status.statusName === 'transactionPending') return;
    setTrouble(null);
    reportWallet('fundInitiated', { currency: market.currency });
    const page = () =>
      onramp.page({
        asset,
        currency: market.currency,
        address,
        amount: { kind: typed.kind, value: formatFixed(sum) },
        method: method.id,
      });
    void openPurchase(page, () => {
      left();
    }).then((said) => {
      if (said === null) opened();
      else {
        setTrouble(said);
        reportWallet('fundFailure', { error: said });
      }
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
      <div>
        <Field
          label="Amount"
          unit={typed.kind === 'fiat' ? market.currency : asset}
          inputMode="decimal"
          autoComplete="off"
          value={typed.text}
          error={wrong ?? outside ?? undefined}
          onChange={(event) => {
            type(event.target.value);
          }}
        />
        <div className="mt-1 flex min-h-11 items-center justify-between gap-3 pointer-fine:min-h-8">
          <span className="min-w-0 text-ink-2" aria-live="polite">
            {rate === null
              ? terms.rate === null
                ? 'Reading the price'
                : '—'
              : typed.kind === 'fiat'
                ? `≈ ${crypto === null ? '—' : coins(crypto, asset)}`
                : `≈ ${fiat === null ? '—' : money(fiat)}`}
          </span>
          <Button
            tone="plain"
            size="sm"
            disabled={rate === null}
            onClick={() => {
              setTyped((old) => inOther(old, rate));
            }}
          >
            Type in {typed.kind === 'fiat' ? asset : market.currency}
          </Button>
        </div>
      </div>
      {terms.methods === null ? (
        <SkeletonRows rows={2} label="Reading the ways to pay" />
      ) : (
        methods.length > 0 && (
          <MethodChoice
            methods={methods}
            chosen={method?.id ?? null}
            amount={fiat}
            words={money}
            onChoose={(id) => {
              setChosen(id);
              reportWallet('fundOptionSelected', { option: id });
            }}
          />
        )
      )}
      <TermsTrouble terms={terms} asset={asset} market={market} onAgain={terms.again} />
      {trouble !== null && (
        <p role="alert" className="text-danger">
          {trouble}
        </p>
      )}
      <PurchaseWords status={status} asset={asset} />
      <div>
        <Button
          type="submit"
          tone="primary"
          wide
          busy={status.statusName === 'transactionPending'}
          disabled={!ready}
        >
          {status.statusName === 'transactionPending' ? 'Continue in the other window' : buttonText}
        </Button>
        <p className="mt-2 text-xs text-ink-3">
          You pay at Coinbase, in a window of theirs; fees are shown there before you confirm. The
          price is an estimate from a purchase of 100 {market.currency}.
        </p>
      </div>
    </form>
  );
}
