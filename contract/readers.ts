/**
 * Readers of small records, for code that runs before the schemas are there. Each takes what a schema
 * of the same form would take, and nothing else.
 */

/** What a reader answers where something has another form. */
export const UNREAD = Symbol('unread');
/** The value, without fields that the form does not name; `UNREAD` where it has another form. */
export type Reader<T> = (raw: unknown) => T | typeof UNREAD;
export type Read<R> = R extends Reader<infer T> ? T : never;

/** The value, or null where it has another form. */
export function readAs<T>(reader: Reader<T>, raw: unknown): T | null {
  const value = reader(raw);
  return value === UNREAD ? null : value;
}

/** Stored text; null where it is no JSON or of another form. */
export function readJson<T>(reader: Reader<T>, json: string | null): T | null {
  try {
    return readAs(reader, JSON.parse(json ?? 'null'));
  } catch {
    return null;
  }
}

const where =
  <T>(holds: (raw: unknown) => boolean): Reader<T> =>
  (raw) =>
    holds(raw) ? (raw as T) : UNREAD;

export const textWhere = (holds: (text: string) => boolean): Reader<string> =>
  where((raw) => typeof raw === 'string' && holds(raw));
export const text = textWhere(() => true);
export const someText = textWhere((raw) => raw !== '');
export const textLike = (pattern: RegExp): Reader<string> => textWhere((raw) => pattern.test(raw));
/** By characters as a person counts them: what lies outside the first plane counts once. */
export const textUpTo = (most: number): Reader<string> =>
  textWhere((raw) => raw.length <= most || [...raw].length <= most);
export const uuid = textLike(
  /^([0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[1-8][0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12}|0{8}-0{4}-0{4}-0{4}-0{12}|f{8}-f{4}-f{4}-f{4}-f{12})$/,
);
export const number = where<number>(Number.isFinite);
export const whole = where<number>(Number.isSafeInteger);
export const numberFrom = (least: number, most: number, of = number): Reader<number> =>
  where((raw) => of(raw) !== UNREAD && (raw as number) >= least && (raw as number) <= most);
export const yesOrNo = where<boolean>((raw) => typeof raw === 'boolean');
export const anything: Reader<unknown> = (raw) => raw;
export const oneOf = <const T extends string | number>(values: readonly T[]): Reader<T> =>
  where((raw) => (values as readonly unknown[]).includes(raw));

export const orNull =
  <T>(reader: Reader<T>): Reader<T | null> =>
  (raw) =>
    raw === null ? null : reader(raw);
/** A field that may be absent. */
export const maybe =
  <T>(reader: Reader<T>): Reader<T | undefined> =>
  (raw) =>
    raw === undefined ? undefined : reader(raw);
/** The first of several forms that it has. */
export const either =
  <T>(...readers: readonly Reader<T>[]): Reader<T> =>
  (raw) => {
    for (const reader of readers) {
      const value = reader(raw);
      if (value !== UNREAD) return value;
    }
    return UNREAD;
  };

export const list =
  <T>(reader: Reader<T>, most = Infinity): Reader<T[]> =>
  (raw) => {
    if (!Array.isArray(raw) || raw.length > most) return UNREAD;
    const values = Array.from(raw, reader);
    return values.includes(UNREAD) ? UNREAD : (values as T[]);
  };

const isRecord = (raw: unknown): raw is Record<string, unknown> =>
  typeof raw === 'object' && raw !== null && !Array.isArray(raw);

/** Values of one form by any key. */
export const byKey =
  <T>(reader: Reader<T>): Reader<Record<string, T>> =>
  (raw) => {
    // A date or a map is no collection of fields.
    if (!isRecord(raw) || Object.prototype.toString.call(raw) !== '[object Object]') return UNREAD;
    const values = Object.entries(raw)
      .filter(([key]) => key !== '__proto__')
      .map(([key, value]) => [key, reader(value)] as const);
    return values.some(([, value]) => value === UNREAD)
      ? UNREAD
      : (Object.fromEntries(values) as Record<string, T>);
  };

type Form = Readonly<Record<string, Reader<unknown>>>;
type AbsentKey<F extends Form> = {
  [K in keyof F]: undefined extends Read<F[K]> ? K : never;
}[keyof F];
type Fields<F extends Form> = {
  [K in Exclude<keyof F, AbsentKey<F>>]: Read<F[K]>;
} & { [K in AbsentKey<F>]?: Read<F[K]> };
/** Written out, so that a message of the compiler names the fields. */
type Plain<T> = { [K in keyof T]: T[K] };

/** `isWhole`: it may have no other fields; else they are left out. */
export const fields =
  <F extends Form>(form: F, isWhole = false): Reader<Plain<Fields<F>>> =>
  (raw) => {
    if (!isRecord(raw)) return UNREAD;
    if (isWhole && Object.keys(raw).some((key) => !Object.hasOwn(form, key))) return UNREAD;
    const read: Record<string, unknown> = {};
    for (const [key, reader] of Object.entries(form)) {
      const value = reader(raw[key]);
      if (value === UNREAD) return UNREAD;
      if (key in raw) read[key] = value;
    }
    return read as Plain<Fields<F>>;
  };
