/** Plants an import that each rule must refuse, so that a rule that lets everything pass is seen. */
import { describe, expect, it } from 'vitest';
import { cyclesIn, problemOf, type Import } from './import-rules.ts';

const file = (from: string, to: string): Import => ({ from, to, local: true, kind: 'value' });
const pack = (from: string, to: string): Import => ({ from, to, local: false, kind: 'value' });

/** What must be refused, rule by rule in the order of the table. */
const PLANTED: readonly Import[] = [
  file('contract/money.ts', 'engine/execution/decide-pair.ts'),
  pack('contract/money.ts', 'viem'),
  file('engine/execution/decide-pair.ts', 'server/clock.ts'),
  pack('engine/execution/decide-pair.ts', 'zod/mini'),
  file('server/main.ts', 'src/start.tsx'),
  file('server/portfolio/marks.ts', 'server/agents/batch-write.ts'),
  file('server/portfolio/marks.ts', 'src/format/numbers.ts'),
  file('signer/desk.ts', 'server/clock.ts'),
  file('signer/desk.ts', 'engine/execution/decide-pair.ts'),
  file('server/main.ts', 'signer/desk.ts'),
  file('server/live/signer-client.ts', 'signer/box.ts'),
  file('contract/signer.ts', 'signer/desk.ts'),
  pack('signer/desk.ts', 'fastify'),
  file('src/offline/outbox.ts', 'src/stores/agents-store.ts'),
  pack('src/offline/outbox.ts', 'valtio'),
  file('src/identity/worker-token.ts', 'src/stores/agents-store.ts'),
  pack('src/identity/worker-token.ts', 'react'),
  file('src/api/client.ts', 'src/offline/outbox.ts'),
  file('src/api/client.ts', 'src/screens/show-result.ts'),
  file('src/identity/session.ts', 'src/shell/routes.ts'),
  file('src/wallet/connect/connectors.ts', 'src/offline/outbox.ts'),
  pack('src/wallet/connect/connectors.ts', 'ccxt'),
  file('src/commands.ts', 'engine/execution/decide-pair.ts'),
  file('src/first-frame/show-frame.ts', 'src/stores/agents-store.ts'),
  pack('src/main.ts', 'react'),
  file('src/first-frame/keep-frames.ts', 'server/clock.ts'),
  file('src/push/device.ts', 'server/clock.ts'),
  file('src/stores/agents-store.ts', 'src/screens/show-result.ts'),
  file('src/backtest/backtest-worker.ts', 'server/clock.ts'),
  file('src/screens/agents/detail/AgentScreen.tsx', 'src/offline/outbox.ts'),
  file('src/components/Button.tsx', 'src/offline/snapshots.ts'),
  file('src/charts/CandleChart.tsx', 'engine/execution/decide-pair.ts'),
  file('src/shell/Menu.tsx', 'server/clock.ts'),
  file('sw/sw.ts', 'src/stores/agents-store.ts'),
  pack('sw/sw.ts', 'react'),
  file('src/shell/Menu.tsx', 'tests/support/tape.ts'),
  pack('src/shell/Menu.tsx', 'node:fs'),
  // Packages with one door each.
  pack('src/screens/agents/detail/AgentScreen.tsx', 'wagmi'),
  pack('src/screens/agents/detail/AgentScreen.tsx', 'viem/chains'),
  pack('src/screens/agents/detail/AgentScreen.tsx', 'firebase/auth'),
  pack('server/agents/scheduler.ts', 'ccxt'),
  pack('signer/desk.ts', 'ccxt'),
  pack('signer/exchanges/kraken/adapter.ts', 'ccxt'),
  pack('server/main.ts', 'hpke'),
  pack('server/agents/scheduler.ts', 'stripe'),
  pack('src/stores/agents-store.ts', 'idb-keyval'),
  file('scripts/build.ts', 'server/clock.ts'),
];

describe('the import rules', () => {
  it.each(PLANTED)('refuse $from → $to', (planted) => {
    expect(problemOf(planted)).not.toBeNull();
  });

  it('allow what lies beside a file, below it, or in the contract', () => {
    const allowed = [
      file('src/screens/agents/detail/AgentScreen.tsx', 'src/screens/agents/list/AgentsScreen.tsx'),
      file('src/screens/agents/detail/AgentScreen.tsx', 'src/components/Button.tsx'),
      file('src/stores/agents-store.ts', 'src/offline/snapshots.ts'),
      file('engine/strategies/all-pools.ts', 'engine/execution/decide-pair.ts'),
      file('server/agents/scheduler.ts', 'contract/agents.ts'),
    ];
    expect(allowed.map(problemOf)).toEqual(allowed.map(() => null));
  });

  it('see a cycle of any length, of types too, and none in a lazy import', () => {
    const [ab, bc, ca] = [file('a.ts', 'b.ts'), file('b.ts', 'c.ts'), file('c.ts', 'a.ts')];
    expect(cyclesIn([ab, bc, ca])).toEqual(['a.ts → b.ts → c.ts → a.ts']);
    expect(cyclesIn([ab, bc, { ...ca, kind: 'type' }])).toHaveLength(1);
    expect(cyclesIn([ab, bc, { ...ca, kind: 'lazy' }])).toEqual([]);
  });
});
