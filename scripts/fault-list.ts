/** Reads which faults are listed in `docs/faults.md`, and which of them the titles of tests name. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export const FAULT_LIST = 'docs/faults.md';

/** Ids of faults in a text, in its order. */
export const faultsIn = (text: string): string[] =>
  [...text.matchAll(/\bF\d{2,3}\b/g)].map(([id]) => id);

/** The listed faults by id, in the words of the list. */
export function listedFaults(): Map<string, string> {
  const rows = readFileSync(FAULT_LIST, 'utf8').matchAll(/^\| (F\d{2,3}) +\| ([^|]+?) +\|/gm);
  return new Map([...rows].map(([, id = '', fault = '']) => [id, fault]));
}

/** Test files by the faults that their titles name; Chromium's alone, other browsers have a command of their own. */
export function filesByFault(): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const name of readdirSync('tests', { recursive: true, encoding: 'utf8' })) {
    if (!/\.(test|e2e)\.tsx?$/.test(name)) continue;
    const file = join('tests', name);
    const text = readFileSync(file, 'utf8');
    // A title ends with the ids that it proves.
    const ends = [...text.matchAll(/\(([^()]*\bF\d{2,3}\b[^()]*)\)['"`]/g)];
    for (const id of new Set(ends.flatMap(([, ids = '']) => faultsIn(ids))))
      found.set(id, [...(found.get(id) ?? []), file]);
  }
  return found;
}
