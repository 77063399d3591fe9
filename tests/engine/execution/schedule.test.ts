/** When agents are evaluated and when they may rebalance. */
import { describe, expect, it } from 'vitest';
import {
  DAY_MS,
  HOUR_MS,
  lastClose,
  MINUTE_MS,
  mayRebalance,
  nextDue,
  tickId,
} from '../../../engine/execution/schedule.ts';

const at = (text: string) => Date.parse(`${text}Z`);

describe('looks', () => {
  it('come at closes aligned to the epoch, strictly after the moment asked', () => {
    const noon = at('2022-04-12T12:00:00');
    expect(nextDue('5-minute', noon)).toBe(noon + 5 * MINUTE_MS);
    expect(nextDue('5-minute', noon - 1)).toBe(noon);
    expect(nextDue('20-minute', at('2022-04-12T12:01:00'))).toBe(at('2022-04-12T12:20:00'));
    expect(nextDue('20-minute', at('2022-04-12T12:59:59'))).toBe(at('2022-04-12T13:00:00'));
    expect(nextDue('daily', noon)).toBe(at('2022-04-13T00:00:00'));
    expect(lastClose('daily', noon)).toBe(at('2022-04-12T00:00:00'));
  });

  it('share one tick id across agents of one source, interval and close', () => {
    expect(tickId('simulated', '5-minute', 300_000)).toBe('simulated:5-minute:300000');
  });
});

describe('rebalances', () => {
  const cases = [
    ['high', '2022-04-12T12:05:00', true],
    ['optimized', '2022-04-12T12:05:00', true],
    ['daily', '2022-04-12T00:00:00', true],
    ['daily', '2022-04-12T00:05:00', false],
    ['weekly', '2022-04-11T00:00:00', true],
    ['weekly', '2022-04-12T00:00:00', false],
    ['bi-weekly', '2024-01-01T00:00:00', true],
    ['bi-weekly', '2024-01-08T00:00:00', false],
    ['bi-weekly', '2024-01-15T00:00:00', true],
    ['bi-weekly', '2023-12-18T00:00:00', true],
    ['bi-weekly', '2023-12-25T00:00:00', false],
    ['monthly', '2022-05-01T00:00:00', true],
    ['monthly', '2022-05-02T00:00:00', false],
    ['long-haul', '2022-04-01T00:00:00', true],
    ['long-haul', '2022-05-01T00:00:00', false],
    ['long-haul', '2022-10-01T00:00:00', true],
  ] as const;

  it.each(cases)('%s at %s UTC: %s', (frequency, moment, allowed) => {
    expect(mayRebalance(frequency, at(moment))).toBe(allowed);
  });

  it('make up once for a moment that passed between two looks', () => {
    const monday = at('2022-04-11T00:00:00');
    expect(mayRebalance('weekly', monday + 3 * HOUR_MS, monday - HOUR_MS)).toBe(true);
    expect(mayRebalance('weekly', monday + 4 * HOUR_MS, monday + 3 * HOUR_MS)).toBe(false);
  });

  it('happen exactly once a period however often an agent looks', () => {
    for (const [frequency, expected] of [
      ['daily', 365],
      ['weekly', 53],
      ['monthly', 12],
      ['long-haul', 4],
    ] as const) {
      let count = 0;
      const start = at('2023-01-01T12:00:00');
      for (let close = start + HOUR_MS; close <= start + 365 * DAY_MS; close += HOUR_MS)
        if (mayRebalance(frequency, close, close - HOUR_MS)) count += 1;
      expect(count, frequency).toBe(expected);
    }
  });
});
