// @vitest-environment happy-dom
/** A start that waited too long: what it is compared with, and what is said where it is refused. */
import '../../../../support/page-world.ts';
import { act, cleanup, fireEvent, render, screen } from '@testing-library/react';
import { StrictMode } from 'react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import {
  recordAgent,
  recordedReplies,
  recordState,
} from '../../../../../src/api/recorded-replies.ts';
import type { OutboxEntry } from '../../../../../src/offline/outbox-entry.ts';

const { cancelCommand } = vi.hoisted(() => ({ cancelCommand: vi.fn() }));
const never = () => new Promise<never>(() => undefined);
vi.mock('../../../../../src/commands.ts', async (original) => ({
  ...(await original<object>()),
  cancelCommand,
}));
vi.mock('../../../../../src/api/api.ts', async (original) => ({
  ...(await original<object>()),
  api: { call: never, marketData: never, marketPools: never },
}));

const { default: ConfirmStart } =
  await import('../../../../../src/screens/agents/start-stop/ConfirmStart.tsx');
const { applyMarket, clearMarket } = await import('../../../../../src/stores/market-store.ts');
const { applyAgents, clearAgents } = await import('../../../../../src/stores/agents-store.ts');
const { applyPortfolio, clearPortfolio } =
  await import('../../../../../src/stores/portfolio-store.ts');
const { applySettings, clearSettings } =
  await import('../../../../../src/stores/settings-store.ts');
const { removeToast, toastStore } = await import('../../../../../src/stores/toast-store.ts');
const { entryOf, portfolio, start, stop } = await import('../../../offline/samples.ts');

const onOpenChange = vi.fn();
async function refuse(
  result: string,
  attempts = 0,
  reason: OutboxEntry['reason'] = null,
): Promise<string[]> {
  cancelCommand.mockResolvedValue(result);
  render(
    <ConfirmStart
      entry={entryOf(start('Harbour'), { state: 'needs-you', attempts, reason })}
      open
      onOpenChange={onOpenChange}
    />,
  );
  fireEvent.click(screen.getByRole('button', { name: "Don't start" }));
  await act(() => Promise.resolve());
  return toastStore.toasts.map(({ message }) => message);
}

beforeEach(() => {
  onOpenChange.mockReset();
  cancelCommand.mockReset();
  removeToast();
});
afterEach(() => {
  cleanup();
  clearAgents();
  clearMarket();
  clearPortfolio();
  clearSettings();
});

it('names no loss by a preset while the person’s own risk values are not read, and then by their own (R7-22)', async () => {
  const agent = recordAgent('Harbour', 'Harbour', Date.now());
  applyAgents({ agents: [agent], sequence: 1, asOf: Date.now() }, 'network');
  applyPortfolio(portfolio(Date.now()), 'network');
  const waiting = entryOf(start('Harbour'), { state: 'needs-you' });
  render(<ConfirmStart entry={waiting} open onOpenChange={onOpenChange} />);
  const loss = (): string =>
    screen.getByText(/Maximum loss per pair at the stop/).closest('div')?.textContent ?? '';
  expect(loss()).toContain('Your risk values are not loaded yet');
  expect(loss()).not.toMatch(/\d/);
  const own = {
    profile: 'Moderate' as const,
    max_position_percentage: 10,
    confidence_threshold: 0.6,
    stop_loss_percentage: 2,
  };
  const settings = recordedReplies(recordState(1), 1).tradingSettings!;
  await act(async () => {
    applySettings({ ...settings, riskProfiles: [own] }, 'network');
    await Promise.resolve();
  });
  expect(loss()).toContain('\u221220.00');
});

it("compares the price at the press with the server's present one, never with an exchange's own (R7-13)", () => {
  const quote = {
    symbol: 'BTC/USDT',
    price: '110',
    bid: '110',
    ask: '110',
    volume_24h: '1',
    high_24h: '1',
    low_24h: '1',
    price_change_24h: 1,
    timestamp: Date.now(),
    stale: false,
  };
  const prices = [{ pair: 'BTC/USDT', price: '100', at: 1 }];
  const entry = entryOf(
    { ...start('Harbour'), seen: { prices, agents: [] } },
    { state: 'needs-you' },
  );
  const source = { label: 'Kraken', quote: 'USDT' };
  const board = { now: Date.now(), symbols: [quote] };
  applyMarket({ ...board, source: { ...source, id: 'kraken', kind: 'exchange' } }, 'exchange');
  const shown = render(<ConfirmStart entry={entry} open onOpenChange={onOpenChange} />);
  const row = (): string => screen.getByRole('row', { name: /^BTC/ }).textContent ?? '';
  expect(row()).not.toContain('110');
  expect(row()).toContain('No price from the server');
  applyMarket({ ...board, source: { ...source, id: 'live', kind: 'exchange' } }, 'network');
  shown.rerender(<ConfirmStart entry={entry} open onOpenChange={onOpenChange} />);
  expect(row()).toContain('110');
});

it('says that nothing was started or sent where it was taken back', async () => {
  expect(await refuse('undone')).toEqual(['Not started. Nothing was sent.']);
  expect(onOpenChange.mock.calls).toEqual([[false]]);
});

it('does not say so of a start that was sent before, or is sent now from another tab', async () => {
  expect(await refuse('dismissed')).toEqual(['Not started. Nothing was sent.']);
  cleanup();
  removeToast();
  expect(await refuse('dismissed', 1)).toEqual([
    'Dismissed. The earlier start was sent, but not confirmed by the server.',
  ]);
  cleanup();
  removeToast();
  expect(await refuse('already-sent')).toEqual([
    'Already on its way. Use the opposite command instead.',
  ]);
});

it('says of a start that the server has refused that it was refused', async () => {
  const reason = { code: 'agent_changed', message: 'The agent has changed.', at: 1 };
  expect(await refuse('dismissed', 1, reason)).toEqual([
    'Not started. The server had refused the earlier start.',
  ]);
});

it('asks again, with the reason, where it could not be taken back', async () => {
  expect(await refuse('not-done')).toEqual(['Could not be undone on this device.']);
  expect(onOpenChange.mock.calls).toEqual([[false], [true]]);
});

it.each(['failed', 'lapsed'] as const)('reviews a start that is %s again', (state) => {
  const over = entryOf(start('Harbour'), { state });
  render(<ConfirmStart entry={over} open onOpenChange={onOpenChange} />);
  expect(screen.getByRole('dialog', { name: 'Start Harbour now?' })).toBeTruthy();
  expect(onOpenChange).not.toHaveBeenCalled();
});

it('asks in development too, where React draws everything twice', async () => {
  const waiting = entryOf(start('Harbour'), { state: 'needs-you' });
  render(
    <StrictMode>
      <ConfirmStart entry={waiting} open onOpenChange={onOpenChange} />
    </StrictMode>,
  );
  await act(() => Promise.resolve());
  expect(screen.getByRole('dialog', { name: 'Start Harbour now?' })).toBeTruthy();
  expect(onOpenChange).not.toHaveBeenCalled();
});

it('is gone with its start: it never asks about the stop that took its place, and does not come back (R4-11)', async () => {
  const close = vi.fn();
  const waiting = entryOf(start('Harbour'), { state: 'needs-you' });
  const shown = render(<ConfirmStart entry={waiting} open onOpenChange={close} />);
  expect(screen.getByRole('dialog', { name: 'Start Harbour now?' })).toBeTruthy();
  const stopped = entryOf(stop('Harbour'), { state: 'saved' });
  shown.rerender(<ConfirmStart entry={stopped} open onOpenChange={close} />);
  expect(screen.queryByRole('dialog')).toBeNull();
  expect(screen.queryByRole('button', { name: "Don't start" })).toBeNull();
  expect(close).toHaveBeenLastCalledWith(false);
  expect(cancelCommand).not.toHaveBeenCalled();

  // Taken back elsewhere: the next start that asks is not answered by a dialog left open.
  close.mockReset();
  shown.rerender(<ConfirmStart entry={waiting} open onOpenChange={close} />);
  shown.unmount();
  await Promise.resolve();
  expect(close).toHaveBeenLastCalledWith(false);
});
