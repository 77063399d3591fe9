/** What a position's stop loss is said to do, by exchange. */
import { describe, expect, it } from 'vitest';
import type { LiveAccount } from '../../../../../contract/live.ts';
import type { LiveOrderWire } from '../../../../../contract/live-state.ts';
import type { LiveExchange } from '../../../../../contract/signer.ts';
import { stopText } from '../../../../../src/screens/live/account/stop-text.ts';
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
          'Tradewind cancels it and sells at the price there is.',
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

/** A position of `quantity` with its stop loss at 58,000, and what rests of it: `[quantity, own]`. */
function rests(
  quantity: string,
  stops: readonly [string, Partial<LiveOrderWire>?][],
  own: Partial<LiveAccount> = {},
  { current = true, stopPrice = '58000' }: { current?: boolean; stopPrice?: string } = {},
): string {
  const account = liveAccount(AT, {
    orders: stops.map(([amount, stop], index) =>
      liveOrder(AT, {
        clientOrderId: `stop-${index}`,
        type: 'stop',
        side: 'sell',
        quantity: amount,
        stopPrice: '58000',
        limitPrice: null,
        ...stop,
      }),
    ),
    ...own,
  });
  return stopText({ ...account.positions[0]!, quantity, stopPrice }, account, current);
}
const ALL = 'Stop loss at 58,000.00, resting at Kraken';

describe('what rests of a stop loss', () => {
  it('is told with its own amount and price where the rest is only watched', () => {
    expect(rests('1', [['0.5', { stopPrice: '57000' }]])).toBe(
      '0.5 of 1 BTC rests at Kraken at 57,000.00; the rest is watched by Tradewind at 58,000.00',
    );
    expect(rests('1', [['0.5']])).toBe(
      '0.5 of 1 BTC rests at Kraken at 58,000.00; the rest is watched by Tradewind at 58,000.00',
    );
    expect(rests('1', [['0.75', { filled: '0.25' }]])).toContain('0.5 of 1 BTC rests');
    expect(rests('1', [['0.25'], ['0.25', { stopPrice: '57000' }]])).toContain(
      '0.5 of 1 BTC rests at Kraken at 58,000.00 and 57,000.00; the rest',
    );
  });

  it('is of the past where the account is', () => {
    expect(rests('1', [['0.5', { stopPrice: '57000' }]], {}, { current: false })).toBe(
      'When last seen, 0.5 of 1 BTC rested at Kraken at 57,000.00; the rest was watched by Tradewind at 58,000.00',
    );
  });

  it('is not said to rest at a price that it has not reached there yet', () => {
    expect(rests('1', [['1', { stopPrice: '57000' }]])).toBe(
      'Stop loss at 58,000.00; at Kraken it still rests at 57,000.00',
    );
    expect(rests('1', [['1', { stopPrice: '59000' }]])).toContain('still rests at 59,000.00');
    expect(rests('1', [['1', { stopPrice: '57999.9' }]])).toContain('still rests at 57,999.90');
  });

  it('has the price of its tick, never below the stop loss', () => {
    expect(rests('1', [['1', { stopPrice: '58000.1' }]], {}, { stopPrice: '58000.0123' })).toBe(
      'Stop loss at 58,000.10, resting at Kraken',
    );
    // A tick of a hundredth where the price is small.
    expect(
      rests('500', [['500', { stopPrice: '0.0701' }]], {}, { stopPrice: '0.07000001' }),
    ).toContain('resting at Kraken');
  });

  it('is all of it where the rest is too little for a step', () => {
    expect(rests('0.00123456', [['0.00123']])).toBe(ALL);
    expect(rests('0.5000000001', [['0.5']])).toBe(ALL);
    expect(rests('1', [['0.4'], ['0.6']])).toBe(ALL);
    // Worth money, however few digits the amounts have.
    expect(rests('1.5', [['1']])).toContain('1 of 1.5 BTC rests');
    expect(rests('0.00012345', [['0.00012245']])).toContain('0.00012245 of 0.00012345 BTC rests');
  });

  it('leaves free what is being sold', () => {
    const part = { agentId: liveOrder(AT).agentId, symbol: 'BTC/USD', reason: 'x', askedAt: AT };
    expect(rests('1', [['0.5']], { exits: [{ ...part, quantity: '0.5' }] })).toBe(ALL);
    expect(rests('1', [['0.5']], { exits: [{ ...part, quantity: null }] })).toBe(ALL);
    expect(rests('1', [['0.5'], ['0.5', { type: 'market', stopPrice: null }]])).toBe(ALL);
    expect(
      rests('1', [['0.5']], { exits: [{ ...part, agentId: 'other', quantity: '0.5' }] }),
    ).toContain('0.5 of 1 BTC rests');
  });

  it('names coins that the account lacks, and calls them watched by nobody', () => {
    const missing = [{ asset: 'BTC', amount: '0.4', holders: [] }];
    expect(rests('1', [['0.6']], { missing })).toBe(
      'Stop loss at 58,000.00, resting at Kraken for 0.6 of 1 BTC; the rest is missing from the account',
    );
    expect(rests('1', [['1']], { missing })).toBe(ALL);
    expect(rests('1', [['0.5']], { missing })).toContain('the rest is watched by Tradewind');
    expect(rests('1', [['1']], { missing: [{ ...missing[0]!, asset: 'ETH' }] })).toBe(ALL);
  });
});
