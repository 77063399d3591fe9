/**
 * An edit of the settings: kept on the device, validated, and saved on top of what the server has.
 * Only where a field was changed on both sides is the person asked.
 */
import { useLayoutEffect, useRef, useState, type FormEvent } from 'react';
import { useSnapshot } from 'valtio';
import { TradingSettings, UserSettings } from '../../../contract/user.ts';
import { ApiError } from '../../api/api-error.ts';
import { api } from '../../api/api.ts';
import { errorSentence } from '../../format/error-text.ts';
import { byField } from '../../format/validation.ts';
import { applySettings, settingsStore } from '../../stores/settings-store.ts';
import { pageToast } from '../../stores/toast-store.ts';
import { useKeptDraft } from '../agents/create/kept-draft.ts';
import { useSameKey, type SendOnce } from '../use-same-key.ts';
import { checkDraft, draftOf, type SettingsDraft } from './settings-draft.ts';
import {
  afterSave,
  bothOf,
  changedOnBothSides,
  fieldsOf,
  KeptEntries,
  NOTHING,
  onTopOf,
  restored,
  typed,
  unsavedFields,
  without,
  withoutSaved,
  type SettingsEntries,
  type SettingsField,
} from './settings-entries.ts';

/** How many changes of other devices, each while one save is on its way, are merged. */
const MERGES = 3;

type Versioned = Pick<TradingSettings, 'settings' | 'version'>;

/** What the user wanted to save, what the server has by now, and where both were changed. */
export interface Clash {
  fields: SettingsField[];
  mine: UserSettings;
  theirs: UserSettings;
  version: number;
}

export interface SettingsEdit {
  draft: SettingsDraft;
  errors: Record<string, string>;
  failure: string | null;
  clash: Clash | null;
  busy: boolean;
  /** There are unsaved entries. */
  unsaved: boolean;
  /** The server has something newer in a field with an unsaved entry. */
  newer: boolean;
  set: (change: Partial<SettingsDraft>) => void;
  submit: (event: FormEvent) => void;
  saveMine: (clash: Clash) => void;
  takeTheirs: (clash: Clash) => void;
}

/** The server's current settings from a 409; null where they cannot be read. */
function freshOf(error: unknown): Versioned | null {
  if (!(error instanceof ApiError) || error.code !== 'settings_changed') return null;
  const settings = UserSettings.safeParse(error.details?.settings);
  const version = TradingSettings.shape.version.safeParse(error.details?.version);
  return settings.success && version.success
    ? { settings: settings.data, version: version.data }
    : null;
}

export interface SettingsEditOptions {
  /** The key under which the draft is saved. */
  name: string;
  /** The fields that the form shows. */
  fields: readonly SettingsField[];
  initial: UserSettings;
  version: number;
  /** The message after saving. */
  said: string;
  onSaved?: (settings: UserSettings) => void;
}

function take({ settings, version }: Versioned): void {
  const riskProfiles = settingsStore.data?.riskProfiles ?? [];
  applySettings({ settings, version, riskProfiles }, 'network');
}

/** The settings with these entries; `values` are the entries once they are valid. */
function merged(entries: SettingsEntries, values: UserSettings, into: UserSettings): UserSettings {
  const mine = fieldsOf(entries).map((name) => [name, values[name]]);
  return { ...into, ...(Object.fromEntries(mine) as Partial<UserSettings>) };
}

/** The question where a field was changed on both sides; null where none was. */
function clashOf(
  entries: SettingsEntries,
  values: UserSettings,
  { settings: theirs, version }: Versioned,
  unanswered: SettingsEntries,
): Clash | null {
  const fields = changedOnBothSides(entries, theirs, unanswered);
  return fields.length === 0
    ? null
    : { fields, mine: merged(entries, values, theirs), theirs, version };
}

/** Saves the entries on top of what the server has, or answers with the question to the person. */
async function saveEntries(
  entries: SettingsEntries,
  values: UserSettings,
  onto: Versioned,
  unanswered: SettingsEntries,
  sendOnce: SendOnce,
): Promise<Versioned | Clash> {
  let present = onto;
  for (let merges = 0; ; merges += 1) {
    try {
      const body = { ...merged(entries, values, present.settings), version: present.version };
      const { settings, version } = await sendOnce(body, (commandId) =>
        api.call('updateTradingSettings', { body, commandId }),
      );
      take({ settings, version });
      return { settings, version };
    } catch (error) {
      const fresh = freshOf(error);
      if (fresh === null) throw error;
      take(fresh);
      // A request whose answer was lost has saved them.
      if (unsavedFields(entries, fresh.settings).length === 0) return fresh;
      const clash = clashOf(entries, values, fresh, unanswered);
      if (clash !== null) return clash;
      if (merges === MERGES) throw error;
      present = fresh;
    }
  }
}

/** The entries, kept on the device, and the settings of the server that they change. */
function useSettingsEntries({
  name,
  fields,
  initial,
  version,
}: Pick<SettingsEditOptions, 'name' | 'fields' | 'initial' | 'version'>) {
  const [kept, keep] = useKeptDraft(name, KeptEntries, null);
  const [entries, setEntries] = useState(() => restored(kept, fields, initial, version));
  /** As typed last: a reply may come after it. */
  const newest = useRef(entries);
  const stored = useSnapshot(settingsStore).data;
  // A form opens on what this device has kept; the server's answer comes after it.
  const present =
    stored !== null && stored.version > version ? stored : { settings: initial, version };
  const put = (next: SettingsEntries): void => {
    newest.current = next;
    setEntries(next);
    keep(fieldsOf(next).length === 0 ? null : next);
  };
  /** Null while nothing is loaded and the form only keeps its place. */
  const known = stored === null ? null : present.version;
  const seen = useRef<number | null>(null);
  useLayoutEffect(() => {
    if (known === null || known === seen.current) return;
    seen.current = known;
    const open = withoutSaved(newest.current, present.settings);
    if (fieldsOf(open).length < fieldsOf(newest.current).length) put(open);
  });
  return {
    entries,
    newest,
    put,
    present,
    draft: { ...draftOf(present.settings), ...entries.draft },
    unsaved: unsavedFields(entries, present.settings).length > 0,
  };
}

/** What saves whose answer is not known may have written. */
function useUnanswered() {
  const kept = useRef<SettingsEntries>(NOTHING);
  const begin = (sent: SettingsEntries) => {
    const before = kept.current;
    kept.current = bothOf(before, sent);
    return {
      before,
      answered: (): void => {
        kept.current = NOTHING;
      },
      failed: (error: unknown): void => {
        if (error instanceof ApiError && !error.mayHaveArrived) kept.current = before;
      },
    };
  };
  return { sent: (): SettingsEntries => kept.current, begin };
}

/** Why a save failed: invalid fields, a sentence, or the same field changed on another device. */
function useRefusal() {
  const [errors, setErrors] = useState<Record<string, string>>({});
  const [failure, setFailure] = useState<string | null>(null);
  const [clash, setClash] = useState<Clash | null>(null);
  const refused = (error: unknown): void => {
    if (error instanceof ApiError) setErrors(byField(error.issues));
    setFailure(errorSentence(error));
  };
  /** The values of entries that are valid; otherwise the form says what is wrong. */
  const valid = (draft: SettingsDraft): UserSettings | null => {
    const checked = checkDraft(draft);
    setFailure(null);
    setErrors(checked.ok ? {} : checked.errors);
    return checked.ok ? checked.settings : null;
  };
  return { errors, failure, clash, setClash, refused, valid };
}

export function useSettingsEdit({ said, onSaved, ...options }: SettingsEditOptions): SettingsEdit {
  const { entries, newest, put, present, draft, unsaved } = useSettingsEntries(options);
  const { errors, failure, clash, setClash, refused, valid } = useRefusal();
  const [busy, setBusy] = useState(false);
  const sendOnce = useSameKey();
  const unanswered = useUnanswered();

  const send = async (
    sent: SettingsEntries,
    values: UserSettings,
    onto: Versioned,
  ): Promise<void> => {
    setBusy(true);
    const sending = unanswered.begin(sent);
    try {
      const outcome = await saveEntries(sent, values, onto, sending.before, sendOnce);
      sending.answered();
      if ('fields' in outcome) {
        setClash(outcome);
        return;
      }
      put(afterSave(newest.current, sent, outcome.settings));
      setClash(null);
      pageToast('success', said);
      onSaved?.(outcome.settings);
    } catch (error) {
      sending.failed(error);
      put(withoutSaved(newest.current, present.settings, unanswered.sent()));
      refused(error);
    } finally {
      setBusy(false);
    }
  };
  const isNewer = (): boolean =>
    changedOnBothSides(entries, present.settings, unanswered.sent()).length > 0;
  const save = (): void => {
    const values = valid(draft);
    if (values === null) return;
    const question = clashOf(entries, values, present, unanswered.sent());
    setClash(question);
    if (question === null) void send(entries, values, present);
  };
  return {
    draft,
    errors,
    failure,
    clash,
    busy,
    unsaved,
    newer: clash === null && !busy && isNewer(),
    set: (change) => {
      // What the question showed is no longer what would be saved.
      setClash(null);
      put(typed(newest.current, change, present.settings, unanswered.sent()));
    },
    submit: (event) => {
      event.preventDefault();
      save();
    },
    saveMine: ({ fields, theirs, version }) => {
      const values = valid(draft);
      if (values === null) return;
      const seen = onTopOf(entries, theirs, fields);
      put(seen);
      void send(seen, values, { settings: theirs, version });
    },
    takeTheirs: ({ fields }) => {
      put(without(newest.current, fields));
      setClash(null);
    },
  };
}
