/** Three questions, a profile, the pairs, an agent; refuses to create it before its terms are seen. */
import { useState } from 'react';
import { Link, useLocation } from 'wouter';
import { tierPermits } from '../../../contract/tiers.ts';
import { Button, LinkButton } from '../../components/Button.tsx';
import { EmptyState } from '../../components/EmptyState.tsx';
import { ScreenTitle } from '../../components/Section.tsx';
import { loadMarket, marketStore } from '../../stores/market.ts';
import { useAuth } from '../../stores/security.ts';
import { CreateAgentForm, NEW_AGENT } from '../agents/AgentForm.tsx';
import { useSlot } from '../reading.ts';
import { profileOf, QUESTIONS } from './profile.ts';

const MEANING = {
  Conservative: 'Few trades, 5 % of equity in one position, stop at 3 %.',
  Moderate: '10 % of equity in one position, stop at 5 %.',
  Aggressive: '20 % of equity in one position, stop at 8 %. Losses come faster.',
} as const;
const STARTERS = ['BTC', 'ETH', 'SOL'];

export default function GuidedSetup() {
  const [, go] = useLocation();
  const { subscriptionTier } = useAuth();
  const board = useSlot(marketStore, loadMarket).data;
  const [answers, setAnswers] = useState<number[]>([]);
  const question = QUESTIONS[answers.length];
  const quote = board?.source.quote ?? '';
  if (!tierPermits(subscriptionTier, 'agents', 'create')) {
    return (
      <>
        <ScreenTitle title="Guided setup" />
        <EmptyState title="Agents come with a plan or the free trial" action={<LinkButton to="/subscription" tone="primary">View Plans</LinkButton>}>Three questions choose a risk profile, then you choose pairs. The trial has up to 5 agents on paper money.</EmptyState>
      </>
    );
  }
  if (question !== undefined) {
    return (
      <div className="mx-auto max-w-lg">
        <ScreenTitle title="Guided setup" note={`Question ${answers.length + 1} of ${QUESTIONS.length}`} />
        <fieldset>
          <legend className="mb-3 text-lg">{question.text} …</legend>
          {question.answers.map((answer, index) => (
            <button key={answer} type="button" onClick={() => { setAnswers([...answers, index]); }} className="rule flex min-h-13 w-full items-center text-left text-base hover:text-accent">{answer}</button>
          ))}
        </fieldset>
        {answers.length > 0 && <Button tone="plain" className="mt-4 -ml-4" onClick={() => { setAnswers(answers.slice(0, -1)); }}>Back</Button>}
      </div>
    );
  }
  const profile = profileOf(answers);
  const pairs = STARTERS.map((base) => `${base}/${quote}`).filter((pair) => board?.symbols[pair] !== undefined);
  return (
    <div className="mx-auto max-w-lg">
      <ScreenTitle title="Your agent" note={`${profile}: ${MEANING[profile]}`} />
      <CreateAgentForm key={`${profile} ${pairs.join()}`} quote={quote} draft={{ ...NEW_AGENT, name: 'First agent', risk_profile: profile, pairs }} onCreated={(agent) => { go(`/agents/${encodeURIComponent(agent.id)}`); }} />
      <p className="mt-4 flex flex-wrap gap-4 text-ink-3"><button type="button" className="min-h-11 underline underline-offset-2" onClick={() => { setAnswers([]); }}>Answer again</button><Link href="/library" className="flex min-h-11 items-center underline underline-offset-2">What the strategies do</Link></p>
    </div>
  );
}
