/** Runs the tests of one project, those that fail once more. */
import { bin, run, type Outcome, type Step } from './check-steps.ts';
import { filesToRunAgain } from './test-report.ts';

/** As in `vitest.config.ts` and `vitest.e2e.config.ts`. */
export type Form = 'short' | 'long';

/** Files of the short form wait more than they compute; some of the long one load both cores. */
const AT_ONCE: Record<Form, number> = { short: 3, long: 2 };

/** Unit and server tests. */
export const unitTests = (form: Form): Promise<Outcome[]> =>
  twice(
    {
      name: form === 'long' ? 'unit and server tests, long' : 'unit and server tests',
      command: [
        ...[bin('vitest'), 'run', '--reporter=default'],
        form === 'long' ? '--project=long' : '--project=!long',
      ],
    },
    'counts',
  );

/** In a real browser. */
export const endToEnd = (form: Form): Promise<Outcome[]> =>
  twice(
    {
      name: `end-to-end, ${form}`,
      command: [
        ...[bin('vitest'), 'run', '--config', 'vitest.e2e.config.ts', '--project', form],
        ...['--reporter=verbose', `--maxWorkers=${AT_ONCE[form]}`],
      ],
    },
    'cleared',
  );

/**
 * Files that failed run once more, one at a time and in a world of their own: a busy machine stalls
 * now and then, and the tests of a file build on one another. What fails twice is broken.
 */
async function twice(step: Step, unhandled: 'cleared' | 'counts'): Promise<Outcome[]> {
  const first = await run(step);
  if (first.ok) return [first];
  const files = filesToRunAgain(first.output, unhandled);
  if (files.length === 0) return [first];
  const again = await run({
    name: `${step.name}, failed files again`,
    command: [
      ...step.command.filter((part) => !part.startsWith('--maxWorkers')),
      ...['--maxWorkers=1', ...files],
    ],
  });
  if (!again.ok) return [first, again];
  console.log(`     passed only when run again: ${files.join(', ')}`);
  return [{ ...first, ok: true, passed: first.passed + first.failed, failed: 0 }];
}
