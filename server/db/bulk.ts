/** Many rows in one statement with one parameter, typed by the table itself. */
import { getTableColumns, getTableName, sql, type SQL } from 'drizzle-orm';
import type { PgTable } from 'drizzle-orm/pg-core';
import type { Db } from './database.ts';

/** JSON text above this is sent in parts. */
const ROWS_AT_ONCE = 2_000;

/**
 * The names and types of some of a table's columns as SQL, worked out once: a builder would do it
 * for every row.
 */
const KNOWN = new WeakMap<
  PgTable,
  Map<string, { into: string; as: string; keys: readonly string[] }>
>();

function columnsOf(
  table: PgTable,
  keys: readonly string[],
): { into: string; as: string; keys: readonly string[] } {
  const known =
    KNOWN.get(table) ?? new Map<string, { into: string; as: string; keys: readonly string[] }>();
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
    keys,
    into: parts.map(({ column }) => `"${column.name}"`).join(', '),
    as: parts.map(({ name, column }) => `"${name}" ${column.getSQLType()}`).join(', '),
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
