/** The payment methods, each with its limits, and why one is unavailable. */
import { CreditCard, Smartphone, Wallet } from 'lucide-react';
import type { Fixed } from '../../../contract/money.ts';
import { classes } from '../../components/class-names.ts';
import { outsideLimits, type PaymentMethod } from './payment-methods.ts';

const ICON = { coinbaseLogo: Wallet, apple: Smartphone, creditCard: CreditCard } as const;

export interface MethodChoiceProps {
  methods: readonly PaymentMethod[];
  chosen: string | null;
  amount: Fixed | null;
  words: (limit: Fixed) => string;
  onChoose: (id: string) => void;
}

export function MethodChoice({ methods, chosen, amount, words, onChoose }: MethodChoiceProps) {
  return (
    <fieldset>
      <legend className="mb-1 font-medium">Pay with</legend>
      {methods.map((method) => {
        const Icon = ICON[method.icon];
        const reason = amount === null ? null : outsideLimits(method, amount, words);
        return (
          <label key={method.id} className="rule row flex items-center gap-3 py-2">
            <input
              type="radio"
              name="method"
              value={method.id}
              checked={method.id === chosen}
              onChange={() => {
                onChoose(method.id);
              }}
              className="size-4 shrink-0"
            />
            <Icon className="size-4 shrink-0 text-ink-3" aria-hidden />
            <span className="min-w-0">
              <span className="block">{method.name}</span>
              <span
                className={classes('block text-xs', reason === null ? 'text-ink-3' : 'text-amber')}
              >
                {reason ?? method.description}
              </span>
            </span>
          </label>
        );
      })}
    </fieldset>
  );
}
