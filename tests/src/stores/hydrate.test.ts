// @vitest-environment happy-dom
/** A start whose device was written by another build, and whose schemas do not come. */
import { afterEach, expect, it, vi } from 'vitest';
import { resetSession, session } from '../../../src/identity/session.ts';
import { readSnapshots, writeSnapshot } from '../../../src/offline/snapshots.ts';
import { log } from '../../../src/platform/page-log.ts';
import { PartUnreachable } from '../../../src/platform/load-part.ts';
import { recordAgent } from '../../../src/api/recorded-replies.ts';
import { applyAgent, applyAgents, clearAgents } from '../../../src/stores/agents-store.ts';
import { hydrate, keepSnapshots } from '../../../src/stores/hydrate.ts';
import { applyPortfolio, portfolioStore } from '../../../src/stores/portfolio-store.ts';
import { clearReplyStores } from '../../../src/stores/reply-store.ts';
import { portfolio, T0 } from '../offline/samples.ts';

vi.mock('../../../src/offline/snapshots.ts', () => ({
  readSnapshots: vi.fn(),
  writeSnapshot: vi.fn(),
  isToldSince: vi.fn(),
}));
const missing = new PartUnreachable('schemas.js', 'no network');

afterEach(() => {
  vi.useRealTimers();
  vi.clearAllMocks();
  clearReplyStores();
  resetSession();
});

it('goes on without what another build has kept, and fills the stores once the schemas are there', async () => {
  vi.useFakeTimers();
  const kept = { portfolio: { savedAt: T0, value: portfolio(T0) } };
  const reads = vi.mocked(readSnapshots).mockRejectedValue(missing);
  let isFirstOver = false;
  await hydrate(
    'ada',
    () => true,
    () => {
      isFirstOver = true;
    },
  );
  expect([isFirstOver, portfolioStore.data]).toEqual([true, null]);
  reads.mockImplementation((_uid, kinds) =>
    Promise.resolve(kinds.includes('portfolio') ? kept : {}),
  );
  await vi.advanceTimersByTimeAsync(20_000);
  expect([portfolioStore.data?.cash, portfolioStore.origin]).toEqual(['10000', 'snapshot']);
});

it('fills no store for somebody who has left meanwhile', async () => {
  vi.useFakeTimers();
  let isHere = true;
  const reads = vi.mocked(readSnapshots).mockRejectedValue(missing);
  await hydrate('ada', () => isHere);
  isHere = false;
  reads.mockResolvedValue({ portfolio: { savedAt: T0, value: portfolio(T0) } });
  await vi.advanceTimersByTimeAsync(20_000);
  expect(portfolioStore.data).toBeNull();
});

it('writes what it could not write for want of the schemas a little later, and nothing once stopped', async () => {
  vi.useFakeTimers();
  session.status = 'signed-in';
  const said = vi.spyOn(log, 'warn').mockImplementation(() => undefined);
  const writes = vi.mocked(writeSnapshot).mockRejectedValue(missing);
  const stop = keepSnapshots('ada');
  applyPortfolio(portfolio(T0), 'network');
  await vi.advanceTimersByTimeAsync(5_000);
  expect(writes).toHaveBeenCalledTimes(1);
  writes.mockResolvedValue(true);
  await vi.advanceTimersByTimeAsync(20_000);
  expect(writes).toHaveBeenCalledTimes(2);
  writes.mockRejectedValue(missing);
  applyPortfolio(portfolio(T0 + 1), 'network');
  await vi.advanceTimersByTimeAsync(5_000);
  stop();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(writes).toHaveBeenCalledTimes(3);
  expect(said.mock.calls.map(([text]) => text)).toEqual([
    'Could not save a snapshot',
    'Could not save a snapshot',
  ]);
  said.mockRestore();
});

it('writes at once what an event says of a list that came from the device, under the list’s own age', async () => {
  vi.useFakeTimers();
  session.status = 'signed-in';
  const agent = recordAgent('x', 'Harbour', 0);
  applyAgents(
    { agents: [{ ...agent, status: 'running', generation: 1 }], sequence: 3, asOf: T0 },
    'snapshot',
    T0,
  );
  const writes = vi.mocked(writeSnapshot).mockResolvedValue(true);
  const stop = keepSnapshots('ada');
  await vi.advanceTimersByTimeAsync(60_000);
  expect(writes, 'what lies there already').not.toHaveBeenCalled();
  applyAgent({ ...agent, status: 'stopped', generation: 2 }, 6);
  await vi.advanceTimersByTimeAsync(10);
  expect(writes).toHaveBeenCalledTimes(1);
  const [, kind, value, savedAt] = writes.mock.calls[0]!;
  expect([kind, savedAt]).toEqual(['agents', T0]);
  expect(value).toMatchObject({ agents: [{ status: 'stopped' }] });
  stop();
  clearAgents();
});
