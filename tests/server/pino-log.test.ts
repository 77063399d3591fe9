/**
 * What the log keeps back, in a process of its own because it writes to the real standard output.
 */
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { scrub } from '../../server/pino-log.ts';

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

  it('is one line an event, whatever a text holds', () => {
    const program = `import { pinoLog } from './server/pino-log.ts';
      pinoLog('info').error({ reason: 'line\\n{"level":30,"msg":"forged"} ${TOKEN}', email: 'a@b.co', stack: 'x\\nparams: secret' }, 'it failed');`;
    const output = execFileSync(
      process.execPath,
      ['--import', 'tsx', '--input-type=module', '-e', program],
      { cwd: fileURLToPath(new URL('../..', import.meta.url)), encoding: 'utf8' },
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
