// @vitest-environment happy-dom
/** Getting started: what its next step promises to whom, and what it says of what is not read. */
import '../../../support/page-world.ts';
import { cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Tier } from '../../../../contract/permission.ts';

const { call } = vi.hoisted(() => ({ call: vi.fn() }));
const never = () => new Promise<never>(() => undefined);
vi.mock('../../../../src/api/api.ts', async (original) => ({
  ...(await original<object>()),
  api: { call, marketData: never, marketOverview: never, marketPools: never },
}));

const { ApiError } = await import('../../../../src/api/api-error.ts');
const { session } = await import('../../../../src/identity/session.ts');
const { default: GettingStartedScreen } =
  await import('../../../../src/screens/getting-started/GettingStartedScreen.tsx');
const { applyAgents, clearAgents } = await import('../../../../src/stores/agents-store.ts');
const { connection } = await import('../../../../src/stores/connection.ts');
const { clearHistory } = await import('../../../../src/stores/fills-store.ts');
const { clearPortfolio } = await import('../../../../src/stores/portfolio-store.ts');
const { applySubscription, clearSubscription } =
  await import('../../../../src/stores/subscription-store.ts');

const NOW = Date.now();
const NO_AGENTS = { agents: [], sequence: 1, asOf: NOW };
const NO_TRADES = { fills: [], total: 0, sequence: 1, asOf: NOW };
const have = (tier: Tier, hasUsed: boolean): void => {
  const isPaid = tier !== 'free' && tier !== 'trial';
  applySubscription(
    {
      status: {
        subscription: isPaid
          ? {
              status: 'active',
              tier,
              planId: tier,
              currentPeriodEnd: null,
              cancelAtPeriodEnd: false,
            }
          : null,
        entitledTier: tier,
        servedAt: NOW,
      },
      trial: { isActive: false, endDate: null, hasUsed, servedAt: NOW },
    },
    'network',
  );
};

beforeEach(() => {
  call.mockReset();
  call.mockImplementation(never);
  connection.online = 'online';
  session.status = 'signed-in';
  session.user = {
    uid: 'uid-1',
    email: null,
    displayName: null,
    metadata: { lastSignInTime: null },
  };
});
afterEach(() => {
  cleanup();
  clearAgents();
  clearHistory();
  clearPortfolio();
  clearSubscription();
});

describe('steps of which nothing is known', () => {
  const line = (title: string): string =>
    screen.getByText(title, { selector: 'p' }).closest('li')?.textContent ?? '';

  it('are not called offline to somebody who is online, and can be read again (R2-09)', async () => {
    const failed = new ApiError('', { code: 'internal', status: 500, text: '' });
    call.mockImplementation(() => Promise.reject(failed));
    have('free', false);
    render(<GettingStartedScreen />);
    await screen.findByRole('button', { name: 'Try again' });
    await waitFor(() => {
      expect(line('Create an agent')).toContain('Not loaded yet.');
    });
    expect(document.body.textContent).not.toContain('you are offline');
    call.mockImplementation((name: string) => {
      if (name === 'agents') return Promise.resolve(NO_AGENTS);
      return name === 'history' ? Promise.resolve(NO_TRADES) : never();
    });
    fireEvent.click(screen.getByRole('button', { name: 'Try again' }));
    await waitFor(() => {
      expect(line('Create an agent')).toContain('Four questions in the guided setup');
    });
  });

  it('are unknown while the person is offline', async () => {
    connection.online = 'offline';
    render(<GettingStartedScreen />);
    await screen.findByText('First steps');
    expect(line('Create an agent')).toContain('Unknown while you are offline.');
  });
});

describe('the next step of somebody without an agent', () => {
  const text = async (): Promise<string> => {
    applyAgents(NO_AGENTS, 'network');
    render(<GettingStartedScreen />);
    return (await screen.findByRole('region', { name: 'Next step' })).textContent;
  };

  it('includes the free trial where that was never used (R2-09, R4-05)', async () => {
    have('free', false);
    expect(await text()).toContain('The setup includes the free trial. No card needed.');
  });

  it('names the plan that agents need where the trial was used (R2-09, R4-05)', async () => {
    have('free', true);
    expect(await text()).toContain('Agents are included from the Starter plan.');
    expect(document.body.textContent).not.toContain('includes the free trial');
  });

  it('promises no trial to somebody who pays, nor where the plan could not be checked (R2-09)', async () => {
    have('pro', false);
    expect(await text()).not.toMatch(/trial|Starter/);
    cleanup();
    clearSubscription();
    applySubscription({ status: null, trial: null }, 'network');
    expect(await text()).not.toMatch(/trial|Starter/);
  });

  it('waits for the plan before it says anything', async () => {
    applyAgents(NO_AGENTS, 'network');
    render(<GettingStartedScreen />);
    expect(screen.queryByRole('region', { name: 'Next step' })).toBeNull();
    have('pro', false);
    expect(await screen.findByRole('region', { name: 'Next step' })).toBeTruthy();
  });
});
