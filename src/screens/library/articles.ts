/** All articles of the library, and their index for the search. */
import { headingsOf, passagesOf } from '../content/rich-text.ts';
import type { Searchable } from '../content/text-search.ts';
import type { LibraryArticle } from './article.ts';
import { LIVE } from './articles/live.ts';
import { MONEY } from './articles/money.ts';
import { RISK } from './articles/risk.ts';
import { ACCOUNT, SCREENS } from './articles/screens.ts';
import { STRATEGIES } from './articles/strategies.ts';

export const ARTICLES: readonly LibraryArticle[] = [
  ...SCREENS,
  ...STRATEGIES,
  ...RISK,
  ...MONEY,
  ...LIVE,
  ...ACCOUNT,
];

export const articleOf = (id: string | null): LibraryArticle | undefined =>
  ARTICLES.find((article) => article.id === id);

export const SEARCHED: readonly Searchable[] = ARTICLES.map(
  ({ id, title, also, summary, blocks }) => ({
    id,
    title,
    also,
    summary,
    headings: headingsOf(blocks),
    passages: passagesOf(blocks),
  }),
);
