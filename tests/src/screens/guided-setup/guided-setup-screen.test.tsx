// @vitest-environment happy-dom
/** The trial that the guided setup starts, while the person goes elsewhere or stays. */
import '../../../support/page-world.ts';
import 'fake-indexeddb/auto';
import { act, cleanup, fireEvent, render, screen, waitFor, within } from '@testing-library/react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { recordedReplies, recordState } from '../../../../src/api/recorded-replies.ts';

const { startTrial } = vi.hoisted(() => ({ startTrial: vi.fn() }));
vi.mock('../../../../src/billing/start-trial.ts', () => ({ startTrial }));
const never = () => new Promise<never>(() => undefined);
vi.mock('../../../../src/api/api.ts', async (original) => ({
  ...(await original<object>()),
  api: { call: never, marketData: never, marketOverview: never, marketPools: never },
}));

const { session } = await import('../../../../src/identity/session.ts');
const { default: GuidedSetupScreen } =
  await import('../../../../src/screens/guided-setup/GuidedSetupScreen.tsx');
const { connection } = await import('../../../../src/stores/connection.ts');
const { applyMarket, clearMarket } = await import('../../../../src/stores/market-store.ts');
const { clearSubscription } = await import('../../../../src/stores/subscription-store.ts');

const NOW = Date.now();
const REVIEW = '/guided-setup?step=5';

beforeEach(() => {
  Object.assign(connection, { online: 'online', backAt: null });
  Object.assign(session, {
    status: 'signed-in',
    user: { uid: 'uid-1', email: 'a@example.com', displayName: null, metadata: {} },
  });
  const replies = recordedReplies(recordState(NOW), NOW);
  applyMarket(structuredClone(replies.marketData!), 'network');
  clearSubscription();
  history.replaceState(null, '', '/guided-setup');
});
afterEach(() => {
  cleanup();
  clearMarket();
});

const here = (): string => `${location.pathname}${location.search}`;

/** Answers the four questions, and asks for the trial. */
async function toTrial(): Promise<(started: boolean) => void> {
  let answer: (started: boolean) => void = () => undefined;
  startTrial.mockReset().mockImplementation(
    () =>
      new Promise((resolve) => {
        answer = resolve;
      }),
  );
  render(<GuidedSetupScreen />);
  for (const step of [2, 3, 4, 5]) {
    fireEvent.click(
      within(screen.getByRole('group', { name: 'Answers' })).getAllByRole('button')[0]!,
    );
    await waitFor(() => {
      expect(here()).toBe(`/guided-setup?step=${step}`);
    });
  }
  fireEvent.click(await screen.findByRole('button', { name: /trial/i }));
  await waitFor(() => {
    expect(startTrial).toHaveBeenCalledOnce();
  });
  return (started) => {
    answer(started);
  };
}

it.each([
  ['leads on to the start once the trial has begun', REVIEW, '/guided-setup?step=6'],
  ['takes nobody away who has gone elsewhere before it began', '/market', '/market'],
  [
    'takes nobody on who has gone back to a question before it began',
    '/guided-setup?step=2',
    '/guided-setup?step=2',
  ],
])('%s', async (_, at, to) => {
  const began = await toTrial();
  history.replaceState(null, '', at);
  began(true);
  await act(async () => {
    await new Promise((resolve) => setTimeout(resolve, 20));
  });
  expect(here()).toBe(to);
});
