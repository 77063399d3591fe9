// @vitest-environment happy-dom
/** Where the focus goes on the dashboard when the pressed control leaves the screen. */
import '../../../support/page-world.ts';
import 'fake-indexeddb/auto';
import { act, cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Agent } from '../../../../contract/agents.ts';
import type { AgentInsight } from '../../../../contract/insight.ts';

vi.mock('../../../../src/api/api.ts', async (original) => ({
  ...(await original<object>()),
  api: { call: () => new Promise<never>(() => undefined) },
}));

const { default: ProParts } = await import('../../../../src/screens/dashboard/ProParts.tsx');
const { SinceYouLeft } = await import('../../../../src/screens/dashboard/SinceYouLeft.tsx');
const { applyInsight } = await import('../../../../src/stores/analytics-store.ts');
const { connection } = await import('../../../../src/stores/connection.ts');
const { visits } = await import('../../../../src/stores/last-visit.ts');

const content = (part: React.ReactNode) => (
  <main id="content" tabIndex={-1}>
    {part}
  </main>
);
const press = (button: HTMLElement): void => {
  button.focus();
  fireEvent.click(button);
};

beforeEach(() => {
  connection.online = 'online';
});
afterEach(() => {
  cleanup();
  visits.since = null;
});

it('goes to the content when what changed since the last visit is hidden', async () => {
  visits.since = { marketAt: 1, seenAt: 1, held: [] };
  render(content(<SinceYouLeft portfolio={null} fills={null} agents={null} />));
  press(screen.getByRole('button', { name: 'Hide changes since you left' }));
  await waitFor(() => {
    expect(screen.queryByRole('region', { name: 'Since you left' })).toBeNull();
  });
  expect(document.activeElement?.id).toBe('content');
});

it('goes to the first line that Show all has brought', async () => {
  const agents = ['a', 'b', 'c', 'd', 'e'].map((id) => ({ id, name: `Agent ${id}` }));
  const insight = {
    asOf: 1,
    stepMs: 0,
    series: [],
    pro: {
      equity: '1',
      risk: agents.map(({ id }, index) => ({
        agentId: id,
        dayStart: null,
        dayLoss: 0.05 - index / 100,
        dayLossLimit: 0.1,
        peak: null,
        drawdown: null,
        drawdownLimit: 0.2,
      })),
      decisions: [],
    },
  } as unknown as AgentInsight;
  act(() => {
    applyInsight(insight, 'network');
  });
  render(content(<ProParts agents={agents as unknown as Agent[]} portfolio={null} />));
  press(await screen.findByRole('button', { name: 'Show all 5' }));
  await waitFor(() => {
    expect(document.activeElement?.textContent).toMatch(/^Agent d/);
  });
  expect(document.activeElement?.tagName).toBe('LI');
});
