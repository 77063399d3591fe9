// @vitest-environment happy-dom
/** The step that says what is saved on this device, by what lies there. */
import '../../support/page-world.ts';
import 'fake-indexeddb/auto';
import { cleanup, renderHook, waitFor } from '@testing-library/react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { useSteps } from '../../../src/screens/getting-started/use-steps.ts';
import { session } from '../../../src/identity/session.ts';
import { writeSnapshot } from '../../../src/offline/snapshots.ts';
import { deleteUserDatabase, openUserDatabase } from '../../../src/offline/user-database.ts';
import { applyPortfolio, clearPortfolio } from '../../../src/stores/portfolio-store.ts';
import { portfolio } from '../offline/samples.ts';

vi.mock('../../../src/api/api.ts', async (original) => ({
  ...(await original<object>()),
  api: { call: () => new Promise(() => undefined) },
}));

const UID = 'uid-1';
const NOW = Date.now();

beforeEach(() => {
  session.status = 'signed-in';
  session.user = { uid: UID, email: null, displayName: null, metadata: { lastSignInTime: null } };
  openUserDatabase(UID, { mayCreate: () => true });
  applyPortfolio(portfolio(NOW), 'network');
});
afterEach(async () => {
  cleanup();
  vi.restoreAllMocks();
  localStorage.clear();
  clearPortfolio();
  await deleteUserDatabase(UID);
});

const stepHere = () => {
  const { result } = renderHook(useSteps);
  return () => result.current.steps.find(({ id }) => id === 'snapshot');
};
const save = () => writeSnapshot(UID, 'portfolio', portfolio(NOW), NOW);

it('is not done by a portfolio that the device had no room for (R2-09)', async () => {
  const full = vi.spyOn(IDBObjectStore.prototype, 'put').mockImplementation(() => {
    throw new DOMException('No room', 'QuotaExceededError');
  });
  expect(await save()).toBe(false);
  const step = stepHere();
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(full).toHaveBeenCalled();
  expect(step()).toMatchObject({
    state: 'open',
    text: 'Your portfolio is saved once it has loaded, if your browser allows it.',
  });
});

it('is done by one that lies there (R2-09)', async () => {
  expect(await save()).toBe(true);
  const step = stepHere();
  await waitFor(() => {
    expect(step()?.state).toBe('done');
  });
  expect(step()?.text).toBe('Your last portfolio is saved on this device and opens offline.');
});

it('is done while it is looked at, once one is saved (R2-09)', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  try {
    const step = stepHere();
    await vi.waitFor(() => {
      expect(step()?.state).toBe('open');
    });
    expect(await save()).toBe(true);
    vi.advanceTimersByTime(5_000);
    await vi.waitFor(() => {
      expect(step()?.state).toBe('done');
    });
  } finally {
    vi.useRealTimers();
  }
});

it('is not looked for where nothing is to be kept on this device', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  try {
    localStorage.setItem('tradewind.keepSnapshots', 'false');
    const read = vi.spyOn(IDBObjectStore.prototype, 'get');
    const step = stepHere();
    vi.advanceTimersByTime(20_000);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(read).not.toHaveBeenCalled();
    expect(step()?.state).not.toBe('done');
  } finally {
    vi.useRealTimers();
  }
});
