/** Long text as data: blocks that can be rendered, searched, counted and checked for links. */

/** Inline text may hold `**strong**` and `[words](/path)`. */
export type Block =
  | string
  | { h: string }
  | { list: readonly string[]; ordered?: boolean }
  | { table: { caption: string; head: readonly string[]; rows: readonly (readonly string[])[] } }
  | { formula: string; says: string }
  | { note: string; title: string };

export type Inline = { text: string } | { strong: string } | { link: string; to: string };

const MARKS = /\*\*(.+?)\*\*|\[([^\]]+)\]\(([^)\s]+)\)/g;

/** Splits a paragraph into plain words, strong words and links. */
export function inlineOf(text: string): Inline[] {
  const parts: Inline[] = [];
  let at = 0;
  for (const match of text.matchAll(MARKS)) {
    if (match.index > at) parts.push({ text: text.slice(at, match.index) });
    const [, strong, words, to] = match;
    if (strong !== undefined) parts.push({ strong });
    else if (words !== undefined && to !== undefined) parts.push({ link: words, to });
    at = match.index + match[0].length;
  }
  if (at < text.length) parts.push({ text: text.slice(at) });
  return parts;
}

/** The words a reader sees, without marks. */
export const plainOf = (text: string): string =>
  text.replace(MARKS, (_all, strong?: string, words?: string) => strong ?? words ?? '');

/** Every piece of inline text of a block, in reading order. */
export function piecesOf(block: Block): readonly string[] {
  if (typeof block === 'string') return [block];
  if ('h' in block) return [block.h];
  if ('list' in block) return block.list;
  if ('table' in block)
    return [block.table.caption, ...block.table.head, ...block.table.rows.flat()];
  if ('formula' in block) return [block.formula, block.says];
  return [block.title, block.note];
}

export const headingsOf = (blocks: readonly Block[]): string[] =>
  blocks.flatMap((block) => (typeof block !== 'string' && 'h' in block ? [block.h] : []));

/** What is read, without the headings, block by block. */
export const passagesOf = (blocks: readonly Block[]): string[] =>
  blocks.flatMap((block) =>
    typeof block !== 'string' && 'h' in block ? [] : piecesOf(block).map(plainOf),
  );

/** Words of such text that a reader takes in per minute. */
const WORDS_A_MINUTE = 200;

/** Reading time in minutes, rounded up. */
export function minutesOf(blocks: readonly Block[]): number {
  const words = [...headingsOf(blocks), ...passagesOf(blocks)]
    .join(' ')
    .split(/\s+/)
    .filter(Boolean).length;
  return Math.max(1, Math.ceil(words / WORDS_A_MINUTE));
}

/** `Why a stop can fill lower` → `why-a-stop-can-fill-lower`, for the address of a heading. */
export const anchorOf = (heading: string): string =>
  plainOf(heading)
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-|-$/g, '');
