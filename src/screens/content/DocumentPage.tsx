/**
 * The form of a page of plain text: a title, a lead, a date, its sections with a way into them;
 * refuses anything that moves or loads.
 */
import { useEffect, useState, type ReactNode } from 'react';
import { TableOfContents } from './TableOfContents.tsx';
import { headingsOf, type Block } from './rich-text.ts';
import { InlineText, RichText } from './RichText.tsx';

/**
 * The text is drawn after the page has come: the browser has looked for `id` before it was there.
 * Each screen begins at its top first.
 */
export function useAnchor(id: string): void {
  useEffect(() => {
    const later = setTimeout(() => {
      if (id !== '') document.getElementById(id)?.scrollIntoView();
    }, 0);
    return () => {
      clearTimeout(later);
    };
  }, [id]);
}

/** The heading that the address names; broken percent signs name none. */
export function addressedHeading(hash = location.hash): string {
  try {
    return decodeURIComponent(hash.slice(1));
  } catch {
    return '';
  }
}

/**
 * Head, contents and text: the contents stand beside both on a wide screen and between them on a
 * phone.
 */
export function LongText({
  head,
  headings,
  children,
}: {
  head: ReactNode;
  headings: readonly string[];
  children: ReactNode;
}) {
  return (
    <div className="grid max-w-6xl grid-cols-[minmax(0,1fr)] justify-between gap-x-16 pb-10 lg:grid-cols-[minmax(0,68ch)_15rem]">
      <header className="prose min-w-0">{head}</header>
      <TableOfContents
        headings={headings}
        className="lg:col-start-2 lg:row-span-2 lg:row-start-1"
      />
      <article className="prose min-w-0">{children}</article>
    </div>
  );
}

interface DocumentPageProps {
  title: string;
  lead: string;
  updated?: string;
  blocks: readonly Block[];
  children?: ReactNode;
  /** The way on, below the text. */
  after?: ReactNode;
}

export function DocumentPage({ title, lead, updated, blocks, children, after }: DocumentPageProps) {
  const [heading] = useState(addressedHeading);
  useAnchor(heading);
  return (
    <LongText
      headings={headingsOf(blocks)}
      head={
        <>
          <h1>{title}</h1>
          {updated !== undefined && <p className="label">Last changed {updated}</p>}
          <p className="prose-lead">
            <InlineText text={lead} />
          </p>
        </>
      }
    >
      {children}
      <RichText blocks={blocks} />
      {after !== undefined && <div className="mt-8">{after}</div>}
    </LongText>
  );
}
