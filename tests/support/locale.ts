/** Runs the page's number formats as a browser of another locale would. */
import { vi } from 'vitest';
import { readNumberForm, setNumberForm } from '../../src/format/number-marks.ts';

export const LOCALES = ['en-US', 'de-DE', 'fr-FR', 'hi-IN', 'de-CH', 'es-ES'] as const;
const { NumberFormat } = Intl;

/** From now on the browser's own locale is this one; `ownLocale` puts it back. */
export function browserLocale(locale: string): void {
  vi.spyOn(Intl, 'NumberFormat').mockImplementation(function numberFormat(asked, options) {
    return new NumberFormat(asked ?? locale, options);
  });
  setNumberForm(readNumberForm());
}

export function ownLocale(): void {
  if (vi.isMockFunction(Intl.NumberFormat)) Intl.NumberFormat.mockRestore();
  setNumberForm(readNumberForm());
}
