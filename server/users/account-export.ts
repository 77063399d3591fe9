/** One page of one part of a user's data export. */
import { sql, type SQL } from 'drizzle-orm';
import * as z from 'zod/mini';
import { EXPORT_PAGE_ROWS, type ExportPart, type ExportRows } from '../../contract/account.ts';
import { Refusal } from '../../contract/errors.ts';
import type { Db } from '../db/database.ts';
import type { IdentityRecord } from '../identity/administration.ts';
import { rowsOf } from '../db/sql-rows.ts';
import { bound, PARTS } from './account-export-parts.ts';
import type { IndexedKey, LongPart, Part, ShortPart } from './export-columns.ts';

type Value = string | number | boolean | null;
type Row = Record<string, unknown>;

const KEY = 'next key';
/**
 * Servers that are older than indexed keys take a `next` of 300 characters. One that is longer is
 * refused there, instead of being read as a key of another order: rows would be missing.
 */
const NEXT_CHARACTERS_MIN = 301;

function asValue(value: unknown): Value {
  if (value === null || value === undefined) return null;
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
    return value;
  return typeof value === 'bigint' ? value.toString() : JSON.stringify(value);
}

const chosenOf = (part: Part, uid: string): SQL =>
  sql.join(
    Object.entries(part.columns).map(
      ([column, expression]) => sql`${bound(expression, uid)} as ${sql.identifier(column)}`,
    ),
    sql`, `,
  );

/** Rows after one key, by the expression that every row's key is worked out with. */
function shortRows(
  db: Db,
  uid: string,
  part: ShortPart,
  after: string | undefined,
  most: number,
): Promise<Row[]> {
  // Compared byte by byte, so that the order is the same whatever language the database sorts in.
  const key = sql`(${sql.raw(part.key)}) collate "C"`;
  return rowsOf<Row>(
    db,
    sql`
    select ${chosenOf(part, uid)}, ${sql.raw(part.key)} as ${sql.identifier(KEY)} from ${sql.raw(part.from)}
    where ${bound(part.where, uid)} ${after === undefined ? sql`` : sql`and ${key} > ${after}`} order by ${key} limit ${most}`,
  );
}

const Texts = z.array(z.string());

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** The owner and the values of the columns after it, as text. */
function indexedKeyOf(next: string, { then }: IndexedKey): string[] {
  const values = Texts.safeParse(parsed(next));
  if (!values.success || values.data.length !== then.length + 1)
    // It is of another order, by a server of another version.
    throw new Refusal(
      'invalid_request',
      'The server was updated during the export. Start the export again.',
      { field: 'after' },
    );
  return values.data;
}

const list = (values: readonly SQL[]): SQL => sql.join([...values], sql`, `);
const names = (columns: readonly { column: string }[]): SQL =>
  list(columns.map(({ column }) => sql.raw(column)));

/** The person's first owner that has rows, from `from` on or after it. */
async function nextOwner(
  db: Db,
  uid: string,
  { key, from: table }: LongPart,
  from: { owner: string; included: boolean } | null,
): Promise<string | undefined> {
  const { column, type } = key.owner;
  const since =
    from === null
      ? sql``
      : sql`and owner ${sql.raw(from.included ? '>=' : '>')} ${from.owner}::${sql.raw(type)}`;
  const [found] = await rowsOf<{ owner: string }>(
    db,
    sql`
    select owner::text as owner from (${bound(key.owners, uid)}) mine
    where exists (select 1 from ${sql.raw(table)} where ${sql.raw(column)} = mine.owner) ${since}
    order by mine.owner limit 1`,
  );
  return found?.owner;
}

/** Rows of one owner, after the values of a key's columns where there are such. */
function rowsOfOwner(
  db: Db,
  uid: string,
  part: LongPart,
  owner: string,
  after: readonly string[] | null,
  most: number,
): Promise<Row[]> {
  const { key } = part;
  const texts = [key.owner, ...key.then].map(({ column }) => sql.raw(`${column}::text`));
  const past =
    after === null
      ? sql``
      : sql`and (${names(key.then)}) > (${list(
          key.then.map(({ type }, index) => sql`${after[index] ?? ''}::${sql.raw(type)}`),
        )})`;
  return rowsOf<Row>(
    db,
    sql`
    select ${chosenOf(part, uid)}, json_build_array(${list(texts)})::text as ${sql.identifier(KEY)} from ${sql.raw(part.from)}
    where ${sql.raw(key.owner.column)} = ${owner}::${sql.raw(key.owner.type)} ${past} order by ${names(key.then)} limit ${most}`,
  );
}

/**
 * Rows after one key, owner by owner. Only the person's own owners are asked for, whatever the key
 * names.
 */
async function longRows(
  db: Db,
  uid: string,
  part: LongPart,
  after: string | undefined,
  most: number,
): Promise<Row[]> {
  const begin = after === undefined ? null : indexedKeyOf(after, part.key);
  const [first, ...values] = begin ?? [];
  const found: Row[] = [];
  let owner = await nextOwner(
    db,
    uid,
    part,
    first === undefined ? null : { owner: first, included: true },
  );
  while (owner !== undefined) {
    const since = owner === first ? values : null;
    found.push(...(await rowsOfOwner(db, uid, part, owner, since, most - found.length)));
    if (found.length >= most) break;
    owner = await nextOwner(db, uid, part, { owner, included: false });
  }
  return found;
}

/** `after` is the `next` of the page before. */
export async function exportStored(
  db: Db,
  uid: string,
  name: Exclude<ExportPart, 'signIn'>,
  after: string | undefined,
  most = EXPORT_PAGE_ROWS,
): Promise<ExportRows> {
  const part = PARTS[name];
  const columns = Object.keys(part.columns);
  const isShort = 'where' in part;
  const rows = isShort
    ? await shortRows(db, uid, part, after, most + 1)
    : await longRows(db, uid, part, after, most + 1);
  const page = rows.slice(0, most);
  const last = page.at(-1);
  const next = rows.length > most && last !== undefined ? String(last[KEY]) : null;
  return {
    columns,
    rows: page.map((row) => columns.map((column) => asValue(row[column]))),
    next: isShort ? next : (next?.padEnd(NEXT_CHARACTERS_MIN) ?? null),
  };
}

export function exportSignIn(record: IdentityRecord | null): ExportRows {
  const columns = [
    'email',
    'emailVerified',
    'displayName',
    'providers',
    'createdAt',
    'lastSignInAt',
  ];
  return {
    columns,
    next: null,
    rows:
      record === null
        ? []
        : [
            [
              record.email,
              record.emailVerified,
              record.displayName,
              record.providers.join(' '),
              record.createdAt,
              record.lastSignInAt,
            ],
          ],
  };
}
