/** Reads what a test runner printed. Only the runner's exit code decides. */

// oxlint-disable-next-line no-control-regex -- colour codes are what is removed
const COLOURS = /\u001b\[[0-9;]*m/g;

export const plain = (output: string): string => output.replace(COLOURS, '');

/** How many tests the last summary line of vitest counts as passed or failed. */
export function count(output: string, word: 'passed' | 'failed'): number {
  const line =
    plain(output)
      .split('\n')
      .filter((text) => /^\s*Tests\s/.test(text))
      .pop() ?? '';
  return Number(new RegExp(`(\\d+) ${word}`).exec(line)?.[1] ?? 0);
}

/**
 * Every failed test by name, once each; a project before it is left out. A log that is cut short must at least hold all of these.
 */
export function failedNames(output: string): string[] {
  return [
    ...new Set(
      [...plain(output).matchAll(/^\s*FAIL\s+(?:\w+\s+)?(\S+ >.*)$/gm)].map(([, name = '']) =>
        name.trim(),
      ),
    ),
  ];
}

const REASON_LETTERS = 200;

/** Each failed test by name with the first line of its error and the line that threw it. */
export function failedReasons(output: string): string[] {
  const blocks = plain(output).split(/^(?=\s*FAIL\s)/m);
  return failedNames(output).map((name) => {
    const block = blocks.find((text) => text.slice(0, text.indexOf('\n')).trimEnd().endsWith(name));
    const [, reason = ''] = block?.split('\n') ?? [];
    const place = /^\s*❯ (\S+:\d+):\d+$/m.exec(block ?? '')?.[1];
    return [name, reason.trim().slice(0, REASON_LETTERS), place]
      .filter((part) => part !== undefined && part !== '')
      .join(' | ');
  });
}

/** The files of failed tests and suites, once each. */
export function failedFiles(output: string): string[] {
  return [
    ...new Set(
      [...plain(output).matchAll(/^\s*FAIL\s+(?:\w+\s+)?(\S+\.tsx?)\b/gm)].map(
        ([, file = '']) => file,
      ),
    ),
  ];
}

/** More files than this fail for a reason that a second run would not remove. */
const FILES_AGAIN_MOST = 10;

/** A worker that died leaves files that nobody ran. */
const DIED = /\[vitest-pool\]/;
const OUTSIDE_A_TEST = /Unhandled (?:Errors|Rejection)/;

/**
 * The failed files, where a second run of them can clear the first. `unhandled`: whether it may clear
 * what went wrong outside a test too, as a browser's promises that a failed test leaves behind.
 */
export function filesToRunAgain(output: string, unhandled: 'cleared' | 'counts'): string[] {
  const files = failedFiles(output);
  const text = plain(output);
  const stays = DIED.test(text) || (unhandled === 'counts' && OUTSIDE_A_TEST.test(text));
  return stays || files.length > FILES_AGAIN_MOST ? [] : files;
}

const SAID_LINES = 14;

/**
 * What failed tests printed themselves, as the page they stood before; the last words of each,
 * shortened.
 */
export function saidByFailed(output: string): string {
  const failed = failedNames(output).map((name) => name.slice(name.indexOf(' > ') + 3));
  const blocks = plain(output).split(/^(?=std(?:out|err) \| )/m);
  return failed
    .map((name) =>
      blocks.findLast((block) => block.slice(0, block.indexOf('\n')).trimEnd().endsWith(name)),
    )
    .filter((block) => block !== undefined)
    .map((block) =>
      block
        .split('\n')
        .filter((line) => line.trim() !== '')
        .slice(0, SAID_LINES)
        .join('\n'),
    )
    .join('\n\n');
}

/**
 * The part that tells what failed and why. A log that is cut short keeps its beginning, so this
 * part is printed before the rest; empty where vitest names no failure.
 */
export function failures(output: string): string {
  const text = plain(output);
  const begins = text.search(
    /^.*Failed (Suites|Tests|Unhandled)\s+\d+.*$|^.*Unhandled (Errors|Rejection).*$/m,
  );
  return begins < 0 ? '' : text.slice(begins).trimEnd();
}

/** A file's line with its time, or a test's where each test has one. */
const TIMED = /^\s*[✓❯×]\s.*?(\S+\/\S+\.tsx?)(?: \(.*\)| > .*?)\s*(\d+)\s?ms$/gm;

/** The test files that took longest, as `name 77 s`; what a file prepares first is not counted. */
export function slowestFiles(output: string, most: number): string[] {
  const took = new Map<string, number>();
  for (const [, file = '', ms] of plain(output).matchAll(TIMED))
    took.set(file, (took.get(file) ?? 0) + Number(ms));
  return [...took]
    .map(([file, ms]) => ({ file, seconds: Math.round(ms / 1_000) }))
    .filter(({ seconds }) => seconds > 0)
    .sort((a, b) => b.seconds - a.seconds)
    .slice(0, most)
    .map(({ file, seconds }) => `${file} ${seconds} s`);
}
