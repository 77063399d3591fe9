/** The trading account and linked addresses, as the server has them. */
import { useEffect, useRef } from 'react';
import { useSnapshot } from 'valtio';
import { QUERY_FRESH_MS } from '../../../contract/limits.ts';
import {
  LINKED_ADDRESSES_MAX,
  type LinkedAddress,
  type WalletStatus as Status,
} from '../../../contract/wallet.ts';
import { Age } from '../../components/Age.tsx';
import { NotRead, ReadError, SkeletonRows } from '../../components/EmptyState.tsx';
import { Line, Section } from '../../components/Section.tsx';
import { PaperTag, StatusBadge, Tag } from '../../components/Tags.tsx';
import { chainName, shortAddress } from '../../format/addresses.ts';
import { formatAmount, formatQuantity, UNKNOWN } from '../../format/numbers.ts';
import { formatDate, formatMoment } from '../../format/times.ts';
import { portfolioStore } from '../../stores/portfolio-store.ts';
import type { Slot } from '../../stores/slot.ts';
import { loadWallet, walletStore } from '../../stores/wallet-store.ts';
import { useSlot } from '../use-store.ts';
import { UnlinkWallet } from './UnlinkWallet.tsx';

const again = (): void => {
  void loadWallet(true);
};

/** Placeholders while loading, or the reason why there is no data. `className`: the real height. */
function Unsaid({
  error,
  rows,
  label,
  className,
}: {
  error: string | null;
  rows: number;
  label: string;
  className: string;
}) {
  return (
    <div className={className}>
      {error === null ? <SkeletonRows rows={rows} label={label} /> : <NotRead />}
    </div>
  );
}

function Balances({ balances, quote }: Pick<Status, 'balances' | 'quote'>) {
  const text = (asset: string, amount: string | undefined): string => {
    if (amount === undefined) return UNKNOWN;
    return asset === quote ? formatAmount(amount) : formatQuantity(amount);
  };
  return (
    <div className="sheet-scroll">
      <table className="sheet-table" aria-label="Balances">
        <thead>
          <tr>
            <th scope="col" className="static!">
              Asset
            </th>
            <th scope="col" className="num static!">
              Available
            </th>
            <th scope="col" className="num static!">
              In positions
            </th>
          </tr>
        </thead>
        <tbody>
          {balances.map(({ asset, available, reserved }) => (
            <tr key={asset}>
              <th scope="row" className="static! h-[var(--row)] text-sm! font-normal! text-ink!">
                {asset}
              </th>
              <td className="num">{text(asset, available)}</td>
              <td className="num text-ink-2">{text(asset, reserved)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Venue({ slot }: { slot: Slot<Status> }) {
  const { data, error, savedAt } = slot;
  return (
    <Section
      title="Trading account"
      aside={savedAt === null ? undefined : <Age savedAt={savedAt} staleAfterMs={QUERY_FRESH_MS} />}
    >
      {data === null ? (
        <Unsaid
          error={error}
          rows={2}
          label="Trading account"
          className="min-h-[calc(var(--row)+5.1rem)]"
        />
      ) : (
        <>
          <dl>
            <Line term="Venue">
              <span className="inline-flex flex-wrap items-center justify-end gap-2">
                {data.venue}
                {data.mode === 'paper' ? (
                  <PaperTag />
                ) : (
                  <StatusBadge tone="attention">LIVE</StatusBadge>
                )}
              </span>
            </Line>
          </dl>
          <Balances balances={data.balances} quote={data.quote} />
        </>
      )}
    </Section>
  );
}

function Address({ link }: { link: LinkedAddress }) {
  const { address, chainId, label, linkedAt, proof } = link;
  return (
    <li className="rule flex items-center justify-between gap-4 py-2">
      <span className="min-w-0">
        <span className="flex flex-wrap items-center gap-x-2">
          <span className="font-medium break-words">{label}</span>
          <Tag>{chainId === 8_453 ? 'Base' : `${chainName(chainId)}, test`}</Tag>
        </span>
        <span className="flex flex-wrap gap-x-2 text-sm text-ink-2">
          <span className="font-mono break-all max-sm:sr-only">{address}</span>
          <span aria-hidden className="font-mono sm:hidden">
            {shortAddress(address)}
          </span>{' '}
          <span
            className="whitespace-nowrap"
            title={`${formatMoment(linkedAt)}, ${proof === 'key' ? 'signed by its key' : 'confirmed by its contract'}`}
          >
            since {formatDate(linkedAt)}
          </span>
        </span>
      </span>
      <UnlinkWallet link={link} />
    </li>
  );
}

function AddressList({ links }: Pick<Status, 'links'>) {
  if (links.length === 0)
    return (
      <p className="rule max-w-[56ch] py-2 text-ink-2">
        None. Link an address in the wallet below to show that it is yours. Agents cannot spend from
        it.
      </p>
    );
  return (
    <ul>
      {links.map((link) => (
        <Address key={link.id} link={link} />
      ))}
    </ul>
  );
}

function Addresses({ slot: { data, error } }: { slot: Slot<Status> }) {
  return (
    <Section
      title="Linked addresses"
      aside={
        data !== null && data.links.length > 0
          ? `${data.links.length} of ${LINKED_ADDRESSES_MAX}`
          : undefined
      }
    >
      {data === null ? (
        <Unsaid error={error} rows={1} label="Linked addresses" className="min-h-[4.85rem]" />
      ) : (
        <AddressList links={data.links} />
      )}
    </Section>
  );
}

export function WalletStatus() {
  const slot = useSlot(walletStore, loadWallet);
  // Loaded again when the portfolio's cash changes, so that both agree.
  const { cash, positions } = useSnapshot(portfolioStore).data ?? { cash: '', positions: [] };
  const held = `${cash} ${positions.map(({ id, quantity }) => `${id}:${quantity}`).join(' ')}`;
  const known = useRef(held);
  useEffect(() => {
    if (known.current === held) return;
    known.current = held;
    void loadWallet(true);
  }, [held]);
  return (
    <>
      <ReadError message={slot.error} hasData={slot.data !== null} onRetry={again} />
      <div className="grid gap-x-14 gap-y-10 xl:grid-cols-2">
        <Venue slot={slot} />
        <Addresses slot={slot} />
      </div>
    </>
  );
}
