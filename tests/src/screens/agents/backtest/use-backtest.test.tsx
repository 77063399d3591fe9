// @vitest-environment happy-dom
/** A backtest whose period, agent or settings change while it runs. */
import '../../../../support/page-world.ts';
import { act, cleanup, renderHook } from '@testing-library/react';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { AgentPreviewBody } from '../../../../../contract/preview.ts';

const { asked, runTest } = vi.hoisted(() => ({
  asked: vi.fn<(body: { days: number }) => unknown>(),
  runTest: vi.fn(),
}));
vi.mock('../../../../../src/api/api.ts', async (original) => ({
  ...(await original<object>()),
  api: { call: (_name: string, { body }: { body: { days: number } }) => asked(body) },
}));
vi.mock('../../../../../src/backtest/read-past-candles.ts', async (original) => ({
  ...(await original<object>()),
  readPastCandles: () => Promise.resolve({}),
}));
vi.mock('../../../../../src/backtest/start-backtest.ts', () => ({ runTest }));

const { useBacktest } = await import('../../../../../src/screens/agents/backtest/use-backtest.ts');

interface Given {
  ask: AgentPreviewBody | null;
  days: number;
  version: number;
}
const HARBOUR: Given = { ask: { agentId: 'a' }, days: 30, version: 1 };

/** A run that waits for the terms of its first question. */
function running(given: Given) {
  let answer: (terms: object) => void = () => undefined;
  asked.mockReset();
  asked.mockImplementationOnce(
    () =>
      new Promise((resolve) => {
        answer = resolve;
      }),
  );
  asked.mockImplementation(({ days }) => Promise.resolve({ days }));
  runTest.mockImplementation(({ terms }: { terms: object }) =>
    Promise.resolve({ outcome: { of: terms }, tested: {} }),
  );
  const hook = renderHook(({ ask, days, version }: Given) => useBacktest(ask, days, version), {
    initialProps: given,
  });
  act(() => {
    hook.result.current.run();
  });
  expect(hook.result.current.state.at).toBe('busy');
  return { ...hook, answer: (terms: object) => act(async () => answer(terms)) };
}

afterEach(cleanup);

describe('a backtest that runs', () => {
  it.each([
    ['period', { days: 7 }],
    ['version of its agent', { version: 2 }],
  ])('goes on with another %s, and not with what was asked before', async (_what, change) => {
    const { result, rerender, answer } = running(HARBOUR);
    rerender({ ...HARBOUR, ...change });
    await vi.waitFor(() => {
      expect(result.current.state.at).toBe('done');
    });
    await answer({ days: 'before' });
    expect(result.current.state).toMatchObject({
      done: { terms: { days: { ...HARBOUR, ...change }.days } },
    });
    expect(asked).toHaveBeenCalledTimes(2);
  });

  it('ends where the person changes the settings', async () => {
    const { result, rerender, answer } = running(HARBOUR);
    rerender({ ...HARBOUR, ask: { agentId: 'b' } });
    expect(result.current.state.at).toBe('idle');
    await answer({ days: 30 });
    expect(result.current.state.at).toBe('idle');
    expect(asked).toHaveBeenCalledTimes(1);
  });

  it('stays ended once it was cancelled, whatever changes after that', () => {
    const { result, rerender } = running(HARBOUR);
    act(() => {
      result.current.cancel();
    });
    rerender({ ...HARBOUR, days: 7 });
    expect(result.current.state.at).toBe('idle');
    expect(asked).toHaveBeenCalledTimes(1);
  });
});
