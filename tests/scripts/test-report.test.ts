/** What a failed run says first. */
import { describe, expect, it } from 'vitest';
import {
  count,
  failedFiles,
  failedNames,
  failedReasons,
  failures,
  filesToRunAgain,
  saidByFailed,
  slowestFiles,
} from '../../scripts/test-report.ts';

const LONG = `\u001b[32m ✓\u001b[39m tests/a.test.ts > goes on\n`.repeat(1_000);
const WHY =
  '⎯⎯⎯⎯⎯⎯⎯ Failed Tests 1 ⎯⎯⎯⎯⎯⎯⎯\n\n FAIL  tests/b.test.ts > stops\nAssertionError: expected 1 to be 2\n';
const SUMMARY =
  ' Test Files  1 failed | 1 passed (2)\n      Tests  1 failed | 1000 passed (1001)\n';

describe('the report of a run', () => {
  it('begins with the test that failed and its reason', () => {
    const said = failures(`${LONG}\u001b[31m${WHY}\u001b[39m${SUMMARY}`);
    expect(said.startsWith('⎯⎯⎯⎯⎯⎯⎯ Failed Tests 1')).toBe(true);
    expect(said).toContain('FAIL  tests/b.test.ts > stops');
  });

  it('names every test that failed, once, however often it was tried', () => {
    const tries =
      ' FAIL  tests/b.test.ts > stops\nError: 1\n\n FAIL  tests/b.test.ts > stops\nError: 2\n\n FAIL  tests/c.test.tsx > goes too\nError: 3\n';
    expect(failedNames(`${LONG}${WHY}${tries}`)).toEqual([
      'tests/b.test.ts > stops',
      'tests/c.test.tsx > goes too',
    ]);
    expect(failedNames(LONG)).toEqual([]);
    expect(
      failedFiles(`${LONG}${WHY}${tries} FAIL  tests/d.test.ts [ tests/d.test.ts ]\n`),
    ).toEqual(['tests/b.test.ts', 'tests/c.test.tsx', 'tests/d.test.ts']);
    expect(failedFiles(LONG)).toEqual([]);
  });

  it('lets a second run clear failed tests, and nothing that went wrong outside of them', () => {
    const failed = ' FAIL  tests/b.test.ts > stops\nError: 1\n';
    const rejected = '⎯⎯⎯⎯⎯⎯ Unhandled Errors ⎯⎯⎯⎯⎯⎯\n\nVitest caught 1 unhandled error';
    const died = `${rejected}\nError: [vitest-pool]: Worker threads emitted error.\n`;
    expect(filesToRunAgain(failed, 'counts')).toEqual(['tests/b.test.ts']);
    expect(filesToRunAgain(`${failed}${rejected}`, 'counts')).toEqual([]);
    expect(filesToRunAgain(`${failed}${rejected}`, 'cleared')).toEqual(['tests/b.test.ts']);
    expect(filesToRunAgain(`${failed}${died}`, 'cleared')).toEqual([]);
    const many = Array.from({ length: 11 }, (_, at) => ` FAIL  tests/${at}.test.ts > a\nError\n`);
    expect(filesToRunAgain(many.join('\n'), 'counts')).toEqual([]);
  });

  it('gives the reason and the line of each in a line of its own', () => {
    const said =
      ' FAIL   long  tests/e.e2e.ts > stops\nTimeoutError: 75000ms exceeded.\nCall log:\n ❯ tests/e.e2e.ts:342:48\n    340|  cut = false\n\n FAIL  tests/b.test.ts > waits\nError: 2\n';
    expect(failedReasons(`${LONG}${said}`)).toEqual([
      'tests/e.e2e.ts > stops | TimeoutError: 75000ms exceeded. | tests/e.e2e.ts:342',
      'tests/b.test.ts > waits | Error: 2',
    ]);
    expect(failedReasons(LONG)).toEqual([]);
  });

  it('names them the same where the runner puts a project before them', () => {
    const said =
      ' FAIL   long  tests/e.e2e.ts > stops\nError: 1\n\n FAIL  fresh  tests/f.test.ts [ x ]\n';
    expect(failedNames(said)).toEqual(['tests/e.e2e.ts > stops']);
    expect(failedFiles(said)).toEqual(['tests/e.e2e.ts', 'tests/f.test.ts']);
  });

  it('tells what a failed test printed, and nobody else', () => {
    const said =
      'stdout | tests/b.test.ts > stops\nhttp://localhost/dashboard\n\nNo agents yet\n\nstdout | tests/a.test.ts > goes on\nall is well\n\n';
    expect(saidByFailed(`${said}${LONG}${WHY}`)).toBe(
      'stdout | tests/b.test.ts > stops\nhttp://localhost/dashboard\nNo agents yet',
    );
    expect(saidByFailed(`${said}${LONG}`)).toBe('');
  });

  it('says nothing of a run in which nothing failed', () => {
    expect(failures(`${LONG}      Tests  1000 passed (1000)\n`)).toBe('');
  });

  it('finds an error that belongs to no test', () => {
    expect(failures(`${LONG}⎯⎯⎯⎯⎯⎯ Unhandled Errors ⎯⎯⎯⎯⎯⎯\n\nError: read ECONNRESET`)).toContain(
      'ECONNRESET',
    );
  });

  it('names the files that took longest', () => {
    const said =
      ' ✓ tests/e2e/alerts.e2e.ts (4 tests) 77290ms\n     ✓ is set 3292ms\n ✓ |fresh| tests/a.test.ts (4 tests) 39ms\n ❯ tests/faults/kill.e2e.ts (3 tests | 1 failed) 91000ms\n ✓ tests/b.test.tsx (9 tests) 1600ms\n';
    expect(slowestFiles(said, 2)).toEqual([
      'tests/faults/kill.e2e.ts 91 s',
      'tests/e2e/alerts.e2e.ts 77 s',
    ]);
    expect(slowestFiles(said, 9)).toHaveLength(3);
    const each =
      ' ✓ tests/e2e/a.e2e.ts > one > is set 3292ms\n ✓ tests/e2e/a.e2e.ts > one > is gone 2000ms\n ✓ tests/e2e/b.e2e.ts > two 4100ms\n';
    expect(slowestFiles(each, 9)).toEqual(['tests/e2e/a.e2e.ts 5 s', 'tests/e2e/b.e2e.ts 4 s']);
    expect(slowestFiles(LONG, 9)).toEqual([]);
  });

  it('counts by the last summary', () => {
    expect([
      count(SUMMARY, 'passed'),
      count(SUMMARY, 'failed'),
      count('nothing', 'failed'),
    ]).toEqual([1000, 1, 0]);
  });
});
