/** Changes of code that no test can notice, because nothing comes out differently, and why. */

export interface ExplainedChange {
  file: string;
  /** The line where the change begins, as it stands, without the space around it. */
  line: string;
  /** What stands there instead, as the tool writes it with its space collapsed. */
  replacements: readonly string[];
  why: string;
}

export const EXPLAINED_CHANGES: readonly ExplainedChange[] = [
  {
    file: 'contract/jwt.ts',
    line: "const [header = '', claims = '', signature = ''] = parts;",
    replacements: ['"Stryker was here!"'],
    why: 'The next line asks for three parts, so none of the three is ever missing.',
  },
  {
    file: 'contract/jwt.ts',
    line: '} catch {',
    replacements: ['{}'],
    why: 'A function that returns nothing returns undefined.',
  },
  {
    file: 'server/identity/token-verifier.ts',
    line: "await compactVerify(token, keys, { algorithms: ['RS256'] });",
    replacements: ['{}'],
    why: 'The algorithm was compared before a key was asked for; here it is said a second time.',
  },
  {
    file: 'server/identity/token-verifier.ts',
    line: 'if (oldest.done !== true) this.signed.delete(oldest.value);',
    replacements: ['true'],
    why: 'A map that is too full has an oldest entry.',
  },
  {
    file: 'contract/tiers.ts',
    line: "(p) => p.resource === 'agents' && p.action === 'create',",
    replacements: ["p.resource === 'agents' || p.action === 'create'", 'true'],
    why: 'In the table of permissions only agents are created, and nothing else is done with them.',
  },
  {
    file: 'contract/tiers.ts',
    line: 'return permission?.conditions?.maxCount ?? 0;',
    replacements: ['permission?.conditions.maxCount'],
    why: 'Each permission to create agents in the table has its condition.',
  },
  {
    file: 'src/billing/entitlement-view.ts',
    line: 'const end = endDate === null ? Number.NaN : Date.parse(endDate);',
    replacements: ['false'],
    why: 'No date is as unreadable as a wrong one.',
  },
  {
    file: 'contract/money.ts',
    line: "const [whole = '0', fraction = ''] = (negative ? text.slice(1) : text).split('.');",
    replacements: ['""'],
    why: 'The pattern asks for a digit, so the whole part is never missing.',
  },
  {
    file: 'contract/money.ts',
    line: 'if (short !== null) return short;',
    replacements: ['false'],
    why: 'The text of the number decides the same, in more time.',
  },
  {
    file: 'contract/money.ts',
    line: '/^-?\\d+(?:\\.(\\d+))?$/.exec(written)?.[1]?.length ?? (Number.isInteger(value) ? 0 : Infinity);',
    replacements: ['/-?\\d+(?:\\.(\\d+))?$/', '/^-?\\d+(?:\\.(\\d+))$/'],
    why: 'A text with an exponent ends without places either way, and a whole number has none.',
  },
  {
    file: 'contract/money.ts',
    line: 'if (Math.abs(value) < 0.4 / (TENS[most] ?? 1)) return ZERO;',
    replacements: ['false', 'Math.abs(value) <= 0.4 / (TENS[most] ?? 1)'],
    why: 'The text of a number so small is rounded to zero as well.',
  },
  {
    file: 'contract/money.ts',
    line: 'rest.reduce((m, v) => (v < m ? v : m), first);',
    replacements: ['v <= m'],
    why: 'Of two that are equal either is the least.',
  },
  {
    file: 'contract/money.ts',
    line: 'rest.reduce((m, v) => (v > m ? v : m), first);',
    replacements: ['v >= m'],
    why: 'Of two that are equal either is the most.',
  },
  {
    file: 'contract/money.ts',
    line: 'for (let places = 0; places <= most; places += 1) {',
    replacements: ['places < most', 'places > most', 'false', '{}'],
    why: 'Where the short way gives up, the text of the number decides the same.',
  },
  {
    file: 'contract/money.ts',
    line: 'const ten = TENS[places] ?? 1;',
    replacements: ['TENS[places] && 1'],
    why: 'Where the short way gives up, the text of the number decides the same.',
  },
  {
    file: 'contract/money.ts',
    line: 'const digits = Math.round(value * ten);',
    replacements: ['value / ten'],
    why: 'Where the short way gives up, the text of the number decides the same.',
  },
  {
    file: 'contract/money.ts',
    line: 'if (digits >= SHORT || digits <= -SHORT) return null;',
    replacements: ['true', 'digits > SHORT', 'digits < -SHORT', '+SHORT'],
    why: 'Where the short way gives up, the text of the number decides the same.',
  },
  {
    file: 'contract/money.ts',
    line: 'if (digits / ten === value) return (BigInt(digits) * (UNITS[places] ?? 1n)) as Fixed;',
    replacements: ['false', 'digits * ten'],
    why: 'Where the short way gives up, the text of the number decides the same.',
  },
  {
    file: 'contract/money.ts',
    line: 'const away = numerator < 0n === denominator < 0n ? 1n : -1n;',
    replacements: ['numerator <= 0n', 'denominator <= 0n'],
    why: 'Nothing divided has no remainder, and nothing is divided by zero.',
  },
  {
    file: 'contract/money.ts',
    line: 'const twice = (remainder < 0n ? -remainder : remainder) * 2n;',
    replacements: ['remainder <= 0n'],
    why: 'A remainder of zero has returned before.',
  },
  {
    file: 'contract/money.ts',
    line: 'const size = denominator < 0n ? -denominator : denominator;',
    replacements: ['denominator <= 0n'],
    why: 'Nothing is divided by zero.',
  },
  {
    file: 'engine/accounting/ledger.ts',
    line: "const [base = '', quote = ''] = fill.pair.split('/');",
    replacements: ['"Stryker was here!"'],
    why: 'A pair names two coins.',
  },
  {
    file: 'engine/accounting/ledger.ts',
    line: 'const costBasis = whole ? held.cost : (((held.cost * fill.quantity) / held.quantity) as Fixed);',
    replacements: ['false'],
    why: 'The share of all of it is all of it.',
  },
  {
    file: 'engine/accounting/fifo-lots.ts',
    line: 'quantity === whole ? amount : (((amount * quantity) / whole) as Fixed);',
    replacements: ['false'],
    why: 'The share of all of it is all of it.',
  },
  {
    file: 'engine/accounting/fifo-lots.ts',
    line: 'const quantity = lot.quantity < left ? lot.quantity : left;',
    replacements: ['lot.quantity <= left'],
    why: 'Of two equal quantities either is the lesser one.',
  },
  {
    file: 'engine/accounting/fifo-lots.ts',
    line: 'if (queue.first > 1_000) {',
    replacements: ['true', 'false', 'queue.first >= 1_000', 'queue.first <= 1_000', '{}'],
    why: 'Sold lots are dropped to save memory; they are read no more.',
  },
];
