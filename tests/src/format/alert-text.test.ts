/**
 * Alerts in words: what is watched, what was reached, and what may be said of them without the
 * server.
 */
import { describe, expect, it } from 'vitest';
import type { AlertCondition } from '../../../contract/alerts.ts';
import {
  conditionText,
  firingText,
  phaseText,
  repeatText,
} from '../../../src/format/alert-text.ts';
import { formatPrice } from '../../../src/format/numbers.ts';

const above: AlertCondition = { kind: 'above', price: '65000' };
const move: AlertCondition = { kind: 'move', direction: 'either', bps: 500, windowMinutes: 60 };
const alert = { phase: 'watching', condition: above, restsUntil: null, lastFiredAt: null } as const;
const price = formatPrice('65000');

describe('an alert in words', () => {
  it('says what it watches and how often it tells', () => {
    expect(conditionText(above)).toBe(`above ${price}`);
    expect(conditionText(move).replaceAll('\u202f', ' ')).toBe(
      'moves 5.00 % up or down within 1 h',
    );
    expect([null, 5, 60, 1_440].map(repeatText)).toEqual([
      'Once',
      'Each time, at most every 5 min',
      'Each time, at most every 1 h',
      'Each time, at most once a day',
    ]);
  });
  it('says what was reached, with a sign to a move', () => {
    expect(
      firingText({ symbol: 'BTC/USDT', condition: above, price: '65000', movedBps: null }),
    ).toBe(`BTC/USDT rose to ${price}`);
    expect(
      firingText({ symbol: 'BTC/USDT', condition: move, price: '65000', movedBps: -512 }),
    ).toMatch(/^BTC\/USDT moved \u22125\.12/);
  });
  it('is watched in the present tense only while the server says so (A-09)', () => {
    expect(phaseText(alert, 0, true)).toBe('Watching');
    expect(phaseText(alert, 0, false)).toBe('Watching when last seen');
    expect(phaseText({ ...alert, phase: 'waiting' }, 0, true)).toBe(
      `Waiting for the price to move below ${price}`,
    );
    expect(phaseText({ ...alert, phase: 'fired', lastFiredAt: 1 }, 2, false)).toMatch(
      /^Reached \d\d:\d\d$/,
    );
  });
});
