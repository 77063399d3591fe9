/** The tables of price alerts: settings, firings and up to when prices were watched. */
import {
  boolean,
  index,
  integer,
  jsonb,
  pgTable,
  text,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core';
import { money, ms } from './columns.ts';

/** An alert of a (person, source). The id is made by the client. */
export const alerts = pgTable(
  'alerts',
  {
    id: uuid('id').primaryKey(),
    uid: text('uid').notNull(),
    source: text('source').notNull(),
    symbol: text('symbol').notNull(),
    /** As the contract has it: `above`, `below` or `move` with its figures. */
    condition: jsonb('condition').notNull(),
    repeatMinutes: integer('repeat_minutes'),
    note: text('note').notNull(),
    active: boolean('active').notNull(),
    /** `watching`, `waiting`, `fired` or `off`. */
    phase: text('phase').notNull(),
    /** Grows whenever the alert is set anew or has fired: one arming fires once. */
    arming: integer('arming').notNull(),
    /** Since when this phase holds; a candle that began earlier says nothing of it. */
    sinceMarketMs: ms('since_market_ms').notNull(),
    /**
     * From when candles have yet to be looked at for it, where that is before the mark of its
     * source; null once they were.
     */
    unseenSinceMarketMs: ms('unseen_since_market_ms'),
    restsUntilMarketMs: ms('rests_until_market_ms'),
    lastFiredMarketMs: ms('last_fired_market_ms'),
    /** Grows with every edit by the person. */
    version: integer('version').notNull(),
    createdAt: ms('created_at').notNull(),
    /** Wall clock of any change: how other processes find it. */
    changedAt: ms('changed_at').notNull(),
    /** A deleted alert stays for a month, so that a late edit of it is recognised. */
    deletedAt: ms('deleted_at'),
  },
  (t) => [
    index('alerts_uid').on(t.uid, t.source),
    index('alerts_changed').on(t.source, t.changedAt),
  ],
);

/** One time an alert was reached. One arming of an alert has one row: nothing fires twice. */
export const alertFirings = pgTable(
  'alert_firings',
  {
    id: uuid('id').primaryKey(),
    alertId: uuid('alert_id').notNull(),
    arming: integer('arming').notNull(),
    uid: text('uid').notNull(),
    source: text('source').notNull(),
    symbol: text('symbol').notNull(),
    condition: jsonb('condition').notNull(),
    note: text('note').notNull(),
    price: money('price').notNull(),
    movedBps: integer('moved_bps'),
    atMarketMs: ms('at_market_ms').notNull(),
    late: boolean('late').notNull(),
    simulated: boolean('simulated').notNull(),
    recordedAt: ms('recorded_at').notNull(),
  },
  (t) => [
    uniqueIndex('alert_firings_once').on(t.alertId, t.arming),
    index('alert_firings_uid').on(t.uid, t.source, t.recordedAt),
    index('alert_firings_recorded').on(t.recordedAt),
  ],
);

/**
 * Up to when every alert of a source was watched: what came later is looked for in candles after a
 * start.
 */
export const alertWatches = pgTable('alert_watches', {
  source: text('source').primaryKey(),
  watchedMarketMs: ms('watched_market_ms').notNull(),
});
