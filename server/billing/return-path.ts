/** Checks where a checkout or portal may send the user back to: only to addresses of this app. */
import { Refusal } from '../../contract/errors.ts';

/**
 * The path, query and fragment of an address of this app, given as a path or as a URL of its own
 * origin.
 * @throws Refusal `invalid_parameter` for anything else, so that no link of ours leads a person
 *   elsewhere.
 */
export function returnPath(value: string, publicOrigin: string, field: string): string {
  const refused = new Refusal(
    'invalid_parameter',
    'Invalid parameter: only addresses of this app are allowed.',
    { field },
  );
  // Browsers read a backslash as a slash and drop control characters: neither belongs in an
  // address.
  // oxlint-disable-next-line no-control-regex -- control characters are what is refused
  if (/[\u0000-\u0020\u007f\\]/.test(value)) throw refused;
  let url: URL;
  try {
    url = new URL(value, publicOrigin);
  } catch {
    throw refused;
  }
  const path = `${url.pathname}${url.search}${url.hash}`;
  const foreign =
    url.origin !== new URL(publicOrigin).origin || url.username !== '' || url.password !== '';
  if (foreign || url.pathname.startsWith('//')) throw refused;
  return path;
}
