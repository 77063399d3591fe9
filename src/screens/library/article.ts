/** The shape of a library article, and the library's topics. */
import type { Block } from '../content/rich-text.ts';

export const TOPICS = [
  'Reading the screens',
  'Strategies',
  'Risk',
  'Money',
  'Your account',
] as const;
export type Topic = (typeof TOPICS)[number];

export interface LibraryArticle {
  /** Part of its address, `/library?article=…`, so it must not change. */
  id: string;
  topic: Topic;
  title: string;
  summary: string;
  /** Search words that the title does not contain. */
  also: readonly string[];
  blocks: readonly Block[];
  /** Screens where the article's subject appears. */
  screens: readonly { to: string; label: string }[];
  /** Articles to read next, by id. */
  next: readonly string[];
}

export const addressOf = (id: string): string => `/library?article=${id}`;
