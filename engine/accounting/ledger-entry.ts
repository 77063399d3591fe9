/** One side of a double entry. */
import type { Fixed } from '../../contract/money.ts';

/** One side of a double entry; amounts of one transaction sum to zero per asset. */
export interface LedgerEntry {
  bucket: string;
  asset: string;
  amount: Fixed;
}
