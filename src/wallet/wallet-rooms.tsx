/** The wallet's parts under one heading, one shown at a time and named in the address; refuses to load a part before it is chosen. */
import { lazy, Suspense, useState, type ComponentType } from 'react';
import { useSearchParams } from 'wouter';
import { SkeletonRows } from '../components/EmptyState.tsx';
import { PartBoundary, PartMissing } from './part-boundary.tsx';
import { WalletAccount } from './wallet-account.tsx';
import { PANEL_ID, tabId, WalletTabs } from './wallet-tabs.tsx';

interface Room { id: string; title: string; load: () => Promise<{ default: ComponentType }> }

const ACCOUNT = 'account';

/** In the order of their use. Each but the first is a download of its own. */
const ROOMS: readonly Room[] = [
  { id: ACCOUNT, title: 'Wallet', load: () => Promise.resolve({ default: WalletAccount }) },
  { id: 'fund', title: 'Fund', load: () => import('./fund/fund-room.tsx') },
  { id: 'swap', title: 'Swap', load: () => import('./swap/swap-room.tsx') },
  { id: 'send', title: 'Send', load: () => import('./wallet-send.tsx') },
  { id: 'checkout', title: 'Checkout', load: () => import('./checkout/checkout-room.tsx') },
  { id: 'nft', title: 'NFT', load: () => import('./nft/nft-room.tsx') },
  { id: 'history', title: 'History', load: () => import('./wallet-history.tsx') },
];

/** What has been asked for, and not in vain: a download that failed is asked for anew. */
const asked = new Map<string, ComponentType>([[ACCOUNT, WalletAccount]]);

function partOf({ id, load }: Room): ComponentType {
  const known = asked.get(id);
  if (known !== undefined) return known;
  const part = lazy(() => load().catch((cause: unknown) => { throw new PartMissing(cause); }));
  asked.set(id, part);
  return part;
}

export function WalletRooms() {
  const [attempt, setAttempt] = useState(0);
  const [search, setSearch] = useSearchParams();
  const shown = ROOMS.find(({ id }) => id === search.get('wallet')) ?? ROOMS[0];
  if (shown === undefined) return null;
  const Part = partOf(shown);
  const show = (id: string): void => {
    setSearch((old) => { const next = new URLSearchParams(old); next.set('wallet', id); return next; }, { replace: true });
  };
  return (
    <>
      <WalletTabs tabs={ROOMS} shown={shown.id} onShow={show} />
      <div role="tabpanel" id={PANEL_ID} aria-labelledby={tabId(shown.id)}>
        <PartBoundary key={`${shown.id} ${attempt}`} part={shown.id} onMissing={() => { asked.delete(shown.id); setAttempt(attempt + 1); }}>
          <Suspense fallback={<SkeletonRows rows={4} label="Loading this part of the wallet" />}><Part /></Suspense>
        </PartBoundary>
      </div>
    </>
  );
}
