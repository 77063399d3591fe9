/**
 * The review step: the draft that the answers lead to, with its worst loss. Every part can be
 * changed, and the trial starts from here.
 */
import { ChevronDown } from 'lucide-react';
import { useEffect, useState, type ReactNode } from 'react';
import { useSnapshot } from 'valtio';
import { Link } from 'wouter';
import type { RiskProfile } from '../../../contract/agents.ts';
import type { Need } from '../../billing/offers.ts';
import { keepsSnapshots } from '../../commands.ts';
import { Button } from '../../components/Button.tsx';
import { Amount } from '../../components/Figures.tsx';
import { Line } from '../../components/Section.tsx';
import { connection } from '../../stores/connection.ts';
import type { AgentDraft } from '../agents/create/agent-draft.ts';
import { intervalText, pairsText } from '../agents/agent-text.ts';
import { RiskPresets, useWorstLoss } from '../agents/create/RiskPresets.tsx';
import { TermsFields } from '../agents/create/TermsFields.tsx';
import { useIsPlanUnknown } from '../subscription/use-known-plan.ts';
import { UpgradeHere } from '../subscription/UpgradeHere.tsx';
import { StepHeading } from './QuestionStep.tsx';
import { LEVELS, scoreOf, SIDE_MAX, type Score } from './risk-questions.ts';
import { SETUP_PATH } from './setup-progress.ts';
import { TrialConsent } from './TrialConsent.tsx';

/** How the user can get an agent: by their plan, by starting the trial, or by buying a plan. */
export type Entry = 'plan' | 'trial' | 'buy';

type Issues = Readonly<Record<string, string>>;
const NO_ISSUES: Issues = {};

interface PlanStepProps {
  answers: readonly number[];
  draft: AgentDraft;
  quote: string;
  entry: Entry;
  need: Need;
  busy: boolean;
  issues: Issues;
  failure: string | null;
  onChange: (part: Partial<AgentDraft>) => void;
  onNext: () => void;
  onBack: () => void;
}

/**
 * One part of the draft that opens to be changed. Issues open it; the change that answers them does
 * not close it, because the field is still being typed in.
 */
function Change({
  title,
  issues = NO_ISSUES,
  children,
}: {
  title: string;
  issues?: Issues;
  children: ReactNode;
}) {
  const [isOpen, setIsOpen] = useState(false);
  useEffect(() => {
    if (Object.keys(issues).length > 0) setIsOpen(true);
  }, [issues]);
  return (
    <details
      className="rule group"
      open={isOpen}
      onToggle={(event) => {
        setIsOpen(event.currentTarget.open);
      }}
    >
      <summary className="flex min-h-11 cursor-pointer items-center justify-between gap-3 text-accent pointer-fine:min-h-9">
        {title}
        <ChevronDown className="size-4 shrink-0 group-open:rotate-180" aria-hidden />
      </summary>
      <div className="pt-1 pb-4">{children}</div>
    </details>
  );
}

function Summary({ draft, quote }: { draft: AgentDraft; quote: string }) {
  const worst = useWorstLoss(draft);
  const interval = draft.execution_interval as '5-minute';
  return (
    <dl className="mt-4">
      <Line term="Trades">{pairsText({ trading_pairs: draft.pairs, pool: draft.pool })}</Line>
      <Line term="Checks the market">{intervalText(interval)}</Line>
      <Line term="Most in one position">
        <Amount value={worst.position} quote={quote} why={worst.why} />
      </Line>
      <Line
        term={
          <>
            Worst loss in one pair{' '}
            <span className="text-ink-3">
              at the stop, {worst.hasFees ? 'incl. fees' : 'before fees'}
            </span>
          </>
        }
      >
        <Amount value={worst.loss} change quote={quote} why={worst.why} />
      </Line>
    </dl>
  );
}

function Points({ term, side }: { term: string; side: Score['capacity'] }) {
  return (
    <Line term={term}>
      <span className="text-ink-3">
        {side.points} of {SIDE_MAX}
      </span>{' '}
      <span className="ml-1 inline-block min-w-24 font-medium">{side.level}</span>
    </Line>
  );
}

function Counting({ score }: { score: Score }) {
  return (
    <>
      <dl>
        <Points term="Risk capacity" side={score.capacity} />
        <Points term="Risk comfort" side={score.comfort} />
      </dl>
      <p className="mt-2 text-ink-2">
        Each answer scores 0 to 2 points; the most cautious scores 0. Two questions measure how
        large a loss you can afford, two how comfortable you are with one. On each side, 0–1 points
        mean Conservative, 2–3 Moderate and 4 Aggressive, and the lower side decides. If you may
        need the money within a year, the profile is always Conservative. Your answers stay on this
        device.
      </p>
    </>
  );
}

const NEXT: Record<Exclude<Entry, 'buy'>, string> = {
  plan: 'Continue to preview',
  trial: 'Start free trial and continue',
};

/** The button to continue, by what the user's subscription allows. */
function Onward({
  entry,
  need,
  busy,
  onNext,
}: Pick<PlanStepProps, 'entry' | 'need' | 'busy' | 'onNext'>) {
  const offline = useSnapshot(connection).online === 'offline';
  const isUnknown = useIsPlanUnknown();
  if (entry === 'buy') {
    return (
      <section aria-label="Plan" className="mt-5">
        {!isUnknown && (
          <p className="mb-2 font-medium">
            You need a plan to run an agent. Your free trial has been used.
          </p>
        )}
        <UpgradeHere need={need} from={SETUP_PATH} typed />
      </section>
    );
  }
  const blocked = entry === 'trial' && offline;
  return (
    <>
      {entry === 'trial' && <TrialConsent />}
      <Button tone="primary" wide className="mt-4" busy={busy} disabled={blocked} onClick={onNext}>
        {NEXT[entry]}
      </Button>
      {blocked && (
        <p role="status" className="mt-2 text-amber">
          You are offline. You can start the trial when you are back online.
          {keepsSnapshots() && ' Your setup is saved on this device.'}
        </p>
      )}
    </>
  );
}

export function PlanStep(props: PlanStepProps) {
  const { answers, draft, quote, issues, failure, onChange, onBack } = props;
  const score = scoreOf(answers);
  const bolder = LEVELS.indexOf(draft.risk_profile as RiskProfile) > LEVELS.indexOf(score.profile);
  const own = draft.risk_profile === score.profile;
  return (
    <section aria-label="Review">
      <StepHeading>Your profile: {draft.risk_profile}</StepHeading>
      <p className="mt-1 text-ink-2">
        {own ? score.why : `Your answers suggest ${score.profile}. ${score.why}`}
      </p>
      {bolder && (
        <p role="status" className="mt-3 border-l-2 border-amber py-1 pl-3 text-amber">
          {draft.risk_profile} takes more risk than your answers suggest.
        </p>
      )}
      <Summary draft={draft} quote={quote} />
      <Change title="Change the risk profile">
        <RiskPresets draft={draft} quote={quote} legend="Risk profile" onChange={onChange} />
        <details className="mt-4">
          <summary className="flex min-h-11 cursor-pointer items-center text-ink-2 underline underline-offset-2 pointer-fine:min-h-9">
            How this is calculated
          </summary>
          <Counting score={score} />
        </details>
      </Change>
      <Change title="Change what it trades" issues={issues}>
        <p className="mb-4 text-ink-2">
          Two or three large coins are a good start.{' '}
          <Link href="/library" className="text-accent underline underline-offset-2">
            How the strategies work
          </Link>
        </p>
        <TermsFields
          draft={draft}
          quote={quote}
          issues={issues}
          onChange={onChange}
          upgrade={{ from: SETUP_PATH }}
        />
      </Change>
      {failure !== null && (
        <p role="alert" className="mt-3 text-danger">
          {failure}
        </p>
      )}
      <Onward {...props} />
      <Button tone="plain" className="mt-2 -ml-4" onClick={onBack}>
        Back to the questions
      </Button>
    </section>
  );
}
