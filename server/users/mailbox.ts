/** Tells the same mailbox under other spellings of its address. */

/** A tag after `+`, and the dots that Google's mail ignores, make no other mailbox. */
export function mailboxOf(email: string | null): string | null {
  if (email === null) return null;
  const [name = '', domain = ''] = email.toLowerCase().split('@');
  const bare = name.split('+', 1)[0] ?? '';
  return `${domain === 'gmail.com' || domain === 'googlemail.com' ? bare.replaceAll('.', '') : bare}@${domain}`;
}
