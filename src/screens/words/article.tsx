/** The form of a page of plain text: a title, sections, a date; refuses anything that moves or loads. */
import type { ReactNode } from 'react';

export interface ArticleSection { heading: string; body: ReactNode }

export function Article({ title, lead, updated, sections }: { title: string; lead: ReactNode; updated?: string; sections: readonly ArticleSection[] }) {
  return (
    <article className="prose mx-auto pb-8">
      <h1 className="mb-2 text-xl">{title}</h1>
      {updated !== undefined && <p className="label">Last changed {updated}</p>}
      <p>{lead}</p>
      {sections.map(({ heading, body }) => (
        <section key={heading}>
          <h2>{heading}</h2>
          {body}
        </section>
      ))}
    </article>
  );
}
