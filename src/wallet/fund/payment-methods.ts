/** The payment methods of a purchase and the limits of each. */
import { parseFixed, type Fixed } from '../../../contract/money.ts';

/** Limits of one way to pay, as the provider's options list them. */
interface MethodLimit {
  id: string;
  min: string;
  max: string;
}
export interface PaymentCurrency {
  id: string;
  limits: readonly MethodLimit[];
}

export interface PaymentMethod {
  /** Empty for the person's own account at Coinbase. */
  id: string;
  name: string;
  description: string;
  icon: 'coinbaseLogo' | 'apple' | 'creditCard';
  minAmount: Fixed;
  maxAmount: Fixed;
}

const CARD_MIN = '2';
const CARD_MAX = '500';
const CARDS = [
  { id: 'APPLE_PAY', name: 'Apple Pay', icon: 'apple' },
  { id: 'CARD', name: 'Debit card', icon: 'creditCard' },
] as const;

/** Ignores a limit that is not a positive decimal. */
function limitOf(text: string | undefined, otherwise: string): Fixed {
  return parseFixed(
    text !== undefined && /^\d+(\.\d{1,12})?$/.test(text) && Number(text) > 0 ? text : otherwise,
  );
}

function account({ limits }: PaymentCurrency): PaymentMethod {
  const has = (id: string): boolean => limits.some((limit) => limit.id === id);
  const mins = limits.map(({ min }) => limitOf(min, '0'));
  const maxes = limits.map(({ max }) => limitOf(max, '0'));
  return {
    id: '',
    name: 'Coinbase',
    icon: 'coinbaseLogo',
    description: [
      has('ACH_BANK_ACCOUNT') && 'ACH',
      has('CARD') && 'debit',
      'cash',
      'crypto balance',
    ]
      .filter(Boolean)
      .join(', '),
    minAmount: mins.reduce((low, value) => (value < low ? value : low), mins[0] ?? parseFixed('0')),
    maxAmount: maxes.reduce((high, value) => (value > high ? value : high), parseFixed('0')),
  };
}

/**
 * Cards without an account are for the United States and its dollars alone. None where the currency
 * is not offered.
 */
export function paymentMethods(
  offered: readonly PaymentCurrency[],
  currency: string,
  country: string,
): PaymentMethod[] {
  const found = offered.find(({ id }) => id === currency);
  if (found === undefined) return [];
  const cards =
    country === 'US' && currency === 'USD'
      ? CARDS.map((card): PaymentMethod => {
          const limit = found.limits.find(({ id }) => id === card.id);
          return {
            ...card,
            description: 'Up to $500/week. No sign up required.',
            minAmount: limitOf(limit?.min, CARD_MIN),
            maxAmount: limitOf(limit?.max, CARD_MAX),
          };
        })
      : [];
  return [account(found), ...cards];
}

/** Only some browsers support Apple Pay. */
export function applePayHere(agent: string): boolean {
  return (
    /iPhone|iPad|iPod/.test(agent) || (/Safari/.test(agent) && !/Chrome|Chromium|Edg/.test(agent))
  );
}

/** Why this amount cannot be paid by this method, or null. */
export function outsideLimits(
  method: PaymentMethod,
  amount: Fixed,
  words: (limit: Fixed) => string,
): string | null {
  if (method.minAmount > 0n && amount < method.minAmount)
    return `Minimum amount of ${words(method.minAmount)} required`;
  return method.maxAmount > 0n && amount > method.maxAmount
    ? `Maximum amount allowed is ${words(method.maxAmount)}`
    : null;
}
