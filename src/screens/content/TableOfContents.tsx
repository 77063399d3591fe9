/** Links to the headings of a long text, beside it on a wide screen, folded above it on a phone. */
import { ChevronRight } from 'lucide-react';
import { classes } from '../../components/class-names.ts';
import { anchorOf } from './rich-text.ts';

function Links({ headings }: { headings: readonly string[] }) {
  return (
    <ol className="flex flex-col border-l border-line">
      {headings.map((heading) => (
        <li key={heading}>
          <a
            href={`#${anchorOf(heading)}`}
            className="flex min-h-11 items-center py-1 pl-4 text-ink-2 hover:text-ink pointer-fine:min-h-8"
          >
            {heading}
          </a>
        </li>
      ))}
    </ol>
  );
}

export function TableOfContents({
  headings,
  className,
}: {
  headings: readonly string[];
  className?: string;
}) {
  if (headings.length < 3) return null;
  return (
    <>
      <details
        className={classes('group/contents mb-6 border-y border-line py-1 lg:hidden', className)}
      >
        <summary className="flex min-h-11 list-none items-center justify-between font-medium [&::-webkit-details-marker]:hidden">
          On this page
          <ChevronRight className="size-4 text-ink-3 group-open/contents:rotate-90" aria-hidden />
        </summary>
        <nav aria-label="On this page">
          <Links headings={headings} />
        </nav>
      </details>
      <nav
        aria-label="On this page"
        className={classes(
          'sticky top-24 hidden max-h-[calc(100dvh-8rem)] w-60 shrink-0 self-start overflow-y-auto lg:block',
          className,
        )}
      >
        <p className="label mb-2">On this page</p>
        <Links headings={headings} />
      </nav>
    </>
  );
}
