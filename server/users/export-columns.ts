/** What a part of a data export is made of, and how it writes times, money and JSON. */

export interface Part {
  /** Tables it speaks of, so that a test can show that none was forgotten. */
  tables: readonly string[];
  /** Column of the file → expression. */
  columns: Readonly<Record<string, string>>;
  from: string;
  /** Whose rows: `$uid` is the person. */
  where: string;
  /** One expression, unique per row and sortable as text. */
  key: string;
}

export const time = (column: string): string =>
  `to_char(to_timestamp(${column} / 1000.0) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
/** Decimal text without the zeros that the column's scale adds. */
export const money = (column: string): string => `trim_scale(${column})::text`;
export const json = (column: string): string => `${column}::text`;
