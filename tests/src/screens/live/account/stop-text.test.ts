/** What a position's stop loss is said to do, by exchange. */
import { describe, expect, it } from 'vitest';
import type { LiveExchange } from '../../../../../contract/signer.ts';
import { stopText } from '../../../../../src/screens/live/account/LivePositions.tsx';
import { liveAccount, liveConnection, liveOrder } from '../../../../support/live/live-replies.ts';

const AT = Date.parse('2026-01-01T10:00:00Z');

function told(exchange: LiveExchange, isResting = true): string {
  const stop = liveOrder(AT, { type: 'stop', side: 'sell', stopPrice: '66240' });
  const connection = liveConnection(AT, { exchange });
  const account = liveAccount(AT, { connection, orders: isResting ? [stop] : [] });
  return stopText(account.positions[0]!, account);
}

describe('a stop loss that rests', () => {
  it('at Coinbase is said to be one with a limit, and what happens below it', () => {
    expect(told('coinbase')).toBe(
      'Stop loss at 66,240.00, resting at Coinbase. It is a stop with a limit: below 62,928.00 ' +
        'Tradewind cancels it and sells at the price there is',
    );
  });

  it.each(['kraken', 'binance'] as const)('at %s has no limit to be told of', (exchange) => {
    expect(told(exchange)).not.toContain('limit');
  });

  it('nowhere has none either', () => {
    expect(told('coinbase', false)).toBe('Stop loss at 66,240.00, watched by Tradewind');
  });
});
