/** `npm run test:long`: unit, server and end-to-end tests that take minutes. */
import { endToEnd, unitTests } from './test-runs.ts';

const outcomes = [...(await unitTests('long')), ...(await endToEnd('long'))];
if (outcomes.some(({ ok }) => !ok)) process.exitCode = 1;
