/** Runs the end-to-end tests of one project, those that fail once more. */
import { bin, run, type Outcome, type Step } from './check-steps.ts';
import { failedFiles } from './test-report.ts';

/** As in `vitest.e2e.config.ts`. */
export type EndToEndProject = 'short' | 'long';

/** Files of the short form wait more than they compute; some of the long one load both cores. */
const AT_ONCE: Record<EndToEndProject, number> = { short: 3, long: 2 };

const endToEndOf = (project: EndToEndProject, atOnce = AT_ONCE[project]): Step => ({
  name: `end-to-end, ${project}`,
  command: [
    ...[bin('vitest'), 'run', '--config', 'vitest.e2e.config.ts'],
    ...['--project', project, '--reporter=verbose', `--maxWorkers=${atOnce}`],
  ],
});
/** More files than this fail for a reason that a second run would not remove. */
const FILES_AGAIN_MOST = 10;

/**
 * Files that failed run once more, alone and in a world of their own: a busy machine stalls now and
 * then, and the tests of a file build on one another. What fails twice is broken.
 */
export async function endToEnd(project: EndToEndProject): Promise<Outcome[]> {
  const step = endToEndOf(project);
  const first = await run(step);
  if (first.ok) return [first];
  const files = failedFiles(first.output);
  if (files.length === 0 || files.length > FILES_AGAIN_MOST) return [first];
  const again = await run({
    name: `${step.name}, failed files again`,
    command: [...endToEndOf(project, 1).command, ...files],
  });
  if (!again.ok) return [first, again];
  console.log(`     passed only when run again: ${files.join(', ')}`);
  return [{ ...first, ok: true, failed: 0 }, again];
}
