/** The entries of the trading settings, as text until they are valid. */
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

export function draftOf(settings: UserSettings): SettingsDraft {
  return { ...settings, maxTradeAmount: fieldText(settings.maxTradeAmount) };
}

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
