/**
 * Theme, gain and loss colours and row height, kept on this device. By default they follow the
 * system.
 */
import { proxy, subscribe } from 'valtio';
import {
  APPEARANCE_KEY,
  applyAppearance,
  readAppearance,
  type Appearance,
} from './kept-appearance.ts';

export const appearance = proxy<Appearance>(readAppearance(localStorage.getItem(APPEARANCE_KEY)));

/** Applies the choice to the page, now and at every change. */
export function keepAppearance(): void {
  applyAppearance(appearance);
  subscribe(appearance, () => {
    applyAppearance(appearance);
    localStorage.setItem(APPEARANCE_KEY, JSON.stringify(appearance));
  });
}
