/**
 * The changed fields of the settings alone. The others are the server's, so that a save writes
 * nothing that was not typed.
 */
import * as z from 'zod/mini';
import { UserSettings } from '../../../contract/user.ts';
import { typedNumber } from '../../format/typed-numbers.ts';
import { draftOf, type SettingsDraft } from './settings-draft.ts';

export type SettingsField = keyof SettingsDraft;

const Entries = z.partial(
  z.object({
    displayName: z.string(),
    tradingEnabled: z.boolean(),
    tradingMode: UserSettings.shape.tradingMode,
    tradingFrequency: z.string(),
    riskProfile: z.string(),
    maxTradeAmount: z.string(),
    notificationsEnabled: z.boolean(),
  }),
);

/** What was typed, and what each of these fields held before: `from`. */
export interface SettingsEntries {
  draft: Partial<SettingsDraft>;
  from: Partial<SettingsDraft>;
}

/**
 * As saved on the device. A build from before kept every field, with the version that they were
 * made on and without `from`.
 */
export const KeptEntries = z.nullable(
  z.object({ draft: Entries, from: z.optional(Entries), base: z.optional(z.number()) }),
);
type KeptEntries = z.infer<typeof KeptEntries>;

export const NOTHING: SettingsEntries = { draft: {}, from: {} };

export const fieldsOf = ({ draft }: SettingsEntries): SettingsField[] =>
  Object.keys(draft) as SettingsField[];

const pick = <T extends object>(values: T, names: readonly (keyof T)[]): Partial<T> =>
  Object.fromEntries(names.map((name) => [name, values[name]])) as Partial<T>;

const isSame = (name: SettingsField, a: unknown, b: unknown): boolean => {
  if (typeof a !== 'string' || typeof b !== 'string' || a === b) return a === b;
  return name === 'maxTradeAmount' ? typedNumber(a) === typedNumber(b) : a.trim() === b.trim();
};

const only = (entries: SettingsEntries, names: readonly SettingsField[]): SettingsEntries => ({
  draft: pick(entries.draft, names),
  from: pick(entries.from, names),
});

/**
 * The kept entries of a form with these `fields`. Of a whole draft on an older version it is not
 * known which fields were typed: each that differs is asked about.
 */
export function restored(
  kept: KeptEntries,
  fields: readonly SettingsField[],
  present: UserSettings,
  version: number,
): SettingsEntries {
  if (kept === null) return NOTHING;
  const { draft, from } = kept;
  if (from !== undefined) return { draft, from };
  const theirs = draftOf(present);
  const whole = { draft, from: kept.base === version ? theirs : {} };
  return only(
    whole,
    fields.filter((name) => name in draft && !isSame(name, draft[name], theirs[name])),
  );
}

/**
 * With a change of the form. A field that says again what is there was not changed, unless a save of
 * it has not been answered: what that may have written is changed back.
 */
export function typed(
  entries: SettingsEntries,
  change: Partial<SettingsDraft>,
  present: UserSettings,
  unanswered: SettingsEntries = NOTHING,
): SettingsEntries {
  const theirs = draftOf(present);
  const next = {
    draft: { ...entries.draft, ...change },
    from: { ...pick(theirs, Object.keys(change) as SettingsField[]), ...entries.from },
  };
  return only(
    next,
    fieldsOf(next).filter((name) => next.draft[name] !== theirs[name] || name in unanswered.draft),
  );
}

/** The fields that the server still has otherwise. */
export function unsavedFields(entries: SettingsEntries, present: UserSettings): SettingsField[] {
  const theirs = draftOf(present);
  return fieldsOf(entries).filter((name) => !isSame(name, entries.draft[name], theirs[name]));
}

/**
 * The fields that were changed here and at the server, to different values; what a save of ours whose
 * answer was lost has written is no change of others.
 */
export function changedOnBothSides(
  entries: SettingsEntries,
  present: UserSettings,
  unanswered: SettingsEntries = NOTHING,
): SettingsField[] {
  const theirs = draftOf(present);
  return unsavedFields(entries, present).filter(
    (name) =>
      !isSame(name, entries.from[name], theirs[name]) &&
      !isSame(name, unanswered.draft[name], theirs[name]),
  );
}

/** Without the entries that the server has by now, and that no save may still write over. */
export function withoutSaved(
  entries: SettingsEntries,
  present: UserSettings,
  unanswered: SettingsEntries = NOTHING,
): SettingsEntries {
  const unsaved = unsavedFields(entries, present);
  return only(
    entries,
    fieldsOf(entries).filter((name) => unsaved.includes(name) || name in unanswered.draft),
  );
}

/** What was typed after the press is an edit of what was saved. */
export function afterSave(
  entries: SettingsEntries,
  sent: SettingsEntries,
  saved: UserSettings,
): SettingsEntries {
  const next = {
    draft: entries.draft,
    from: { ...entries.from, ...pick(draftOf(saved), fieldsOf(sent)) },
  };
  return only(
    next,
    fieldsOf(next).filter((name) => next.draft[name] !== sent.draft[name]),
  );
}

/** The server's values of these fields have been seen: the entries are an edit of them. */
export const onTopOf = (
  entries: SettingsEntries,
  theirs: UserSettings,
  names: readonly SettingsField[],
): SettingsEntries => ({
  draft: entries.draft,
  from: { ...entries.from, ...pick(draftOf(theirs), names) },
});

export const without = (
  entries: SettingsEntries,
  names: readonly SettingsField[],
): SettingsEntries =>
  only(
    entries,
    fieldsOf(entries).filter((name) => !names.includes(name)),
  );

/** What either of two saves has sent; where both have, the later. */
export const bothOf = (earlier: SettingsEntries, later: SettingsEntries): SettingsEntries => ({
  draft: { ...earlier.draft, ...later.draft },
  from: { ...later.from, ...earlier.from },
});
