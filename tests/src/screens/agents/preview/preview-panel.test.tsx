// @vitest-environment happy-dom
/** A preview is shown for the settings that it answers, and for no others. */
import '../../../../support/page-world.ts';
import { act, cleanup, render, screen } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { AgentPreview, AgentPreviewBody } from '../../../../../contract/preview.ts';
import { ApiError } from '../../../../../src/api/api-error.ts';

const { call } = vi.hoisted(() => ({ call: vi.fn() }));
vi.mock('../../../../../src/api/api.ts', async (original) => ({
  ...(await original<object>()),
  api: { call },
}));

const { default: PreviewPanel } =
  await import('../../../../../src/screens/agents/preview/PreviewPanel.tsx');
const { connection } = await import('../../../../../src/stores/connection.ts');

const NOW = Date.now();
const LOSS = '13.02';
const PREVIEW: AgentPreview = {
  commandId: 'c',
  asOf: NOW,
  close: NOW - 60_000,
  nextLookAt: NOW + 240_000,
  quote: 'USDT',
  equity: '10000',
  freeCash: '10000',
  atStop: `-${LOSS}`,
  hold: null,
  pairs: [
    {
      pair: 'BTC/USDT',
      action: 'enter',
      reason: 'entered',
      strength: 0.74,
      threshold: 0.55,
      text: 'Bought 0.004 BTC: signal 0.74, needs 0.55.',
      order: { side: 'buy', quantity: '0.004', price: '62640', notional: '250.56', fee: '0.25' },
      stopPrice: '59508',
      atStop: `-${LOSS}`,
    },
  ],
};
const asks = (size: number): AgentPreviewBody => ({
  agentId: 'one',
  terms: {
    trading_pairs: [],
    risk_profile: 'Moderate',
    max_position_size: size,
    execution_interval: '5-minute',
  },
});
const shown = (): string => screen.getByRole('region', { name: 'Preview' }).textContent;
/** Past the pause after the last key, and past the answer. */
const settle = () => act(() => vi.advanceTimersByTimeAsync(1_000));

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  call.mockReset();
  call.mockResolvedValue(PREVIEW);
  connection.online = 'online';
});
afterEach(() => {
  cleanup();
  vi.useRealTimers();
  connection.online = 'unknown';
});

async function openWith(size: number) {
  const { rerender } = render(<PreviewPanel ask={asks(size)} />);
  await settle();
  expect(shown()).toContain(LOSS);
  return (next: number): void => {
    rerender(<PreviewPanel ask={asks(next)} />);
  };
}

describe('the preview of settings that have changed', () => {
  it('is away with its money while offline, with the reason, and back with its own settings', async () => {
    const change = await openWith(1_000);
    act(() => {
      connection.online = 'offline';
    });
    await settle();
    expect(shown()).toContain('Loaded before you went offline.');
    change(2_000);
    await settle();
    expect(shown()).not.toContain(LOSS);
    expect(shown()).toContain('Available when you’re online.');
    change(1_000);
    await settle();
    expect(shown()).toContain(LOSS);
  });

  it('stays, dimmed, while theirs is on its way, and goes where that fails', async () => {
    const change = await openWith(1_000);
    let fail = (_error: ApiError): void => undefined;
    call.mockReturnValueOnce(
      new Promise((_resolve, reject) => {
        fail = reject;
      }),
    );
    change(2_000);
    await settle();
    expect(shown()).toContain(LOSS);
    expect(screen.getByRole('region', { name: 'Preview' }).getAttribute('aria-busy')).toBe('true');
    fail(new ApiError('Failed to fetch', { code: 'network', status: 0, text: '' }));
    await settle();
    expect(shown()).toContain('Could not load the preview.');
    expect(shown()).not.toContain(LOSS);
  });

  it('stays where another one of the same settings could not be had', async () => {
    await openWith(1_000);
    call.mockRejectedValueOnce(
      new ApiError('Failed to fetch', { code: 'network', status: 0, text: '' }),
    );
    act(() => {
      screen.getByRole('button', { name: 'Refresh' }).click();
    });
    await settle();
    expect(shown()).toContain('Could not load the preview.');
    expect(shown()).toContain(LOSS);
  });
});
