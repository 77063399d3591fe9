/** A text with the search words highlighted. */
import { Fragment } from 'react';
import { highlightMatches } from './text-search.ts';

export function HighlightedText({ text, question }: { text: string; question: string }) {
  return highlightMatches(text, question).map((piece, index) =>
    piece.hit ? (
      <mark key={index}>{piece.text}</mark>
    ) : (
      <Fragment key={index}>{piece.text}</Fragment>
    ),
  );
}
