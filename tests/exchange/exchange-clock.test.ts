/** The stand-in's clock: virtual time that only the test moves, and real time that it may jump ahead of. */
import { expect, it } from 'vitest';
import { ExchangeClock } from '../support/exchange/exchange-clock.ts';

it('stands still until it is moved, and runs what falls due in order, each at its own time', async () => {
  const clock = new ExchangeClock({ startMs: 1_000, mode: 'still' });
  const seen: string[] = [];
  clock.after(300, () => seen.push(`c ${clock.now()}`));
  clock.after(100, () => {
    seen.push(`a ${clock.now()}`);
    clock.after(50, () => seen.push(`b ${clock.now()}`));
  });
  clock.after(100, () => seen.push(`a too ${clock.now()}`));
  await clock.advance(299);
  expect(seen).toEqual(['a 1100', 'a too 1100', 'b 1150']);
  expect(clock.now()).toBe(1_299);
  await clock.advance(1);
  expect(seen.at(-1)).toBe('c 1300');
});

it('may be ahead or behind while true time goes on', async () => {
  const clock = new ExchangeClock({ startMs: 50_000, mode: 'still' });
  clock.skewMs = -30_000;
  expect([clock.now(), clock.trueNow()]).toEqual([20_000, 50_000]);
  await clock.advance(10);
  expect([clock.now(), clock.trueNow()]).toEqual([20_010, 50_010]);
});

it('flows with the machine when it is told to, and can still be moved', async () => {
  const clock = new ExchangeClock({ startMs: 0, mode: 'flowing' });
  await new Promise<void>((resolve) => {
    clock.after(10, resolve);
  });
  expect(clock.now()).toBeGreaterThanOrEqual(10);
  let isDue = false;
  clock.after(3_600_000, () => {
    isDue = true;
  });
  await clock.advance(3_600_000);
  expect(isDue).toBe(true);
  clock.close();
});
