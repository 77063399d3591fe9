// @vitest-environment happy-dom
/**
 * What counts as leaving: the app hidden or closed for a minute, and never another of its screens.
 */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { recordedReplies, recordState } from '../../../src/api/recorded-replies.ts';
import { writeLastUser } from '../../../src/identity/last-user.ts';
import { applyAgents, clearAgents } from '../../../src/stores/agents-store.ts';
import { applyHistory, clearHistory } from '../../../src/stores/fills-store.ts';
import { applyPortfolio, clearPortfolio } from '../../../src/stores/portfolio-store.ts';
import { followVisits, lastSeen, visits } from '../../../src/stores/last-visit.ts';

const MINUTE = 60_000;
const replies = recordedReplies(recordState(Date.now()), Date.now());
const seen = vi.spyOn(document, 'visibilityState', 'get');
const turn = (state: 'visible' | 'hidden'): void => {
  seen.mockReturnValue(state);
  document.dispatchEvent(new Event('visibilitychange'));
};
/** The server's first words of this visit. */
const fill = (): void => {
  applyAgents(replies.agents!, 'network');
  applyHistory(replies.history!, 'network');
  applyPortfolio(replies.portfolio!, 'network');
};
const later = (ms: number): Promise<unknown> => vi.advanceTimersByTimeAsync(ms);

beforeEach(() => {
  vi.useFakeTimers();
  localStorage.clear();
  seen.mockReturnValue('visible');
  writeLastUser({ uid: 'ann', email: null, lastSignInTime: null });
});
afterEach(() => {
  followVisits(null);
  clearAgents();
  clearHistory();
  clearPortfolio();
  vi.useRealTimers();
});

/** The page is closed and opened again. */
function reopen(): void {
  dispatchEvent(new Event('pagehide'));
  followVisits(null);
  followVisits('ann');
}

describe('a visit', () => {
  it('is no return while the app stays open, whatever is looked at in it and for how long', async () => {
    followVisits('ann');
    fill();
    await later(30 * MINUTE);
    expect(visits.since).toBeNull();
    expect(Date.now() - (lastSeen('ann')?.seenAt ?? 0)).toBeLessThanOrEqual(MINUTE);
  });

  it('is a return after the app was hidden for a minute, and none after less', async () => {
    followVisits('ann');
    fill();
    turn('hidden');
    const left = Date.now();
    await later(50_000);
    turn('visible');
    expect(visits.since).toBeNull();
    turn('hidden');
    await later(5 * MINUTE);
    turn('visible');
    expect(visits.since).toMatchObject({ seenAt: left + 50_000 });
  });

  it('is a return after the app was closed for a minute, and none after a reload', async () => {
    followVisits('ann');
    fill();
    const left = Date.now();
    reopen();
    expect(visits.since).toBeNull();
    fill();
    dispatchEvent(new Event('pagehide'));
    followVisits(null);
    await later(3 * MINUTE);
    followVisits('ann');
    expect(visits.since).toMatchObject({ seenAt: left });
    // What comes then does not end it.
    fill();
    await later(MINUTE);
    expect(visits.since).toMatchObject({ seenAt: left });
  });

  it('after a kill that nobody saw is counted from the last half minute that the app was open', async () => {
    followVisits('ann');
    fill();
    await later(10 * MINUTE);
    const alive = lastSeen('ann')?.seenAt ?? 0;
    expect(Date.now() - alive).toBeLessThanOrEqual(30_000);
  });

  it('is nobody else’s', async () => {
    followVisits('ann');
    fill();
    turn('hidden');
    await later(5 * MINUTE);
    seen.mockReturnValue('visible');
    followVisits('bob');
    expect(visits.since).toBeNull();
  });
});
