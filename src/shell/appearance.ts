/**
 * Theme, gain and loss colours and row height, kept on this device. By default they follow the
 * system.
 */
import { proxy, subscribe } from 'valtio';

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

const KEY = 'tradewind.appearance';

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

export const appearance = proxy<Appearance>(readAppearance(localStorage.getItem(KEY)));

function paint(): void {
  const { dataset } = document.documentElement;
  if (appearance.theme === 'system') delete dataset.theme;
  else dataset.theme = appearance.theme;
  if (appearance.gain === 'green') delete dataset.gain;
  else dataset.gain = appearance.gain;
  if (appearance.rows === 'device') delete dataset.rows;
  else dataset.rows = appearance.rows;
}

/** Applies the choice to the page, now and at every change. */
export function keepAppearance(): void {
  paint();
  subscribe(appearance, () => {
    paint();
    localStorage.setItem(KEY, JSON.stringify(appearance));
  });
}
