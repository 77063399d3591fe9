/** The proof report as Markdown. A part without a result says so. */
import type { Part } from './parts.ts';
import type { ProofResult } from './result.ts';

export interface Read {
  part: Part;
  result: ProofResult | null;
}

type Cell = string | number;

const shown = (cell: Cell): string =>
  typeof cell === 'number'
    ? cell.toLocaleString('en', { maximumFractionDigits: 2 })
    : cell.replaceAll('|', '\\|').replaceAll('\n', ' ');

function table([head = [], ...rows]: readonly (readonly Cell[])[]): string {
  const line = (cells: readonly Cell[]): string => `| ${cells.map(shown).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

const NOT_RUN = 'not run';
const outcome = ({ ok }: ProofResult): string => (ok ? 'passed' : '**failed**');
const day = (result: ProofResult): string => result.endedAt.slice(0, 16).replace('T', ' ');

/** The figure that says most: the first one. */
const headline = ({ figures }: ProofResult): string => {
  const [first] = Object.entries(figures);
  return first === undefined ? '' : `${shown(first[1])} ${first[0]}`;
};

function overview(reads: readonly Read[]): string {
  return table([
    ['Part', 'Result', 'Figure', 'Ended (UTC)'],
    ...reads.map(({ part, result }) =>
      result === null
        ? [part.title, NOT_RUN, '', '']
        : [part.title, outcome(result), headline(result), day(result)],
    ),
  ]);
}

function section({ part, result }: Read): string {
  const head = `## ${part.title}\n\n${part.shows}`;
  if (result === null) {
    return `${head}\n\nNot run. \`${part.short ?? part.long}\` runs it.`;
  }
  const { cores, model, memoryGiB } = result.machine;
  const facts: Cell[][] = [
    ['', ''],
    ['Result', outcome(result)],
    ['Again by', `\`${result.command}\``],
    ['Seed', result.seed === null ? 'none' : String(result.seed)],
    ['Took', result.seconds === null ? 'not recorded' : `${shown(result.seconds)} s`],
    ['Ended', `${day(result)} UTC`],
    ['Commit, Node', `${result.versions.commit}, ${result.versions.node}`],
    ['Machine', `${cores} cores, ${model}, ${memoryGiB} GiB`],
    ...Object.entries(result.figures).map(([name, value]) => [name, value]),
  ];
  const parts = [head, table(facts)];
  if (result.rows.length > 1) parts.push(table(result.rows));
  return parts.join('\n\n');
}

export function reportText(reads: readonly Read[]): string {
  return [
    '# Report',
    'What was run to prove the claims of this product, and what came out. `npm run report` writes this page from the latest result of each part, of this machine or an earlier one; `npm run report -- --short fuzz access` runs those parts first, and `--long` runs their long form.',
    overview(reads),
    ...reads.map(section),
    '',
  ].join('\n\n');
}
