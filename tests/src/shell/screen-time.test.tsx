// @vitest-environment happy-dom
/** Whose age header and strip show where real money is on the screen. */
import { cleanup, renderHook } from '@testing-library/react';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Agent } from '../../../contract/agents.ts';
import { useScreenTime } from '../../../src/shell/data-age.ts';
import { accountChoice, clearAccountChoice } from '../../../src/stores/account-choice.ts';
import { agentsStore, clearAgents } from '../../../src/stores/agents-store.ts';
import { connection } from '../../../src/stores/connection.ts';
import { clearLive, liveSlots } from '../../../src/stores/live-slots.ts';
import { clearPortfolio, portfolioStore } from '../../../src/stores/portfolio-store.ts';
import { emptySlot } from '../../../src/stores/slot.ts';
import { AGENT_ID, CONNECTION_ID, liveAccount } from '../../support/live/live-replies.ts';

const NOW = Date.now();
const [ACCOUNT, AGENTS, PAPER] = [NOW - 3 * 3_600_000, NOW - 20_000, NOW - 10_000];

const timeOn = (path: string): number | null =>
  renderHook(() => useScreenTime(path)).result.current;

beforeEach(() => {
  Object.assign(connection, { online: 'online', stream: 'closed', gapAt: null, verifiedAt: null });
  accountChoice.chosen = CONNECTION_ID;
  const agents = [
    { id: AGENT_ID, connectionId: CONNECTION_ID },
    { id: 'paper' },
  ] as unknown as Agent[];
  Object.assign(agentsStore, {
    data: { agents, sequence: 1, asOf: NOW, entriesOff: [] },
    savedAt: AGENTS,
    origin: 'network',
  });
  Object.assign(portfolioStore, { savedAt: PAPER, origin: 'network' });
  liveSlots.accounts[CONNECTION_ID] = {
    ...emptySlot(),
    data: liveAccount(ACCOUNT),
    savedAt: ACCOUNT,
    origin: 'network',
  };
});
afterEach(() => {
  cleanup();
  clearAccountChoice();
  clearAgents();
  clearLive();
  clearPortfolio();
});

it('the account’s own on its screens, and the older one where agents stand beside its money', () => {
  for (const path of [
    '/dashboard',
    '/portfolio',
    `/live/${CONNECTION_ID}`,
    '/agents',
    `/agents/${AGENT_ID}`,
  ])
    expect([path, timeOn(path)]).toEqual([path, ACCOUNT]);
  liveSlots.accounts[CONNECTION_ID]!.savedAt = NOW;
  expect(timeOn('/portfolio')).toBe(NOW);
  expect(timeOn(`/agents/${AGENT_ID}`)).toBe(AGENTS);
});

it('what a screen is about where that is not the account, also while it is chosen', () => {
  for (const path of ['/stop-all', '/agents/paper'])
    expect([path, timeOn(path)]).toEqual([path, AGENTS]);
  expect(timeOn('/standard-dashboard')).toBe(PAPER);
  expect(timeOn('/market')).toBeNull();
  accountChoice.chosen = null;
  expect(timeOn('/dashboard')).toBe(PAPER);
  expect(timeOn('/agents')).toBe(AGENTS);
  expect(timeOn(`/live/${CONNECTION_ID}`)).toBe(ACCOUNT);
});

it('none where nothing of the account is here, and that of agents where they are', () => {
  clearLive();
  expect(timeOn('/dashboard')).toBeNull();
  expect(timeOn(`/agents/${AGENT_ID}`)).toBe(AGENTS);
});

it('that of the last mark where the paper account holds positions, though the stream goes on', () => {
  accountChoice.chosen = null;
  Object.assign(connection, { stream: 'open', verifiedAt: NOW });
  Object.assign(portfolioStore, { data: { positions: [] }, savedAt: PAPER });
  for (const path of ['/dashboard', '/portfolio', '/agents/paper'])
    expect([path, timeOn(path)]).toEqual([path, NOW]);
  cleanup();
  Object.assign(portfolioStore, { data: { positions: [{}] }, savedAt: PAPER });
  for (const path of ['/dashboard', '/portfolio', '/agents/paper'])
    expect([path, timeOn(path)]).toEqual([path, PAPER]);
  // It tells of a stop all the same.
  expect(timeOn('/stop-all')).toBe(NOW);
});
