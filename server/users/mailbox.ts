/** Tells the same mailbox under other spellings of its address. */

const GOOGLE = 'gmail.com';

/**
 * A tag after `+`, and the dots that Google's mail ignores, make no other mailbox; nor does the
 * second of Google's domains.
 */
export function mailboxOf(email: string | null): string | null {
  if (email === null) return null;
  const [name = '', written = ''] = email.toLowerCase().split('@');
  const domain = written === 'googlemail.com' ? GOOGLE : written;
  const bare = name.split('+', 1)[0] ?? '';
  return `${domain === GOOGLE ? bare.replaceAll('.', '') : bare}@${domain}`;
}
