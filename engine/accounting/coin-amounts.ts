/** Amounts by coin: what was charged in other coins than the one that is counted in. */
import { add, ZERO, type Fixed } from '../../contract/money.ts';

export type CoinAmounts = ReadonlyMap<string, Fixed>;

export const NO_COINS: CoinAmounts = new Map();

export function addCoins(one: CoinAmounts, other: CoinAmounts): CoinAmounts {
  if (other.size === 0) return one;
  const total = new Map(one);
  for (const [asset, amount] of other) total.set(asset, add(total.get(asset) ?? ZERO, amount));
  return total;
}

/** What comes to nothing is left out. */
export function mapCoins(
  coins: CoinAmounts,
  change: (amount: Fixed, asset: string) => Fixed,
): CoinAmounts {
  if (coins.size === 0) return coins;
  const changed = [...coins].map(([asset, amount]) => [asset, change(amount, asset)] as const);
  return new Map(changed.filter(([, amount]) => amount !== ZERO));
}
