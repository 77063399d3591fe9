/** Reads what a key may do. One that can withdraw or transfer, or cannot read or trade, is not taken. */
import { KEY_ADVICE } from '../contract/key-advice.ts';
import type { KeyFault, KeyReport, LiveExchange } from '../contract/signer.ts';
import { ReadFailed, type Adapter } from './exchanges/adapter.ts';

/** `portfolioId`: of the connection it belongs to; null for a new one. */
export async function checkKey(
  exchange: LiveExchange,
  adapter: Adapter,
  portfolioId: string | null,
): Promise<KeyReport> {
  const advice = KEY_ADVICE[exchange];
  try {
    const permissions = await adapter.permissions();
    const faults: KeyFault[] = [];
    if (permissions.canWithdraw) faults.push('can_withdraw');
    if (permissions.canTransfer) faults.push('can_transfer');
    if (!permissions.canTrade) faults.push('cannot_trade');
    if ((permissions.missing ?? []).length > 0) faults.push('cannot_read');
    if (portfolioId !== null && permissions.portfolioId !== portfolioId)
      faults.push('other_portfolio');
    const balances = faults.length === 0 ? await adapter.balances() : [];
    return {
      accepted: faults.length === 0,
      faults,
      permissions,
      balances: balances.filter(({ total }) => total !== 0n),
      advice,
    };
  } catch (error) {
    // Anything but the exchange's own "no" leaves the question open.
    if (!(error instanceof ReadFailed) || !error.keyRejected) throw error;
    return { accepted: false, faults: ['invalid_key'], permissions: null, balances: [], advice };
  }
}
