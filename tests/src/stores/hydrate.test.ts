// @vitest-environment happy-dom
/** A start whose device was written by another build, and whose schemas do not come. */
import { afterEach, expect, it, vi } from 'vitest';
import { resetSession, session } from '../../../src/identity/session.ts';
import { readSnapshots, writeSnapshot } from '../../../src/offline/snapshots.ts';
import { log } from '../../../src/platform/page-log.ts';
import { PartUnreachable } from '../../../src/platform/load-part.ts';
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
