/** `npm run test:long`: unit, server and end-to-end tests that take minutes. */
import { inOrder } from './check-steps.ts';
import { endToEnd, unitTests } from './test-runs.ts';

/** Fifty runs before each exchange; `npm run test:live` takes as many as it is told. */
const SEEDED_RUNS = {
  name: 'seeded runs of live trading',
  command: [
    ...['node', '--import', 'tsx', 'tests/support/live/seeded-command.ts'],
    ...['--runs', '150', '--seed', '232701', '--workers', '2'],
  ],
};

const outcomes = [
  ...(await unitTests('long')),
  ...(await inOrder([SEEDED_RUNS])),
  ...(await endToEnd('long')),
];
if (outcomes.some(({ ok }) => !ok)) process.exitCode = 1;
