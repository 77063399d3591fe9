/** What is put in place of a good value, beside it, or around it. Drawn by a seeded random number. */

export type Roll = () => number;
export const pick = <T>(roll: Roll, from: readonly T[]): T => {
  const one = from[Math.floor(roll() * from.length)];
  if (one === undefined) throw new RangeError('Nothing to pick from');
  return one;
};

/** Written into JSON without the quotes: numbers and words that a value cannot hold. */
const RAW = ['1e400', '-1e400', '1e-400', '-0', '01', 'NaN', '0x10', '9007199254740993', '1E+2'];
const RAW_MARK = '@raw:';
export const unwrapRaw = (text: string): string =>
  text.replace(/"@raw:([^"]*)"/g, (_quoted, raw: string) => raw);

const MARKUP = [
  '<img src=x onerror="document.title=1">',
  '"><script>alert(1)</script>',
  '{{constructor.constructor("return process")()}}',
  ['$', '{7*7}'].join(''),
  "' or '1'='1",
  '"; drop table users; --',
];
const UNICODE = [
  'a\0b',
  '\ud800',
  '\udfff\ud800',
  '\u202egnp.exe',
  '\u2066\u2069\u200b',
  'e\u0301 \u1e9b\u0323',
  '\ufeff',
  '\uffff',
  '\u{1f468}\u200d\u{1f469}\u200d\u{1f467}',
  'I\u0307\u0131',
  '\u0130'.repeat(200),
];
const TEXTS = [
  ...MARKUP,
  ...UNICODE,
  '',
  ' ',
  'true',
  'null',
  '[object Object]',
  'x\r\nX-Injected: 1\r\n\r\n',
  '../../../../etc/passwd',
  '..\\..\\windows\\win.ini',
  'file:///etc/passwd',
  'http://127.0.0.1:1/',
  'http://169.254.169.254/latest/meta-data',
  'javascript:alert(1)',
  '%00%0d%0a',
  'x'.repeat(1_001),
  'x'.repeat(70_000),
  '9'.repeat(400),
];

function deep(levels: number, list: boolean): unknown {
  let value: unknown = 1;
  for (let level = 0; level < levels; level += 1) value = list ? [value] : { a: value };
  return value;
}

const THINGS: readonly (() => unknown)[] = [
  () => null,
  () => true,
  () => [],
  () => ({}),
  () => [[]],
  () => -1,
  () => 1.5,
  () => Number.MAX_SAFE_INTEGER,
  () => Number.MIN_VALUE,
  () => 1e308,
  () => 2_147_483_648,
  () => -9_223_372_036_854_775_808,
  () => ({ $ne: null }),
  () => ({ toString: 1, valueOf: 2, toJSON: 3 }),
  () => JSON.parse('{"__proto__":{"admin":true}}') as unknown,
  () => ({ constructor: { prototype: { admin: true } } }),
  () => ({ length: 1e9, 0: 'x' }),
  () => deep(14, true),
  () => deep(40, false),
  () => Array.from({ length: 2_000 }, (_none, n) => n),
  () => Object.fromEntries(Array.from({ length: 500 }, (_none, n) => [`k${n}`, n])),
];

export function hostileValue(roll: Roll): unknown {
  const kind = roll();
  if (kind < 0.6) return pick(roll, TEXTS);
  if (kind < 0.7) return `${RAW_MARK}${pick(roll, RAW)}`;
  return pick(roll, THINGS)();
}

export const hostileText = (roll: Roll): string => pick(roll, TEXTS);

/** Fields that no call has, and that would be power if one took them. */
export const MASS_FIELDS: Readonly<Record<string, unknown>> = {
  uid: 'somebody-else',
  userId: 'somebody-else',
  user_id: 'somebody-else',
  tier: 'pro-max',
  entitledTier: 'pro-max',
  subscription: { tier: 'pro-max', status: 'active' },
  balance: '1000000',
  cash: '1000000',
  deposits: '1000000',
  equity: '1000000',
  role: 'admin',
  isAdmin: true,
  admin: true,
  accountId: '11111111-1111-4111-8111-111111111111',
  createdAt: 0,
  trialEndsAt: 99_999_999_999_999,
  permissions: [{ resource: 'trading', action: 'unlimited' }],
  sequence: 0,
  status: 'running',
  ownerId: 'somebody-else',
};

/** Names that every object has, and others that no call has. */
const KEYS = [
  ...Object.getOwnPropertyNames(Object.prototype),
  ...['prototype', 'then', 'toJSON', 'length', '', '\0'],
];

type Holder = Record<string, unknown> | unknown[];
const isHolder = (value: unknown): value is Holder => typeof value === 'object' && value !== null;

/** All objects and lists of a value, itself among them. */
function holdersOf(value: unknown): Holder[] {
  if (!isHolder(value)) return [];
  return [value, ...Object.values(value).flatMap(holdersOf)];
}

function put(holder: Holder, key: string, value: unknown): void {
  // JSON has no names in a list, and the length of one takes no word.
  if (Array.isArray(holder) && !/^\d+$/.test(key)) {
    holder.push(value);
    return;
  }
  // `__proto__` as a field of its own, and not the object's prototype.
  Object.defineProperty(holder, key, {
    value,
    enumerable: true,
    configurable: true,
    writable: true,
  });
}

/** Changes one thing in a copy of a value: a field replaced, removed or added. */
export function disturbed(value: unknown, roll: Roll): unknown {
  const copy = structuredClone(value);
  const holders = holdersOf(copy);
  if (holders.length === 0) return hostileValue(roll);
  const holder = pick(roll, holders);
  const keys = Object.keys(holder);
  const kind = roll();
  if (kind < 0.55 && keys.length > 0) put(holder, pick(roll, keys), hostileValue(roll));
  else if (kind < 0.65 && keys.length > 0) {
    const key = pick(roll, keys);
    if (Array.isArray(holder)) holder.splice(Number(key), 1);
    else Reflect.deleteProperty(holder, key);
  } else if (kind < 0.9) {
    const [name, worth] = pick(roll, Object.entries(MASS_FIELDS));
    put(holder, name, worth);
  } else put(holder, pick(roll, KEYS), roll() < 0.5 ? {} : hostileValue(roll));
  return roll() < 0.2 ? disturbed(copy, roll) : copy;
}
