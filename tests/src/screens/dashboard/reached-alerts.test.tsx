// @vitest-environment happy-dom
/** Which of several price alerts the dashboard names. */
import '../../../support/page-world.ts';
import { cleanup, render, screen } from '@testing-library/react';
import { afterEach, expect, it } from 'vitest';
import type { AlertFiring } from '../../../../contract/alerts.ts';
import { formatWhen } from '../../../../src/format/times.ts';
import { NeedsYou } from '../../../../src/screens/dashboard/NeedsYou.tsx';
import { alertsSeen, alertsStore, clearAlerts } from '../../../../src/stores/alerts-store.ts';

const NOW = Date.UTC(2026, 5, 12, 12);
const HOUR_MS = 3_600_000;
const firing = (symbol: string, part: Partial<AlertFiring>): AlertFiring => ({
  id: symbol,
  alertId: symbol,
  symbol,
  condition: { kind: 'above', price: '65000' },
  note: '',
  price: '65012.4',
  movedBps: null,
  at: NOW,
  late: false,
  simulated: false,
  recordedAt: NOW,
  ...part,
});

afterEach(() => {
  cleanup();
  clearAlerts();
});

const text = (firings: AlertFiring[]): string => {
  alertsStore.data = { alerts: [], firings, sequence: 1, servedAt: NOW };
  alertsSeen.until = 1;
  render(<NeedsYou views={[]} />);
  return screen.getByRole('link').textContent;
};

it('is the one that was reached last, also where an earlier one was found after it (A-06)', () => {
  const shown = text([
    firing('ETH/USDT', { at: NOW - 5 * HOUR_MS, late: true, recordedAt: NOW + 1 }),
    firing('BTC/USDT', {}),
  ]);
  expect(shown).toBe(`2 price alerts reachedBTC/USDT rose to 65,012.40, ${formatWhen(NOW)}`);
});

it('says of one that was found afterwards that it was (A-06)', () => {
  const at = NOW - 5 * HOUR_MS;
  expect(text([firing('ETH/USDT', { at, late: true })])).toBe(
    `Price alert reachedETH/USDT rose to 65,012.40, ${formatWhen(at)}, found afterwards`,
  );
});

it('says that prices were simulated or recorded, as the message did (A-06, A-07)', () => {
  expect(text([firing('BTC/USDT', { simulated: true })])).toBe(
    `Price alert reachedBTC/USDT rose to 65,012.40, ${formatWhen(NOW)}, simulated prices`,
  );
  cleanup();
  expect(text([firing('BTC/USDT', { simulated: true, recorded: true })])).toContain(
    ', recorded prices',
  );
});
