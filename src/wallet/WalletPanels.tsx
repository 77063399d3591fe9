/**
 * The wallet's panels under one heading, one at a time, named in the address and loaded when
 * chosen.
 */
import { lazy, Suspense, useState, type ComponentType } from 'react';
import { useSearchParams } from 'wouter';
import { SkeletonRows } from '../components/EmptyState.tsx';
import { PanelBoundary, PanelMissing } from './PanelBoundary.tsx';
import { WalletAccount } from './connect/WalletAccount.tsx';
import { PANEL_ID, tabId, WalletTabs } from './WalletTabs.tsx';

interface PanelChoice {
  id: string;
  title: string;
  load: () => Promise<{ default: ComponentType }>;
}

const ACCOUNT = 'account';

/** In the order of use. Each one but the first is loaded on demand. */
const ROOMS: readonly PanelChoice[] = [
  { id: ACCOUNT, title: 'Wallet', load: () => Promise.resolve({ default: WalletAccount }) },
  { id: 'fund', title: 'Fund', load: () => import('./fund/FundPanel.tsx') },
  { id: 'swap', title: 'Swap', load: () => import('./swap/SwapPanel.tsx') },
  { id: 'send', title: 'Send', load: () => import('./send/SendPanel.tsx') },
  { id: 'checkout', title: 'Checkout', load: () => import('./checkout/CheckoutPanel.tsx') },
  { id: 'nft', title: 'NFT', load: () => import('./nft/NftPanel.tsx') },
  { id: 'history', title: 'History', load: () => import('./send/HistoryPanel.tsx') },
];

const partOf = ({ id, load }: PanelChoice): ComponentType =>
  id === ACCOUNT
    ? WalletAccount
    : lazy(() =>
        load().catch((cause: unknown) => {
          throw new PanelMissing(cause);
        }),
      );

export function WalletPanels() {
  const [rooms, setRooms] = useState(() =>
    ROOMS.map((room) => ({ ...room, attempt: 0, Part: partOf(room) })),
  );
  const [search, setSearch] = useSearchParams();
  const shown = rooms.find(({ id }) => id === search.get('wallet')) ?? rooms[0];
  if (shown === undefined) return null;
  /** Retries a download that failed. */
  const again = (): void => {
    setRooms((old) =>
      old.map((room) =>
        room.id === shown.id ? { ...room, attempt: room.attempt + 1, Part: partOf(room) } : room,
      ),
    );
  };
  const show = (id: string): void => {
    setSearch(
      (old) => {
        const next = new URLSearchParams(old);
        next.set('wallet', id);
        return next;
      },
      { replace: true },
    );
  };
  return (
    <>
      <WalletTabs tabs={ROOMS} shown={shown.id} onShow={show} />
      <div role="tabpanel" id={PANEL_ID} aria-labelledby={tabId(shown.id)}>
        <PanelBoundary key={`${shown.id} ${shown.attempt}`} part={shown.id} onMissing={again}>
          <Suspense fallback={<SkeletonRows rows={4} label="Loading" />}>
            <shown.Part />
          </Suspense>
        </PanelBoundary>
      </div>
    </>
  );
}
