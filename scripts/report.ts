/**
 * `npm run report [-- --short fuzz access] [-- --long all]`: runs the parts that are named, prints
 * the latest results of all, and writes them to `docs/report.md`. All parts take longer than most
 * machines are there for: `docs/report.json` keeps the results from one machine to the next.
 */
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { format } from 'oxfmt';
import { PARTS, type Part } from './proof/parts.ts';
import { reportText } from './proof/report-text.ts';
import { later, readKept } from './proof/result.ts';

const FILE = 'docs/report.md';
const KEPT = 'docs/report.json';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { short: { type: 'boolean' }, long: { type: 'boolean' } },
});

function askedFor(): readonly Part[] {
  const unknown = positionals.filter(
    (name) => name !== 'all' && !PARTS.some((p) => p.name === name),
  );
  if (unknown.length > 0)
    throw new RangeError(
      `No such part: ${unknown.join(', ')}; there are ${PARTS.map(({ name }) => name).join(', ')}`,
    );
  if (positionals.includes('all')) return PARTS;
  return PARTS.filter(({ name }) => positionals.includes(name));
}

/** Its own words go to the screen; what it found is in its result. */
const run = (command: string): Promise<void> =>
  new Promise((resolve) => {
    process.stdout.write(`\n$ ${command}\n`);
    spawn('sh', ['-c', command], { stdio: 'inherit' }).once('close', () => {
      resolve();
    });
  });

if (positionals.length > 0 && values.short !== true && values.long !== true)
  throw new RangeError('Say --short or --long before the parts to run');
for (const part of askedFor()) {
  const command = values.long === true ? part.long : part.short;
  if (command === null) process.stdout.write(`${part.title}: has no short form\n`);
  else await run(command);
}

const kept = readKept(KEPT);
const reads = PARTS.map((part) => ({
  part,
  result: later(kept.find((one) => one.part === part.name) ?? null, part.read()),
}));
const results = reads.flatMap(({ result }) => result ?? []);
const { code: json } = await format(KEPT, JSON.stringify(results));
writeFileSync(KEPT, json);
const { code: text } = await format(FILE, reportText(reads));
writeFileSync(FILE, text);
process.stdout.write(`\n${text}\n`);
process.exitCode = reads.some(({ result }) => result?.ok === false) ? 1 : 0;
