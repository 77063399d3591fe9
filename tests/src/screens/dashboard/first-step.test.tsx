// @vitest-environment happy-dom
/** What the dashboard offers somebody without agents, by their plan. */
import '../../../support/page-world.ts';
import { act, cleanup, render, screen } from '@testing-library/react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Tier } from '../../../../contract/permission.ts';

const never = () => new Promise<never>(() => undefined);
vi.mock('../../../../src/api/api.ts', async (original) => ({
  ...(await original<object>()),
  api: { call: never, marketData: never, marketOverview: never, marketPools: never },
}));

const { session } = await import('../../../../src/identity/session.ts');
const { default: StandardDashboard } =
  await import('../../../../src/screens/dashboard/StandardDashboard.tsx');
const { applyAgents, clearAgents } = await import('../../../../src/stores/agents-store.ts');
const { connection } = await import('../../../../src/stores/connection.ts');
const { applySubscription, clearSubscription } =
  await import('../../../../src/stores/subscription-store.ts');

const NOW = Date.now();
const SET_UP = { name: 'Set up my first agent' };

/** `tier`: null where the status call failed. */
const have = (tier: Tier | null, hasUsed: boolean): void => {
  const subscription =
    tier === null || tier === 'free'
      ? null
      : {
          status: 'active' as const,
          tier,
          planId: tier,
          currentPeriodEnd: null,
          cancelAtPeriodEnd: false,
        };
  applySubscription(
    {
      status: tier === null ? null : { subscription, entitledTier: tier, servedAt: NOW },
      trial: { isActive: false, endDate: null, hasUsed, servedAt: NOW },
    },
    'network',
  );
};
const text = async (): Promise<string> => {
  render(<StandardDashboard />);
  await screen.findByText('No agents yet', undefined, { timeout: 20_000 });
  return screen.getByRole('region', { name: 'Agents' }).textContent;
};

beforeEach(() => {
  connection.online = 'online';
  session.status = 'signed-in';
  session.user = {
    uid: 'uid-1',
    email: null,
    displayName: null,
    metadata: { lastSignInTime: null },
  };
  applyAgents({ agents: [], sequence: 1, asOf: NOW }, 'network');
});
afterEach(() => {
  cleanup();
  clearAgents();
  clearSubscription();
});

it('names the free trial where that is open (R4-05, R4-08)', async () => {
  have('free', false);
  expect(await text()).toContain('You can start the free trial on the way.');
  expect(screen.getByRole('link', SET_UP)).toBeTruthy();
});

it('leads to the plans where the trial was used (R4-05)', async () => {
  have('free', true);
  expect(await text()).toContain('Agents are included from the Starter plan.');
  expect(screen.getByRole('link', { name: 'View Plans' })).toBeTruthy();
});

it.each<[string, Tier | null, boolean]>([
  ['to somebody who pays and never tried', 'pro', false],
  ['to somebody who pays and has tried', 'pro', true],
  ['where the plan could not be checked', null, false],
  ['where the plan of somebody who has tried could not be checked', null, true],
])('promises no trial and names no plan %s (R4-08)', async (_who, tier, hasUsed) => {
  have(tier, hasUsed);
  expect(await text()).not.toMatch(/trial|Starter/);
  expect(screen.getByRole('link', SET_UP)).toBeTruthy();
});

it('says nothing before the plan was asked for: its button would move under the finger', async () => {
  render(<StandardDashboard />);
  const part = screen.getByRole('region', { name: 'Agents' });
  await act(() => new Promise((resolve) => setTimeout(resolve, 100)));
  expect([part.textContent, screen.queryByRole('link', SET_UP)]).toEqual(['Agents', null]);
  act(() => {
    have('free', false);
  });
  expect(await screen.findByRole('link', SET_UP)).toBeTruthy();
});
