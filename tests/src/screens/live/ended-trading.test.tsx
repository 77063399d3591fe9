// @vitest-environment happy-dom
/** What is said of stop losses: those of a live agent may be gone, and only its account says so. */
import '../../../support/page-world.ts';
import 'fake-indexeddb/auto';
import { act, cleanup, render, screen } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Agent } from '../../../../contract/agents.ts';
import type { LiveAccount } from '../../../../contract/live.ts';
import { recordedReplies, recordState } from '../../../../src/api/recorded-replies.ts';
import {
  AGENT_ID,
  CONNECTION_ID,
  IN_LIVE_ACCOUNT,
  liveAccount,
  liveConnection,
} from '../../../support/live/live-replies.ts';

const never = () => new Promise<never>(() => undefined);
vi.mock('../../../../src/api/api.ts', async (original) => ({
  ...(await original<object>()),
  api: { call: never },
}));

const { default: StopAllScreen } =
  await import('../../../../src/screens/stop-all/StopAllScreen.tsx');
const { stopSentence } = await import('../../../../src/screens/agents/start-stop/stop-sentence.ts');
const { Brakes } = await import('../../../../src/screens/live/account/Brakes.tsx');
const { default: LiveAgentPart } =
  await import('../../../../src/screens/live/agent/LiveAgentPart.tsx');
const { useAgentViews } = await import('../../../../src/screens/use-store.ts');
const { applyAgents, clearAgents } = await import('../../../../src/stores/agents-store.ts');
const { connection } = await import('../../../../src/stores/connection.ts');
const { clearLive } = await import('../../../../src/stores/live-slots.ts');
const { applyLiveAccount } = await import('../../../../src/stores/live-store.ts');

const NOW = Date.now();
const list = recordedReplies(recordState(NOW), NOW).agents!;
const [position] = liveAccount(NOW).positions;
const live = (own: Partial<Agent> = {}): Agent => ({
  ...list.agents[0]!,
  id: AGENT_ID,
  name: 'Ebb',
  status: 'stopped',
  openPositions: 1,
  ...IN_LIVE_ACCOUNT,
  ...own,
});
const paper = (): Agent => ({
  ...list.agents[0]!,
  id: 'paper-1',
  name: 'Drift',
  status: 'stopped',
  openPositions: 1,
});
/** Positions of the agent with these stop losses. */
const holding = (...stops: (string | null)[]): LiveAccount =>
  liveAccount(NOW, {
    positions: stops.map((stopPrice, index) => ({
      ...position!,
      id: `position-${index}`,
      pair: index === 0 ? 'BTC/USD' : 'ETH/USD',
      stopPrice,
    })),
  });

const shown = (): string => document.body.textContent;
function Sentences() {
  const { views } = useAgentViews();
  return <>{views?.map((view) => `${view.statusText} | ${stopSentence(view)}`).join('\n')}</>;
}
function told(agents: Agent[], account: LiveAccount | null, isOnline = true): string {
  cleanup();
  clearLive();
  connection.online = isOnline ? 'online' : 'offline';
  applyAgents({ ...list, agents }, 'network', Date.now());
  if (account !== null) applyLiveAccount(account, 'network');
  return render(<Sentences />).container.textContent;
}
function stopAll(agents: Agent[], account: LiveAccount | null): string {
  told(agents, account);
  cleanup();
  render(<StopAllScreen />);
  return shown();
}

beforeEach(() => {
  Object.assign(connection, { online: 'online', backAt: null, gapAt: null });
});
afterEach(() => {
  cleanup();
  clearLive();
  clearAgents();
});

describe('a stopped agent with real money', () => {
  it('protects what it holds only where every position has a stop loss', () => {
    expect(told([live()], holding('66240'))).toBe(
      'Stopped, protecting 1 position | Ebb opens no new positions. Its 1 position keeps its stop loss.',
    );
    expect(told([live()], holding(null))).toBe(
      'Stopped, holding 1 position without a stop loss | Ebb opens no new positions. Its 1 position has no stop loss and stays open.',
    );
    expect(told([live({ openPositions: 2 })], holding(null, null))).toBe(
      'Stopped, holding 2 positions without a stop loss | Ebb opens no new positions. Its 2 positions have no stop loss and stay open.',
    );
    expect(told([live({ openPositions: 2 })], holding('66240', null))).toBe(
      'Stopped, holding 2 positions, 1 without a stop loss | Ebb opens no new positions. Its 2 positions stay open, 1 without a stop loss.',
    );
  });

  it('only holds where this device does not know its account, or not all it has there', () => {
    const unknown =
      'Stopped, holding 1 position | Ebb opens no new positions. Its 1 position stays open. This device does not know its stop losses.';
    expect(told([live()], null)).toBe(unknown);
    expect(told([live()], holding())).toBe(unknown);
    expect(told([live({ openPositions: 2 })], holding('66240'))).toContain(
      'Stopped, holding 2 positions | Ebb opens no new positions. Its 2 positions stay open.',
    );
  });

  it('only holds while its account is what the device kept from before', async () => {
    told([live()], null);
    const read = (origin: 'snapshot' | 'network'): Promise<void> =>
      act(async () => {
        applyLiveAccount(holding('66240'), origin);
        await Promise.resolve();
      });
    await read('snapshot');
    expect(shown()).toContain('Stopped, holding 1 position |');
    await read('network');
    expect(shown()).toContain('Stopped, protecting 1 position |');
  });

  it('is told of the past while the server is away', () => {
    expect(told([live()], holding('66240'), false)).toBe(
      'Stopped when last seen, protecting 1 position | Ebb opens no new positions once the server has the stop. It had 1 position when last seen. Open positions keep their stop losses.',
    );
    expect(told([live()], holding(null), false)).toBe(
      'Stopped when last seen, holding 1 position without a stop loss | Ebb opens no new positions once the server has the stop. It had 1 position when last seen, 1 without a stop loss.',
    );
    expect(told([live()], null, false)).toBe(
      'Stopped when last seen, holding 1 position | Ebb opens no new positions once the server has the stop. It had 1 position when last seen. This device does not know its stop losses.',
    );
  });

  it('on paper always protects', () => {
    expect(told([paper()], null)).toContain('Stopped, protecting 1 position | Drift');
  });
});

describe('Stop all', () => {
  it('says that stop losses stay only where each position is known to have one', () => {
    expect(stopAll([paper(), live()], holding('66240'))).toContain(
      '2 open positions keep their stop losses. Nothing is sold.',
    );
    expect(stopAll([paper(), live()], holding(null))).toContain(
      '2 open positions, 1 without a stop loss. Nothing is sold.',
    );
    expect(stopAll([live()], holding(null))).toContain(
      '1 open position without a stop loss. Nothing is sold.',
    );
    expect(stopAll([paper(), live()], null)).toContain('2 open positions. Nothing is sold.');
  });

  it('names no stop losses where no agent is known', () => {
    render(<StopAllScreen />);
    expect(shown()).toContain(
      'Your agents are not loaded on this device. Stop all reaches every agent. Nothing is sold.',
    );
  });
});

describe('an account after the end of live trading', () => {
  const off = () => liveConnection(NOW, { entriesOffSince: NOW });
  const hint = (account: LiveAccount | null): string => {
    cleanup();
    clearLive();
    if (account !== null) applyLiveAccount(account, 'network');
    render(<Brakes connection={off()} />);
    return shown();
  };

  it('is not said to keep stop losses by the switch of purchases', () => {
    expect(hint(holding('66240'))).toContain(
      'agents buy nothing. Sales and stop losses stay active.',
    );
    expect(hint(holding('66240', null))).toContain('agents buy nothing. Sales stay active.');
    expect(hint(null)).toContain('agents buy nothing. Sales stay active.');
    expect(shown()).not.toContain('stop losses');
  });

  it('is not said to keep them on the page of an agent', () => {
    const page = (account: LiveAccount): string => {
      cleanup();
      clearLive();
      applyLiveAccount(account, 'network');
      render(<LiveAgentPart agent={live()} connectionId={CONNECTION_ID} />);
      return shown();
    };
    expect(page(holding('66240'))).toContain(
      'Stop cancels its open purchases; its stop losses stay active.',
    );
    for (const account of [holding(null), holding('66240', null), holding()])
      expect(page(account)).toContain('Stop cancels its open purchases. Nothing is sold.');
    expect(screen.queryByText(/stay active/)).toBeNull();
  });
});
