/** Price alerts on the wire: what users set, what the server watches, and when it fired. */
import * as z from 'zod/mini';
import { Pair } from './agents.ts';
import {
  ALERT_BPS_MAX,
  ALERT_BPS_MIN,
  ALERT_REPEATS,
  ALERT_WINDOWS,
  isAlertPrice,
} from './alert-limits.ts';
import { ALERT_NOTE_MAX, ALERTS_MAX } from './limits.ts';
import { parseFixed, type Fixed } from './money.ts';
import { DecimalText } from './decimal-text.ts';

const oneOf = <T extends number>(values: readonly T[], words: string) =>
  z
    .int({ error: words })
    .check(z.refine((value) => (values as readonly number[]).includes(value), words));

const AlertPrice = DecimalText.check(
  z.refine(isAlertPrice, 'A price above 0 and below 1,000,000,000,000'),
);

const WINDOW_WORDS = `A window of ${ALERT_WINDOWS.join(', ')} minutes`;
const BPS_WORDS = 'A move from 0.1 % to 100 %, in basis points';

/** `above` and `below` hold at the price itself and beyond it. */
export const AlertCondition = z.discriminatedUnion(
  'kind',
  [
    z.strictObject({ kind: z.literal('above'), price: AlertPrice }),
    z.strictObject({ kind: z.literal('below'), price: AlertPrice }),
    /**
     * The price is so far above the lowest price of the window (`up`), below its highest (`down`),
     * or one of the two.
     */
    z.strictObject({
      kind: z.literal('move'),
      direction: z.enum(['up', 'down', 'either'], { error: 'up, down or either' }),
      bps: z
        .int({ error: BPS_WORDS })
        .check(z.gte(ALERT_BPS_MIN, BPS_WORDS), z.lte(ALERT_BPS_MAX, BPS_WORDS)),
      windowMinutes: oneOf(ALERT_WINDOWS, WINDOW_WORDS),
    }),
  ],
  { error: 'above, below or move' },
);
export type AlertCondition = z.infer<typeof AlertCondition>;

const REPEAT_WORDS = `Once, or at most every ${ALERT_REPEATS.join(', ')} minutes`;
const NOTE_WORDS = `At most ${ALERT_NOTE_MAX} characters`;

/** All that a person decides about an alert. */
export const AlertTerms = z.strictObject({
  symbol: Pair,
  condition: AlertCondition,
  /** Null: once, then it is done. Else each time it is reached again, at most this often. */
  repeatMinutes: z.nullable(oneOf(ALERT_REPEATS, REPEAT_WORDS)),
  note: z.string({ error: 'A text' }).check(z.maxLength(ALERT_NOTE_MAX, NOTE_WORDS)),
  /** False: switched off, and kept. */
  active: z.boolean({ error: 'true or false' }),
});
export type AlertTerms = z.infer<typeof AlertTerms>;

/**
 * A price on the person's screen when they saved: decimal text, and its moment on the market clock,
 * ms.
 */
export const AlertSeen = z.strictObject({ price: AlertPrice, at: z.number() });
export type AlertSeen = z.infer<typeof AlertSeen>;

/**
 * PUT: the alert as it shall be. `seenVersion` is the version that was edited, null for a new
 * alert. `seen` says from when it is to be watched, so that one saved offline misses nothing on its
 * way.
 */
export const AlertBody = z.strictObject({
  ...AlertTerms.shape,
  seenVersion: z.nullable(z.int({ error: 'A version' })),
  seen: z.nullable(AlertSeen),
  requestedAt: z.optional(z.number()),
  ageMs: z.optional(z.number().check(z.gte(0))),
});
export type AlertBody = z.infer<typeof AlertBody>;

/**
 * `watching`: it fires when its condition holds. `waiting`: the condition holds already, or it has
 * fired and repeats; it watches again once the price has gone back. `fired`: done. `off`: switched
 * off by the person.
 */
export const AlertPhase = z.enum(['watching', 'waiting', 'fired', 'off']);
export type AlertPhase = z.infer<typeof AlertPhase>;

export const Alert = z.object({
  id: z.string(),
  symbol: z.string(),
  condition: AlertCondition,
  repeatMinutes: z.nullable(z.int()),
  note: z.string(),
  active: z.boolean(),
  phase: AlertPhase,
  /** Grows with every edit by the person, never by a firing. */
  version: z.int(),
  /** Market clock, ms: before this it does not watch again. */
  restsUntil: z.nullable(z.number()),
  /** Market clock, ms. */
  lastFiredAt: z.nullable(z.number()),
  createdAt: z.number(),
});
export type Alert = z.infer<typeof Alert>;

/** One time an alert was reached. */
export const AlertFiring = z.object({
  id: z.string(),
  alertId: z.string(),
  symbol: z.string(),
  /** As it was then; the alert may have been changed since. */
  condition: AlertCondition,
  note: z.string(),
  price: DecimalText,
  /** How far the price had moved within the window; null for a price alert. */
  movedBps: z.nullable(z.int()),
  /** Market clock, ms: when it happened. */
  at: z.number(),
  /**
   * Found in candles afterwards: the server was not watching, or the alert was still on its way to
   * it.
   */
  late: z.boolean(),
  /** The prices are not live ones: simulated or recorded. */
  simulated: z.boolean(),
  /** Of prices that are not live: they are a recording. Absent where a server does not say. */
  recorded: z.optional(z.boolean()),
  /** Wall clock, ms: when the server knew. */
  recordedAt: z.number(),
});
export type AlertFiring = z.infer<typeof AlertFiring>;

/** All alerts of the person, oldest first, and the newest firings, newest first. */
export const AlertList = z.object({
  alerts: z.array(Alert),
  firings: z.array(AlertFiring),
  sequence: z.number(),
  /** Wall clock of the server, ms. */
  servedAt: z.number(),
});
export type AlertList = z.infer<typeof AlertList>;

export const AlertReply = z.object({ commandId: z.string(), alert: Alert });
export type AlertReply = z.infer<typeof AlertReply>;
export const AlertDeletedReply = z.object({ commandId: z.string(), alertId: z.string() });
export type AlertDeletedReply = z.infer<typeof AlertDeletedReply>;

export const ALERT_LIMIT_WORDS = `You have reached the limit of ${ALERTS_MAX} alerts. Delete one to add another.`;

/**
 * Whether a price alert's condition holds at a price; null for a move, which one price does not
 * tell.
 */
export function holdsAt(condition: AlertCondition, price: Fixed): boolean | null {
  if (condition.kind === 'move') return null;
  const target = parseFixed(condition.price);
  return condition.kind === 'above' ? price >= target : price <= target;
}

/** Whether two conditions ask for the same. */
export function sameCondition(a: AlertCondition, b: AlertCondition): boolean {
  if (a.kind === 'move' || b.kind === 'move') {
    return (
      a.kind === 'move' &&
      b.kind === 'move' &&
      a.direction === b.direction &&
      a.bps === b.bps &&
      a.windowMinutes === b.windowMinutes
    );
  }
  return a.kind === b.kind && parseFixed(a.price) === parseFixed(b.price);
}
