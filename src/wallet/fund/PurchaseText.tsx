/** A purchase's state and errors in sentences. */
import { Button } from '../../components/Button.tsx';
import type { Market } from './onramp-quotes.ts';
import type { PurchaseCode, PurchaseStatus, Terms } from './purchase.ts';

const countryName = (code: string): string =>
  new Intl.DisplayNames('en', { type: 'region' }).of(code) ?? code;

/** What each failure means for the buyer. */
function purchaseSentence(code: PurchaseCode, asset: string, market: Market): string {
  switch (code) {
    case 'EXCHANGE_RATE_ERROR':
      return `The price of ${asset} could not be loaded. You can still enter an amount in ${market.currency}; you see what you get before you pay.`;
    case 'NO_PAYMENT_METHODS':
      return `No payment method is available for ${market.currency} in ${countryName(market.country)}. Send coins to your address from another wallet instead.`;
    case 'PAYMENT_METHODS_ERROR':
      return 'Payment methods could not be loaded. You cannot buy anything right now.';
  }
}

export function TermsTrouble({
  terms,
  asset,
  market,
  onAgain,
}: {
  terms: Terms;
  asset: string;
  market: Market;
  onAgain: () => void;
}) {
  const codes = [terms.rate, terms.methods].filter(
    (part): part is PurchaseCode => typeof part === 'string',
  );
  if (codes.length === 0) return null;
  return (
    <div role="alert" className="flex flex-col items-start gap-2 border-l-2 border-amber py-1 pl-3">
      {codes.map((code) => (
        <p key={code}>
          {purchaseSentence(code, asset, market)}{' '}
          <span className="text-xs break-all text-ink-3">{code}</span>
        </p>
      ))}
      <Button size="sm" onClick={onAgain}>
        Try again
      </Button>
    </div>
  );
}

/** The provider's final status of the purchase. */
export function PurchaseText({ status, asset }: { status: PurchaseStatus; asset: string }) {
  switch (status.statusName) {
    case 'init':
      return null;
    case 'transactionPending':
      return (
        <p role="status" className="text-ink-2">
          Complete the purchase in the other window.
        </p>
      );
    case 'exit':
      return (
        <p role="status" className="text-ink-2">
          The window was closed. If you have already paid, your coins will still arrive.
        </p>
      );
    case 'transactionSuccess':
      return (
        <p role="status" className="text-gain">
          Bought. The {asset} is on its way to your address. Your balance updates once the network
          confirms it.
        </p>
      );
    case 'error':
      return (
        <p role="alert" className="text-danger">
          The purchase failed
          {status.statusData.debugMessage === undefined || status.statusData.debugMessage === ''
            ? ''
            : `: ${status.statusData.debugMessage}`}
          . Tradewind charged nothing.
        </p>
      );
  }
}
