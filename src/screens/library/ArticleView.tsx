/** One article, with links to where it is seen in the app and to what to read next. */
import { ArrowLeft } from 'lucide-react';
import { useEffect, useState } from 'react';
import { Link } from 'wouter';
import { focusContent } from '../../platform/focus-content.ts';
import { addressedHeading, LongText, useAnchor } from '../content/DocumentPage.tsx';
import { headingsOf, minutesOf } from '../content/rich-text.ts';
import { RichText } from '../content/RichText.tsx';
import { addressOf, type LibraryArticle } from './article.ts';
import { articleOf } from './articles.ts';

const BACK =
  'inline-flex min-h-11 items-center gap-1.5 text-ink-3 hover:text-ink pointer-fine:min-h-9';

/** Starts each article at its top, and makes screen readers announce its title first. */
function useBeginning(article: LibraryArticle): void {
  useEffect(() => {
    // Runs after the screen has set its own title.
    const later = setTimeout(() => {
      document.title = `${article.title} · Tradewind`;
    }, 0);
    if (location.hash === '') scrollTo(0, 0);
    focusContent();
    return () => {
      clearTimeout(later);
      document.title = 'Library · Tradewind';
    };
  }, [article]);
}

export function ArticleView({ article, backTo }: { article: LibraryArticle; backTo: string }) {
  useBeginning(article);
  const [heading] = useState(addressedHeading);
  useAnchor(heading);
  const next = article.next.map(articleOf).filter((one) => one !== undefined);
  return (
    <LongText
      headings={headingsOf(article.blocks)}
      head={
        <>
          <Link href={backTo} className={`${BACK} not-prose`}>
            <ArrowLeft className="size-4" aria-hidden />
            Library
          </Link>
          <h1>{article.title}</h1>
          <p className="label">
            {article.topic} · {minutesOf(article.blocks)} min read
          </p>
          <p className="prose-lead">{article.summary}</p>
        </>
      }
    >
      <RichText blocks={article.blocks} />
      <footer className="not-prose mt-10 grid gap-x-12 gap-y-6 border-t border-line pt-5 sm:grid-cols-2">
        <section aria-label="Where to see it">
          <p className="label mb-1">Where to see it</p>
          <ul>
            {article.screens.map(({ to, label }) => (
              <li key={to}>
                <Link
                  href={to}
                  className="inline-flex min-h-11 items-center text-accent hover:underline pointer-fine:min-h-8"
                >
                  {label}
                </Link>
              </li>
            ))}
          </ul>
        </section>
        <section aria-label="Read next">
          <p className="label mb-1">Read next</p>
          <ul>
            {next.map(({ id, title }) => (
              <li key={id}>
                <Link
                  href={addressOf(id)}
                  className="inline-flex min-h-11 items-center py-1 text-accent hover:underline pointer-fine:min-h-8"
                >
                  {title}
                </Link>
              </li>
            ))}
          </ul>
        </section>
      </footer>
    </LongText>
  );
}
