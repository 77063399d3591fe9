/** A user's own values for each risk profile. Missing ones come from its preset. */
import * as z from 'zod/mini';
import { useRef, useState, type FormEvent } from 'react';
import { RiskProfile } from '../../../contract/agents.ts';
import { riskVersion } from '../../../contract/risk-version.ts';
import { RiskProfileBody } from '../../../contract/user.ts';
import { ApiError } from '../../api/api-error.ts';
import { api } from '../../api/api.ts';
import { keepsSnapshots } from '../../commands.ts';
import { Button } from '../../components/Button.tsx';
import { Field, Select } from '../../components/Field.tsx';
import { errorSentence } from '../../format/error-text.ts';
import { withLocalNumbers } from '../../format/number-marks.ts';
import { formatNumber } from '../../format/numbers.ts';
import { fieldText, typedNumber } from '../../format/typed-numbers.ts';
import { byField, check } from '../../format/validation.ts';
import { loadSettings, settingsStore } from '../../stores/settings-store.ts';
import { pageToast } from '../../stores/toast-store.ts';
import { PRESET_RISK } from '../agents/agent-risk.ts';
import { useKeptDraft } from '../agents/create/kept-draft.ts';
import { UsePresets } from './OwnRiskInEffect.tsx';

const Numbers = z.object({
  max_position_percentage: z.string(),
  confidence_threshold: z.string(),
  stop_loss_percentage: z.string(),
});
type Numbers = z.infer<typeof Numbers>;
/**
 * What was typed for each profile, and the version of the values that it was typed over. What was
 * not typed comes from the server, also where that changes.
 */
const Typed = z.partialRecord(
  RiskProfile,
  z.extend(z.partial(Numbers), { version: z.optional(z.string()) }),
);
type Typed = z.infer<typeof Typed>;
const NOTHING: Typed = {};
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

const valuesText = (values: RiskProfileBody): string =>
  `largest position ${formatNumber(values.max_position_percentage)} %, signal threshold ${formatNumber(values.confidence_threshold)}, stop loss ${formatNumber(values.stop_loss_percentage)} %`;

const Refused = z.object({ profile: z.nullable(RiskProfileBody) });

/** What another device has saved since; null where the refusal is none of that. */
function changedText(error: unknown, profile: RiskProfile): string | null {
  if (!(error instanceof ApiError) || error.code !== 'settings_changed') return null;
  const theirs = Refused.safeParse(error.details).data;
  if (theirs === undefined) return null;
  const now =
    theirs.profile === null ? `${profile} agents use the presets` : valuesText(theirs.profile);
  return `Changed on another device: ${now}. Your entries are kept. Save again to apply them.`;
}

export interface RiskFormProps {
  own: readonly RiskProfileBody[];
  blocked: string | null;
}

/** What differs from the saved values. */
const changed = (entries: Partial<Numbers>, saved: Numbers): Partial<Numbers> =>
  Object.fromEntries(
    Object.entries(entries).filter(([field, text]) => text !== saved[field as keyof Numbers]),
  );

const versionIn = (own: readonly RiskProfileBody[], profile: RiskProfile): string =>
  riskVersion(own.find((values) => values.profile === profile));

/** Entries by profile, kept on the device until they are saved: switching profiles loses none. */
function useTyped(profile: RiskProfile, own: Numbers, ownVersion: string) {
  const [typed, keep] = useKeptDraft('risk', Typed, NOTHING);
  /** As typed last: a reply may come after it. */
  const newest = useRef(typed);
  const put = (next: Typed): void => {
    newest.current = next;
    keep(Object.keys(next).length === 0 ? null : next);
  };
  const kept = typed[profile];
  const { version = ownVersion, ...entries } = kept ?? {};
  const discard = (): void => {
    const others = { ...newest.current };
    delete others[profile];
    put(others);
  };
  const type = (change: Partial<Numbers>): void => {
    const { version: before = ownVersion, ...typedBefore } = newest.current[profile] ?? {};
    const next = changed({ ...typedBefore, ...change }, own);
    if (Object.keys(next).length === 0) discard();
    else put({ ...newest.current, [profile]: { ...next, version: before } });
  };
  /** The entries stay, over the values that the person has been shown. */
  const onTopOf = (shown: string): void => {
    const mine = newest.current[profile];
    if (mine !== undefined) put({ ...newest.current, [profile]: { ...mine, version: shown } });
  };
  /** What was typed after the press stays. */
  const saved = (now: string): void => {
    if (newest.current[profile] === kept) discard();
    else onTopOf(now);
  };
  return { entries, version, isTyped: kept !== undefined, type, saved, onTopOf, discard };
}

interface Refusal {
  errors: Record<string, string>;
  failure: string | null;
}
const NO_REFUSAL: Refusal = { errors: {}, failure: null };

/** What became of each profile's last save: its answer may come while another one is shown. */
function useRefusals(profile: RiskProfile) {
  const [refusals, setRefusals] = useState<Partial<Record<RiskProfile, Refusal>>>({});
  return {
    ...(refusals[profile] ?? NO_REFUSAL),
    elsewhere: RiskProfile.options.filter(
      (one) => one !== profile && (refusals[one]?.failure ?? null) !== null,
    ),
    refuse: (refusal: Partial<Refusal>): void => {
      setRefusals((before) => ({ ...before, [profile]: { ...NO_REFUSAL, ...refusal } }));
    },
    forget: (): void => {
      setRefusals((before) => ({ ...before, [profile]: NO_REFUSAL }));
    },
  };
}

/** The entries for each profile, and saving them. */
function useRiskEdit(own: readonly RiskProfileBody[], profile: RiskProfile) {
  const kept = numbersOf(own, profile);
  const edit = useTyped(profile, kept, versionIn(own, profile));
  const { entries, version, type, saved, onTopOf, discard } = edit;
  const { errors, failure, elsewhere, refuse, forget } = useRefusals(profile);
  const [busy, setBusy] = useState(false);
  /** What the last save sent: what the server has of it by now is no change of others. */
  const sent = useRef<RiskProfileBody | null>(null);
  const numbers = { ...kept, ...entries };

  const save = async (): Promise<void> => {
    const checked = check(RiskProfileBody, {
      profile,
      max_position_percentage: typedNumber(numbers.max_position_percentage),
      confidence_threshold: typedNumber(numbers.confidence_threshold),
      stop_loss_percentage: typedNumber(numbers.stop_loss_percentage),
    });
    if (!checked.ok) {
      refuse({ errors: byField(checked.issues) });
      return;
    }
    forget();
    setBusy(true);
    const present = versionIn(own, profile);
    const isOurs = sent.current?.profile === profile && riskVersion(sent.current) === present;
    sent.current = checked.value;
    try {
      await api.call('riskProfile', {
        query: { version: isOurs ? present : version },
        body: checked.value,
      });
      await loadSettings(true);
      saved(riskVersion(checked.value));
      pageToast('success', `${profile} risk values saved.`);
    } catch (error) {
      const changedSince = changedText(error, profile);
      // What was not typed is shown, and saved, as it is there by now.
      if (changedSince !== null) {
        await loadSettings(true);
        onTopOf(versionIn(settingsStore.data?.riskProfiles ?? own, profile));
      }
      refuse({
        errors: error instanceof ApiError ? byField(error.issues) : {},
        failure: changedSince ?? errorSentence(error),
      });
    } finally {
      setBusy(false);
    }
  };
  return {
    ...{ numbers, set: type, unsaved: edit.isTyped },
    ...{ errors, failure, elsewhere, busy, save },
    drop: (): void => {
      discard();
      forget();
    },
  };
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
  const edit = useRiskEdit(own, profile);
  const { numbers, set, unsaved, errors, failure, elsewhere, busy, save, drop } = edit;
  const saved = own.find((values) => values.profile === profile);
  const isOwn = saved !== undefined;
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
      {elsewhere.map((one) => (
        <p key={one} role="alert" className="text-danger">
          {one} was not confirmed as saved. Choose it to see why.
        </p>
      ))}
      <div className="flex flex-wrap items-center gap-3">
        <Button type="submit" tone="primary" busy={busy} disabled={blocked !== null}>
          Save risk values
        </Button>
        {isOwn && <UsePresets profile={profile} blocked={blocked} onRemoved={drop} />}
        {blocked !== null && <span className="text-ink-3">{blocked}</span>}
      </div>
      {unsaved && (
        <div className="flex flex-wrap items-center gap-3">
          <span className="text-ink-3">
            Not saved yet.{keepsSnapshots() && ' Your entries are kept on this device.'}
            {/* Entries may be older than what was saved elsewhere since. */}
            {saved !== undefined && ` Saved: ${valuesText(saved)}.`}
          </span>
          <Button size="sm" onClick={drop}>
            Discard entries
          </Button>
        </div>
      )}
    </form>
  );
}
