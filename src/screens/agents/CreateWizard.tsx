/** A new agent in two short steps: how much risk, stated in money, then its name, pairs and rhythm; keeps what was typed, refuses to hide the worst loss. */
import { useState } from 'react';
import { useSnapshot } from 'valtio';
import type { Agent, RiskProfile } from '../../../contract/agents.ts';
import { Button } from '../../components/Button.tsx';
import { classes } from '../../components/class-names.ts';
import { Amount } from '../../components/Figures.tsx';
import { portfolioStore } from '../../stores/portfolio.ts';
import { loadSettings, settingsStore } from '../../stores/settings.ts';
import { useSlot } from '../reading.ts';
import { CreateAgentForm, NEW_AGENT, typedNumber, type AgentDraft } from './AgentForm.tsx';
import { riskOf, worstLoss } from './risk.ts';

const PRESETS: readonly { profile: RiskProfile; size: string; line: string }[] = [
  { profile: 'Conservative', size: '500', line: 'Few trades, small positions, an early stop.' },
  { profile: 'Moderate', size: '1000', line: 'The middle: more trades, twice the position.' },
  { profile: 'Aggressive', size: '2000', line: 'Enters on weaker signals, with large positions and a late stop.' },
];

function Preset({ preset, chosen, size, quote, onChoose }: { preset: (typeof PRESETS)[number]; chosen: boolean; size: string; quote: string; onChoose: () => void }) {
  const settings = useSlot(settingsStore, loadSettings).data;
  const equity = useSnapshot(portfolioStore).data?.equity ?? null;
  const risk = riskOf(preset.profile, settings?.riskProfiles ?? []);
  const worst = equity === null ? null : worstLoss(typedNumber(size) ?? 0, equity, risk);
  return (
    <label className={classes('block cursor-pointer rounded-md border p-3 has-focus-visible:outline-2 has-focus-visible:outline-accent', chosen ? 'border-accent bg-accent-wash' : 'border-line hover:border-line-strong')}>
      <span className="flex items-baseline justify-between gap-3">
        <span className="flex items-baseline gap-2 font-medium"><input type="radio" name="preset" checked={chosen} onChange={onChoose} className="accent-accent" />{preset.profile}{risk.isOwn && <span className="text-xs font-normal text-ink-3">your own values</span>}</span>
        <Amount value={worst?.loss} change quote={quote} why="Equity not yet known" />
      </span>
      <span className="mt-1 flex items-baseline justify-between gap-3 text-xs"><span className="text-ink-2">{preset.line}</span><span className="shrink-0 text-ink-3">worst loss in one pair</span></span>
      <span className="mt-1 block text-xs text-ink-3">At most <Amount value={worst?.position} quote={quote} why="Equity not yet known" /> in a pair, stop {risk.stop} % below. Opens nothing new after losing {risk.dayLoss} % in a day or {risk.drawdown} % from the peak.</span>
    </label>
  );
}

export default function CreateWizard({ quote, draft: given, onCreated }: { quote: string; draft?: AgentDraft | undefined; onCreated: (agent: Agent) => void }) {
  const [draft, setDraft] = useState<AgentDraft>(given ?? NEW_AGENT);
  const [step, setStep] = useState<'risk' | 'terms'>(given === undefined ? 'risk' : 'terms');
  if (step === 'terms') {
    return (
      <>
        <Button size="sm" tone="plain" className="mb-3 -ml-3" onClick={() => { setStep('risk'); }}>Back to risk: {draft.risk_profile}</Button>
        <CreateAgentForm quote={quote} draft={draft} onDraft={setDraft} onCreated={onCreated} />
      </>
    );
  }
  return (
    <form onSubmit={(event) => { event.preventDefault(); setStep('terms'); }}>
      <fieldset className="flex flex-col gap-2">
        <legend className="mb-2 font-medium">1 of 2. How much may it risk</legend>
        {PRESETS.map((preset) => (
          <Preset key={preset.profile} preset={preset} chosen={draft.risk_profile === preset.profile} quote={quote} size={draft.risk_profile === preset.profile ? draft.size : preset.size}
            onChoose={() => { setDraft({ ...draft, risk_profile: preset.profile, size: preset.size }); }} />
        ))}
      </fieldset>
      <p className="mt-3 text-xs text-ink-3">A gap in price can lose more than the stop. All of it is paper money.</p>
      <Button type="submit" tone="primary" wide className="mt-4">Next: name and pairs</Button>
    </form>
  );
}
