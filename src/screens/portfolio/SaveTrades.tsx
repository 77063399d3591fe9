/** Saves the trades that the filter leaves as a file, the older ones read first. */
import { Download } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { useSnapshot } from 'valtio';
import type { Fill } from '../../../contract/trading.ts';
import { Button } from '../../components/Button.tsx';
import { failureSentence } from '../../format/failure-sentence.ts';
import { formatNumber } from '../../format/numbers.ts';
import { connection } from '../../stores/connection.ts';
import { pageToast } from '../../stores/toast-store.ts';
import { download, fillsCsv, tradesFileName, type TradedAccount } from './csv.ts';
import { filterFills, type TradeFilter } from './trade-filter.ts';
import type { OlderTrades } from './use-older-trades.ts';

export interface SaveTradesProps {
  fills: readonly Fill[];
  /** How many trades the account has in all. */
  total: number;
  filter: TradeFilter;
  isFiltered: boolean;
  account: TradedAccount;
  readAll: OlderTrades['readAll'];
  /** How many trades are read for the file that is being made; null without one. */
  read: number | null;
  onRead: (read: number | null) => void;
}

function titleOf({ fills, total, isFiltered }: SaveTradesProps, offline: boolean): string {
  const isPart = offline && total > fills.length;
  const loaded = `the newest ${formatNumber(fills.length)} trades (${formatNumber(total)} in all)`;
  if (isFiltered)
    return isPart ? `Trades matching the filter, of ${loaded}` : 'Trades matching the filter';
  return isPart ? `Only ${loaded}` : 'Every trade';
}

/** `newest`: how many trades it is made of, where older ones are missing. */
function saveFile(
  fills: readonly Fill[],
  { filter, account, total }: SaveTradesProps,
  newest: number | null,
): void {
  const rows = filterFills(fills, filter);
  if (rows.length === 0) {
    pageToast('error', 'No trades match the filter. No file was created.');
    return;
  }
  download(tradesFileName(account, newest), fillsCsv(rows, account));
  if (newest !== null)
    pageToast(
      'success',
      `Saved from the newest ${formatNumber(newest)} of ${formatNumber(total)} trades. Go online for the others.`,
    );
}

export function SaveTrades(props: SaveTradesProps) {
  const { fills, total, readAll, read, onRead } = props;
  const { online } = useSnapshot(connection);
  const stop = useRef<AbortController | null>(null);
  useEffect(
    () => () => {
      stop.current?.abort();
    },
    [],
  );
  const offline = online === 'offline';
  const save = async (): Promise<void> => {
    if (offline || total <= fills.length) {
      saveFile(fills, props, total > fills.length ? fills.length : null);
      return;
    }
    const ours = new AbortController();
    stop.current = ours;
    onRead(fills.length);
    try {
      saveFile(await readAll(ours.signal, onRead), props, null);
    } catch (failure) {
      const sentence = await failureSentence(failure);
      if (!ours.signal.aborted) pageToast('error', `${sentence} No file was created.`);
    }
    if (!ours.signal.aborted) onRead(null);
  };
  return (
    <Button
      size="sm"
      tone="plain"
      busy={read !== null}
      title={titleOf(props, offline)}
      onClick={() => {
        void save();
      }}
    >
      <Download className="size-4" aria-hidden />
      CSV
    </Button>
  );
}
