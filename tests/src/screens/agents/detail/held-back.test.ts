/** What holds an agent back at its last look, and which list of coins a test trades: as words. */
import { describe, expect, it } from 'vitest';
import type { Decision } from '../../../../../contract/agents.ts';
import { formatDate, formatWhen, withLocalTimes } from '../../../../../src/format/times.ts';
import { GUARD_CODES } from '../../../../../contract/guards.ts';
import { heldBack } from '../../../../../src/screens/agents/detail/held-back.ts';
import {
  isOtherList,
  listText,
} from '../../../../../src/screens/agents/backtest/coin-list-text.ts';
import { previewSentence } from '../../../../../src/screens/agents/preview/use-preview.ts';
import { REASON } from '../../../../../src/screens/agents/reason-text.ts';

const decision = (
  pair: string,
  reason: string,
  text: string,
  more: Partial<Decision> = {},
): Decision => ({
  id: pair + reason,
  agentId: 'a',
  pair,
  tickId: 't',
  at: 10,
  action: 'skip',
  reason,
  strength: 0.7,
  threshold: 0.55,
  text,
  ...more,
});

describe('what holds an agent back', () => {
  it('is every guard and what stopped entries by hand, each with its label', () => {
    for (const code of [...GUARD_CODES, 'entries_stopped']) {
      expect(heldBack([decision('BTC/USDT', code, 'No trade: closed.')]), code).toHaveLength(1);
      expect(REASON[code], code).toBeDefined();
    }
    expect(heldBack([decision('BTC/USDT', 'weak_signal', 'No trade: weak.')])).toEqual([]);
  });

  it('is one line for a reason with the pairs it keeps out, of the newest look alone; no weak signal, and no stop that sold', () => {
    expect(
      heldBack([
        decision(
          'ETH/USDT',
          'day_loss',
          'No trade: Down 5 % today, the limit is 4 %: no new trades until 2022-04-13 00:00 UTC.',
        ),
        decision(
          'BTC/USDT',
          'day_loss',
          'Holding: Down 5 % today, the limit is 4 %: no new trades until 2022-04-13 00:00 UTC.',
          { action: 'hold' },
        ),
        decision('SOL/USDT', 'weak_signal', 'No trade: signal 0.41, needs 0.55.'),
        decision('ADA/USDT', 'stop_loss', 'Sold: stop loss hit at 3.', {
          action: 'exit',
        }),
        decision('XRP/USDT', 'cooldown', 'No trade: XRP/USDT was sold within the hour.', { at: 5 }),
      ]),
    ).toEqual([
      {
        pairs: ['BTC/USDT', 'ETH/USDT'],
        text: 'Down 5 % today, the limit is 4 %: no new trades until 2022-04-13 00:00 UTC.',
      },
    ]);
    expect(heldBack([])).toEqual([]);
  });

  it('leaves out what stands elsewhere on the page, and takes no older look in its place', () => {
    const off = decision(
      'BTC/USDT',
      'entries_stopped',
      'No trade: the operator has switched new trades off for everybody (Checking).',
    );
    const before = decision(
      'BTC/USDT',
      'cooldown',
      'No trade: BTC/USDT was sold within the hour.',
      { at: 5 },
    );
    expect(heldBack([off, before])).toHaveLength(1);
    expect(heldBack([off, before], 'entries_stopped')).toEqual([]);
  });

  it("has its times in the reader's own zone", () => {
    const at = Date.UTC(2022, 3, 13, 0, 5);
    expect(
      withLocalTimes('No new trade until 2022-04-13 00:05 UTC. 2022-04-13 is no moment.', at),
    ).toBe(`No new trade until ${formatWhen(at, at)}. 2022-04-13 is no moment.`);
  });

  it('is said of a preview as a whole where new trades are switched off', () => {
    const pair = {
      ...decision(
        'BTC/USDT',
        'entries_stopped',
        'No trade: the operator has switched new trades off for everybody (Checking).',
      ),
      order: null,
      stopPrice: null,
      atStop: null,
    };
    expect(previewSentence({ pairs: [pair], quote: 'USDT', hold: null })).toBe(
      'No new positions now: the operator has switched new trades off for everybody (Checking).',
    );
  });
});

describe('the list of coins that a test trades', () => {
  it('is told, and in amber words where it was another one when the test begins', () => {
    const july = Date.UTC(2024, 6, 1);
    expect(listText({ from: 0, universe: null })).toBeNull();
    expect(listText({ from: 0 })).toBeNull();
    expect(listText({ from: july, universe: { version: 2, from: july } })).toContain(
      'list 2, in force for the whole period',
    );
    const other = { from: july - 1, universe: { version: 2, from: july } };
    expect([isOtherList(other), listText(other)]).toEqual([
      true,
      `The pool has used this list of coins since ${formatDate(july)}. The backtest uses it for the whole period, so earlier results favour coins that stayed on the list.`,
    ]);
  });
});
