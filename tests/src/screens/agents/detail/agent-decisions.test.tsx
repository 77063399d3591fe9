// @vitest-environment happy-dom
/** The decisions of an agent as a list: what it counts is what is filtered. */
import '../../../../support/page-world.ts';
import 'fake-indexeddb/auto';
import { cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, expect, it } from 'vitest';
import type { Decision } from '../../../../../contract/agents.ts';
import { AgentDecisions } from '../../../../../src/screens/agents/detail/AgentDecisions.tsx';

const NOW = Date.now();
const decision = (at: number, own: Partial<Decision> = {}): Decision => ({
  id: `d${at}`,
  agentId: 'a1',
  pair: 'BTC/USDT',
  tickId: `t${at}`,
  at: NOW - at * 60_000,
  action: 'skip',
  reason: 'below_threshold',
  strength: null,
  threshold: null,
  text: 'Too weak.',
  ...own,
});
const show = (decisions: readonly Decision[]): void => {
  render(<AgentDecisions decisions={decisions} older={[]} />);
};
const tradesOnly = (): void => {
  fireEvent.click(screen.getByRole('checkbox', { name: 'Trades only' }));
};
const choose = (pair: string): void => {
  fireEvent.change(screen.getByLabelText('Pair'), { target: { value: pair } });
};

afterEach(cleanup);

it('says of how many checks none led to a trade', () => {
  const [one, two, three] = [decision(1), decision(2), decision(3, { pair: 'ETH/USDT' })];
  show([one, two, three]);
  tradesOnly();
  expect(screen.getByText('None of the last 3 checks led to a trade.')).toBeTruthy();
  choose('BTC/USDT');
  expect(screen.getByText('None of the last 2 checks of BTC/USDT led to a trade.')).toBeTruthy();
  choose('ETH/USDT');
  expect(screen.getByText('The last check of ETH/USDT led to no trade.')).toBeTruthy();
});

it('offers to show as many as the filter leaves', () => {
  const entered = Array.from({ length: 15 }, (_, at) => decision(at, { action: 'enter' }));
  const skipped = Array.from({ length: 30 }, (_, at) =>
    decision(at + 20, { pair: 'ETH/USDT', reason: `reason ${at}` }),
  );
  show([...entered, ...skipped]);
  expect(screen.getByRole('button', { name: 'Show all 45' })).toBeTruthy();
  tradesOnly();
  expect(screen.getByRole('button', { name: 'Show all 15' })).toBeTruthy();
});
