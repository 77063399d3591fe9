// @vitest-environment happy-dom
/** What a screen reader hears of a chart: nothing that changes by itself with every price. */
import '../../support/page-world.ts';
import { cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, expect, it, vi } from 'vitest';
import { CandleChart } from '../../../src/charts/CandleChart.tsx';
import type { ChartCandle } from '../../../src/charts/chart-candles.ts';

vi.mock('../../../src/charts/candle-drawing.ts', () => ({
  drawCandles: () => ({
    set: () => undefined,
    price: () => undefined,
    point: () => undefined,
    zoom: () => undefined,
    close: () => undefined,
  }),
}));

afterEach(cleanup);

const HOUR_MS = 3_600_000;
const closed: ChartCandle[] = [
  [0, '10', '14', '9', '12', '345'],
  [HOUR_MS, '12', '16', '11', '15', '345'],
];
const chart = (last: string) => (
  <CandleChart
    label="Candles of BTC/USDT, 1h"
    closed={closed}
    forming={{
      time: 2 * HOUR_MS,
      open: '15',
      high: '20',
      low: '15',
      close: last,
      volume: '1',
      volumeTo: 2 * HOUR_MS,
      since: 2 * HOUR_MS,
      at: 2 * HOUR_MS + 1_000,
    }}
    intervalMs={HOUR_MS}
    trades={[]}
    indicators={{ sma: [], ema: [], rsi: null, volume: false }}
    price={last}
    height={200}
    empty=""
    controls={null}
    base="BTC"
    quote="USDT"
    table={false}
    onTable={() => undefined}
    onOlder={undefined}
  />
);
const spoken = () => {
  const slider = screen.getByRole('slider');
  return [slider.getAttribute('aria-valuenow'), slider.getAttribute('aria-valuetext')];
};

it('speaks the last closed candle until one is chosen, and stays silent while prices tick', () => {
  const { rerender } = render(chart('17'));
  const before = spoken();
  expect(before[0]).toBe('1');
  expect(before[1]).toMatch(/open 12\.00, high 16\.00, low 11\.00, close 15\.00 USDT/);
  expect(before[1]).not.toContain('forming');
  rerender(chart('18'));
  expect(spoken()).toEqual(before);
  fireEvent.keyDown(screen.getByRole('slider'), { key: 'ArrowLeft' });
  expect(spoken()[0]).toBe('2');
  expect(spoken()[1]).toMatch(/forming: open 15\.00, high 20\.00, low 15\.00, close 18\.00 USDT/);
  fireEvent.keyDown(screen.getByRole('slider'), { key: 'Escape' });
  expect(spoken()).toEqual(before);
});
