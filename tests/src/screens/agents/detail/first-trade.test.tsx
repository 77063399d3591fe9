// @vitest-environment happy-dom
/** What a new agent waits for: said only as long as prices come. */
import '../../../../support/page-world.ts';
import { act, cleanup, render, screen } from '@testing-library/react';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { recordedReplies, recordState } from '../../../../../src/api/recorded-replies.ts';
import { FirstTrade } from '../../../../../src/screens/agents/detail/FirstTrade.tsx';
import { applyAgents, clearAgents } from '../../../../../src/stores/agents-store.ts';
import { connection } from '../../../../../src/stores/connection.ts';

const NOW = Date.now();
const replies = recordedReplies(recordState(NOW), NOW);
const agent = {
  ...replies.agents!.agents[0]!,
  status: 'running' as const,
  openPositions: 0,
  fees: '0',
  nextRunAt: NOW + 180_000,
};

beforeEach(() => {
  applyAgents({ ...structuredClone(replies.agents!), agents: [agent] }, 'network', Date.now());
  Object.assign(connection, {
    ...{ online: 'online', stream: 'open', backAt: null, gapAt: null },
    ...{ verifiedAt: Date.now(), marketClockOffset: 0, marketStoppedAt: null },
  });
});
afterEach(() => {
  cleanup();
  clearAgents();
  Object.assign(connection, { stream: 'closed', verifiedAt: null, marketStoppedAt: null });
});
const said = (): string => screen.getByRole('region', { name: 'First trade' }).textContent ?? '';
const later = (change: Partial<typeof connection>): Promise<void> =>
  act(async () => {
    Object.assign(connection, change);
    await Promise.resolve();
  });

it('the next check of a new agent is told while prices come, and not once they have stopped', async () => {
  render(<FirstTrade agent={agent} />);
  expect(said()).toMatch(/Next check at .*, in \d+/);
  await later({ marketStoppedAt: NOW });
  expect(said()).not.toContain('Next check');
  expect(said()).toContain('Prices have stopped. Checks resume with new prices.');
  await later({ marketStoppedAt: NOW + 240_000 });
  expect(said()).not.toContain('It is checking the market now');
  await later({ marketStoppedAt: null });
  expect(said()).toContain('Next check at');
});

it('no check of a new agent is told while the stream is away', async () => {
  render(<FirstTrade agent={agent} />);
  await later({ stream: 'stale' });
  expect(said()).not.toMatch(/Next check|Prices have stopped/);
});
