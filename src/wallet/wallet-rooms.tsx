/** The wallet's parts under one heading, one shown at a time and named in the address; refuses to load a part before it is chosen. */
import { Suspense, type ComponentType } from 'react';
import { useSearchParams } from 'wouter';
import { SkeletonRows } from '../components/EmptyState.tsx';
import { classes } from '../components/class-names.ts';
import { WalletAccount } from './wallet-account.tsx';

interface Room { id: string; title: string; Part: ComponentType }

/** In the order of their use. Each but the first is a download of its own. */
const ROOMS: readonly Room[] = [
  { id: 'account', title: 'Wallet', Part: WalletAccount },
];


export function WalletRooms() {
  const [search, setSearch] = useSearchParams();
  const shown = ROOMS.find(({ id }) => id === search.get('wallet')) ?? ROOMS[0];
  if (shown === undefined) return null;
  return (
    <>
      {ROOMS.length > 1 && (
        <nav aria-label="Wallet" className="mt-2 flex flex-wrap gap-1">
          {ROOMS.map(({ id, title }) => (
            <button
              key={id} type="button" aria-current={id === shown.id ? 'true' : undefined}
              className={classes('min-h-10 rounded-md px-3', id === shown.id ? 'bg-raised font-semibold' : 'text-ink-2')}
              onClick={() => { setSearch((old) => { const next = new URLSearchParams(old); next.set('wallet', id); return next; }, { replace: true }); }}
            >
              {title}
            </button>
          ))}
        </nav>
      )}
      <Suspense fallback={<SkeletonRows rows={4} label="Loading this part of the wallet" />}><shown.Part /></Suspense>
    </>
  );
}
