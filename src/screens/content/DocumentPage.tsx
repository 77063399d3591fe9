/** The layout of a long text: title, lead, date, table of contents and sections. */
import { useEffect, useState, type ReactNode } from 'react';
import { tookOverPage } from '../../shell/built-page.ts';
import { TableOfContents } from './TableOfContents.tsx';
import { headingsOf, type Block } from './rich-text.ts';
import { InlineText, RichText } from './RichText.tsx';

/**
 * Scrolls to `id` once the text is rendered: the browser has looked for it before it was there, and
 * every screen starts at its top.
 */
export function useAnchor(id: string): void {
  // On a page from the build the browser has been there already.
  const [been] = useState(() => (tookOverPage() ? id : ''));
  useEffect(() => {
    const later = setTimeout(() => {
      if (id !== been) document.getElementById(id)?.scrollIntoView();
    }, 0);
    return () => {
      clearTimeout(later);
    };
  }, [id, been]);
}

/** The heading that the address names; empty if its percent-encoding is broken. */
export function addressedHeading(
  hash = typeof location === 'undefined' ? '' : location.hash,
): string {
  try {
    return decodeURIComponent(hash.slice(1));
  } catch {
    return '';
  }
}

/** Head, contents and text. The contents are beside the text on a wide screen, above it on a phone. */
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
  /** What to do next, below the text. */
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
          {updated !== undefined && <p className="label">Last updated {updated}</p>}
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
