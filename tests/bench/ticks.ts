/** Agent ticks per second through the real scheduler batch on PGlite, fills and ledger included. */
import { measureAgentTicks } from '../support/agent-ticks.ts';
import type { Measurement } from './measurement.ts';

export async function measure(): Promise<Measurement[]> {
  const results: Measurement[] = [];
  for (const agents of [20, 100, 400]) {
    const speed = await measureAgentTicks(agents, 5);
    results.push({ section: 'ticks', what: `${agents} agents on PGlite`, value: speed.perSecond, unit: 'agent ticks/s' });
  }
  return results;
}
