/** What a position's stop loss is said to do, by exchange. */
import { describe, expect, it } from 'vitest';
import type { LiveExchange } from '../../../../../contract/signer.ts';
import { stopText } from '../../../../../src/screens/live/account/LivePositions.tsx';
import { liveAccount, liveConnection, liveOrder } from '../../../../support/live/live-replies.ts';

const AT = Date.parse('2026-01-01T10:00:00Z');

function told(
  exchange: LiveExchange,
  isResting = true,
  shown: { limitPrice?: string | null } = {},
): string {
  const stop = liveOrder(AT, { type: 'stop', side: 'sell', stopPrice: '66240', ...shown });
  const connection = liveConnection(AT, { exchange });
  const account = liveAccount(AT, { connection, orders: isResting ? [stop] : [] });
  return stopText(account.positions[0]!, account);
}

describe('a stop loss that rests', () => {
  it.each([
    ['kraken', 'Kraken', '59,616.00'],
    ['coinbase', 'Coinbase', '62,928.00'],
    ['binance', 'Binance', '59,616.00'],
  ] as const)(
    'at %s is said to have a limit, and what happens below it',
    (exchange, name, limit) => {
      expect(told(exchange)).toBe(
        `Stop loss at 66,240.00, resting at ${name}. It is a stop with a limit: below ${limit} ` +
          'Tradewind cancels it and sells at the price there is',
      );
    },
  );

  it('is said to have the limit that the exchange shows, and none where it shows none', () => {
    expect(told('binance', true, { limitPrice: '64584' })).toContain('below 64,584.00 Tradewind');
    expect(told('kraken', true, { limitPrice: null })).toBe(
      'Stop loss at 66,240.00, resting at Kraken',
    );
  });

  it('nowhere has none either', () => {
    expect(told('coinbase', false)).toBe('Stop loss at 66,240.00, watched by Tradewind');
  });
});
