/** What a part of a data export is made of, and how it writes times, money and JSON. */

interface Columns {
  /** Tables it speaks of, so that a test can show that none was forgotten. */
  tables: readonly string[];
  /** Column of the file → expression. */
  columns: Readonly<Record<string, string>>;
  from: string;
}

/** A part that stays short: at every page the keys of all the person's rows are sorted. */
export interface ShortPart extends Columns {
  /** Whose rows: `$uid` is the person. */
  where: string;
  /** One expression, unique per row and sortable as text. */
  key: string;
}

/** A part that may be long: its pages follow an index. */
export interface LongPart extends Columns {
  key: IndexedKey;
}

export type Part = ShortPart | LongPart;

type KeyType = 'uuid' | 'text' | 'bigint';

/**
 * The columns of an index, in its order: a page reads the rows of one owner from where the page
 * before ended, and of no more owners than it needs. None of the columns may be null.
 */
export interface IndexedKey {
  owner: KeyColumn;
  /** The person's owners, as a query of one column `owner`. */
  owners: string;
  /** Unique together with the owner. What the index lacks is sorted among rows that are equal in it. */
  then: readonly KeyColumn[];
}

interface KeyColumn {
  column: string;
  type: KeyType;
}

const OF_UID = 'select uid as owner from users where uid = $uid';
const OF_AGENTS = 'select id as owner from agents where uid = $uid';
const OF_ACCOUNTS = 'select id as owner from accounts where uid = $uid';
const OF_DEVICES = 'select id as owner from push_subscriptions where uid = $uid';

const indexed =
  (column: string, type: KeyType, owners: string) =>
  (...then: readonly (readonly [column: string, type: KeyType])[]): IndexedKey => ({
    owner: { column, type },
    owners,
    then: then.map(([name, of]) => ({ column: name, type: of })),
  });

/** The indexes of rows that belong to the person, their agents, their accounts and their devices. */
export const byPerson = indexed('uid', 'text', OF_UID);
export const byAgent = indexed('agent_id', 'uuid', OF_AGENTS);
export const byAccount = indexed('account_id', 'uuid', OF_ACCOUNTS);
export const byDevice = indexed('subscription_id', 'uuid', OF_DEVICES);

export const time = (column: string): string =>
  `to_char(to_timestamp(${column} / 1000.0) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
/** Decimal text without the zeros that the column's scale adds. */
export const money = (column: string): string => `trim_scale(${column})::text`;
export const json = (column: string): string => `${column}::text`;
