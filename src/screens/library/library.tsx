/** The library: articles to read, and a search over all their words; refuses to load anything from elsewhere. */
import { useState } from 'react';
import { EmptyState } from '../../components/EmptyState.tsx';
import { Field } from '../../components/Field.tsx';
import { ScreenTitle, Section } from '../../components/Section.tsx';
import { ARTICLES, type LibraryArticle } from './articles.tsx';

const TOPICS: readonly LibraryArticle['topic'][] = ['Reading the screens', 'Strategies', 'Risk', 'Money'];

/** Articles that hold every word of the question, in the library's order. */
export function searchArticles(question: string): readonly LibraryArticle[] {
  const words = question.toLowerCase().split(/\s+/).filter(Boolean);
  return ARTICLES.filter((article) => words.every((word) => article.words.includes(word)));
}

export default function Library() {
  const [question, setQuestion] = useState('');
  const found = searchArticles(question);
  return (
    <>
      <ScreenTitle title="Library" note="How the agents work, what the numbers mean, what can go wrong." />
      <div className="mb-6 max-w-md">
        <Field label="Search" type="search" value={question} onChange={(event) => { setQuestion(event.target.value); }} placeholder="drawdown, fees, stop…" />
      </div>
      <p className="sr-only" role="status">{question === '' ? '' : `${found.length} articles found`}</p>
      {found.length === 0 && <EmptyState title="Nothing found">No article holds these words. Try a shorter one, or ask under Support.</EmptyState>}
      <div className="space-y-8">
        {TOPICS.map((topic) => ({ topic, list: found.filter((article) => article.topic === topic) })).filter(({ list }) => list.length > 0).map(({ topic, list }) => (
          <Section key={topic} title={topic}>
            {list.map((article) => (
              <details key={article.id} id={article.id} className="rule group py-3">
                <summary className="list-none">
                  <span className="block font-medium">{article.title}</span>
                  <span className="block text-ink-3">{article.summary}</span>
                </summary>
                <div className="prose mt-3">{article.body}</div>
              </details>
            ))}
          </Section>
        ))}
      </div>
    </>
  );
}
