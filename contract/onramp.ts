/** Buying coins on the wire: a session, a quote and the payment methods. Carries no key. */
import * as z from 'zod/mini';
import { WalletAddress } from './wallet.ts';

const country = z
  .string({ error: 'Required' })
  .check(z.regex(/^[A-Z]{2}$/, 'A two-letter country code such as US'));
/** A state or province code such as NY: some states have rules of their own. */
const subdivision = z.optional(
  z.string().check(z.regex(/^[A-Z0-9]{1,3}$/, 'A state or province code such as NY')),
);
const word = (what: string) =>
  z.string({ error: 'Required' }).check(z.regex(/^[A-Za-z0-9_-]{1,40}$/, what));

/**
 * POST: a token with which the provider's own page is opened once, for coins to this address on
 * Base.
 */
export const OnrampSessionBody = z.strictObject({ address: WalletAddress });
export type OnrampSessionBody = z.infer<typeof OnrampSessionBody>;
export const OnrampSessionReply = z.object({ commandId: z.string(), token: z.string() });
export type OnrampSessionReply = z.infer<typeof OnrampSessionReply>;

/** POST: what an amount of money buys. */
export const OnrampQuoteBody = z.strictObject({
  purchaseCurrency: word('A coin such as USDC'),
  purchaseNetwork: z.optional(word('A network such as base')),
  paymentCurrency: z
    .string({ error: 'Required' })
    .check(z.regex(/^[A-Z]{3}$/, 'A three-letter currency code such as USD')),
  paymentMethod: word('A payment method such as CARD'),
  paymentAmount: z
    .string({ error: 'Required' })
    .check(z.regex(/^\d{1,7}(\.\d{1,2})?$/, 'An amount such as 100 or 100.00')),
  country,
  subdivision,
});
export type OnrampQuoteBody = z.infer<typeof OnrampQuoteBody>;

const OnrampAmount = z.object({ value: z.string(), currency: z.string() });
type OnrampAmount = z.infer<typeof OnrampAmount>;

export const OnrampQuoteReply = z.object({
  commandId: z.string(),
  purchaseAmount: OnrampAmount,
  paymentSubtotal: OnrampAmount,
  paymentTotal: z.optional(OnrampAmount),
  coinbaseFee: z.optional(OnrampAmount),
  networkFee: z.optional(OnrampAmount),
  quoteId: z.optional(z.string()),
});
export type OnrampQuoteReply = z.infer<typeof OnrampQuoteReply>;

export const OnrampOptionsQuery = z.object({ country, subdivision });
export type OnrampOptionsQuery = z.infer<typeof OnrampOptionsQuery>;

/** Names and limits as the provider spells them; amounts are decimal text. */
export const OnrampOptions = z.object({
  paymentCurrencies: z.array(
    z.object({
      id: z.string(),
      limits: z.array(z.object({ id: z.string(), min: z.string(), max: z.string() })),
    }),
  ),
  purchaseCurrencies: z.array(
    z.object({
      id: z.string(),
      name: z.string(),
      symbol: z.string(),
      networks: z.array(z.object({ name: z.string(), displayName: z.string() })),
    }),
  ),
});
export type OnrampOptions = z.infer<typeof OnrampOptions>;
