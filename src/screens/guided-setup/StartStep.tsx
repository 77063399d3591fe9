/** The last step: what the agent would do now, the risks, and the start. */
import { useState } from 'react';
import type { Need } from '../../billing/offers.ts';
import { Button } from '../../components/Button.tsx';
import { previewOf, type AgentDraft } from '../agents/create/agent-draft.ts';
import { intervalText } from '../agents/agent-text.ts';
import { CreateActs } from '../agents/create/CreateWizard.tsx';
import { EntriesOffNotice } from '../agents/EntriesOffNotice.tsx';
import PreviewPanel from '../agents/preview/PreviewPanel.tsx';
import { usePairCount } from '../agents/preview/use-pair-count.ts';
import BacktestPanel from '../agents/backtest/BacktestPanel.tsx';
import { UpgradeHere } from '../subscription/UpgradeHere.tsx';
import { StepHeading } from './QuestionStep.tsx';
import { RiskConsent } from './RiskConsent.tsx';
import { SETUP_PATH } from './setup-progress.ts';

const INCOMPLETE = 'The setup is incomplete. Go back and complete it.';

interface StartStepProps {
  draft: AgentDraft;
  quote: string;
  risks: boolean;
  /** The plan has a place for one more agent. */
  placesLeft: boolean;
  need: Need;
  busy: boolean;
  failure: string | null;
  onRisks: (accepted: boolean) => void;
  onCreate: (start: boolean) => void;
  onBack: () => void;
}

export function StartStep(props: StartStepProps) {
  const { draft, quote, risks, placesLeft, need, busy, failure, onRisks, onCreate, onBack } = props;
  const [asked, setAsked] = useState(false);
  const create = (start: boolean): void => {
    setAsked(start && !risks);
    if (risks || !start) onCreate(start);
  };
  const ask = previewOf(draft);
  return (
    <section aria-label="Start">
      <StepHeading>
        {draft.name.trim()}, {draft.risk_profile}
      </StepHeading>
      <p className="mt-1 mb-4 text-ink-2">
        It checks the market {intervalText(draft.execution_interval as '5-minute')} and trades when
        its signal is strong enough. Most checks end with no trade.
      </p>
      <EntriesOffNotice className="mb-3" />
      <PreviewPanel ask={ask} rows={usePairCount(draft)} missing={INCOMPLETE} />
      <div className="mt-5">
        <BacktestPanel ask={ask} missing={INCOMPLETE} />
      </div>
      <RiskConsent accepted={risks} missing={asked && !risks} onChange={onRisks} />
      {failure !== null && (
        <p role="alert" className="mt-3 text-danger">
          {failure}
        </p>
      )}
      <div className="mt-2 flex flex-col gap-2">
        {placesLeft ? (
          <CreateActs draft={draft} quote={quote} busy={busy} onCreate={create} />
        ) : (
          <UpgradeHere need={need} from={SETUP_PATH} typed />
        )}
        <Button tone="plain" disabled={busy} onClick={onBack}>
          Back to review
        </Button>
      </div>
    </section>
  );
}
