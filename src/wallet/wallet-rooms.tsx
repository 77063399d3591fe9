/** The wallet's parts under one heading, one shown at a time and named in the address; refuses to load a part before it is chosen. */
import { lazy, Suspense, type ComponentType } from 'react';
import { useSearchParams } from 'wouter';
import { SkeletonRows } from '../components/EmptyState.tsx';
import { PartBoundary } from './part-boundary.tsx';
import { WalletAccount } from './wallet-account.tsx';
import { PANEL_ID, tabId, WalletTabs } from './wallet-tabs.tsx';

interface Room { id: string; title: string; Part: ComponentType }

/** In the order of their use. Each but the first is a download of its own. */
const ROOMS: readonly Room[] = [
  { id: 'account', title: 'Wallet', Part: WalletAccount },
  { id: 'fund', title: 'Fund', Part: lazy(() => import('./fund/fund-room.tsx')) },
  { id: 'swap', title: 'Swap', Part: lazy(() => import('./swap/swap-room.tsx')) },
  { id: 'send', title: 'Send', Part: lazy(() => import('./wallet-send.tsx')) },
  { id: 'checkout', title: 'Checkout', Part: lazy(() => import('./checkout/checkout-room.tsx')) },
  { id: 'nft', title: 'NFT', Part: lazy(() => import('./nft/nft-room.tsx')) },
  { id: 'history', title: 'History', Part: lazy(() => import('./wallet-history.tsx')) },
];

export function WalletRooms() {
  const [search, setSearch] = useSearchParams();
  const shown = ROOMS.find(({ id }) => id === search.get('wallet')) ?? ROOMS[0];
  if (shown === undefined) return null;
  const show = (id: string): void => {
    setSearch((old) => { const next = new URLSearchParams(old); next.set('wallet', id); return next; }, { replace: true });
  };
  return (
    <>
      <WalletTabs tabs={ROOMS} shown={shown.id} onShow={show} />
      <div role="tabpanel" id={PANEL_ID} aria-labelledby={tabId(shown.id)}>
        <PartBoundary key={shown.id} part={shown.id}>
          <Suspense fallback={<SkeletonRows rows={4} label="Loading this part of the wallet" />}><shown.Part /></Suspense>
        </PartBoundary>
      </div>
    </>
  );
}
