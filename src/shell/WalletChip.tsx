/** The connected wallet in the header, from a saved note: it does not load the wallet. */
import { Wallet } from 'lucide-react';
import { Link } from 'wouter';
import { shortAddress } from '../format/addresses.ts';
import { formatWhen } from '../format/times.ts';
import type { ShownWallet } from '../stores/wallet-note.ts';

export function WalletChip({ wallet: { address, at, chain, live } }: { wallet: ShownWallet }) {
  const walletState = live ? 'connected' : `connected at ${formatWhen(at)}`;
  return (
    <Link
      href="/wallet?wallet=account"
      title={`Wallet ${address}, ${chain}, ${walletState}`}
      data-wallet-chip={live ? 'live' : 'kept'}
      className="flex min-h-9 min-w-6 items-center gap-1.5 rounded-md text-xs text-ink-2 hover:text-ink lg:px-1.5"
    >
      <Wallet className="size-4 shrink-0" aria-hidden />
      <span className="whitespace-nowrap max-lg:sr-only">
        <span className="sr-only">Wallet </span>
        {shortAddress(address)}
        <span className="sr-only">, </span>
        <span className="ml-1.5 text-ink-3 max-xl:sr-only">{chain}</span>
        <span className="sr-only">, {walletState}</span>
      </span>
    </Link>
  );
}
