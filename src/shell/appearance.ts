/**
 * Theme, gain and loss colours and row height, kept on this device. By default they follow the
 * system.
 */
import { proxy, subscribe } from 'valtio';
import { APPEARANCE_KEY, markPage, readAppearance, type Appearance } from './appearance-marks.ts';

export const appearance = proxy<Appearance>(readAppearance(localStorage.getItem(APPEARANCE_KEY)));

/** Applies the choice to the page, now and at every change. */
export function keepAppearance(): void {
  markPage(appearance);
  subscribe(appearance, () => {
    markPage(appearance);
    localStorage.setItem(APPEARANCE_KEY, JSON.stringify(appearance));
  });
}
