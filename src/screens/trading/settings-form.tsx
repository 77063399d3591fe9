/** The trading settings as a form that saves for real; refuses to overwrite what was changed elsewhere without asking. */
import { useState, type FormEvent } from 'react';
import { useSnapshot } from 'valtio';
import { TradingFrequency, UserRiskProfile } from '../../../contract/agents.ts';
import { TradingSettings, UserSettings } from '../../../contract/user.ts';
import { ApiError } from '../../api/api-error.ts';
import { api } from '../../api/api.ts';
import { Button } from '../../components/Button.tsx';
import { Field, Select } from '../../components/Field.tsx';
import { Switch } from '../../components/Switch.tsx';
import { errorSentence } from '../../format/errors.ts';
import { byField } from '../../format/validation.ts';
import { applySettings, settingsStore } from '../../stores/settings.ts';
import { pageToast } from '../../stores/toasts.ts';
import { useKeptDraft } from '../agents/kept-draft.ts';
import { checkDraft, differences, draftOf, FIELD_NAMES, KeptSettings, valueText, type SettingsDraft } from './settings-draft.ts';

const FRESH = TradingSettings.shape;

/** The server's present settings out of a 409, or null where they cannot be read. */
function freshOf(error: ApiError): { settings: UserSettings; version: number } | null {
  const settings = UserSettings.safeParse(error.details?.settings);
  const version = FRESH.version.safeParse(error.details?.version);
  return settings.success && version.success ? { settings: settings.data, version: version.data } : null;
}

interface Clash { mine: UserSettings; theirs: UserSettings; version: number }

function Conflict({ clash, busy, onMine, onTheirs }: { clash: Clash; busy: boolean; onMine: () => void; onTheirs: () => void }) {
  return (
    <div role="alert" className="mt-4 border-l-2 border-amber pl-3">
      <p className="font-medium text-amber">These settings were changed elsewhere meanwhile. What you typed is kept.</p>
      <table className="mt-2 w-full text-left">
        <thead><tr className="text-ink-3"><th className="py-1 font-normal" scope="col">Field</th><th className="font-normal" scope="col">Yours</th><th className="font-normal" scope="col">On the server</th></tr></thead>
        <tbody>
          {differences(clash.mine, clash.theirs).map((name) => (
            <tr key={name} className="rule"><th className="py-1 font-normal" scope="row">{FIELD_NAMES[name]}</th><td>{valueText(clash.mine[name])}</td><td>{valueText(clash.theirs[name])}</td></tr>
          ))}
        </tbody>
      </table>
      <div className="mt-2 flex flex-wrap gap-2">
        <Button tone="primary" busy={busy} onClick={onMine}>Save mine</Button>
        <Button disabled={busy} onClick={onTheirs}>Take the server's</Button>
      </div>
    </div>
  );
}

const WORDS: Partial<Record<string, string>> = { 'long-haul': 'Long haul', 'bi-weekly': 'Every two weeks', high: 'High: at every look', optimized: 'Optimized: when it pays' };
const word = (value: string): string => WORDS[value] ?? value.charAt(0).toUpperCase() + value.slice(1);
const options = (values: readonly string[]) => values.map((value) => ({ value, label: word(value) }));

export interface SettingsFormProps {
  initial: UserSettings;
  version: number;
  quote: string;
  /** Why saving is not possible now; null when it is. */
  blocked: string | null;
}

export function SettingsForm({ initial, version, quote, blocked }: SettingsFormProps) {
  const [kept, keep] = useKeptDraft('settings', KeptSettings, null);
  const [draft, setDraft] = useState<SettingsDraft>(() => kept?.draft ?? draftOf(initial));
  /** The version this edit began on; what the store hears meanwhile does not move it. */
  const [base, setBase] = useState(kept?.base ?? version);
  const [errors, setErrors] = useState<Record<string, string>>({});
  const [failure, setFailure] = useState<string | null>(null);
  const [clash, setClash] = useState<Clash | null>(null);
  const [busy, setBusy] = useState(false);
  const present = useSnapshot(settingsStore).data;
  const set = (change: Partial<SettingsDraft>): void => {
    setDraft({ ...draft, ...change });
    keep({ base, draft: { ...draft, ...change } });
  };

  const save = async (onVersion: number): Promise<void> => {
    const checked = checkDraft(draft);
    setFailure(null);
    if (!checked.ok) { setErrors(checked.errors); return; }
    setErrors({});
    setBusy(true);
    try {
      const { settings, version: saved } = await api.call('updateTradingSettings', { body: { ...checked.settings, version: onVersion } });
      applySettings({ settings, version: saved, riskProfiles: settingsStore.data?.riskProfiles ?? [] }, 'network');
      setBase(saved);
      setDraft(draftOf(settings));
      keep(null);
      setClash(null);
      pageToast('success', 'Trading settings saved.');
    } catch (error) {
      const fresh = error instanceof ApiError && error.code === 'settings_changed' ? freshOf(error) : null;
      if (fresh !== null) setClash({ mine: checked.settings, theirs: fresh.settings, version: fresh.version });
      else {
        if (error instanceof ApiError) setErrors(byField(error.issues));
        setFailure(errorSentence(error));
      }
    } finally {
      setBusy(false);
    }
  };
  const submit = (event: FormEvent): void => { event.preventDefault(); void save(base); };
  const takeTheirs = (theirs: Clash): void => { keep(null); setDraft(draftOf(theirs.theirs)); setBase(theirs.version); setClash(null); };
  const newer = clash === null && present !== null && present.version > base && !busy;
  return (
    <form noValidate onSubmit={submit} className="grid max-w-xl gap-3" aria-label="Trading settings">
      <Field label="Display name" value={draft.displayName} error={errors.displayName} maxLength={100} onChange={(event) => { set({ displayName: event.target.value }); }} />
      <Switch label="Trading" hint="Off: no agent of yours opens anything. Exits always run." checked={draft.tradingEnabled} onChange={(tradingEnabled) => { set({ tradingEnabled }); }} />
      <Select label="Mode" value={draft.tradingMode} error={errors.tradingMode} options={options(['automatic', 'paused'])}
        onChange={(event) => { set({ tradingMode: event.target.value === 'paused' ? 'paused' : 'automatic' }); }} />
      <Select label="Frequency for new agents" value={draft.tradingFrequency} error={errors.tradingFrequency} options={options(TradingFrequency.options)} onChange={(event) => { set({ tradingFrequency: event.target.value }); }} />
      <Select label="Risk profile for new agents" value={draft.riskProfile} error={errors.riskProfile} options={options(UserRiskProfile.options)} onChange={(event) => { set({ riskProfile: event.target.value }); }} />
      <Field label="Most per order" unit={quote} inputMode="decimal" value={draft.maxTradeAmount} error={errors.maxTradeAmount} hint="From 1 to 1,000,000. No single order is larger." onChange={(event) => { set({ maxTradeAmount: event.target.value }); }} />
      <Switch label="Notifications" hint="The master switch for push messages on all your devices." checked={draft.notificationsEnabled} onChange={(notificationsEnabled) => { set({ notificationsEnabled }); }} />
      {newer && <p role="status" className="text-amber">Changed elsewhere since you opened this. You will see both when you save.</p>}
      {failure !== null && <p role="alert" className="text-danger">{failure}</p>}
      {clash !== null && <Conflict clash={clash} busy={busy} onMine={() => { void save(clash.version); }} onTheirs={() => { takeTheirs(clash); }} />}
      <div className="flex flex-wrap items-center gap-3">
        <Button type="submit" tone="primary" busy={busy} disabled={blocked !== null || clash !== null}>Save settings</Button>
        {blocked !== null ? <span className="text-ink-3">{blocked}</span> : kept !== null && clash === null && <span className="text-ink-3">Not saved yet; kept on this device.</span>}
      </div>
    </form>
  );
}
