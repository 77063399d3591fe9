/**
 * An edit of the settings: kept on the device, validated, and saved against the version it began
 * with.
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
import {
  checkDraft,
  draftOf,
  isSameDraft,
  KeptSettings,
  type SettingsDraft,
} from './settings-draft.ts';

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
  /** The server has a newer version than the unsaved entries began on. */
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

/** The entries, kept on the device, and the version that they are an edit of. */
function useSettingsDraft({
  name,
  initial,
  version,
}: Pick<SettingsEditOptions, 'name' | 'initial' | 'version'>) {
  const [kept, keep] = useKeptDraft(name, KeptSettings, null);
  const [draft, setDraft] = useState<SettingsDraft>(() => kept?.draft ?? draftOf(initial));
  /** As typed last: a reply may come after it. */
  const newest = useRef(draft);
  /** Later changes in the store do not move it once something was entered. */
  const [base, setBase] = useState(kept?.base ?? version);
  const type = (next: SettingsDraft): void => {
    newest.current = next;
    setDraft(next);
  };
  const begin = (settings: UserSettings, from: number): void => {
    keep(null);
    type(draftOf(settings));
    setBase(from);
  };
  /** What was typed after the press is an edit of what was saved. */
  const saved = (settings: UserSettings, from: number): void => {
    if (isSameDraft(newest.current, draft)) {
      begin(settings, from);
      return;
    }
    keep({ base: from, draft: newest.current });
    setBase(from);
  };
  const set = (change: Partial<SettingsDraft>): void => {
    type({ ...draft, ...change });
    keep({ base, draft: { ...draft, ...change } });
  };
  return { draft, base, unsaved: kept !== null, begin, saved, set };
}

export function useSettingsEdit({ said, onSaved, ...options }: SettingsEditOptions): SettingsEdit {
  const { draft, base, unsaved, begin, saved, set } = useSettingsDraft(options);
  const { errors, setErrors, failure, setFailure, clash, setClash, refused } = useRefusal();
  const [busy, setBusy] = useState(false);
  const present = useSnapshot(settingsStore).data;
  const newer = clash === null && present !== null && present.version > base && !busy;
  // A form opens on what this device has kept; the server's answer comes after it.
  useLayoutEffect(() => {
    if (newer && !unsaved) begin(present.settings, present.version);
  });

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
      saved(reply.settings, reply.version);
      setClash(null);
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
    unsaved,
    newer: newer && unsaved,
    set,
    submit: (event) => {
      event.preventDefault();
      void save(base);
    },
    save: (onVersion) => {
      void save(onVersion);
    },
    takeTheirs: ({ theirs, version: from }) => {
      begin(theirs, from);
      setClash(null);
    },
  };
}
