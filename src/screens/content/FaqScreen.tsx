/** Frequently asked questions by group, with a full-text search. */
import { ChevronRight } from 'lucide-react';
import { useEffect, useState } from 'react';
import { Link } from 'wouter';
import { EmptyState } from '../../components/EmptyState.tsx';
import { Field } from '../../components/Field.tsx';
import { typedEarly } from '../../shell/built-page.ts';
import { addressedHeading, LongText, useAnchor } from './DocumentPage.tsx';
import { ALL_QUESTIONS, QUESTIONS, SEARCHED_QUESTIONS, type Question } from './faq-entries.ts';
import { HighlightedText } from './HighlightedText.tsx';
import { anchorOf } from './rich-text.ts';
import { InlineText } from './RichText.tsx';
import { search } from './text-search.ts';

function Entry({ question, open, asked }: { question: Question; open: boolean; asked: string }) {
  return (
    <details id={question.id} open={open} className="rule group/entry scroll-mt-24">
      <summary className="flex min-h-12 list-none items-start gap-2 py-3 text-base [&::-webkit-details-marker]:hidden">
        <ChevronRight
          className="mt-1 size-4 shrink-0 text-ink-3 group-open/entry:rotate-90"
          aria-hidden
        />
        <h3 className="font-medium">
          {asked === '' ? question.ask : <HighlightedText text={question.ask} question={asked} />}
        </h3>
      </summary>
      <div className="prose pb-3 pl-6">
        {question.answer.map((paragraph) => (
          <p key={paragraph}>
            <InlineText text={paragraph} />
          </p>
        ))}
      </div>
    </details>
  );
}

/** The id of the question named in the address, also after a click on a link in the page. */
function useAddressed(): string {
  const [id, setId] = useState(() => addressedHeading());
  useEffect(() => {
    const follow = (): void => {
      setId(addressedHeading());
    };
    addEventListener('hashchange', follow);
    return () => {
      removeEventListener('hashchange', follow);
    };
  }, []);
  useAnchor(id);
  return id;
}

type Questions = (typeof ALL_QUESTIONS)[number][];

function FoundQuestions({ found, asked }: { found: Questions; asked: string }) {
  if (found.length === 0)
    return (
      <EmptyState title="No results">
        No question contains all of these words. Try fewer.
      </EmptyState>
    );
  return (
    <section aria-label="Found">
      <h2>
        {found.length} {found.length === 1 ? 'question' : 'questions'}
      </h2>
      {found.map((question, index) => (
        <Entry key={question.id} question={question} open={index < 3} asked={asked} />
      ))}
    </section>
  );
}

/** All questions by subject; the one named in the address is open. */
function QuestionsBySubject({ addressed }: { addressed: string }) {
  return QUESTIONS.map(({ title, questions }) => (
    <section key={title} aria-label={title}>
      <h2 id={anchorOf(title)} tabIndex={-1}>
        {title}
      </h2>
      {questions.map((question) => (
        <Entry key={question.id} question={question} open={question.id === addressed} asked="" />
      ))}
    </section>
  ));
}

export default function FaqScreen() {
  const [text, setText] = useState(() => typedEarly('questions'));
  const addressed = useAddressed();
  const asked = text.trim();
  const found =
    asked === ''
      ? []
      : search(asked, SEARCHED_QUESTIONS).flatMap(({ id }) =>
          ALL_QUESTIONS.filter((question) => question.id === id),
        );
  const isSearching = asked !== '';
  return (
    <LongText
      headings={isSearching ? [] : QUESTIONS.map(({ title }) => title)}
      head={
        <>
          <h1>FAQ</h1>
          <p className="prose-lead">
            Short answers. The <Link href="/library">library</Link> has longer ones, once you are
            logged in.
          </p>
          <div className="not-prose mb-6 max-w-md">
            <Field
              label="Search questions"
              type="search"
              name="questions"
              value={text}
              onChange={(event) => {
                setText(event.target.value);
              }}
              placeholder="stop, fee, trial…"
            />
          </div>
          <p className="sr-only" role="status">
            {isSearching ? `${found.length} questions found` : ''}
          </p>
        </>
      }
    >
      {isSearching ? (
        <FoundQuestions found={found} asked={asked} />
      ) : (
        <QuestionsBySubject addressed={addressed} />
      )}
    </LongText>
  );
}
