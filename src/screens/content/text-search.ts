/** Full-text search: every word must occur, and matches in titles count most. */

/** The parts of a text that are searched; where a word occurs decides how much it counts. */
export interface Searchable {
  id: string;
  title: string;
  /** Search words that the title does not contain. */
  also: readonly string[];
  summary: string;
  headings: readonly string[];
  passages: readonly string[];
}

export interface Found {
  id: string;
  score: number;
  /** The best passage, for highlighting; empty where title or summary already match. */
  passage: string;
}

/** Lower case, accents and hyphens aside: `Stop-loss` is found by `stop loss`. */
export const plainText = (text: string): string[] =>
  text
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean);

/** A plural finds its singular and the other way round. */
const stem = (word: string): string =>
  word.length > 3 ? word.replace(/(?<=[^aeiou])ies$/, 'y').replace(/(?<=[^su])s$/, '') : word;

/**
 * 1 for the very word, less for one that only begins so; 0 for neither. One letter finds the word
 * alone.
 */
function likeness(asked: string, word: string): number {
  if (word === asked || stem(word) === stem(asked)) return 1;
  return asked.length > 1 && word.startsWith(asked) ? 0.6 : 0;
}

const best = (asked: string, text: string): number =>
  Math.max(0, ...plainText(text).map((word) => likeness(asked, word)));

const WEIGHT = { title: 12, also: 9, heading: 5, summary: 4, passage: 1 };
/** A long text is not better for saying a word more often than this. */
const COUNTED = 3;

function scoreOf(asked: string, text: Searchable): number {
  const passages = text.passages
    .map((passage) => best(asked, passage))
    .filter((value) => value > 0)
    .sort((a, b) => b - a)
    .slice(0, COUNTED);
  return (
    WEIGHT.title * best(asked, text.title) +
    WEIGHT.also * Math.max(0, ...text.also.map((words) => best(asked, words))) +
    WEIGHT.heading * Math.max(0, ...text.headings.map((heading) => best(asked, heading))) +
    WEIGHT.summary * best(asked, text.summary) +
    WEIGHT.passage * passages.reduce((sum, value) => sum + value, 0)
  );
}

/** A sentence says more than the cell of a table that holds the same word; in letters. */
const SENTENCE = 60;

function bestPassage(words: readonly string[], { passages }: Searchable): string {
  let chosen = '';
  let most = 0;
  for (const passage of passages) {
    const matched = words.reduce((sum, word) => sum + best(word, passage), 0);
    const value = matched === 0 ? 0 : matched + (passage.length >= SENTENCE ? 0.5 : 0);
    if (value > most) [chosen, most] = [passage, value];
  }
  return chosen;
}

/** The best first; equal ones in the order given. A question without words finds everything. */
export function search(question: string, texts: readonly Searchable[]): Found[] {
  const words = [...new Set(plainText(question))];
  if (words.length === 0) return texts.map(({ id }) => ({ id, score: 0, passage: '' }));
  const found = texts.flatMap((text) => {
    const scores = words.map((word) => scoreOf(word, text));
    if (scores.some((score) => score === 0)) return [];
    return [
      {
        id: text.id,
        score: scores.reduce((sum, score) => sum + score, 0),
        passage: bestPassage(words, text),
      },
    ];
  });
  return found.sort((a, b) => b.score - a.score);
}

export interface Piece {
  text: string;
  hit: boolean;
}

/** A text cut where the asked words stand in it. */
export function highlightMatches(text: string, question: string): Piece[] {
  const asked = plainText(question);
  if (asked.length === 0) return [{ text, hit: false }];
  const pieces: Piece[] = [];
  for (const part of text.split(/([\p{L}\p{N}]+)/u)) {
    if (part === '') continue;
    const [word] = plainText(part);
    const hit = word !== undefined && asked.some((one) => likeness(one, word) > 0);
    const last = pieces.at(-1);
    if (last?.hit === hit) last.text += part;
    else pieces.push({ text: part, hit });
  }
  return pieces;
}

/** A long passage around its first marked word, whole words, about `length` letters. */
export function excerpt(passage: string, question: string, length = 160): string {
  if (passage.length <= length) return passage;
  const before = highlightMatches(passage, question).findIndex(({ hit }) => hit);
  const at =
    before < 0
      ? 0
      : highlightMatches(passage, question)
          .slice(0, before)
          .reduce((sum, { text }) => sum + text.length, 0);
  const from = at < length / 2 ? 0 : passage.indexOf(' ', at - length / 2) + 1;
  const cut = passage.slice(from, from + length);
  const end =
    from + length >= passage.length ? cut : cut.slice(0, Math.max(cut.lastIndexOf(' '), 1));
  return `${from > 0 ? '… ' : ''}${end}${from + end.length < passage.length ? ' …' : ''}`;
}
