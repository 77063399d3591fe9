/** What exchanges charged for single fills in other coins than the quote currency. */
import { inArray } from 'drizzle-orm';
import type { OtherFee } from '../../contract/agents.ts';
import { formatFixed, parseFixed } from '../../contract/money.ts';
import { addCoins, NO_COINS, type CoinAmounts } from '../../engine/accounting/coin-amounts.ts';
import { baseOf, quoteOf } from '../../engine/pair-coins.ts';
import type { Db } from '../db/database.ts';
import { venueFills } from '../db/schema-live.ts';

const AT_ONCE = 2_000;

/** By fill; those without such fees are left out. */
export async function otherFeesByFill(
  db: Db,
  ids: readonly string[],
): Promise<Map<string, CoinAmounts>> {
  const found = new Map<string, CoinAmounts>();
  for (let from = 0; from < ids.length; from += AT_ONCE) {
    const rows = await db
      .select({ id: venueFills.fillId, symbol: venueFills.symbol, fees: venueFills.fees })
      .from(venueFills)
      .where(inArray(venueFills.fillId, ids.slice(from, from + AT_ONCE)));
    for (const { id, symbol, fees } of rows) {
      const charged = (fees as { asset: string; amount: string }[])
        .filter(({ asset }) => asset !== quoteOf(symbol))
        .map(({ asset, amount }) => new Map([[asset, parseFixed(amount)]]))
        .reduce<CoinAmounts>(addCoins, NO_COINS);
      if (id !== null && charged.size > 0) found.set(id, charged);
    }
  }
  return found;
}

/** Adds up what was charged on trades of several pairs. */
export class OtherFeeSums {
  /** In the coin that was traded, and in a third one: the same coin may be both. */
  private readonly sums: Record<'traded' | 'third', CoinAmounts> = {
    traded: NO_COINS,
    third: NO_COINS,
  };

  add(pair: string, fees: CoinAmounts): void {
    for (const [asset, amount] of fees) {
      const kind = asset === baseOf(pair) ? 'traded' : 'third';
      this.sums[kind] = addCoins(this.sums[kind], new Map([[asset, amount]]));
    }
  }

  /** As a part of a reply; nothing where there were none. */
  told(): { otherFees?: OtherFee[] } {
    const listed = (coins: CoinAmounts, inResult: boolean): OtherFee[] =>
      [...coins]
        .filter(([, amount]) => amount !== 0n)
        .map(([asset, amount]) => ({ asset, amount: formatFixed(amount), inResult }));
    const otherFees = [...listed(this.sums.traded, true), ...listed(this.sums.third, false)];
    return otherFees.length === 0 ? {} : { otherFees };
  }
}

/** Of one trade or lot. */
export function otherFeesOn(
  pair: string,
  fees: CoinAmounts = NO_COINS,
): { otherFees?: OtherFee[] } {
  const sums = new OtherFeeSums();
  sums.add(pair, fees);
  return sums.told();
}
