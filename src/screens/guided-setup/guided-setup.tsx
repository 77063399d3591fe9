/** Six questions, a profile with its reasons, the pairs, what the agent would do now, then the agent; kept on this device until done, refuses to create it before its terms are seen. */
import { useState, type FormEvent } from 'react';
import { Link, useLocation } from 'wouter';
import * as z from 'zod/mini';
import { agentCap, tierPermits } from '../../../contract/tiers.ts';
import type { Need } from '../../billing/offers.ts';
import { Button } from '../../components/Button.tsx';
import { classes } from '../../components/class-names.ts';
import { EmptyState } from '../../components/EmptyState.tsx';
import { ScreenTitle } from '../../components/Section.tsx';
import { agentsStore, loadAgents } from '../../stores/agents.ts';
import { loadMarket, marketStore } from '../../stores/market.ts';
import { useAuth } from '../../stores/security.ts';
import { AgentDraft, checkDraft, formIssues, NEW_AGENT, PRESETS, previewOf } from '../agents/agent-draft.ts';
import { CreateActs } from '../agents/CreateWizard.tsx';
import { useKeptDraft } from '../agents/kept-draft.ts';
import { TermsFields } from '../agents/TermsFields.tsx';
import { useCreate } from '../agents/use-create.ts';
import WouldDoNow from '../agents/WouldDoNow.tsx';
import WouldHaveDone from '../agents/WouldHaveDone.tsx';
import { useSlot } from '../reading.ts';
import { UpgradeHere } from '../subscription/UpgradeHere.tsx';
import { Asked, Head } from './Asked.tsx';
import { profileOf, QUESTIONS } from './profile.ts';
import { ProfileStep } from './ProfileStep.tsx';

const Progress = z.object({
  /** By question; one that is not answered yet is not there. */
  answers: z.array(z.number().check(z.gte(0), z.lte(2))),
  at: z.number(),
  step: z.enum(['questions', 'profile', 'terms', 'look']),
  draft: AgentDraft,
});
type Progress = z.infer<typeof Progress>;
const STEPS = ['questions', 'profile', 'terms', 'look'] as const;
const STEP_NAME: Record<Progress['step'], string> = { questions: 'Questions', profile: 'Profile', terms: 'What it trades', look: 'What it would do' };
const BEGIN: Progress = { answers: [], at: 0, step: 'questions', draft: { ...NEW_AGENT, name: 'First agent' } };
/** The most traded coins, chosen to begin with where the source offers them. */
const STARTERS = ['BTC', 'ETH', 'SOL'];

/** Where one is, and how much is left. */
function Steps({ step }: { step: Progress['step'] }) {
  const at = STEPS.indexOf(step);
  return (
    <div className="mb-6">
      <ol aria-label="Steps" className="grid grid-cols-4 gap-1.5">
        {STEPS.map((one, index) => (
          <li key={one} aria-current={index === at ? 'step' : undefined} className="min-w-0">
            <span aria-hidden className={classes('block h-1 rounded-sm', index <= at ? 'bg-accent' : 'bg-line')} />
            <span className={classes('mt-1 block truncate text-xs', 'max-sm:sr-only', index === at ? 'text-ink' : 'text-ink-3')}>{STEP_NAME[one]}{index < at && <span className="sr-only">, done</span>}</span>
          </li>
        ))}
      </ol>
      <p aria-hidden className="mt-1 text-xs text-ink-3 sm:hidden">{at + 1} of {STEPS.length} · <span className="text-ink">{STEP_NAME[step]}</span></p>
    </div>
  );
}

const ONE_MORE = (held: number): Need => ({ resource: 'agents', action: 'create', agents: held + 1 });

/** What keeps a person from making one more agent, by their plan; null where nothing does. */
function NoPlace() {
  const { subscriptionTier, hasUsedTrial } = useAuth();
  const held = useSlot(agentsStore, loadAgents).data?.agents.length ?? 0;
  const cap = agentCap(subscriptionTier);
  if (!tierPermits(subscriptionTier, 'agents', 'create')) {
    return (
      <EmptyState title="Agents come with a plan or the free trial" action={<UpgradeHere need={ONE_MORE(held)} typed />}>
        {hasUsedTrial ? 'Your free trial has been used.' : `The trial has up to ${agentCap('trial')} agents on paper money.`} What you have answered is kept on this device.
      </EmptyState>
    );
  }
  if (held < cap) return null;
  return (
    <div className="mb-5 border-l-2 border-amber py-1 pl-3">
      <p className="mb-2 text-amber">Your plan has {cap} agents, and all are in use. You can go through this; creating one needs a free place: a larger plan, or an agent deleted under <Link href="/agents" className="underline underline-offset-2">Agents</Link>.</p>
      <UpgradeHere need={ONE_MORE(held)} typed />
    </div>
  );
}

export default function GuidedSetup() {
  const [, go] = useLocation();
  const { subscriptionTier } = useAuth();
  const board = useSlot(marketStore, loadMarket).data;
  const agents = useSlot(agentsStore, loadAgents).data?.agents;
  const [progress, keep] = useKeptDraft('guided-setup', Progress, BEGIN);
  const [issues, setIssues] = useState<Readonly<Record<string, string>>>({});
  const { busy, failure, create } = useCreate((agent) => { keep(null); go(`/agents/${encodeURIComponent(agent.id)}`); });
  const { answers, at, step, draft } = progress;
  const quote = board?.source.quote ?? '';
  const mayCreate = tierPermits(subscriptionTier, 'agents', 'create');
  const room = agents === undefined || agents.length < agentCap(subscriptionTier);

  const answer = (given: number): void => {
    const next = [...answers.slice(0, at), given, ...answers.slice(at + 1)];
    if (at + 1 < QUESTIONS.length) { keep({ ...progress, answers: next, at: at + 1 }); return; }
    const profile = profileOf(next);
    const size = PRESETS.find((preset) => preset.profile === profile)?.size ?? draft.size;
    const pairs = draft.pairs.length > 0 ? draft.pairs : STARTERS.map((base) => `${base}/${quote}`).filter((pair) => board?.symbols[pair] !== undefined);
    keep({ ...progress, answers: next, step: 'profile', draft: { ...draft, risk_profile: profile, size, pairs } });
  };
  const change = (part: Partial<AgentDraft>): void => { setIssues({}); keep({ ...progress, draft: { ...draft, ...part } }); };
  const to = (next: Progress['step']): void => { keep({ ...progress, step: next }); };
  const look = (event: FormEvent): void => {
    event.preventDefault();
    const checked = checkDraft(draft);
    if (checked.ok) to('look');
    else setIssues(formIssues(checked.issues));
  };
  const send = (start: boolean): void => {
    void create(draft, start).then((fields) => { if (fields !== null) { setIssues(fields); to('terms'); } });
  };
  return (
    <div className="mx-auto max-w-xl">
      <ScreenTitle title="Guided setup" note="From how much you want to risk to an agent that trades on paper.">
        {(at > 0 || step !== 'questions') && <Button size="sm" tone="plain" className="-ml-3" onClick={() => { setIssues({}); keep(null); }}>Start over</Button>}
      </ScreenTitle>
      <Steps step={step} />
      {mayCreate && step !== 'look' && <NoPlace />}
      {step === 'questions' && <Asked at={at} answers={answers} onAnswer={answer} onBack={() => { keep({ ...progress, at: Math.max(0, at - 1) }); }} />}
      {step === 'profile' && <ProfileStep answers={answers} draft={draft} quote={quote} onChange={change} onNext={() => { to('terms'); }} onAgain={() => { keep({ ...progress, at: 0, step: 'questions' }); }} />}
      {step === 'terms' && !mayCreate && <><NoPlace /><Button tone="plain" className="-ml-4" onClick={() => { to('profile'); }}>Back to the profile</Button></>}
      {step === 'terms' && mayCreate && (
        <form noValidate onSubmit={look}>
          <div className="mb-4"><Head of="terms">What it trades</Head><p className="mt-1 text-ink-2">Two or three large coins are enough to begin with. <Link href="/library" className="text-accent underline underline-offset-2">What the strategies do</Link></p></div>
          <TermsFields draft={draft} quote={quote} issues={issues} onChange={change} upgrade={{ from: '/guided-setup' }} />
          {failure !== null && <p role="alert" className="mt-3 text-danger">{failure}</p>}
          <div className="mt-5 flex flex-col gap-2 sm:flex-row-reverse">
            <Button type="submit" tone="primary" className="sm:flex-1">Next: what would it do now</Button>
            <Button onClick={() => { to('profile'); }}>Back to the profile</Button>
          </div>
        </form>
      )}
      {step === 'look' && (
        <section aria-label={STEP_NAME.look}>
          <div className="mb-4"><Head of="look">{draft.name.trim()}, {draft.risk_profile}</Head><p className="mt-1 text-ink-2">Decided by the server as a running agent would, and not carried out.</p></div>
          <WouldDoNow ask={previewOf(draft)} rows={draft.pairs.length === 0 ? 5 : draft.pairs.length} missing="The terms are not complete: go back and mend them." />
          <div className="mt-5"><WouldHaveDone ask={previewOf(draft)} missing="The terms are not complete: go back and mend them." /></div>
          {failure !== null && <p role="alert" className="mt-3 text-danger">{failure}</p>}
          <div className="mt-5 flex flex-col gap-2">
            {room && mayCreate && <CreateActs draft={draft} quote={quote} busy={busy} onCreate={send} />}
            {!room && <UpgradeHere need={ONE_MORE(agents?.length ?? 0)} typed />}
            <Button tone="plain" onClick={() => { to('terms'); }}>Back to what it trades</Button>
          </div>
        </section>
      )}
    </div>
  );
}
