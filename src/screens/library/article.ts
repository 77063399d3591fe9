/** What an article of the library is; refuses advice on what to buy. */
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
  /** Its address: `/library?article=` and this. It stays what it is. */
  id: string;
  topic: Topic;
  title: string;
  summary: string;
  /** Words by which it is looked for and that its title does not have. */
  also: readonly string[];
  blocks: readonly Block[];
  /** Screens where this is seen. */
  screens: readonly { to: string; label: string }[];
  /** Articles to read next, by id. */
  next: readonly string[];
}

export const addressOf = (id: string): string => `/library?article=${id}`;
