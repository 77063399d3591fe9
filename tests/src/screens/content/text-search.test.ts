/** The search over long texts: what it finds, in which order, and what it marks. */
import { describe, expect, it } from 'vitest';
import { SEARCHED } from '../../../../src/screens/library/articles.ts';
import { SEARCHED_QUESTIONS } from '../../../../src/screens/content/faq-entries.ts';
import {
  excerpt,
  highlightMatches,
  plainText,
  search,
  type Searchable,
} from '../../../../src/screens/content/text-search.ts';

const ids = (question: string, texts: readonly Searchable[] = SEARCHED): string[] =>
  search(question, texts).map(({ id }) => id);
const marked = (text: string, question: string): string =>
  highlightMatches(text, question)
    .map(({ text: part, hit }) => (hit ? `[${part}]` : part))
    .join('');

describe('finding', () => {
  it('puts the article that is about it before those that mention it (R2-17)', () => {
    expect(ids('drawdown')[0]).toBe('drawdown');
    expect(ids('fees')[0]).toBe('fees');
    expect(ids('gap')[0]).toBe('stops');
    expect(ids('offline')[0]).toBe('offline');
    expect(ids('fifo')[0]).toBe('tax-lots');
    expect(ids('depeg')[0]).toBe('stablecoin-arbitrage');
    expect(ids('signal 0.41')[0]).toBe('decisions');
    expect(ids('drawdown').length).toBeGreaterThan(2);
  });

  it('finds each article by its own title, first', () => {
    for (const { id, title } of SEARCHED) expect(ids(title)[0], title).toBe(id);
  });

  it('wants every word, in any order, and takes a beginning for the word', () => {
    expect(ids('stop saved')).toContain('queued-stop');
    expect(ids('saved stop')).toEqual(ids('stop saved'));
    expect(ids('drawd')[0]).toBe('drawdown');
    expect(ids('drawdown zebra')).toEqual([]);
  });

  it('does not mind case, hyphens, accents, plurals or spaces', () => {
    expect(ids('  STOP-LOSS ')).toEqual(ids('stop loss'));
    expect(ids('guard')[0]).toBe('guards');
    expect(plainText('Café-Crème')).toEqual(['cafe', 'creme']);
  });

  it('finds everything, in the order given, where nothing is asked', () => {
    expect(ids('')).toEqual(SEARCHED.map(({ id }) => id));
    expect(ids(' … ')).toEqual(SEARCHED.map(({ id }) => id));
  });

  it('finds the question a person would ask', () => {
    expect(ids('real money', SEARCHED_QUESTIONS)[0]).toBe('real-money');
    expect(ids('install', SEARCHED_QUESTIONS)[0]).toBe('install');
    expect(ids('sharpe', SEARCHED_QUESTIONS)[0]).toBe('no-sharpe');
    expect(ids('cancel', SEARCHED_QUESTIONS)[0]).toBe('cancel');
    expect(ids('api key', SEARCHED_QUESTIONS)[0]).toBe('exchange-account');
  });

  it('does not let a word said often beat the text that is named by it', () => {
    const named: Searchable = {
      id: 'named',
      title: 'Fees',
      also: [],
      summary: '',
      headings: [],
      passages: [],
    };
    const wordy: Searchable = {
      id: 'wordy',
      title: 'Other',
      also: [],
      summary: '',
      headings: [],
      passages: Array.from({ length: 50 }, () => 'fees fees fees'),
    };
    expect(ids('fees', [wordy, named])).toEqual(['named', 'wordy']);
  });
});

describe('marking', () => {
  it('marks what was asked for, and changes no letter', () => {
    expect(marked('A stop-loss and its stops.', 'stop')).toBe('A [stop]-loss and its [stops].');
    expect(marked('Nothing here.', 'stop')).toBe('Nothing here.');
    expect(marked('Stop', '')).toBe('Stop');
    for (const { passages } of SEARCHED)
      for (const passage of passages)
        expect(
          highlightMatches(passage, 'the stop')
            .map(({ text }) => text)
            .join(''),
        ).toBe(passage);
  });

  it('treats the question as words, never as a pattern or markup', () => {
    expect(marked('a.b (c) <b>', '.* <b> (')).toBe('a.[b] (c) <[b]>');
  });

  it('cuts a long passage around the first mark, at whole words', () => {
    const passage = `${'before '.repeat(60)}target ${'after '.repeat(60)}`.trim();
    const cut = excerpt(passage, 'target');
    expect(cut).toMatch(/^… (before )+target (after )+…$/);
    expect(cut.length).toBeLessThan(175);
    expect(excerpt('short target', 'target')).toBe('short target');
  });

  it('shows the passage that holds the words', () => {
    const found = search('captive hotel', SEARCHED)[0] ?? search('hotel', SEARCHED)[0];
    expect(found?.id).toBe('offline');
    expect(found?.passage).toContain('hotel');
  });
});
