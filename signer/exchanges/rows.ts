/** Reads lists row by row: a row of the person's own that cannot be read leaves the others as they are. */
import * as z from 'zod/mini';
import { ClientOrderId, PairRules } from '../../contract/venue.ts';
import { ReadFailed } from './adapter.ts';

/** What is known of a row that could not be read. */
export interface UnreadRow {
  list: 'orders' | 'trades' | 'pairs';
  exchangeOrderId: string | null;
  clientOrderId: string | null;
  /** As the exchange spells it, where it is none of the pairs we know. */
  symbol: string | null;
}

/** Told of each row that could not be read. @throws ReadFailed where it is ours, or may be. */
export type OnUnread = (row: UnreadRow) => void;

/** For rows of which every one counts. */
export const noneUnread: OnUnread = () => {
  throw new ReadFailed('unreadable');
};

/** Where nothing is known of what was sent from here, an id of our kind is taken for ours. */
export const noneOfOursUnread: OnUnread = ({ clientOrderId }) => {
  if (isOurKind(clientOrderId)) throw new ReadFailed('unreadable');
};

export const isOurKind = (clientOrderId: string | null): boolean =>
  ClientOrderId.safeParse(clientOrderId).success;

/**
 * What can be read of a list. Without an id a row says nothing of whose it is: then the answer has
 * another form than the one we know, and nothing of it is believed.
 */
export function eachRow<Raw, T>(
  rows: Iterable<Raw>,
  read: (raw: Raw) => T,
  about: (raw: Raw) => UnreadRow,
  onUnread: OnUnread,
): T[] {
  const all: T[] = [];
  for (const raw of rows)
    try {
      all.push(read(raw));
    } catch {
      const row = about(raw);
      if (row.exchangeOrderId === null) throw new ReadFailed('unreadable');
      onUnread(row);
    }
  return all;
}

type RulesBySymbol = ReadonlyMap<string, PairRules>;

/** What the rules of pairs are read beside. */
export interface PairsRead {
  /** Of the list before. */
  before: RulesBySymbol;
  onUnread: OnUnread;
}

export const NO_PAIRS_BEFORE: RulesBySymbol = new Map();

/**
 * The rules of each pair that can be read. One that cannot, such as a new listing with a tick finer than
 * money is kept in, keeps the rules it had, or is left out. Where that is so of most, the answer has
 * another form than the one we know.
 */
export function rulesOfPairs<Raw>(
  rows: Iterable<Raw>,
  read: (raw: Raw) => PairRules,
  symbolOf: (raw: Raw) => string | null,
  { before, onUnread }: PairsRead,
): Map<string, PairRules> {
  const rules = new Map<string, PairRules>();
  const unread: (string | null)[] = [];
  for (const raw of rows)
    try {
      const one = fitting(PairRules, read(raw));
      rules.set(one.symbol, one);
    } catch {
      unread.push(symbolOf(raw));
    }
  if (unread.length > rules.size) throw new ReadFailed('unreadable');
  for (const symbol of unread) {
    onUnread({ list: 'pairs', exchangeOrderId: null, clientOrderId: null, symbol });
    const had = symbol === null ? undefined : before.get(symbol);
    if (had !== undefined && !rules.has(had.symbol)) rules.set(had.symbol, had);
  }
  return rules;
}

/** @throws where the contract has no room for it: the whole answer would fail on its way to the server. */
export function fitting<S extends z.ZodMiniType>(schema: S, value: z.output<S>): z.output<S> {
  z.encode(schema, value);
  return value;
}

/** A text of a row whose form is not known. */
export function textIn(raw: unknown, name: string): string | null {
  const value = (raw as Record<string, unknown> | null | undefined)?.[name];
  return typeof value === 'string' && value !== '' ? value : null;
}
