/** One page of one part of a user's data export. */
import { sql } from 'drizzle-orm';
import { EXPORT_PAGE_ROWS, type ExportPart, type ExportRows } from '../../contract/account.ts';
import type { Db } from '../db/database.ts';
import type { IdentityRecord } from '../identity/administration.ts';
import { rowsOf } from '../db/sql-rows.ts';
import { bound, PARTS } from './account-export-parts.ts';

type Value = string | number | boolean | null;

const KEY = 'next key';

function asValue(value: unknown): Value {
  if (value === null || value === undefined) return null;
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
    return value;
  return typeof value === 'bigint' ? value.toString() : JSON.stringify(value);
}

/** `after` is the key of the last row of the page before. */
export async function exportStored(
  db: Db,
  uid: string,
  name: Exclude<ExportPart, 'signIn'>,
  after: string | undefined,
  most = EXPORT_PAGE_ROWS,
): Promise<ExportRows> {
  const part = PARTS[name];
  const columns = Object.keys(part.columns);
  const chosen = sql.join(
    Object.entries(part.columns).map(
      ([column, expression]) => sql`${bound(expression, uid)} as ${sql.identifier(column)}`,
    ),
    sql`, `,
  );
  // Compared byte by byte, so that the order is the same whatever language the database sorts in.
  const key = sql`(${sql.raw(part.key)}) collate "C"`;
  const rows = await rowsOf<Record<string, unknown>>(
    db,
    sql`
    select ${chosen}, ${sql.raw(part.key)} as ${sql.identifier(KEY)} from ${sql.raw(part.from)}
    where ${bound(part.where, uid)} ${after === undefined ? sql`` : sql`and ${key} > ${after}`} order by ${key} limit ${most + 1}`,
  );
  const page = rows.slice(0, most);
  const last = page.at(-1);
  return {
    columns,
    rows: page.map((row) => columns.map((column) => asValue(row[column]))),
    next: rows.length > most && last !== undefined ? String(last[KEY]) : null,
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
