/** Many rows, or many ids, in one statement with one parameter, typed by the table itself. */
import { getTableColumns, getTableName, sql, type SQL } from 'drizzle-orm';
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core';
import type { Db } from './database.ts';

/** JSON text above this is sent in parts. */
const ROWS_AT_ONCE = 2_000;

/** Some of a table's columns as pieces of SQL. */
interface ColumnTexts {
  into: string;
  as: string;
  /** `column = fresh."key"` of each. */
  set: string;
}

/** Worked out once: a builder would do it for every row. */
const KNOWN = new WeakMap<PgTable, Map<string, ColumnTexts>>();

function columnsOf(table: PgTable, keys: readonly string[]): ColumnTexts {
  const known = KNOWN.get(table) ?? new Map<string, ColumnTexts>();
  KNOWN.set(table, known);
  const key = keys.join();
  const found = known.get(key);
  if (found !== undefined) return found;
  const columns = getTableColumns(table);
  const parts = keys.map((name) => {
    const column = columns[name];
    if (column === undefined) throw new Error(`No column ${name} in ${getTableName(table)}`);
    return { name, column };
  });
  const made = {
    into: parts.map(({ column }) => `"${column.name}"`).join(', '),
    as: parts.map(({ name, column }) => `"${name}" ${column.getSQLType()}`).join(', '),
    set: parts.map(({ name, column }) => `"${column.name}" = fresh."${name}"`).join(', '),
  };
  known.set(key, made);
  return made;
}

/**
 * `from json_to_recordset(…) as name(column type, …)`: rows as a table of a statement, numbers and
 * texts exact.
 */
export function rowsAs(
  table: PgTable,
  rows: readonly Record<string, unknown>[],
  name: string,
): SQL {
  const { as } = columnsOf(table, Object.keys(rows[0] ?? {}));
  return sql`json_to_recordset(${JSON.stringify(rows)}::json) as ${sql.raw(`"${name}"(${as})`)}`;
}

/**
 * Whether a column of text has one of these values, for any number of them: PostgreSQL takes 65,535
 * parameters, and `inArray` needs one for each.
 */
export const isAmong = (column: PgColumn, values: Iterable<string>): SQL =>
  sql`${column} = any(array(select json_array_elements_text(${JSON.stringify([...new Set(values)])}::json)))`;

/**
 * Inserts in the order given. `then` is what follows: `on conflict …`, `returning …`; what it
 * returns is not read.
 */
export async function insertRows<T extends PgTable>(
  db: Db,
  table: T,
  rows: readonly T['$inferInsert'][],
  then: SQL = sql``,
): Promise<void> {
  for (let from = 0; from < rows.length; from += ROWS_AT_ONCE) {
    await db.execute(insertOf(table, rows.slice(from, from + ROWS_AT_ONCE), then));
  }
}

/**
 * The same as a statement, for whoever reads what it returns. Not more rows than one statement
 * should carry.
 */
export function insertOf<T extends PgTable>(
  table: T,
  rows: readonly T['$inferInsert'][],
  then: SQL = sql``,
): SQL {
  const list = rows as readonly Record<string, unknown>[];
  const keys = Object.keys(list[0] ?? {});
  const { into } = columnsOf(table, keys);
  const names = keys.map((key) => `fresh."${key}"`).join(', ');
  return sql`insert into ${table} (${sql.raw(into)}) select ${sql.raw(names)} from ${rowsAs(table, list, 'fresh')} ${then}`;
}

/**
 * A statement that gives each row its new values. `by` names the column that finds it; a row that
 * is not there changes nothing. Not more rows than one statement should carry.
 */
export function updateOf<T extends PgTable, K extends keyof T['$inferInsert'] & string>(
  table: T,
  by: K,
  rows: readonly (Partial<T['$inferInsert']> & Record<K, unknown>)[],
  then: SQL = sql``,
): SQL {
  const { set } = columnsOf(
    table,
    Object.keys(rows[0] ?? {}).filter((key) => key !== by),
  );
  const key = getTableColumns(table)[by];
  if (key === undefined) throw new Error(`No column ${by} in ${getTableName(table)}`);
  return sql`update ${table} set ${sql.raw(set)} from ${rowsAs(table, rows, 'fresh')} where ${key} = fresh.${sql.raw(`"${by}"`)} ${then}`;
}

/** The same for any number of rows. */
export async function updateRows<T extends PgTable, K extends keyof T['$inferInsert'] & string>(
  db: Db,
  table: T,
  by: K,
  rows: readonly (Partial<T['$inferInsert']> & Record<K, unknown>)[],
): Promise<void> {
  for (let from = 0; from < rows.length; from += ROWS_AT_ONCE)
    await db.execute(updateOf(table, by, rows.slice(from, from + ROWS_AT_ONCE)));
}
