/**
 * Sales that an exchange confirmed and shows no more: until they are found or proved absent, nobody
 * could sell what they hold back. Purchases are none of these: they go on counting as money in the
 * market.
 */
import type { OrderRef, SignerReply } from '../contract/signer.ts';
import type { Journal } from './journal.ts';
import type { Connection, SentOrder } from './ledger.ts';
import { ABSENT_AFTER_MS } from './observe.ts';

export interface LostSalesParts {
  journal: Journal;
  now: () => number;
  /** What it finds is written down. */
  lookUp: (connectionId: string, order: OrderRef) => Promise<SignerReply<'look_up'>>;
  /** Whether the key of now shows the account that orders were sent to. */
  isSameAccount: (connection: Connection) => Promise<boolean>;
}

const isSale = ({ intent, ended, exchangeOrderId }: SentOrder): boolean =>
  intent.side === 'sell' && !ended && exchangeOrderId !== null;

export class LostSales {
  /** By client order id, when its exchange last showed it to this process. */
  private readonly seenAtMs = new Map<string, number>();
  /** A process before this one may have been shown any of them a moment ago. */
  private readonly begunAtMs: number;

  constructor(private readonly parts: LostSalesParts) {
    this.begunAtMs = parts.now();
  }

  /** An answer of its exchange shows it. */
  saw(order: SentOrder): void {
    const { clientOrderId } = order.intent;
    if (isSale(order)) this.seenAtMs.set(clientOrderId, this.parts.now());
    else this.seenAtMs.delete(clientOrderId);
  }

  /** Those of which nothing was seen for minutes: they may be gone. */
  of(connection: Connection): SentOrder[] {
    const isOld = (order: SentOrder): boolean => this.isLongAgo(this.seenOf(order));
    return [...connection.orders.values()].filter((order) => isSale(order) && isOld(order));
  }

  /**
   * Asks for it by the exchange's id, and then looks for it in every list by ours. Only a search that
   * begins minutes after it was last shown proves anything: lists may lag.
   */
  async look(connection: Connection, order: SentOrder): Promise<void> {
    const { journal, now, lookUp, isSameAccount } = this.parts;
    const { connectionId, keys } = connection;
    const { exchangeOrderId, sentAtMs, intent } = order;
    const { clientOrderId, symbol } = intent;
    const begunAtMs = now();
    const isLate = this.isLongAgo(Math.max(this.seenOf(order), this.begunAtMs));
    const ref = { clientOrderId, exchangeOrderId, symbol, sinceMs: sentAtMs };
    const known = await lookUp(connectionId, ref);
    if (known.kind !== 'not_found' || !isLate) return;
    const found = await lookUp(connectionId, { ...ref, exchangeOrderId: null });
    if (found.kind !== 'not_found') return;
    const { byClientId, open, closed, trades } = found.searched;
    if (!byClientId || !open || !closed || !trades) return;
    // A thief of the server could connect a key of their own, whose account never had the order.
    if (!(await isSameAccount(connection))) return;
    // From here to the end nothing else runs. It may have been shown meanwhile, or by another key.
    const isUnseen = isSale(order) && this.seenOf(order) < begunAtMs;
    if (!isUnseen || connection.keys !== keys) return;
    journal.write({ kind: 'absent', atMs: now(), clientOrderId });
    this.seenAtMs.delete(clientOrderId);
  }

  /** It was confirmed after it was sent, if not shown since. */
  private seenOf({ intent, sentAtMs }: SentOrder): number {
    return Math.max(sentAtMs, this.seenAtMs.get(intent.clientOrderId) ?? sentAtMs);
  }

  private isLongAgo(atMs: number): boolean {
    return this.parts.now() > atMs + ABSENT_AFTER_MS;
  }
}
