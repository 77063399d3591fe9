// @vitest-environment happy-dom
/** What the dialog behind a figure says of whose money it is. */
import '../../../support/page-world.ts';
import { cleanup, render, screen } from '@testing-library/react';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Fill } from '../../../../contract/trading.ts';
import { CONNECTION_ID, liveAccount } from '../../../support/live/live-replies.ts';

vi.mock('../../../../src/api/api.ts', async (original) => ({
  ...(await original<object>()),
  api: { call: () => new Promise(() => undefined) },
}));

const { recordedReplies, recordState } = await import('../../../../src/api/recorded-replies.ts');
const { default: ExplainDialog } =
  await import('../../../../src/screens/explain/ExplainDialog.tsx');
const { applyAgents, clearAgents } = await import('../../../../src/stores/agents-store.ts');
const { connection } = await import('../../../../src/stores/connection.ts');
const { clearLive } = await import('../../../../src/stores/live-slots.ts');
const { applyLiveAccount } = await import('../../../../src/stores/live-store.ts');
const { applyPortfolio, clearPortfolio } =
  await import('../../../../src/stores/portfolio-store.ts');

const NOW = Date.now();
const replies = recordedReplies(recordState(NOW), NOW);
const agent = replies.agents!.agents[0]!;
const sale = (ruleVersion: number): Fill => ({
  ...{ id: 'f', orderId: 'o', agentId: agent.id, agentName: 'Ebb', pair: 'BTC/USD', side: 'sell' },
  ...{ quantity: '1', price: '110', notional: '110', fee: '1', feeBps: '90.9', slippageBps: '0' },
  ...{ quoteBid: '110', quoteAsk: '110', ruleVersion, realized: '9', costBasis: '100' },
  ...{ reason: 'signal', decidedAt: NOW, filledAt: NOW, tickId: 't' },
});
const show = (ruleVersion: number): HTMLElement => {
  const fill = sale(ruleVersion);
  render(<ExplainDialog ask={{ of: 'sale', fill, quote: 'USD' }} onClose={() => undefined} />);
  return screen.getByRole('dialog');
};

afterEach(() => {
  cleanup();
  clearAgents();
  clearLive();
  clearPortfolio();
});

describe('the sum behind a sale', () => {
  it('at an exchange is marked as real money, with the age of that account', () => {
    connection.online = 'offline';
    applyLiveAccount(liveAccount(NOW), 'snapshot', NOW - 3.5 * 3_600_000);
    const own = { ...agent, connectionId: CONNECTION_ID };
    applyAgents({ ...replies.agents!, agents: [own] }, 'network');
    const dialog = show(0);
    expect(dialog.textContent).toContain('Real money.');
    expect(dialog.textContent).toContain('3 h ago');
    expect(dialog.textContent).not.toMatch(/Paper|Quote used|Slippage|version/);
    for (const figure of dialog.querySelectorAll('.amount'))
      expect(figure.closest('[data-account="live"], [data-money="live"]')).not.toBeNull();
  });

  it('on paper is called so', () => {
    const dialog = show(1);
    expect(dialog.textContent).toContain('Paper money.');
    expect(dialog.textContent).toContain('Quote used, bid / ask');
    expect(dialog.querySelector('[data-account="live"]')).toBeNull();
  });
});

describe('the sum of all agents', () => {
  it('leaves out those at an exchange: paper and real money are never added up', () => {
    connection.online = 'online';
    applyPortfolio(replies.portfolio!, 'network');
    const real = { ...agent, id: 'real', name: 'Really there', connectionId: CONNECTION_ID };
    applyAgents({ ...replies.agents!, agents: [...replies.agents!.agents, real] }, 'network');
    render(<ExplainDialog ask={{ of: 'agents' }} onClose={() => undefined} />);
    const dialog = screen.getByRole('dialog');
    expect(dialog.textContent).toContain('Paper money.');
    expect(dialog.textContent).toContain(agent.name);
    expect(dialog.textContent).not.toContain('Really there');
  });
});
