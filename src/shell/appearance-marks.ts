/**
 * How the kept appearance is read and laid on the page, without anything of the app: it is needed
 * before the first paint of a page that has no code yet.
 */

export type Theme = 'system' | 'light' | 'dark';
/** `blue`: gains blue, losses orange, for colour-blind users. */
export type GainColours = 'green' | 'blue';
/** `device`: row height for the device's pointer. `roomy`: touch height everywhere. */
export type Rows = 'device' | 'roomy';
export interface Appearance {
  theme: Theme;
  gain: GainColours;
  rows: Rows;
}

export const APPEARANCE_KEY = 'tradewind.appearance';

export function readAppearance(text: string | null): Appearance {
  const chosen: Appearance = { theme: 'system', gain: 'green', rows: 'device' };
  try {
    const kept = JSON.parse(text ?? '{}') as Partial<Record<keyof Appearance, unknown>> | null;
    if (kept?.theme === 'light' || kept?.theme === 'dark') chosen.theme = kept.theme;
    if (kept?.gain === 'blue') chosen.gain = 'blue';
    if (kept?.rows === 'roomy') chosen.rows = 'roomy';
  } catch {
    // Unreadable: keep the system's theme.
  }
  return chosen;
}

/** What the styles read. */
export function markPage(appearance: Appearance): void {
  const { dataset } = document.documentElement;
  if (appearance.theme === 'system') delete dataset.theme;
  else dataset.theme = appearance.theme;
  if (appearance.gain === 'green') delete dataset.gain;
  else dataset.gain = appearance.gain;
  if (appearance.rows === 'device') delete dataset.rows;
  else dataset.rows = appearance.rows;
}
