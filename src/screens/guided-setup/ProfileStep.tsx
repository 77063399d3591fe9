/** The profile that the answers gave, how they were counted, and the three to choose among; refuses to hide that a choice is bolder than the answers. */
import { Button } from '../../components/Button.tsx';
import { Line } from '../../components/Section.tsx';
import type { AgentDraft } from '../agents/agent-draft.ts';
import { RiskPresets } from '../agents/RiskPresets.tsx';
import { Head } from './Asked.tsx';
import { LEVELS, scoreOf, SIDE_MAX, type Score } from './profile.ts';

function Points({ term, side }: { term: string; side: Score['capacity'] }) {
  return <Line term={term}><span className="text-ink-3">{side.points} of {SIDE_MAX}</span> <span className="ml-1 inline-block min-w-24 font-medium">{side.level}</span></Line>;
}

export function ProfileStep({ answers, draft, quote, onChange, onNext, onAgain }: { answers: readonly number[]; draft: AgentDraft; quote: string; onChange: (part: Pick<AgentDraft, 'risk_profile' | 'size'>) => void; onNext: () => void; onAgain: () => void }) {
  const score = scoreOf(answers);
  const chosen = LEVELS.indexOf(draft.risk_profile as Score['profile']);
  const bolder = chosen > LEVELS.indexOf(score.profile);
  return (
    <form onSubmit={(event) => { event.preventDefault(); onNext(); }}>
      <Head of="profile">Your answers say {score.profile}</Head>
      <p className="mt-1 mb-3 text-ink-2">{score.why}</p>
      <dl>
        <Points term="What you can bear" side={score.capacity} />
        <Points term="What you would choose" side={score.willingness} />
      </dl>
      <details className="rule mb-6 text-ink-2">
        <summary className="flex min-h-11 items-center text-ink-3 hover:text-ink pointer-fine:min-h-9">How it is counted</summary>
        <p className="pb-3">Each answer gives 0, 1 or 2 points, the careful one none. Three questions are about what a loss would do to you, three about what you would do about one. Up to 2 points of 6 are Conservative, 3 and 4 Moderate, 5 and 6 Aggressive; the lower of the two sides counts, and money needed within a year is always Conservative. The answers stay on this device.</p>
      </details>
      <RiskPresets draft={draft} quote={quote} legend="Keep it, or choose another" onChange={onChange} />
      {bolder && <p role="status" className="mt-3 border-l-2 border-amber py-1 pl-3 text-amber">{draft.risk_profile} is bolder than your answers: they say {score.profile}. {score.why}</p>}
      <div className="mt-5 flex flex-col gap-2 sm:flex-row-reverse">
        <Button type="submit" tone="primary" className="sm:flex-1">Next: what it trades</Button>
        <Button onClick={onAgain}>Answer again</Button>
      </div>
    </form>
  );
}
