/** A text with the asked words marked; refuses to change a letter of it. */
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
