/**
 * An edit of the settings: kept on the device, validated, and saved against the version it began
 * with.
 */
import { useState, type FormEvent } from 'react';
import { useSnapshot } from 'valtio';
import { TradingSettings, UserSettings } from '../../../contract/user.ts';
import { ApiError } from '../../api/api-error.ts';
import { api } from '../../api/api.ts';
import { errorSentence } from '../../format/error-text.ts';
import { byField } from '../../format/validation.ts';
import { applySettings, settingsStore } from '../../stores/settings-store.ts';
import { pageToast } from '../../stores/toast-store.ts';
import { useKeptDraft } from '../agents/create/kept-draft.ts';
import { checkDraft, draftOf, KeptSettings, type SettingsDraft } from './settings-draft.ts';

/** What the user wanted to save, and what the server has by now. */
export interface Clash {
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
  /** The server has a newer version than this edit began on. */
  newer: boolean;
  set: (change: Partial<SettingsDraft>) => void;
  submit: (event: FormEvent) => void;
  save: (onVersion: number) => void;
  takeTheirs: (clash: Clash) => void;
}

/** The server's current settings from a 409; null where they cannot be read. */
function freshOf(error: ApiError): { settings: UserSettings; version: number } | null {
  const settings = UserSettings.safeParse(error.details?.settings);
  const version = TradingSettings.shape.version.safeParse(error.details?.version);
  return settings.success && version.success
    ? { settings: settings.data, version: version.data }
    : null;
}

export interface SettingsEditOptions {
  /** The key under which the draft is saved. */
  name: string;
  initial: UserSettings;
  version: number;
  /** The message after saving. */
  said: string;
  onSaved?: (settings: UserSettings) => void;
}

/** Why a save failed: invalid fields, a sentence, or a change on another device. */
function useRefusal() {
  const [errors, setErrors] = useState<Record<string, string>>({});
  const [failure, setFailure] = useState<string | null>(null);
  const [clash, setClash] = useState<Clash | null>(null);
  const refused = (error: unknown, mine: UserSettings): void => {
    const fresh =
      error instanceof ApiError && error.code === 'settings_changed' ? freshOf(error) : null;
    if (fresh !== null) {
      setClash({ mine, theirs: fresh.settings, version: fresh.version });
      return;
    }
    if (error instanceof ApiError) setErrors(byField(error.issues));
    setFailure(errorSentence(error));
  };
  return { errors, setErrors, failure, setFailure, clash, setClash, refused };
}

/** Saves settings against the version they began with, and puts the reply into the store. */
async function saveSettings(
  settings: UserSettings,
  version: number,
): Promise<Pick<TradingSettings, 'settings' | 'version'>> {
  const reply = await api.call('updateTradingSettings', { body: { ...settings, version } });
  const riskProfiles = settingsStore.data?.riskProfiles ?? [];
  applySettings({ settings: reply.settings, version: reply.version, riskProfiles }, 'network');
  return reply;
}

export function useSettingsEdit({
  name,
  initial,
  version,
  said,
  onSaved,
}: SettingsEditOptions): SettingsEdit {
  const [kept, keep] = useKeptDraft(name, KeptSettings, null);
  const [draft, setDraft] = useState<SettingsDraft>(() => kept?.draft ?? draftOf(initial));
  /** Later changes in the store do not move it. */
  const [base, setBase] = useState(kept?.base ?? version);
  const { errors, setErrors, failure, setFailure, clash, setClash, refused } = useRefusal();
  const [busy, setBusy] = useState(false);
  const present = useSnapshot(settingsStore).data;

  const begin = (settings: UserSettings, from: number): void => {
    keep(null);
    setDraft(draftOf(settings));
    setBase(from);
    setClash(null);
  };
  const save = async (onVersion: number): Promise<void> => {
    const checked = checkDraft(draft);
    setFailure(null);
    if (!checked.ok) {
      setErrors(checked.errors);
      return;
    }
    setErrors({});
    setBusy(true);
    try {
      const reply = await saveSettings(checked.settings, onVersion);
      begin(reply.settings, reply.version);
      pageToast('success', said);
      onSaved?.(reply.settings);
    } catch (error) {
      refused(error, checked.settings);
    } finally {
      setBusy(false);
    }
  };
  return {
    draft,
    errors,
    failure,
    clash,
    busy,
    unsaved: kept !== null,
    newer: clash === null && present !== null && present.version > base && !busy,
    set: (change) => {
      setDraft({ ...draft, ...change });
      keep({ base, draft: { ...draft, ...change } });
    },
    submit: (event) => {
      event.preventDefault();
      void save(base);
    },
    save: (onVersion) => {
      void save(onVersion);
    },
    takeTheirs: ({ theirs, version: from }) => {
      begin(theirs, from);
    },
  };
}
