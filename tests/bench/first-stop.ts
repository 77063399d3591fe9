/** Cold starts with a finger on Stop at a random moment after the first paint; what became of each. */
import { pressAtColdStarts } from '../support/first-frame-stops.ts';
import type { Measurement } from './measurement.ts';

const STARTS = Number(process.env.BENCH_RUNS ?? 100);

export async function measure(): Promise<Measurement[]> {
  const counts = await pressAtColdStarts(STARTS, Math.random);
  const figure = (what: string, value: number): Measurement => ({
    section: 'first-stop',
    what,
    value,
    unit: `of ${counts.presses}`,
  });
  return [
    figure('pressed before the app had drawn', counts.onFrame),
    figure('lost', counts.lost),
    figure('doubled', counts.doubled),
  ];
}
