/** Compares an answer of the stand-in's with one that was recorded: its fields, and of what kind each is. */

type Kind = 'null' | 'flag' | 'number' | 'amount' | 'text' | 'list' | 'object';

/** An amount is text, however small: a number would lose digits on its way. */
function kindOf(value: unknown): Kind {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'list';
  if (typeof value === 'boolean') return 'flag';
  if (typeof value === 'number') return 'number';
  if (typeof value === 'string') return /^[+-]?\d+(\.\d+)?$/.test(value) ? 'amount' : 'text';
  return 'object';
}

/** An amount may stand where a text was recorded that was empty or no number that day. */
const isAsRecorded = (kind: Kind, recorded: Kind): boolean =>
  kind === recorded || (recorded === 'text' && kind === 'amount');

function differencesInList(
  answer: readonly unknown[],
  recorded: readonly unknown[],
  later: readonly string[],
  at: string,
): string[] {
  const [first] = recorded;
  if (first === undefined) return [];
  if (answer.length === 0) return [`${at} is empty`];
  // A row of values stands for a record, a list of the same kind for rows of one.
  const isRow = new Set(recorded.map(kindOf)).size > 1;
  if (isRow && answer.length !== recorded.length) return [`${at} has ${answer.length} values`];
  return answer.flatMap((one, index) =>
    differences(one, isRow ? recorded[index] : first, later, `${at}[]`),
  );
}

/** @param later fields that the exchange added after the recording was made. */
export function differences(
  answer: unknown,
  recorded: unknown,
  later: readonly string[] = [],
  at = '',
): string[] {
  const [kind, wanted] = [kindOf(answer), kindOf(recorded)];
  if (!isAsRecorded(kind, wanted)) return [`${at} is no ${wanted}: ${JSON.stringify(answer)}`];
  if (Array.isArray(answer) && Array.isArray(recorded))
    return differencesInList(answer, recorded, later, at);
  if (wanted !== 'object') return [];
  const [row, fields] = [answer, recorded] as Record<string, unknown>[];
  const names = Object.keys(fields ?? {});
  const unknown = Object.keys(row ?? {}).filter(
    (name) => !names.includes(name) && !later.includes(name),
  );
  return [
    ...unknown.map((name) => `${at}.${name} was never recorded`),
    ...names.flatMap((name) =>
      row !== undefined && name in row
        ? differences(row[name], fields?.[name], later, `${at}.${name}`)
        : [`${at}.${name} is missing`],
    ),
  ];
}

/** A recorded row less a field that only some rows have. */
export const without = (recorded: object, name: string): Record<string, unknown> =>
  Object.fromEntries(Object.entries(recorded).filter(([field]) => field !== name));
