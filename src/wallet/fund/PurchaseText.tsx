/**
 * A purchase's state and troubles in sentences a person can use; refuses to leave a code without
 * one.
 */
import { Button } from '../../components/Button.tsx';
import type { Market } from './onramp-quotes.ts';
import type { PurchaseCode, PurchaseStatus, Terms } from './purchase.ts';

const countryName = (code: string): string =>
  new Intl.DisplayNames('en', { type: 'region' }).of(code) ?? code;

/** What each failure means for the one who wants to buy. */
function purchaseSentence(code: PurchaseCode, asset: string, market: Market): string {
  switch (code) {
    case 'EXCHANGE_RATE_ERROR':
      return `The price of ${asset} could not be read. You can still type the amount in ${market.currency}; what you get is shown before you pay.`;
    case 'NO_PAYMENT_METHODS':
      return `No way to pay is offered for ${market.currency} in ${countryName(market.country)}. Send coins to your address from another wallet instead.`;
    case 'PAYMENT_METHODS_ERROR':
      return 'The ways to pay could not be read, so nothing can be bought now.';
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

/** The provider's own words on what became of it. */
export function PurchaseText({ status, asset }: { status: PurchaseStatus; asset: string }) {
  switch (status.statusName) {
    case 'init':
      return null;
    case 'transactionPending':
      return (
        <p role="status" className="text-ink-2">
          The purchase goes on in the other window.
        </p>
      );
    case 'exit':
      return (
        <p role="status" className="text-ink-2">
          The window was closed. If you had paid already, the coins still come.
        </p>
      );
    case 'transactionSuccess':
      return (
        <p role="status" className="text-gain">
          Bought. The {asset} is on its way to your address; the balance shows it when the chain has
          it.
        </p>
      );
    case 'error':
      return (
        <p role="alert" className="text-danger">
          The purchase was not made
          {status.statusData.debugMessage === undefined || status.statusData.debugMessage === ''
            ? ''
            : `: ${status.statusData.debugMessage}`}
          . Nothing was charged by Tradewind.
        </p>
      );
  }
}
