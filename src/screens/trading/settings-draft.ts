/** The entries of the trading settings, as text until they are valid. */
import * as z from 'zod/mini';
import { UserSettings } from '../../../contract/user.ts';
import { formatQuantity } from '../../format/numbers.ts';
import { fieldText, typedNumber } from '../../format/typed-numbers.ts';
import { byField, check } from '../../format/validation.ts';

/** Every field as its control holds it: numbers are text. */
export interface SettingsDraft extends Omit<
  UserSettings,
  'maxTradeAmount' | 'tradingFrequency' | 'riskProfile'
> {
  maxTradeAmount: string;
  tradingFrequency: string;
  riskProfile: string;
}

/** The draft saved on the device, with the version it began with. */
export const KeptSettings = z.nullable(
  z.object({
    base: z.number(),
    draft: z.object({
      displayName: z.string(),
      tradingEnabled: z.boolean(),
      tradingMode: UserSettings.shape.tradingMode,
      tradingFrequency: z.string(),
      riskProfile: z.string(),
      maxTradeAmount: z.string(),
      notificationsEnabled: z.boolean(),
    }),
  }),
);

export function draftOf(settings: UserSettings): SettingsDraft {
  return { ...settings, maxTradeAmount: fieldText(settings.maxTradeAmount) };
}

export const isSameDraft = (one: SettingsDraft, other: SettingsDraft): boolean =>
  (Object.keys(one) as (keyof SettingsDraft)[]).every((key) => one[key] === other[key]);

export type CheckedDraft =
  | { ok: true; settings: UserSettings }
  | { ok: false; errors: Record<string, string> };

/** The draft as settings, or errors by field. */
export function checkDraft(draft: SettingsDraft): CheckedDraft {
  const checked = check(UserSettings, {
    ...draft,
    displayName: draft.displayName.trim(),
    maxTradeAmount: typedNumber(draft.maxTradeAmount),
  });
  return checked.ok
    ? { ok: true, settings: checked.value }
    : { ok: false, errors: byField(checked.issues) };
}

/** The fields in which two settings differ. */
export function differences(a: UserSettings, b: UserSettings): (keyof UserSettings)[] {
  return (Object.keys(a) as (keyof UserSettings)[]).filter((name) => a[name] !== b[name]);
}

export const FIELD_NAMES: Record<keyof UserSettings, string> = {
  displayName: 'Display name',
  tradingEnabled: 'Agents may open positions',
  tradingMode: 'Mode',
  tradingFrequency: 'Frequency',
  riskProfile: 'Risk profile',
  maxTradeAmount: 'Maximum per order',
  notificationsEnabled: 'Notifications',
};

/** A value as shown. */
export function valueText(value: UserSettings[keyof UserSettings]): string {
  if (typeof value === 'number') return formatQuantity(String(value));
  if (typeof value === 'boolean') return value ? 'on' : 'off';
  return value;
}
