/** Prices and payment methods as the onramp provider states them, checked before use. */
import { fetchOnrampOptions, fetchOnrampQuote, getOnrampBuyUrl } from '@coinbase/onchainkit/fund';
import * as z from 'zod/mini';
import { divide, parseFixed, ZERO, type Fixed } from '../../../contract/money.ts';
import { OnrampOptions, OnrampQuoteReply } from '../../../contract/onramp.ts';
import type { PaymentCurrency } from './payment-methods.ts';

/** Where and in which money somebody buys. */
export interface Market {
  country: string;
  subdivision: string | null;
  currency: string;
}

export interface BuyRequest {
  asset: string;
  currency: string;
  address: `0x${string}`;
  amount: { kind: 'fiat' | 'crypto'; value: string };
  /** Empty for the person's own account at the provider. */
  method: string;
}

export interface Onramp {
  /** Coins for one unit of money. */
  rate(asset: string, market: Market): Promise<Fixed>;
  currencies(market: Market): Promise<PaymentCurrency[]>;
  /** The provider's page on which the purchase is made. */
  page(request: BuyRequest): Promise<string> | string;
}

/** The rate is taken from a purchase of this size. */
export const QUOTED_AMOUNT = '100';

/** Of the provider's reply, what is read here. */
const Quote = z.pick(OnrampQuoteReply, { purchaseAmount: true, paymentSubtotal: true });
const Options = z.pick(OnrampOptions, { paymentCurrencies: true });

/** More decimals than money has are cut. */
const fixed = (text: string): Fixed => parseFixed(text.replace(/(\.\d{12})\d+$/, '$1'));

/**
 * Coins for one unit of money, out of a quote.
 * @throws Error where the quote holds no amounts above nought.
 */
export function rateOf(quote: z.infer<typeof Quote>): Fixed {
  const rate = divide(
    fixed(quote.purchaseAmount.value),
    fixed(quote.paymentSubtotal.value),
    'down',
  );
  if (rate <= ZERO) throw new RangeError('The quote sells nothing');
  return rate;
}

/** Asked of the provider with the client's key, as the kit does it. */
export function directOnramp(keys: { apiKey: string; projectId: string | null }): Onramp {
  return {
    async rate(asset, { country, currency, subdivision }) {
      const quote = await fetchOnrampQuote({
        purchaseCurrency: asset,
        paymentCurrency: currency,
        paymentAmount: QUOTED_AMOUNT,
        paymentMethod: 'CARD',
        country,
        apiKey: keys.apiKey,
        ...(subdivision === null ? {} : { subdivision }),
      });
      return rateOf(Quote.parse(quote));
    },
    async currencies({ country, subdivision }) {
      const options = await fetchOnrampOptions({
        country,
        apiKey: keys.apiKey,
        ...(subdivision === null ? {} : { subdivision }),
      });
      return Options.parse(options).paymentCurrencies;
    },
    page(request) {
      if (keys.projectId === null) throw new Error('The project of the onramp is not set');
      return buyPage({ projectId: keys.projectId }, request);
    },
  };
}

/**
 * The purchase page for one project, or for one session made by our server. Only Base itself is
 * sold.
 */
export function buyPage(
  who: { projectId: string } | { sessionToken: string },
  { address, amount, asset, currency, method }: BuyRequest,
): string {
  const common = {
    fiatCurrency: currency,
    originComponentName: 'FundCard',
    ...(amount.kind === 'fiat'
      ? { presetFiatAmount: Number(amount.value) }
      : { presetCryptoAmount: Number(amount.value) }),
    ...(method === '' ? {} : { defaultPaymentMethod: method }),
  };
  return 'projectId' in who
    ? getOnrampBuyUrl({ ...who, ...common, assets: [asset], addresses: { [address]: ['base'] } })
    : // A session knows its address and what may be bought.
      getOnrampBuyUrl({ ...who, ...common, defaultAsset: asset, defaultNetwork: 'base' });
}
