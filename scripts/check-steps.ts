/** Runs the steps of a check as processes of their own and prints how each one ended. */
import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import {
  count,
  failedReasons,
  failures,
  plain,
  saidByFailed,
  slowestFiles,
} from './test-report.ts';

/** Where the whole output of each step of the last run lies. */
const LOGS = 'node_modules/.cache/tradewind/steps';
/** Files named of a step that runs tests for longer than this, seconds. */
const LONG_STEP_SECONDS = 120;
const SLOWEST = 8;

export interface Step {
  name: string;
  command: string[];
}
export interface Outcome {
  name: string;
  ok: boolean;
  seconds: number;
  output: string;
  passed: number;
  failed: number;
}

export const bin = (name: string): string => `node_modules/.bin/${name}`;

/** A check of the types of one part: `page`, `worker`, `server` or `tests`. What did not change since the last one is not read again. */
export const typesOf = (project: string): Step => ({
  name: `types: ${project}`,
  command: ['node_modules/typescript-7/bin/tsc', '-p', `tsconfig.${project}.json`],
});

export function run({ name, command }: Step): Promise<Outcome> {
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
      mkdirSync(LOGS, { recursive: true });
      writeFileSync(`${LOGS}/${name.replace(/\W+/g, '-')}.log`, plain(output));
      if (outcome.ok && outcome.passed > 0 && outcome.seconds > LONG_STEP_SECONDS)
        console.log(`     slowest: ${slowestFiles(output, SLOWEST).join(', ')}`);
      if (!outcome.ok)
        console.log(
          [
            failedReasons(output)
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

/** One after the other; a step that fails does not keep the next from running. */
export async function inOrder(steps: readonly Step[]): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const step of steps) outcomes.push(await run(step));
  return outcomes;
}

/** Lanes side by side, the steps of each in order; what failed makes the process end with code 1. */
export async function runLanes(lanes: readonly (readonly Step[])[]): Promise<Outcome[]> {
  const outcomes = (await Promise.all(lanes.map(inOrder))).flat();
  if (outcomes.some(({ ok }) => !ok)) process.exitCode = 1;
  return outcomes;
}
