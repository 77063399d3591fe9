/**
 * `npm test`: types, lint, format, unit and server tests, build, end-to-end. A step that fails does
 * not keep the others from running.
 */
import { bin, runLanes, typesOf, type Step } from './check-steps.ts';

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
const LAST: Step[] = [
  {
    name: 'end-to-end',
    command: [bin('vitest'), 'run', '--config', 'vitest.e2e.config.ts', '--reporter=verbose'],
  },
];

const outcomes = [...(await runLanes(LANES)), ...(await runLanes([LAST]))];
const passed = outcomes.reduce(
  (total, outcome) => total + (outcome.passed === 0 && outcome.ok ? 1 : outcome.passed),
  0,
);
const failed = outcomes.reduce(
  (total, outcome) => total + (outcome.failed === 0 && !outcome.ok ? 1 : outcome.failed),
  0,
);
console.log(`${passed} passed, ${failed} failed`);
