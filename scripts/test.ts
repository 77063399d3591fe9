/**
 * `npm test`: types, lint, format, unit and server tests, build, end-to-end. A step that fails does
 * not keep the others from running. `npm run test:long` has what takes
 * minutes.
 */
import { bin, runLanes, typesOf, type Step } from './check-steps.ts';
import { endToEnd } from './end-to-end.ts';

const PROJECTS = ['page', 'worker', 'server', 'tests'];

/** Two lanes for two cores: what only reads the source runs beside what runs it. */
const LANES: Step[][] = [
  [
    ...PROJECTS.map(typesOf),
    { name: 'lint', command: [bin('oxlint')] },
    { name: 'format', command: [bin('oxfmt'), '--check'] },
  ],
  [
    { name: 'build', command: [bin('tsx'), 'scripts/build.ts'] },
    {
      name: 'unit and server tests',
      command: [bin('vitest'), 'run', '--project=!long', '--reporter=default'],
    },
  ],
];

const inLanes = await runLanes(LANES);
// Alone, once the machine is quiet: a browser and a server want both cores.
const inBrowser = await endToEnd('short');
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
