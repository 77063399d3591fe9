/** The look at what positions have lost, before a signer whose answers a test writes. */
import { expect, it } from 'vitest';
import { parseFixed, type Fixed } from '../../../contract/money.ts';
import type { SpendingLimits } from '../../../contract/signer.ts';
import { LossWatch } from '../../../server/live/day-loss.ts';
import type { ConnectionRow } from '../../../server/live/live-accounts.ts';
import type { LiveDeps } from '../../../server/live/live-deps.ts';

const HOUR_MS = 3_600_000;
const limits: SpendingLimits = {
  maxOrder: parseFixed('100'),
  maxExposure: parseFixed('500'),
  maxDailyLoss: parseFixed('25'),
};
const connection = {
  id: 'connection-1',
  accountId: 'account-1',
  firstWeekUntil: null,
  maxOrder: '100',
  maxExposure: '500',
  maxDailyLoss: '25',
  limitsChosen: null,
  keyFaults: [] as string[],
  permissionsReadAt: 0,
} as ConnectionRow;

function openWatch() {
  const clock = { at: Date.parse('2026-01-01T10:00:00Z'), now: () => clock.at };
  const signer = { lossToday: parseFixed('0') as Fixed | null, told: [] as string[] };
  const deps = {
    clock,
    signer: {
      ask: () =>
        Promise.resolve({
          kind: 'read',
          value: {
            limits,
            limitsInForce: limits,
            firstWeekUntilMs: clock.at + HOUR_MS,
            lossToday: signer.lossToday,
            faults: [],
            permissionsReadAtMs: 0,
          },
        }),
    },
    database: {
      transaction: () => {
        signer.told.push('daily_loss');
        return Promise.resolve();
      },
    },
  } as unknown as LiveDeps;
  const watch = new LossWatch(deps);
  const look = async (lossToday: Fixed | null): Promise<boolean> => {
    clock.at += 61_000;
    signer.lossToday = lossToday;
    await watch.look(connection);
    return watch.isReached(connection);
  };
  return { clock, look, signer };
}

it('a loss that cannot be read leaves the last one that was, and tells nobody', async () => {
  const { clock, look, signer } = openWatch();
  expect(await look(null)).toBe(false);
  expect(await look(parseFixed('25'))).toBe(true);
  expect(await look(null)).toBe(true);
  expect(signer.told).toEqual(['daily_loss']);
  clock.at += 24 * HOUR_MS;
  expect(await look(null)).toBe(false);
  expect(signer.told).toEqual(['daily_loss']);
});
