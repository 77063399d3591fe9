/** Finds the tests nearest to changed files: their own first, then those that import them. */
import { readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

const IMPORTED = /(?:from|import|mock\w*)\s*\(?\s*'(\.[^'?]+)/g;
const TEST = /^tests\/.*\.test\.tsx?$/;

/** Who imports each file. */
function importersIn(files: readonly string[]): Map<string, string[]> {
  const importers = new Map<string, string[]>();
  for (const file of files)
    for (const [, specifier = ''] of readFileSync(file, 'utf8').matchAll(IMPORTED)) {
      const to = normalize(join(dirname(file), specifier));
      importers.set(to, [...(importers.get(to) ?? []), file]);
    }
  return importers;
}

/**
 * All tests that reach one of `changed` by imports, the nearest first. `files`: every source file
 * of the repository.
 */
export function relatedTests(changed: readonly string[], files: readonly string[]): string[] {
  const importers = importersIn(files);
  const seen = new Set(changed);
  const tests: string[] = [];
  let next = [...changed];
  while (next.length > 0) {
    tests.push(...next.filter((file) => TEST.test(file)).sort());
    const reached = next.flatMap((file) => importers.get(file) ?? []);
    next = [...new Set(reached)].filter((file) => !seen.has(file));
    for (const file of next) seen.add(file);
  }
  return tests;
}
