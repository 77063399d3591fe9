/**
 * `npm test`: types, lint, format, unit and server tests, build, end-to-end. A step that fails does
 * not keep the others from running.
 */
import { bin, run, runLanes, typesOf, type Outcome, type Step } from './check-steps.ts';
import { failedFiles } from './test-report.ts';

const PROJECTS = ['page', 'worker', 'server', 'tests'];

/** Two lanes for two cores: what only reads the source runs beside what runs it. */
const LANES: Step[][] = [
  [
    ...PROJECTS.map(typesOf),
    { name: 'lint', command: [bin('oxlint')] },
    { name: 'format', command: [bin('prettier'), '--check', '.'] },
  ],
  [
    { name: 'build', command: [bin('tsx'), 'scripts/build.ts'] },
    { name: 'unit and server tests', command: [bin('vitest'), 'run', '--reporter=default'] },
  ],
];

/** Alone, once the machine is quiet: a browser and a server want both cores. */
const END_TO_END: Step = {
  name: 'end-to-end',
  command: [bin('vitest'), 'run', '--config', 'vitest.e2e.config.ts', '--reporter=verbose'],
};
/** More files than this fail for a reason that a second run would not remove. */
const FILES_AGAIN_MOST = 10;

/**
 * Files that failed run once more, alone and in a world of their own: a busy machine stalls now and
 * then, and the tests of a file build on one another. What fails twice is broken.
 */
async function endToEnd(): Promise<Outcome[]> {
  const first = await run(END_TO_END);
  if (first.ok) return [first];
  const files = failedFiles(first.output);
  if (files.length === 0 || files.length > FILES_AGAIN_MOST) return [first];
  const again = await run({
    name: 'end-to-end, failed files again',
    command: [...END_TO_END.command, '--maxWorkers=1', ...files],
  });
  if (!again.ok) return [first, again];
  console.log(`     passed only when run again: ${files.join(', ')}`);
  return [{ ...first, ok: true, failed: 0 }, again];
}

const inLanes = await runLanes(LANES);
const inBrowser = await endToEnd();
if (inBrowser.some(({ ok }) => !ok)) process.exitCode = 1;
const outcomes = [...inLanes, ...inBrowser];
const passed = outcomes.reduce(
  (total, outcome) => total + (outcome.passed === 0 && outcome.ok ? 1 : outcome.passed),
  0,
);
const failed = outcomes.reduce(
  (total, outcome) => total + (outcome.failed === 0 && !outcome.ok ? 1 : outcome.failed),
  0,
);
console.log(`${passed} passed, ${failed} failed`);
