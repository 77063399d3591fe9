// @vitest-environment happy-dom
/**
 * What the list of agents opens: the sums of paper results, and none of real money. What is chosen
 * in it is one person's.
 */
import '../../../../support/page-world.ts';
import { cleanup, fireEvent, render, screen, within } from '@testing-library/react';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { CONNECTION_ID } from '../../../../support/live/live-replies.ts';

vi.mock('../../../../../src/api/api.ts', async (original) => ({
  ...(await original<object>()),
  api: { call: () => new Promise(() => undefined) },
}));

const { recordedReplies, recordState } = await import('../../../../../src/api/recorded-replies.ts');
const { AgentList } = await import('../../../../../src/screens/agents/list/AgentList.tsx');
const { session } = await import('../../../../../src/identity/session.ts');
const { useViewsOf } = await import('../../../../../src/screens/use-store.ts');
const { applyAgents, clearAgents } = await import('../../../../../src/stores/agents-store.ts');

const NOW = Date.now();
const paper = recordedReplies(recordState(NOW), NOW).agents!;
const [first] = paper.agents;

function Shown({ connectionId }: { connectionId: string | null }) {
  const { views } = useViewsOf(connectionId);
  return <AgentList views={views ?? []} />;
}

afterEach(() => {
  cleanup();
  clearAgents();
});

const opening = (): string[] =>
  within(screen.getByRole('list'))
    .queryAllByRole('button', { name: /^Explain / })
    .map((one) => one.getAttribute('title') ?? '');

describe('the results in a list of agents', () => {
  it('open into their sums on paper', () => {
    applyAgents(paper, 'network');
    render(<Shown connectionId={null} />);
    expect(opening()).toContain(`Explain the result of ${first!.name}`);
    screen.getByTitle('Explain the result of all agents');
  });

  it('open nothing at an exchange: the sums are those of the paper account', () => {
    const real = paper.agents.map((one) => ({ ...one, connectionId: CONNECTION_ID }));
    applyAgents({ ...paper, agents: real }, 'network');
    render(<Shown connectionId={CONNECTION_ID} />);
    expect(screen.getByRole('list').textContent).toContain(first!.name);
    expect(screen.queryAllByTitle(/^Explain/)).toEqual([]);
  });
});

describe('what is chosen in the list', () => {
  const search = () => screen.getByRole<HTMLInputElement>('searchbox');
  const many = ['1', '2', '3'].flatMap((set) =>
    paper.agents.map((one) => ({ ...one, id: `${one.id}-${set}` })),
  );
  const open = (): void => {
    applyAgents({ ...paper, agents: many }, 'network');
    render(<Shown connectionId={null} />);
  };

  it('stays while the app is open, and begins anew for the next person (F34)', async () => {
    open();
    fireEvent.change(search(), { target: { value: first!.name } });
    fireEvent.click(screen.getByRole('button', { name: /^Stopped/ }));
    cleanup();
    open();
    expect(search().value).toBe(first!.name);
    cleanup();
    // Another tab has logged out: nothing is purged in this one.
    session.user = {
      uid: 'next',
      email: null,
      displayName: null,
      metadata: { lastSignInTime: null },
    };
    await Promise.resolve();
    open();
    expect(search().value).toBe('');
    screen.getByRole('button', { name: /^All/, pressed: true });
  });
});
