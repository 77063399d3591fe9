/** Decides of a row that cannot be read whether the rest of its list may be believed. */
import { ReadFailed } from './exchanges/adapter.ts';
import { isOurKind, type OnUnread, type UnreadRow } from './exchanges/rows.ts';
import type { Connection } from './ledger.ts';
import type { Log } from './log.ts';

/** Rows that were told of; whoever trades more than this by hand is told of the first again. */
const TOLD_KEPT = 1_000;

export class UnreadRows {
  private readonly told = new Set<string>();

  constructor(
    private readonly log: Log,
    private readonly connectionOf: (connectionId: string) => Connection | undefined,
  ) {}

  of(connectionId: string | null): OnUnread {
    return (row) => {
      const connection = connectionId === null ? undefined : this.connectionOf(connectionId);
      if (mayBeOurs(row, connection)) throw new ReadFailed('unreadable');
      this.tell(row, connectionId);
    };
  }

  /** Once, though the list is read every minute; what it moved shows up as a deposit or a withdrawal. */
  private tell({ list, exchangeOrderId, symbol }: UnreadRow, connectionId: string | null): void {
    const name = `${connectionId ?? ''} ${list} ${exchangeOrderId ?? symbol ?? ''}`;
    if (this.told.has(name)) return;
    if (this.told.size >= TOLD_KEPT) this.told.clear();
    this.told.add(name);
    this.log.warn({ connectionId, list, exchangeOrderId, symbol }, 'a row cannot be read');
  }
}

/**
 * Trades name no id of ours: one whose order has no id of the exchange yet may have made any trade of
 * its pair.
 */
function mayBeOurs(
  { list, exchangeOrderId, clientOrderId, symbol }: UnreadRow,
  connection: Connection | undefined,
): boolean {
  if (isOurKind(clientOrderId)) return true;
  return [...(connection?.orders.values() ?? [])].some(
    (order) =>
      order.exchangeOrderId === exchangeOrderId ||
      (list === 'trades' &&
        order.exchangeOrderId === null &&
        !order.ended &&
        (symbol === null || symbol === order.intent.symbol)),
  );
}
