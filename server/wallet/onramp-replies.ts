/** The onramp provider's replies, converted leniently to our own types. */
import * as z from 'zod';
import type { OnrampOptions, OnrampQuoteReply } from '../../contract/onramp.ts';

/**
 * Names as `snake_case`, as `camelCase`, and with the whole under `data`, have all been seen: one
 * form of them.
 */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name.replace(/_([a-z0-9])/g, (_whole, letter: string) => letter.toUpperCase()),
      plain(inner),
    ]),
  );
}
const unwrapped = (value: unknown): unknown => {
  const form = plain(value);
  return typeof form === 'object' && form !== null && 'data' in form ? form.data : form;
};

/** Amounts come as text, and have come as numbers. */
const amountText = z.union([
  z.string().regex(/^\d{1,30}(\.\d{1,30})?$/),
  z.number().nonnegative().transform(String),
]);
const Amount = z.object({ value: amountText, currency: z.string().max(20).default('') });
const optional = <T extends z.ZodType>(schema: T) => schema.optional().catch(undefined);

const Quote = z.preprocess(
  unwrapped,
  z.object({
    purchaseAmount: Amount,
    paymentSubtotal: Amount,
    paymentTotal: optional(Amount),
    coinbaseFee: optional(Amount),
    networkFee: optional(Amount),
    quoteId: optional(z.string().max(200)),
  }),
);

/** Of a list, those entries that can be read. */
const readable = <T extends z.ZodType>(entry: T) =>
  z.array(z.unknown()).transform((list) =>
    list.flatMap((one) => {
      const parsed = entry.safeParse(one);
      return parsed.success ? [parsed.data] : [];
    }),
  );
const id = z.string().min(1).max(100);
const Limit = z.object({ id, min: amountText, max: amountText });
const Currency = z.object({ id, limits: readable(Limit).catch([]) });
const Network = z.object({ name: id, displayName: z.string().max(100).default('') });
const Coin = z.object({
  id,
  name: z.string().max(100).default(''),
  symbol: z.string().max(40).default(''),
  networks: readable(Network).catch([]),
});
const Options = z.preprocess(
  unwrapped,
  z.object({ paymentCurrencies: readable(Currency), purchaseCurrencies: readable(Coin).catch([]) }),
);

const Session = z.preprocess(unwrapped, z.object({ token: z.string().min(1).max(4_000) }));

/** Null where it cannot be read. */
export function readQuote(value: unknown): Omit<OnrampQuoteReply, 'commandId'> | null {
  const parsed = Quote.safeParse(value);
  if (!parsed.success) return null;
  const { purchaseAmount, paymentSubtotal, ...more } = parsed.data;
  const known = Object.fromEntries(Object.entries(more).filter(([, one]) => one !== undefined));
  return { purchaseAmount, paymentSubtotal, ...known };
}

export const readOptions = (value: unknown): OnrampOptions | null =>
  Options.safeParse(value).data ?? null;
export const readSession = (value: unknown): string | null =>
  Session.safeParse(value).data?.token ?? null;
