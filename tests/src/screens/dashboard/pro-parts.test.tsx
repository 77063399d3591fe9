// @vitest-environment happy-dom
/** What Pro adds to the dashboard says nothing of agents that are not on it. */
import '../../../support/page-world.ts';
import { cleanup, render, screen } from '@testing-library/react';
import { afterEach, expect, it, vi } from 'vitest';
import type { Agent } from '../../../../contract/agents.ts';
import type { AgentInsight } from '../../../../contract/insight.ts';

vi.mock('../../../../src/api/api.ts', async (original) => ({
  ...(await original<object>()),
  api: { call: () => new Promise(() => undefined) },
}));

const { default: ProParts } = await import('../../../../src/screens/dashboard/ProParts.tsx');
const { applyInsight, clearAnalytics } = await import('../../../../src/stores/analytics-store.ts');

const NOW = Date.now();
const HOUR_MS = 3_600_000;
/** Of one that rises and falls by turns, or of one that has hardly begun. */
const series = (agentId: string, moves: number): AgentInsight['series'][number] => ({
  agentId,
  points: Array.from({ length: moves + 1 }, (_none, at) => [NOW + at * HOUR_MS, at % 2]),
});
const agents = (...ids: string[]): Agent[] => ids.map((id) => ({ id, name: id }) as Agent);
const show = (all: AgentInsight['series'], shown: Agent[]): string => {
  applyInsight(
    {
      asOf: NOW,
      stepMs: HOUR_MS,
      series: all,
      pro: { equity: '1', risk: [], decisions: [] },
    },
    'network',
  );
  render(<ProParts agents={shown} portfolio={null} />);
  return screen.getByRole('region', { name: 'Correlated agents' }).textContent;
};

afterEach(() => {
  cleanup();
  clearAnalytics();
});

it('compares no agent with one of another account, which never has a move in common', () => {
  const text = show([series('paper', 30), series('live', 5)], agents('paper'));
  expect(text).toContain('Needs two agents to compare.');
  expect(text).not.toContain('Not enough data');
});

it('compares those on screen, and leaves out one that was deleted', () => {
  const text = show(
    [series('Harbour', 30), series('gone', 30), series('Pier', 30)],
    agents('Harbour', 'Pier'),
  );
  expect(text).toContain('Harbour and Pier+1.00');
  expect(screen.getAllByRole('listitem')).toHaveLength(1);
});

it('waits for the agents', () => {
  applyInsight({ asOf: NOW, stepMs: HOUR_MS, series: [], pro: null }, 'network');
  render(<ProParts agents={null} portfolio={null} />);
  expect(screen.queryByText(/Needs two agents/)).toBeNull();
});
