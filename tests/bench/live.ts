/** Live trading in figures: protective stops in real time, and a start with much to read. */
import { measureStarts } from './live-start.ts';
import { measureStops } from './live-stops.ts';
import type { Measurement } from './measurement.ts';

export async function measure(): Promise<Measurement[]> {
  const stops = await measureStops();
  return [...stops, ...(await measureStarts())];
}
