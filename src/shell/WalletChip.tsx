/** The connected wallet in the header, and the way to it; refuses to load the wallet, and to call connected what it only remembers. */
import { Wallet } from 'lucide-react';
import { useEffect } from 'react';
import { useSnapshot } from 'valtio';
import { Link } from 'wouter';
import { formatWhen } from '../format/times.ts';
import { session } from '../identity/session.ts';
import { openWalletNote, walletNote } from '../stores/wallet-note.ts';

export function WalletChip() {
  const uid = useSnapshot(session).user?.uid ?? null;
  const { live, note, uid: whose } = useSnapshot(walletNote);
  useEffect(() => (uid === null ? undefined : openWalletNote(uid)), [uid]);
  if (note === null || whose !== uid) return null;
  const short = `${note.address.slice(0, 6)}…${note.address.slice(-4)}`;
  const standing = live ? 'connected' : `connected at ${formatWhen(note.at)}`;
  return (
    <Link href="/trading?wallet=account" title={`Wallet ${note.address}, ${note.chain}, ${standing}`} data-wallet-chip={live ? 'live' : 'kept'}
      className="flex min-h-9 min-w-6 items-center gap-1.5 rounded-md text-xs text-ink-2 hover:text-ink md:px-1.5">
      <Wallet className="size-4 shrink-0" aria-hidden />
      <span className="max-md:sr-only"><span className="sr-only">Wallet </span>{short}<span className="ml-1.5 text-ink-3 max-xl:sr-only">{note.chain}</span><span className="sr-only">, {standing}</span></span>
    </Link>
  );
}
