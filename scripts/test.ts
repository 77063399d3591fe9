/**
 * `npm test`: types, lint, unit and server tests, build, end-to-end; stops at nothing and reports
 * everything.
 */
import { spawn } from 'node:child_process';
import { count, failedNames, failures, plain, saidByFailed } from './test-report.ts';

interface Step {
  name: string;
  command: string[];
}
interface Outcome {
  name: string;
  ok: boolean;
  seconds: number;
  output: string;
  passed: number;
  failed: number;
}

const PROJECTS = ['page', 'worker', 'server', 'tests'];
const bin = (name: string): string => `node_modules/.bin/${name}`;

/** Two lanes for two cores: what only reads the source runs beside what runs it. */
const LANES: Step[][] = [
  [
    ...PROJECTS.map((project) => ({
      name: `types: ${project}`,
      command: ['node_modules/typescript-7/bin/tsc', '-p', `tsconfig.${project}.json`],
    })),
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

function run({ name, command }: Step): Promise<Outcome> {
  const started = Date.now();
  return new Promise((resolve) => {
    const [file = '', ...args] = command;
    const child = spawn(file, args, {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, NODE_OPTIONS: '--max-old-space-size=4096' },
    });
    let output = '';
    const take = (chunk: Buffer): void => {
      output += chunk.toString();
    };
    child.stdout.on('data', take);
    child.stderr.on('data', take);
    child.on('error', (error) => {
      output += String(error);
    });
    child.on('close', (code) => {
      const outcome = {
        name,
        ok: code === 0,
        seconds: Math.round((Date.now() - started) / 1000),
        output,
        passed: count(output, 'passed'),
        failed: count(output, 'failed'),
      };
      const tests =
        outcome.passed + outcome.failed > 0
          ? `, ${outcome.passed} tests passed, ${outcome.failed} failed`
          : '';
      console.log(`${outcome.ok ? 'ok  ' : 'FAIL'} ${name} (${outcome.seconds} s${tests})`);
      if (!outcome.ok)
        console.log(
          [
            failedNames(output)
              .map((test) => `     ${test}`)
              .join('\n'),
            saidByFailed(output),
            failures(output),
            plain(output),
          ]
            .filter((part) => part !== '')
            .join('\n\n'),
        );
      resolve(outcome);
    });
  });
}

async function inOrder(steps: Step[]): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const step of steps) outcomes.push(await run(step));
  return outcomes;
}

const outcomes = (await Promise.all(LANES.map(inOrder))).flat();
outcomes.push(...(await inOrder(LAST)));
const passed = outcomes.reduce(
  (total, outcome) => total + (outcome.passed === 0 && outcome.ok ? 1 : outcome.passed),
  0,
);
const failed = outcomes.reduce(
  (total, outcome) => total + (outcome.failed === 0 && !outcome.ok ? 1 : outcome.failed),
  0,
);
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = outcomes.every((outcome) => outcome.ok) ? 0 : 1;
