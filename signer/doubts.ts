/**
 * Looks for orders in doubt by itself: what they hold back is free again once they are found or
 * proved absent, whether or not the server still asks.
 */
import type { OrderRef } from '../contract/signer.ts';
import { inDoubt, type Connection, type SentOrder } from './ledger.ts';
import type { Log } from './log.ts';
import { ABSENT_AFTER_MS } from './observe.ts';

export interface DoubtsParts {
  now: () => number;
  log: Pick<Log, 'warn'>;
  /** What it finds is written down. */
  lookUp: (connectionId: string, order: OrderRef) => Promise<unknown>;
  lost: {
    of: (connection: Connection) => SentOrder[];
    look: (connection: Connection, order: SentOrder) => Promise<void>;
  };
}

export class Doubts {
  /** Rounds under way, by connection. */
  private readonly rounds = new Map<string, Promise<void>>();

  private isStopping = false;

  constructor(private readonly parts: DoubtsParts) {}

  /** The next order is not looked for any more. */
  stop(): void {
    this.isStopping = true;
  }

  /** One round at a time, in the background. */
  settle(connection: Connection): void {
    const { connectionId } = connection;
    if (this.rounds.has(connectionId)) return;
    const round = this.lookForAll(connection).finally(() => {
      this.rounds.delete(connectionId);
    });
    this.rounds.set(connectionId, round);
  }

  /** Waits for the rounds under way. */
  async settled(): Promise<void> {
    await Promise.all(this.rounds.values());
  }

  /** Each order that would be proved absent by now, and each sale that may be gone. */
  private async lookForAll(connection: Connection): Promise<void> {
    const { now, log, lookUp, lost } = this.parts;
    try {
      for (const { intent, sentAtMs } of inDoubt(connection)) {
        if (this.isStopping) return;
        if (now() <= intent.deadlineMs + ABSENT_AFTER_MS) continue;
        const { clientOrderId, symbol } = intent;
        await lookUp(connection.connectionId, {
          clientOrderId,
          exchangeOrderId: null,
          symbol,
          sinceMs: sentAtMs,
        });
      }
      for (const order of lost.of(connection)) {
        if (this.isStopping) return;
        await lost.look(connection, order);
      }
    } catch (error) {
      const name = error instanceof Error ? error.name : 'unknown';
      log.warn({ error: name }, 'an order in doubt could not be looked for');
    }
  }
}
