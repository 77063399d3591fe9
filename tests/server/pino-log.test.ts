/**
 * What the log keeps back, in a process of its own because it writes to the real standard output.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { closeSync, existsSync, openSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { scrub } from '../../server/pino-log.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const TOKEN = 'eyJhbGciOiJub25lIn0.eyJzdWIiOiJhIn0.';

describe('the log', () => {
  it('keeps back tokens, addresses and the values of a failed query, and keeps the rest', () => {
    const failed = `Error: Failed query: insert into "users" values ($1, $2)\nparams: Alice1,alice@example.com,two\nlines\n    at run (session.js:1:2)\n    at main`;
    expect(scrub(failed)).toBe(
      'Error: Failed query: insert into "users" values ($1, $2)\nparams: [removed]\n    at run (session.js:1:2)\n    at main',
    );
    expect(scrub(`Failed query: select 1\nparams: secret`)).toBe(
      'Failed query: select 1\nparams: [removed]',
    );
    expect(scrub(`refused ${TOKEN} of <bob.b@mail.example.com>`)).toBe(
      'refused [token] of <[address]>',
    );
    expect(scrub('at file:///srv/node_modules/@scope/pkg@1.2/index.js')).toContain(
      'file:///srv/node_modules/@scope/',
    );
  });

  // On the code before, a million characters without a space took hours.
  it.each(['a', 'a@', 'eyJ-', 'a.'])('is not held up by a long text of %s', (part) => {
    expect(scrub(part.repeat(1_000_000 / part.length))).toHaveLength(16_000);
    expect(scrub(`${part.repeat(50)} ${TOKEN} bob@mail.example.com`)).toMatch(
      / \[token\] \[address\]$/,
    );
  });

  it('is one line an event, whatever a text holds', () => {
    const program = `import { pinoLog } from './server/pino-log.ts';
      pinoLog('info').error({ reason: 'line\\n{"level":30,"msg":"forged"} ${TOKEN}', email: 'a@b.co', stack: 'x\\nparams: secret' }, 'it failed');`;
    const output = execFileSync(
      process.execPath,
      ['--import', 'tsx', '--input-type=module', '-e', program],
      { cwd: ROOT, encoding: 'utf8' },
    );
    expect(output.trim().split('\n')).toHaveLength(1);
    expect(JSON.parse(output)).toMatchObject({
      msg: 'it failed',
      email: '[removed]',
      stack: 'x\nparams: [removed]',
      reason: 'line\n{"level":30,"msg":"forged"} [token]',
    });
  });
});

/** Runs a program whose standard output is on a disk that is full. */
function runOnFullDisk(program: string): { status: number | null; stderr: string } {
  const full = openSync('/dev/full', 'w');
  try {
    return spawnSync(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', program], {
      cwd: ROOT,
      encoding: 'utf8',
      stdio: ['ignore', full, 'pipe'],
    });
  } finally {
    closeSync(full);
  }
}

describe.skipIf(!existsSync('/dev/full'))('a log on a disk that is full', () => {
  it('ends neither the process nor what logs, and keeps a bounded rest', () => {
    const { status, stderr } = runOnFullDisk(`
      import { pinoLog } from './server/pino-log.ts';
      const log = pinoLog('info');
      process.on('unhandledRejection', (reason) => { log.error({ reason: String(reason) }, 'unhandled rejection'); });
      void Promise.reject(new Error('not handled'));
      const text = 'words '.repeat(1_700);
      const before = process.memoryUsage().rss;
      let lines = 0;
      const timer = setInterval(() => {
        for (let n = 0; n < 500; n += 1, lines += 1) log.warn({ text }, 'a line');
        if (lines < 10_000) return;
        clearInterval(timer);
        const grownMb = (process.memoryUsage().rss - before) / 1024 / 1024;
        process.stderr.write(JSON.stringify({ lines, grownMb }));
      }, 1);`);
    expect([status, stderr]).toEqual([0, expect.stringContaining('"lines":10000')]);
    // All lines together are 100 MB.
    expect((JSON.parse(stderr) as { grownMb: number }).grownMb).toBeLessThan(60);
  });

  it('lets a process say beside it that it is ready', () => {
    const { status, stderr } = runOnFullDisk(`
      import { runProcess } from './server/process.ts';
      await runProcess(async (_config, log) => {
        log.info({}, 'opened');
        process.stdout.write('ready\\n');
        setTimeout(() => { process.stderr.write('still there'); }, 100);
      });`);
    expect([status, stderr]).toEqual([0, 'still there']);
  });
});
