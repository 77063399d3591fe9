/**
 * The mark that a record bears on the device where the schemas of this very build have parsed it:
 * whoever finds it there needs no schema to read the record.
 */

/** One hash of all schemas, the same for page and worker of a build; see `scripts/schema-hash.ts`. */
declare const __SCHEMA_HASH__: string | undefined;

/** Undefined where it is not known, as in development: then every record is parsed. */
export const PARSED_BY: string | undefined =
  typeof __SCHEMA_HASH__ === 'string' ? __SCHEMA_HASH__ : undefined;

export const isParsedHere = (record: { parsedBy?: unknown }): boolean =>
  PARSED_BY !== undefined && record.parsedBy === PARSED_BY;

/** A snapshot as it is stored. */
export interface KeptRecord {
  version: number;
  savedAt: number;
  value: unknown;
  /** Absent in records of earlier builds. */
  parsedBy?: string | undefined;
}
