/**
 * `npm test`: types, lint, format, unit and server tests, build, end-to-end. A step that fails does
 * not keep the others from running. `npm run test:long` has what takes
 * minutes.
 */
import { bin, inOrder, typesOf } from './check-steps.ts';
import { endToEnd, unitTests } from './test-runs.ts';

const PROJECTS = ['page', 'worker', 'server', 'tests'];

/** Two lanes for two cores: what only reads the source runs beside what runs it. */
const lanes = await Promise.all([
  inOrder([
    ...PROJECTS.map(typesOf),
    { name: 'lint', command: [bin('oxlint')] },
    { name: 'format', command: [bin('oxfmt'), '--check'] },
  ]),
  inOrder([{ name: 'build', command: [bin('tsx'), 'scripts/build.ts'] }]).then(async (built) => [
    ...built,
    ...(await unitTests('short')),
  ]),
]);
// Alone, once the machine is quiet: a browser and a server want both cores.
const outcomes = [...lanes.flat(), ...(await endToEnd('short'))];
if (outcomes.some(({ ok }) => !ok)) process.exitCode = 1;
const passed = outcomes.reduce(
  (total, outcome) => total + (outcome.passed === 0 && outcome.ok ? 1 : outcome.passed),
  0,
);
const failed = outcomes.reduce(
  (total, outcome) => total + (outcome.failed === 0 && !outcome.ok ? 1 : outcome.failed),
  0,
);
console.log(`${passed} passed, ${failed} failed`);
