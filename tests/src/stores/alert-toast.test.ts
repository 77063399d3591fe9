/** What the page says the moment that price alerts are reached. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Alert, AlertFiring } from '../../../contract/alerts.ts';
import { formatWhen } from '../../../src/format/times.ts';
import { clearAlerts } from '../../../src/stores/alerts-store.ts';
import { applyEvent } from '../../../src/stores/follow-stream.ts';
import { removeToast, toastStore } from '../../../src/stores/toast-store.ts';

const NOW = Date.UTC(2026, 5, 12, 12);
const HOUR_MS = 3_600_000;
let sequence = 0;

function reach(symbol: string, change: Partial<AlertFiring> = {}): void {
  sequence += 1;
  const common = { symbol, condition: { kind: 'above', price: '65000' } as const, note: '' };
  const alert: Alert = {
    id: `alert-${sequence}`,
    ...common,
    repeatMinutes: null,
    active: false,
    phase: 'fired',
    version: 1,
    restsUntil: null,
    lastFiredAt: NOW,
    createdAt: 1,
  };
  const firing: AlertFiring = {
    id: `firing-${sequence}`,
    alertId: alert.id,
    ...common,
    price: '65012.4',
    movedBps: null,
    at: NOW,
    late: false,
    simulated: false,
    recordedAt: NOW,
    ...change,
  };
  applyEvent({ type: 'alert.fired', sequence, alert, firing });
}
const said = (): string[] => toastStore.toasts.map(({ message }) => message);

beforeEach(() => {
  vi.useFakeTimers({ now: NOW });
});
afterEach(() => {
  removeToast();
  clearAlerts();
  vi.useRealTimers();
});

it('tells of an alert that is reached now without a time, and that prices are not live (A-07)', () => {
  reach('BTC/USDT');
  vi.advanceTimersByTime(2_000);
  reach('ETH/USDT', { simulated: true, recorded: false });
  expect(said()).toEqual([
    'ETH/USDT rose to 65,012.40 (simulated prices)',
    'BTC/USDT rose to 65,012.40',
  ]);
});

it('tells with its time what was found afterwards, and what the page hears of after an outage (A-06)', () => {
  const at = NOW - HOUR_MS;
  reach('BTC/USDT', { at, late: true });
  vi.advanceTimersByTime(2_000);
  reach('ETH/USDT', { at, recordedAt: at, simulated: true, recorded: true });
  expect(said()).toEqual([
    `ETH/USDT rose to 65,012.40 (${formatWhen(at)}, recorded prices)`,
    `BTC/USDT rose to 65,012.40 (${formatWhen(at)}, found afterwards)`,
  ]);
});

it('tells in one toast what is reached in one moment, and in another what comes later (A-07)', () => {
  for (const pair of ['BTC/USDT', 'ETH/USDT', 'ETH/USDT']) reach(pair);
  vi.advanceTimersByTime(2_000);
  reach('SOL/USDT');
  expect(said()).toEqual([
    'SOL/USDT rose to 65,012.40',
    '3 price alerts reached: BTC/USDT, ETH/USDT. Latest: ETH/USDT rose to 65,012.40',
  ]);
});

it('names as the latest what happened last, whatever comes last, and says what was found afterwards or is old (A-06)', () => {
  const at = NOW - 5 * HOUR_MS;
  reach('BTC/USDT');
  reach('ETH/USDT', { at, late: true });
  expect(said()).toEqual([
    '2 price alerts reached, some found afterwards: BTC/USDT, ETH/USDT. Latest: BTC/USDT rose to 65,012.40',
  ]);
  vi.advanceTimersByTime(2_000);
  reach('ETH/USDT', { at, recordedAt: at });
  reach('SOL/USDT');
  expect(said()[0]).toBe(
    '2 price alerts reached, some earlier: ETH/USDT, SOL/USDT. Latest: SOL/USDT rose to 65,012.40',
  );
});

it('says how many pairs it does not name (A-07)', () => {
  for (const coin of ['BTC', 'ETH', 'SOL', 'ADA', 'XRP', 'DOT', 'LTC', 'AVAX'])
    reach(`${coin}/USDT`);
  expect(said()).toEqual([
    '8 price alerts reached: BTC/USDT, ETH/USDT, SOL/USDT, ADA/USDT, XRP/USDT, DOT/USDT and 2 more. Latest: AVAX/USDT rose to 65,012.40',
  ]);
});

it('does not name to whoever comes next what was told the person before', () => {
  reach('BTC/USDT');
  removeToast();
  reach('ETH/USDT');
  expect(said()).toEqual(['ETH/USDT rose to 65,012.40']);
});
