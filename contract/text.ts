/** Sanitising of identifiers and of error text. */
import { ERROR_TEXT_MAX, SANITISED_MAX } from './limits.ts';

/** Removes `< > " ' &`, trims, and cuts to 1000 characters. The result may be empty. */
export function sanitise(text: string): string {
  return text
    .replace(/[<>"'&]/g, '')
    .trim()
    .slice(0, SANITISED_MAX);
}

/** A sanitised identifier, or null where nothing is left of it. */
export function sanitiseIdentifier(text: string): string | null {
  const clean = sanitise(text);
  return clean === '' ? null : clean;
}

/** A server's error text made fit to show: cleaned, one line, cut to 200 characters. */
export function sanitiseErrorText(text: string): string {
  // oxlint-disable-next-line no-control-regex -- control characters are what is removed
  return sanitise(text.replace(/[\u0000-\u001f\u007f]+/g, ' ')).slice(0, ERROR_TEXT_MAX);
}
