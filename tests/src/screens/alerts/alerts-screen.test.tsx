// @vitest-environment happy-dom
/** Alerts without the server: what was empty then is not called empty now, and no pair is offered that it may not know. */
import '../../../support/page-world.ts';
import 'fake-indexeddb/auto';
import { act, cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, expect, it, vi } from 'vitest';
import type { Alert } from '../../../../contract/alerts.ts';
import type { OutboxEntry } from '../../../../src/offline/outbox-entry.ts';

const never = () => new Promise<never>(() => undefined);
vi.mock('../../../../src/api/api.ts', async (original) => ({
  ...(await original<object>()),
  api: { call: never, marketData: never, marketOverview: never, marketPools: never },
}));

const { default: AlertsScreen } = await import('../../../../src/screens/alerts/AlertsScreen.tsx');
const { SymbolAlerts } = await import('../../../../src/screens/alerts/SymbolAlerts.tsx');
const { alertsStore, applyAlerts, clearAlerts } =
  await import('../../../../src/stores/alerts-store.ts');
const { applyMarket, clearMarket } = await import('../../../../src/stores/market-store.ts');
const { queue } = await import('../../../../src/commands.ts');
const { entryOf, setAlert } = await import('../../offline/samples.ts');
const { connection } = await import('../../../../src/stores/connection.ts');

/** A change that waits: the alert of BTC/USDT, or one of another pair. */
const waiting = (symbol: string): OutboxEntry => {
  const entry = entryOf(setAlert(1, '70000'));
  const terms = entry.alert?.terms;
  if (terms === null || terms === undefined) throw new Error('An alert has its terms');
  return {
    ...entry,
    alert: { id: 'one', seen: null, seenVersion: null, terms: { ...terms, symbol } },
  };
};

afterEach(() => {
  cleanup();
  queue.entries = [];
  clearAlerts();
  clearMarket();
});

it('says of no alerts that there were none when last seen', async () => {
  Object.assign(connection, { online: 'online', stream: 'open', gapAt: null, backAt: null });
  connection.verifiedAt = Date.now();
  applyAlerts({ alerts: [], firings: [], sequence: 1, servedAt: Date.now() }, 'network');
  render(
    <>
      <AlertsScreen />
      <SymbolAlerts symbol="BTC/USDT" />
    </>,
  );
  for (const text of ['No alerts yet', 'None yet.', 'None for this pair.'])
    expect(screen.getByText(text)).toBeTruthy();
  act(() => {
    connection.online = 'offline';
  });
  await screen.findByText('No alerts when last seen');
  for (const text of ['None when last seen.', 'None for this pair when last seen.'])
    expect(screen.getByText(text)).toBeTruthy();
});

it('offers no pairs of an exchange that tells prices in the server’s place, and says why (A-01, R7-13)', async () => {
  const quote = { price: '1', bid: '1', ask: '1', volume_24h: '1', high_24h: '1', low_24h: '1' };
  applyMarket(
    {
      source: { id: 'kraken', kind: 'exchange', label: 'Kraken', quote: 'USD' },
      now: Date.now(),
      symbols: [
        {
          ...quote,
          symbol: 'FOREIGN/USD',
          price_change_24h: 1,
          timestamp: Date.now(),
          stale: false,
        },
      ],
    },
    'exchange',
  );
  render(<AlertsScreen />);
  fireEvent.click(screen.getByRole('button', { name: 'New alert' }));
  const pairs = await screen.findByLabelText<HTMLSelectElement>('Pair');
  expect([...pairs.options].map(({ text }) => text)).toEqual(['Choose a pair']);
  expect(
    screen.getByText('Pairs are not available while the server is not responding.'),
  ).toBeTruthy();
});

it('says nothing of a pair while its alerts are unread and one of another pair waits (A-09)', async () => {
  Object.assign(connection, { online: 'online', stream: 'open', gapAt: null, backAt: null });
  Object.assign(alertsStore, { status: 'idle', error: null });
  queue.entries = [waiting('ETH/USDT')];
  render(<SymbolAlerts symbol="BTC/USDT" />);
  expect(screen.getByRole('status', { name: 'Your alerts' })).toBeTruthy();
  expect(document.body.textContent).not.toContain('None');
  act(() => {
    Object.assign(alertsStore, { status: 'error', error: 'The server had an error.' });
  });
  await screen.findByText('— Not loaded yet.');
  act(() => {
    queue.entries = [waiting('BTC/USDT')];
  });
  await screen.findByText('above 70,000', { exact: false });
});

it('says of alerts that could not be read not that there are none (A-09)', async () => {
  Object.assign(connection, { online: 'online', stream: 'open', gapAt: null, backAt: null });
  render(<AlertsScreen />);
  act(() => {
    Object.assign(alertsStore, { status: 'error', error: 'The server had an error.' });
  });
  await screen.findByText('The server had an error.');
  expect(document.body.textContent).not.toMatch(/None|No alerts/);
  for (const name of ['Active', 'Reached'])
    expect(screen.getByRole('region', { name }).textContent).toContain('— Not loaded yet.');
});

const watched: Alert = {
  id: 'one',
  symbol: 'BTC/USDT',
  condition: { kind: 'above', price: '70000' },
  repeatMinutes: null,
  note: '',
  active: true,
  phase: 'watching',
  version: 1,
  restsUntil: null,
  lastFiredAt: null,
  createdAt: 0,
};

it.each([
  ['all alerts', () => <AlertsScreen />],
  ['the alerts of its pair', () => <SymbolAlerts symbol="BTC/USDT" />],
])(
  'keeps what is typed of the only alert when another device deletes it: in %s (A-08)',
  async (_where, list) => {
    Object.assign(connection, { online: 'online', stream: 'open', gapAt: null, backAt: null });
    const reply = { alerts: [watched], firings: [], sequence: 1, servedAt: Date.now() };
    applyAlerts(reply, 'network');
    render(list());
    fireEvent.click(await screen.findByRole('button', { name: /^Edit BTC/ }));
    const note = await screen.findByLabelText<HTMLInputElement>('Note (optional)');
    fireEvent.change(note, { target: { value: 'Sell half' } });
    act(() => {
      applyAlerts({ ...reply, alerts: [], sequence: 2, servedAt: Date.now() }, 'network');
    });
    await screen.findByText(/^(No alerts yet|None for this pair\.)$/);
    expect(screen.getByLabelText<HTMLInputElement>('Note (optional)').value).toBe('Sell half');
  },
);
