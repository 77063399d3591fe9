/** `npm run test:long`: unit, server and end-to-end tests that take minutes. */
import { bin, run } from './check-steps.ts';
import { endToEnd } from './end-to-end.ts';

const outcomes = [
  await run({
    name: 'unit and server tests, long',
    command: [bin('vitest'), 'run', '--project=long', '--reporter=default'],
  }),
  ...(await endToEnd('long')),
];
if (outcomes.some(({ ok }) => !ok)) process.exitCode = 1;
