/** The library: articles by topic, a full-text search, and each article at its own address. */
import { useEffect, useState } from 'react';
import { Link, useSearch } from 'wouter';
import { classes } from '../../components/class-names.ts';
import { EmptyState } from '../../components/EmptyState.tsx';
import { Field } from '../../components/Field.tsx';
import { ScreenTitle, Section } from '../../components/Section.tsx';
import { HighlightedText } from '../content/HighlightedText.tsx';
import { minutesOf } from '../content/rich-text.ts';
import { excerpt, search, type Found } from '../content/text-search.ts';
import { addressOf, TOPICS, type LibraryArticle, type Topic } from './article.ts';
import { articleOf, ARTICLES, SEARCHED } from './articles.ts';
import { ArticleView } from './ArticleView.tsx';

/** Pause in typing, ms, after which the search is written into the address, for the way back. */
const PAUSE_MS = 400;
const listAddress = (question: string): string =>
  question === '' ? '/library' : `/library?q=${encodeURIComponent(question)}`;

/** The scroll position of the list, px, restored on the way back from an article. */
let place = 0;
const leave = (): void => {
  place = scrollY;
};

const ROW = 'rule group block py-3 hover:bg-sunken';

function Row({ article }: { article: LibraryArticle }) {
  return (
    <li>
      <Link href={addressOf(article.id)} onClick={leave} className={ROW}>
        <span className="flex items-baseline justify-between gap-4">
          <span className="font-medium group-hover:text-accent">{article.title}</span>
          <span className="shrink-0 text-xs text-ink-3">{minutesOf(article.blocks)} min</span>
        </span>
        <span className="block max-w-[68ch] text-ink-2">{article.summary}</span>
      </Link>
    </li>
  );
}

function FoundRow({ found, question }: { found: Found; question: string }) {
  const article = articleOf(found.id);
  if (article === undefined) return null;
  return (
    <li>
      <Link href={addressOf(article.id)} onClick={leave} className={ROW}>
        <span className="flex items-baseline justify-between gap-4">
          <span className="font-medium group-hover:text-accent">
            <HighlightedText text={article.title} question={question} />
          </span>
          <span className="shrink-0 text-xs text-ink-3">{article.topic}</span>
        </span>
        <span className="block max-w-[68ch] text-ink-2">
          <HighlightedText
            text={found.passage === '' ? article.summary : excerpt(found.passage, question)}
            question={question}
          />
        </span>
      </Link>
    </li>
  );
}

function TopicChoice({
  topic,
  onChange,
}: {
  topic: Topic | null;
  onChange: (topic: Topic | null) => void;
}) {
  return (
    <div
      role="group"
      aria-label="Topics"
      className="-mx-4 flex gap-1 overflow-x-auto px-4 pb-1 md:mx-0 md:flex-wrap md:px-0"
    >
      {[null, ...TOPICS].map((one) => (
        <button
          key={one ?? 'all'}
          type="button"
          aria-pressed={topic === one}
          onClick={() => {
            onChange(one);
          }}
          className={classes(
            'flex h-11 shrink-0 items-center rounded-md px-3 pointer-fine:h-8',
            topic === one
              ? 'bg-accent-wash font-medium text-accent'
              : 'text-ink-2 hover:bg-sunken hover:text-ink',
          )}
        >
          {one ?? 'All'}
        </button>
      ))}
    </div>
  );
}

/** Keeps the search in the address and restores the scroll position. */
function useListPlace(asked: string): void {
  useEffect(() => {
    const later = setTimeout(() => {
      if (location.pathname === '/library')
        history.replaceState(history.state, '', listAddress(asked));
    }, PAUSE_MS);
    return () => {
      clearTimeout(later);
    };
  }, [asked]);
  useEffect(() => {
    if (place > 0) scrollTo(0, place);
    place = 0;
  }, []);
}

function ByTopic({
  topic,
  onTopic,
}: {
  topic: Topic | null;
  onTopic: (topic: Topic | null) => void;
}) {
  return (
    <>
      <TopicChoice topic={topic} onChange={onTopic} />
      <div className="mt-4 space-y-8">
        {TOPICS.filter((one) => topic === null || topic === one).map((one) => (
          <Section key={one} title={one}>
            <ul>
              {ARTICLES.filter((article) => article.topic === one).map((article) => (
                <Row key={article.id} article={article} />
              ))}
            </ul>
          </Section>
        ))}
      </div>
    </>
  );
}

function FoundArticles({
  found,
  question,
}: {
  found: ReturnType<typeof search>;
  question: string;
}) {
  if (found.length === 0)
    return (
      <EmptyState
        title="No results"
        action={
          <Link href="/faq" className="text-accent underline underline-offset-2">
            FAQ
          </Link>
        }
      >
        No article contains all of these words. Try fewer, or ask under Support.
      </EmptyState>
    );
  return (
    <Section title={`${found.length} ${found.length === 1 ? 'article' : 'articles'}`}>
      <ul>
        {found.map((one) => (
          <FoundRow key={one.id} found={one} question={question} />
        ))}
      </ul>
    </Section>
  );
}

function List({ given, unknown }: { given: string; unknown: boolean }) {
  const [question, setQuestion] = useState(given);
  const [topic, setTopic] = useState<Topic | null>(null);
  const asked = question.trim();
  useListPlace(asked);
  const found = search(asked, SEARCHED);
  return (
    <div className="max-w-4xl">
      <ScreenTitle
        title="Library"
        note="How agents work, what the numbers mean, and what can go wrong. Available offline."
      />
      {unknown && (
        <p role="status" className="mb-4 text-amber">
          Article not found. It may have been renamed. Try the search.
        </p>
      )}
      <div className="mb-3 max-w-md">
        <Field
          label="Search"
          type="search"
          value={question}
          onChange={(event) => {
            setQuestion(event.target.value);
          }}
          placeholder="drawdown, fees, stop…"
        />
      </div>
      <p className="sr-only" role="status">
        {asked === '' ? '' : `${found.length} articles found`}
      </p>
      {asked === '' ? (
        <ByTopic topic={topic} onTopic={setTopic} />
      ) : (
        <FoundArticles found={found} question={asked} />
      )}
    </div>
  );
}

export default function LibraryScreen() {
  const query = new URLSearchParams(useSearch());
  const id = query.get('article');
  const article = articleOf(id);
  // The search is in the previous history entry, so the link back starts with an empty one.
  if (article !== undefined)
    return <ArticleView key={article.id} article={article} backTo="/library" />;
  return <List given={query.get('q') ?? ''} unknown={id !== null} />;
}
