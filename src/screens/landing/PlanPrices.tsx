/**
 * What the plans cost and how many agents they run. Shows no amounts where a payment provider sets
 * them.
 */
import { BUILT_IN_AMOUNTS, PLAN_NAMES } from '../../../contract/plan-prices.ts';
import { agentCap, PAID_TIERS, tierPermits, type PaidTier } from '../../../contract/tiers.ts';
import type { Tier } from '../../../contract/permission.ts';
import { environment } from '../../environment.ts';
import { formatAmount } from '../../format/numbers.ts';

interface Row {
  tier: Tier;
  name: string;
  price: string | null;
  adds: string;
}

/** What a plan adds to the one before it, by the table that the server enforces. */
function added(tier: PaidTier, index: number): string {
  const before: Tier = PAID_TIERS[index - 1] ?? 'free';
  const isNew = (
    ...[resource, action]: [Parameters<typeof tierPermits>[1], Parameters<typeof tierPermits>[2]]
  ): boolean => tierPermits(tier, resource, action) && !tierPermits(before, resource, action);
  return [
    isNew('trading', 'basic') && 'preset risk profiles',
    isNew('trading', 'standard') && 'custom risk limits',
    isNew('analytics', 'read') && 'full analytics',
    isNew('trading', 'advanced') && 'choice of strategy pool',
    isNew('pro-features', 'read') && 'the PRO dashboard',
    isNew('priority-support', 'access') && 'priority support',
  ]
    .filter(Boolean)
    .join(', ');
}

export function planRows(quoted: boolean): Row[] {
  return [
    { tier: 'free', name: 'Free', price: '0', adds: 'dashboard, markets and portfolio' },
    ...PAID_TIERS.map((tier, index): Row => ({
      tier,
      name: PLAN_NAMES[tier],
      price: quoted ? BUILT_IN_AMOUNTS[tier] : null,
      adds: added(tier, index),
    })),
  ];
}

/** The operator's own payment provider sets the amounts, and this page does not know them. */
const isBuiltIn = environment.stripePublishableKey === '';

export function PlanPrices() {
  return (
    <div className="sheet-scroll">
      <table className="sheet-table">
        <caption className="sr-only">Plans</caption>
        <thead>
          <tr>
            <th scope="col">Plan</th>
            <th scope="col" className="num">
              {isBuiltIn ? 'USD a month' : 'Price'}
            </th>
            <th scope="col" className="num">
              Agents
            </th>
            <th scope="col" className="hidden sm:table-cell">
              Adds
            </th>
          </tr>
        </thead>
        <tbody>
          {planRows(isBuiltIn).map(({ tier, name, price, adds }) => (
            <tr key={tier}>
              <th scope="row" className="static! bg-transparent! text-sm! text-ink!">
                {name}
              </th>
              <td className="num">
                {price === null ? 'at checkout' : formatAmount(price, { least: 0 })}
              </td>
              <td className="num">{agentCap(tier) === 0 ? '—' : agentCap(tier)}</td>
              <td className="hidden whitespace-normal! text-ink-2 sm:table-cell">{adds}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
