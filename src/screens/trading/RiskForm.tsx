/** A user's own values for each risk profile. Missing ones come from its preset. */
import { useState, type FormEvent } from 'react';
import { RiskProfile } from '../../../contract/agents.ts';
import { RiskProfileBody } from '../../../contract/user.ts';
import { ApiError } from '../../api/api-error.ts';
import { api } from '../../api/api.ts';
import { Button } from '../../components/Button.tsx';
import { Field, Select } from '../../components/Field.tsx';
import { errorSentence } from '../../format/error-text.ts';
import { withLocalNumbers } from '../../format/number-marks.ts';
import { fieldText, typedNumber } from '../../format/typed-numbers.ts';
import { byField, check } from '../../format/validation.ts';
import { loadSettings } from '../../stores/settings-store.ts';
import { pageToast } from '../../stores/toast-store.ts';
import { PRESET_RISK } from '../agents/agent-risk.ts';
import { UsePresets } from './OwnRiskInEffect.tsx';

type Numbers = Record<
  'max_position_percentage' | 'confidence_threshold' | 'stop_loss_percentage',
  string
>;
const NONE: Numbers = {
  max_position_percentage: '',
  confidence_threshold: '',
  stop_loss_percentage: '',
};

function numbersOf(own: readonly RiskProfileBody[], profile: RiskProfile): Numbers {
  const mine = own.find((values) => values.profile === profile);
  return mine === undefined
    ? NONE
    : {
        max_position_percentage: fieldText(mine.max_position_percentage),
        confidence_threshold: fieldText(mine.confidence_threshold),
        stop_loss_percentage: fieldText(mine.stop_loss_percentage),
      };
}

export interface RiskFormProps {
  own: readonly RiskProfileBody[];
  blocked: string | null;
}

/** The entries for each profile, and saving them. */
function useRiskEdit(own: readonly RiskProfileBody[], profile: RiskProfile) {
  /** Entries by profile: switching profiles loses none. */
  const [typed, setTyped] = useState<Partial<Record<RiskProfile, Numbers>>>({});
  const [errors, setErrors] = useState<Record<string, string>>({});
  const [failure, setFailure] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const numbers = typed[profile] ?? numbersOf(own, profile);
  const set = (change: Partial<Numbers>): void => {
    setTyped((old) => ({ ...old, [profile]: { ...numbers, ...change } }));
  };

  const save = async (): Promise<void> => {
    setFailure(null);
    const checked = check(RiskProfileBody, {
      profile,
      max_position_percentage: typedNumber(numbers.max_position_percentage),
      confidence_threshold: typedNumber(numbers.confidence_threshold),
      stop_loss_percentage: typedNumber(numbers.stop_loss_percentage),
    });
    if (!checked.ok) {
      setErrors(byField(checked.issues));
      return;
    }
    setErrors({});
    setBusy(true);
    try {
      await api.call('riskProfile', { body: checked.value });
      await loadSettings(true);
      // What was typed after the press stays.
      setTyped((old) => (old[profile] === typed[profile] ? { ...old, [profile]: undefined } : old));
      pageToast('success', `${profile} risk values saved.`);
    } catch (error) {
      if (error instanceof ApiError) setErrors(byField(error.issues));
      setFailure(errorSentence(error));
    } finally {
      setBusy(false);
    }
  };
  const forget = (): void => {
    setErrors({});
    setFailure(null);
  };
  return { numbers, set, errors, failure, busy, save, forget };
}

function NumberFields({
  profile,
  numbers,
  errors,
  set,
}: Pick<ReturnType<typeof useRiskEdit>, 'numbers' | 'errors' | 'set'> & {
  profile: RiskProfile;
}) {
  const preset = PRESET_RISK[profile];
  return (
    <>
      <Field
        label="Largest position"
        unit="%"
        inputMode="decimal"
        hint={withLocalNumbers(`Share of equity, 0.01 to 100. Preset ${preset.position}.`)}
        value={numbers.max_position_percentage}
        error={errors.max_position_percentage}
        onChange={(event) => {
          set({ max_position_percentage: event.target.value });
        }}
      />
      <Field
        label="Signal threshold"
        inputMode="decimal"
        hint={withLocalNumbers(
          `Signal strength needed to enter, 0.1 to 1. Preset ${preset.threshold}.`,
        )}
        value={numbers.confidence_threshold}
        error={errors.confidence_threshold}
        onChange={(event) => {
          set({ confidence_threshold: event.target.value });
        }}
      />
      <Field
        label="Stop loss"
        unit="%"
        inputMode="decimal"
        hint={withLocalNumbers(`Below entry, 0.01 to 50. Preset ${preset.stop}.`)}
        value={numbers.stop_loss_percentage}
        error={errors.stop_loss_percentage}
        onChange={(event) => {
          set({ stop_loss_percentage: event.target.value });
        }}
      />
    </>
  );
}

export function RiskForm({ own, blocked }: RiskFormProps) {
  const [profile, setProfile] = useState<RiskProfile>('Moderate');
  const { numbers, set, errors, failure, busy, save, forget } = useRiskEdit(own, profile);
  const isOwn = own.some((values) => values.profile === profile);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    void save();
  };
  return (
    <form noValidate onSubmit={submit} className="grid max-w-xl gap-3" aria-label="Risk values">
      <Select
        label="Profile"
        value={profile}
        options={RiskProfile.options.map((value) => ({ value, label: value }))}
        onChange={(event) => {
          setProfile(RiskProfile.parse(event.target.value));
          forget();
        }}
      />
      {!isOwn && (
        <p className="text-ink-3">
          {profile} agents use the presets until you save your own values.
        </p>
      )}
      <NumberFields profile={profile} numbers={numbers} errors={errors} set={set} />
      {failure !== null && (
        <p role="alert" className="text-danger">
          {failure}
        </p>
      )}
      <div className="flex flex-wrap items-center gap-3">
        <Button type="submit" tone="primary" busy={busy} disabled={blocked !== null}>
          Save risk values
        </Button>
        {isOwn && <UsePresets profile={profile} blocked={blocked} />}
        {blocked !== null && <span className="text-ink-3">{blocked}</span>}
      </div>
    </form>
  );
}
