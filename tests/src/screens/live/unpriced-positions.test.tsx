// @vitest-environment happy-dom
/** What agents hold without a price: its result is unknown and never counts as nothing. */
import '../../../support/page-world.ts';
import 'fake-indexeddb/auto';
import { cleanup, render } from '@testing-library/react';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Agent } from '../../../../contract/agents.ts';
import type { LiveAccount } from '../../../../contract/live.ts';
import { recordedReplies, recordState } from '../../../../src/api/recorded-replies.ts';
import { AGENT_ID, IN_LIVE_ACCOUNT, liveAccount } from '../../../support/live/live-replies.ts';

const never = () => new Promise<never>(() => undefined);
vi.mock('../../../../src/api/api.ts', async (original) => ({
  ...(await original<object>()),
  api: { call: never },
}));

const { AgentList } = await import('../../../../src/screens/agents/list/AgentList.tsx');
const { shownAgents } = await import('../../../../src/screens/agents/list/agent-list-view.ts');
const { AgentResult } = await import('../../../../src/screens/agents/detail/AgentResult.tsx');
const { AccountMoney } = await import('../../../../src/screens/live/account/AccountMoney.tsx');
const { AccountAgents } = await import('../../../../src/screens/live/account/AccountAgents.tsx');
const { useAgentViews } = await import('../../../../src/screens/use-store.ts');
const { liveMoneyOf } = await import('../../../../src/stores/agent-money.ts');
const { applyAgents, clearAgents } = await import('../../../../src/stores/agents-store.ts');
const { clearLive } = await import('../../../../src/stores/live-slots.ts');
const { applyLiveAccount } = await import('../../../../src/stores/live-store.ts');

const NOW = Date.now();
const list = recordedReplies(recordState(NOW), NOW).agents!;
const live = (id: string, name: string): Agent => ({
  ...list.agents[0]!,
  id,
  name,
  openPositions: 1,
  unrealized: '0',
  total: '0',
  ...IN_LIVE_ACCOUNT,
});
const agents = [live(AGENT_ID, 'Ebb'), live('agent-2', 'Harbour')];
const [position] = liveAccount(NOW).positions;
/** Ebb holds BTC without a price, Harbour ETH with one. */
const account: LiveAccount = liveAccount(NOW, {
  positions: [
    { ...position!, price: null, value: null, unrealized: null },
    { ...position!, id: 'position-2', agentId: 'agent-2', pair: 'ETH/USD', unrealized: '7.5' },
  ],
  // As the server says it: what has no price is left out.
  unrealized: '7.5',
  results: [
    { agentId: AGENT_ID, realized: '20', fees: '0.1' },
    { agentId: 'agent-2', realized: '1', fees: '0.1' },
  ],
});
const WHY = 'no price of BTC/USD';
const count = (text: string): number => document.body.textContent.split(text).length - 1;

function Views({ draw }: { draw: 'list' | 'down' | 'up' }) {
  const views = useAgentViews().views ?? [];
  if (draw === 'list') return <AgentList views={views} />;
  const order = shownAgents(views, {
    query: '',
    status: 'all',
    sort: 'total',
    down: draw === 'down',
  });
  return <>{order.map(({ agent }) => agent.name).join(' ')}</>;
}
const open = (): void => {
  applyAgents({ ...list, agents }, 'network', Date.now());
  applyLiveAccount({ ...account, sequence: list.sequence }, 'network');
};

afterEach(() => {
  cleanup();
  clearLive();
  clearAgents();
});

describe('a position of real money without a price', () => {
  it('leaves the unrealised result of its account unknown, with the reason', () => {
    render(<AccountMoney account={account} />);
    expect(document.body.textContent).toContain(`Unrealised, of agents— ${WHY}`);
    cleanup();
    const priced = account.positions.slice(1);
    render(<AccountMoney account={{ ...account, positions: priced }} />);
    expect(document.body.textContent).toMatch(/Unrealised, of agents▲\+7\.50/);
  });

  it('leaves result and unrealised of its agent unknown in the list, and of all together', () => {
    open();
    render(<Views draw="list" />);
    const { textContent: text } = document.body;
    // Of Ebb and of both together: unrealised, result, and on a phone unrealised once more.
    expect(count(WHY)).toBe(5);
    expect(text).toContain('+8.50');
    expect(text).toContain('All together');
    expect(text).toContain('+21.00');
  });

  it('puts its agent after all whose result is known', () => {
    open();
    expect(render(<Views draw="down" />).container.textContent).toBe('Harbour Ebb');
    expect(render(<Views draw="up" />).container.textContent).toBe('Harbour Ebb');
  });

  it('is said on the page of its agent, and at the account', () => {
    open();
    const [agent] = agents;
    render(
      <AgentResult
        agent={{ ...agent!, ...liveMoneyOf(agent!, null, account) }}
        record={null}
        insight={null}
        failed={false}
        now={undefined}
      />,
    );
    expect(count(WHY)).toBe(2);
    expect(document.body.textContent).toContain('+20.00');
    cleanup();
    render(<AccountAgents account={account} />);
    expect(count(WHY)).toBe(1);
  });
});
