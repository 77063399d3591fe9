/** Judges one import of the product against the table of who may import whom. */
import { RULES, SOLE_IMPORTERS, type Rule } from './import-table.ts';

export interface Import {
  from: string;
  /** A file of the product, or the name of a package. */
  to: string;
  local: boolean;
  kind: 'value' | 'type' | 'lazy';
}

const folderOf = (file: string): string => file.split('/').slice(0, -1).join('/');
const nounOf = (file: string): string => file.split('/').slice(0, 2).join('/');

/** Files of one folder know each other, and so do the folders of one noun: `src/screens/…` is no noun, `src/screens/agents` is. */
function isNeighbour(from: string, to: string): boolean {
  if (folderOf(from) === folderOf(to)) return true;
  return from.split('/').length > 2 && nounOf(from) === nounOf(to);
}

function packageProblem(rule: Rule, { from, to }: Import): string | null {
  if (to.startsWith('node:')) return /^(server|signer)\//.test(from) ? null : 'no Node module here';
  if (to.startsWith('virtual:')) return null;
  const sole = SOLE_IMPORTERS.find(({ packages }) => packages.test(to));
  if (sole !== undefined && !sole.files.test(from)) return 'that package has one door';
  return rule.packages === undefined || rule.packages.test(to) ? null : 'not its package';
}

function fileProblem(rule: Rule, { from, to }: Import): string | null {
  if (to.startsWith('tests/')) return 'the product knows no tests';
  return isNeighbour(from, to) || rule.may.some((allowed) => allowed.test(to))
    ? null
    : 'not its file';
}

/** Why an import is not allowed; null where it is. */
export function problemOf(found: Import): string | null {
  const rule = RULES.find(({ files }) => files.test(found.from));
  if (rule === undefined) return 'no rule for this file';
  return found.local ? fileProblem(rule, found) : packageProblem(rule, found);
}

/** Chains of imports that come back to where they began. A lazy import makes none: it waits for a call. */
export function cyclesIn(imports: readonly Import[]): string[] {
  const graph = new Map<string, string[]>();
  for (const { from, kind, local, to } of imports) {
    if (local && kind !== 'lazy') graph.set(from, [...(graph.get(from) ?? []), to]);
  }
  const state = new Map<string, 'open' | 'done'>();
  const cycles: string[] = [];
  const visit = (file: string, path: string[]): void => {
    if (state.get(file) === 'done') return;
    if (state.get(file) === 'open') {
      cycles.push([...path.slice(path.indexOf(file)), file].join(' → '));
      return;
    }
    state.set(file, 'open');
    for (const next of graph.get(file) ?? []) visit(next, [...path, file]);
    state.set(file, 'done');
  };
  for (const file of graph.keys()) visit(file, []);
  return cycles;
}
