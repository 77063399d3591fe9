/**
 * Forms for trading settings and profile. A change made on another device is shown before it is
 * overwritten.
 */
import { useSnapshot } from 'valtio';
import { TradingFrequency, UserRiskProfile } from '../../../contract/agents.ts';
import type { UserSettings } from '../../../contract/user.ts';
import { keepsSnapshots } from '../../commands.ts';
import { Button } from '../../components/Button.tsx';
import { Field, Select } from '../../components/Field.tsx';
import { Switch } from '../../components/Switch.tsx';
import { withLocalNumbers } from '../../format/number-marks.ts';
import { updateProfile } from '../../identity/session.ts';
import { log } from '../../platform/page-log.ts';
import { accountChoice } from '../../stores/account-choice.ts';
import { FIELD_NAMES, valueText } from './settings-draft.ts';
import { useSettingsEdit, type Clash, type SettingsEdit } from './use-settings-edit.ts';

function Conflict({
  clash,
  busy,
  onMine,
  onTheirs,
}: {
  clash: Clash;
  busy: boolean;
  onMine: () => void;
  onTheirs: () => void;
}) {
  return (
    <div role="alert" className="mt-4 border-l-2 border-amber pl-3">
      <p className="font-medium text-amber">
        These settings were changed on another device. Your entries are kept.
      </p>
      <table className="mt-2 w-full text-left">
        <thead>
          <tr className="text-ink-3">
            <th className="py-1 font-normal" scope="col">
              {' '}
              Setting{' '}
            </th>
            <th className="font-normal" scope="col">
              Yours
            </th>
            <th className="font-normal" scope="col">
              On the server
            </th>
          </tr>
        </thead>
        <tbody>
          {clash.fields.map((name) => (
            <tr key={name} className="rule">
              <th className="py-1 font-normal" scope="row">
                {FIELD_NAMES[name]}
              </th>
              <td>{valueText(clash.mine[name])}</td>
              <td>{valueText(clash.theirs[name])}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <div className="mt-2 flex flex-wrap gap-2">
        <Button tone="primary" busy={busy} onClick={onMine}>
          Save mine
        </Button>
        <Button disabled={busy} onClick={onTheirs}>
          Use the server's
        </Button>
      </div>
    </div>
  );
}

const WORDS: Partial<Record<string, string>> = {
  'long-haul': 'Long haul',
  'bi-weekly': 'Every two weeks',
  high: 'High: at every check',
  optimized: 'Optimized: when gains exceed costs',
};
const word = (value: string): string =>
  WORDS[value] ?? value.charAt(0).toUpperCase() + value.slice(1);
const options = (values: readonly string[]) =>
  values.map((value) => ({ value, label: word(value) }));

export interface SettingsFormProps {
  initial: UserSettings;
  version: number;
  quote: string;
  /** Why it cannot be saved now; null if it can. */
  blocked: string | null;
}

/** Errors, differences and the save button, shared by all forms over the settings. */
function Saving({
  edit,
  blocked,
  label,
}: {
  edit: SettingsEdit;
  blocked: string | null;
  label: string;
}) {
  const { newer, failure, clash, busy, unsaved, saveMine, takeTheirs } = edit;
  return (
    <>
      {newer && (
        <p role="status" className="text-amber">
          Changed on another device since you opened this. You can compare both when you save.
        </p>
      )}
      {failure !== null && (
        <p role="alert" className="text-danger">
          {failure}
        </p>
      )}
      {clash !== null && (
        <Conflict
          clash={clash}
          busy={busy}
          onMine={() => {
            saveMine(clash);
          }}
          onTheirs={() => {
            takeTheirs(clash);
          }}
        />
      )}
      {/* Reserves the offline sentence's height. */}
      <div className="flex flex-wrap items-center content-start gap-3 max-sm:min-h-24">
        <Button
          type="submit"
          tone="primary"
          busy={busy}
          disabled={blocked !== null || clash !== null}
        >
          {label}
        </Button>
        {blocked !== null ? (
          <span className="text-ink-3">{blocked}</span>
        ) : (
          unsaved &&
          clash === null && (
            <span className="text-ink-3">
              Not saved yet.{keepsSnapshots() && ' Your entries are kept on this device.'}
            </span>
          )
        )}
      </div>
    </>
  );
}

type Fields = Pick<SettingsEdit, 'draft' | 'errors' | 'set'>;

/** Whether agents may open positions at all. */
function EntryFields({ draft, errors, set }: Fields) {
  return (
    <>
      <Switch
        label="Agents may open positions"
        checked={draft.tradingEnabled}
        onChange={(tradingEnabled) => {
          set({ tradingEnabled });
        }}
        hint={
          draft.tradingEnabled
            ? 'When off, agents open no new positions. Stop losses stay active.'
            : 'Off: agents open no new positions. Stop losses stay active.'
        }
      />
      <Select
        label="Mode"
        value={draft.tradingMode}
        error={errors.tradingMode}
        options={options(['automatic', 'paused'])}
        hint={
          draft.tradingMode === 'paused'
            ? 'Paused: agents open no new positions. Stop losses stay active.'
            : 'Automatic: agents trade by their own rules.'
        }
        onChange={(event) => {
          set({ tradingMode: event.target.value === 'paused' ? 'paused' : 'automatic' });
        }}
      />
    </>
  );
}

function NewAgentFields({ draft, errors, set }: Fields) {
  return (
    <>
      <Select
        label="Frequency for new agents"
        value={draft.tradingFrequency}
        error={errors.tradingFrequency}
        options={options(TradingFrequency.options)}
        onChange={(event) => {
          set({ tradingFrequency: event.target.value });
        }}
      />
      <Select
        label="Risk profile for new agents"
        value={draft.riskProfile}
        error={errors.riskProfile}
        options={options(UserRiskProfile.options)}
        onChange={(event) => {
          set({ riskProfile: event.target.value });
        }}
      />
    </>
  );
}

/** The limit of an order. It holds for live agents too, whose accounts have currencies of their own. */
function MaximumField({ draft, errors, set, quote }: Fields & { quote: string }) {
  const hasExchange = useSnapshot(accountChoice).known.length > 0;
  const scope = hasExchange ? ', in the currency of its account' : '';
  return (
    <Field
      label="Maximum per order"
      {...(hasExchange ? {} : { unit: quote })}
      inputMode="decimal"
      value={draft.maxTradeAmount}
      error={errors.maxTradeAmount}
      hint={withLocalNumbers(`From 1 to 1,000,000. Limits every single order${scope}.`)}
      onChange={(event) => {
        set({ maxTradeAmount: event.target.value });
      }}
    />
  );
}

const TRADING_FIELDS = [
  'tradingEnabled',
  'tradingMode',
  'tradingFrequency',
  'riskProfile',
  'maxTradeAmount',
  'notificationsEnabled',
] as const;

/** Rules for the user's agents, and defaults for new ones. */
export function SettingsForm({ initial, version, quote, blocked }: SettingsFormProps) {
  const edit = useSettingsEdit({
    name: 'settings',
    fields: TRADING_FIELDS,
    initial,
    version,
    said: 'Trading settings saved.',
  });
  const { draft, errors, set } = edit;
  return (
    <form
      noValidate
      onSubmit={edit.submit}
      className="grid max-w-xl gap-3"
      aria-label="Trading settings"
    >
      <EntryFields draft={draft} errors={errors} set={set} />
      <NewAgentFields draft={draft} errors={errors} set={set} />
      <MaximumField draft={draft} errors={errors} set={set} quote={quote} />
      <Switch
        label="Notifications"
        checked={draft.notificationsEnabled}
        onChange={(notificationsEnabled) => {
          set({ notificationsEnabled });
        }}
        hint={
          draft.notificationsEnabled
            ? 'When off, no device gets notifications.'
            : 'Off: no device gets notifications.'
        }
      />
      <Saving edit={edit} blocked={blocked} label="Save settings" />
    </form>
  );
}

/** The identity provider gets the same name, where it can be reached. */
function nameSignIn({ displayName }: UserSettings): void {
  updateProfile({ displayName }).catch((error: unknown) => {
    log.warn('The login keeps its previous name', error);
  });
}

/** The name used in the app and by support. */
export function ProfileForm({ initial, version, blocked }: Omit<SettingsFormProps, 'quote'>) {
  const edit = useSettingsEdit({
    name: 'profile',
    fields: ['displayName'],
    initial,
    version,
    said: 'Profile saved.',
    onSaved: nameSignIn,
  });
  const { draft, errors, set } = edit;
  return (
    <form noValidate onSubmit={edit.submit} className="grid max-w-xl gap-3" aria-label="Profile">
      <Field
        label="Display name"
        autoComplete="nickname"
        value={draft.displayName}
        error={errors.displayName}
        maxLength={100}
        onChange={(event) => {
          set({ displayName: event.target.value });
        }}
      />
      <Saving edit={edit} blocked={blocked} label="Save profile" />
    </form>
  );
}
