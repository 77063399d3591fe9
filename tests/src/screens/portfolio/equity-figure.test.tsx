// @vitest-environment happy-dom
/** The change of the day beside the equity: since when it counts. */
import '../../../support/page-world.ts';
import { cleanup, render } from '@testing-library/react';
import { afterEach, expect, it } from 'vitest';
import type { Portfolio } from '../../../../contract/trading.ts';
import { recordedReplies, recordState } from '../../../../src/api/recorded-replies.ts';
import { formatWhen } from '../../../../src/format/times.ts';
import { EquityFigure } from '../../../../src/screens/portfolio/EquityFigure.tsx';
import { applyPortfolio, clearPortfolio } from '../../../../src/stores/portfolio-store.ts';

const DAY = 86_400_000;
const NOW = Date.now();
const START = Math.floor(NOW / DAY) * DAY;

afterEach(() => {
  cleanup();
  clearPortfolio();
});

function shown(since?: number): string | null {
  const { portfolio } = recordedReplies(recordState(NOW), NOW);
  const today = {
    ...{ start: START, opening: '10000', closing: '10012.4', realized: '0', fees: '0', trades: 0 },
    ...{ unrealizedChange: '12.4', ...(since === undefined ? {} : { since }) },
  };
  const account: Portfolio = { ...portfolio!, asOf: NOW, today };
  applyPortfolio(account, 'network');
  return render(<EquityFigure portfolio={account} />).container.textContent;
}

it('is today’s where it was marked at midnight, within one candle (R7-24)', () => {
  expect(shown()).toContain('today');
  cleanup();
  expect(shown(START - 300_000)).toContain('today');
});

it('says since when where the last mark was long before midnight (R7-24)', () => {
  const since = START - 6 * 3_600_000;
  const text = shown(since);
  expect(text).toMatch(/\+12\.40since /);
  expect(text).toContain(`since ${formatWhen(since, NOW)}`);
});
