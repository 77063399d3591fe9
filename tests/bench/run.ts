/**
 * `npm run bench`: measures and prints JSON and a table; judges nothing, because machines are
 * shared and noisy.
 */
import { writeFileSync } from 'node:fs';
import { keepResult, machineNow } from '../../scripts/proof/result.ts';
import type { Measurement } from './measurement.ts';

const SECTIONS: Record<string, () => Promise<{ measure: () => Promise<Measurement[]> }>> = {
  size: () => import('./size.ts'),
  engine: () => import('./engine.ts'),
  ticks: () => import('./ticks.ts'),
  stops: () => import('./stop-sales.ts'),
  api: () => import('./api.ts'),
  'first-paint': () => import('./first-paint.ts'),
  offline: () => import('./offline.ts'),
  'first-stop': () => import('./first-stop.ts'),
  interaction: () => import('./interaction.ts'),
  reconnect: () => import('./reconnect.ts'),
  reads: () => import('./reads.ts'),
  'fast-lane': () => import('./fast-lane.ts'),
  streams: () => import('./streams.ts'),
  market: () => import('./market-load.ts'),
  live: () => import('./live.ts'),
};

const only = process.argv.slice(2).filter((word) => word in SECTIONS);
const results: Measurement[] = [];
for (const [name, load] of Object.entries(SECTIONS)) {
  if (only.length > 0 && !only.includes(name)) continue;
  try {
    results.push(...(await (await load()).measure()));
  } catch (error) {
    results.push({
      section: name,
      what: 'failed',
      value: null,
      unit: error instanceof Error ? error.message.slice(0, 160) : String(error),
    });
    process.exitCode = 1;
  }
}

const report = {
  machine: { ...machineNow(), node: process.version },
  results,
};
console.log(JSON.stringify(report, null, 2));
const shown = (value: number | null): string =>
  value === null ? '—' : value.toLocaleString('en', { maximumFractionDigits: 2 });
const rows = results.map((r) => [r.section, r.what, shown(r.value), r.unit]);
const widths = [0, 1, 2, 3].map((column) =>
  Math.max(...rows.map((row) => (row[column] ?? '').length), 4),
);
for (const row of rows)
  console.log(
    row
      .map((cell, column) =>
        column === 2 ? cell.padStart(widths[2] ?? 0) : cell.padEnd(widths[column] ?? 0),
      )
      .join('  '),
  );
const out = process.env.BENCH_OUT;
if (out !== undefined) writeFileSync(out, `${JSON.stringify(report, null, 2)}\n`);
if (only.length === 0)
  keepResult({
    part: 'bench',
    command: 'npm run bench',
    ok: process.exitCode === undefined,
    figures: { figures: results.length },
    rows: [['Section', 'What', 'Value', 'Unit'], ...rows],
  });
process.exit(process.exitCode ?? 0);
