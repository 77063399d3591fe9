/** The stored form of a queued command. It holds no token and no raw request. */
import * as z from 'zod/mini';
import { AlertSeen, AlertTerms } from '../../contract/alerts.ts';
import { Tested } from '../../contract/backtest-record.ts';

export const Intent = z.enum([
  'start',
  'stop',
  'start-all',
  'stop-all',
  'set-alert',
  'delete-alert',
]);
export type Intent = z.infer<typeof Intent>;

/**
 * `saved`: on this device, waiting. `sending`: a request was under way; its outcome is unknown
 * until an answer echoes the id. `needs-you`: a start that must be confirmed. `failed`, `lapsed`,
 * `cancelled`: finished, and shown until dismissed. `accepted` is never stored: an accepted command
 * is deleted, and shown from memory.
 */
export const EntryState = z.enum([
  'saved',
  'sending',
  'needs-you',
  'failed',
  'lapsed',
  'cancelled',
  'accepted',
]);
export type EntryState = z.infer<typeof EntryState>;

/** Why an entry is not simply waiting: a code and the server's sentence, if any. */
const EntryReason = z.object({ code: z.string(), message: z.string(), at: z.number() });
type EntryReason = z.infer<typeof EntryReason>;

export const SeenAgent = z.object({ id: z.string(), seenGeneration: z.optional(z.int()) });
export type SeenAgent = z.infer<typeof SeenAgent>;

/** A price shown at the press: decimal text, and its market time (ms). */
const SeenPrice = z.object({ pair: z.string(), price: z.string(), at: z.number() });
type SeenPrice = z.infer<typeof SeenPrice>;

/** What was shown when the user pressed Start, to compare with when a late start is confirmed. */
export const ObservedState = z.object({
  prices: z.array(SeenPrice),
  agents: z.array(
    z.object({
      id: z.string(),
      name: z.string(),
      status: z.string(),
      version: z.number(),
      generation: z.number(),
    }),
  ),
});
export type ObservedState = z.infer<typeof ObservedState>;

/** The result of one agent of a start-all or stop-all. */
export const EntryResult = z.object({
  agentId: z.string(),
  name: z.string(),
  went: z.boolean(),
  message: z.string(),
});
export type EntryResult = z.infer<typeof EntryResult>;

/** What a command about an alert asks for: the alert as it will be; null terms delete it. */
export const AlertCommand = z.object({
  id: z.uuid(),
  terms: z.nullable(AlertTerms),
  /** The version that was shown; null where the server does not know the alert. */
  seenVersion: z.nullable(z.int()),
  seen: z.nullable(AlertSeen),
});
export type AlertCommand = z.infer<typeof AlertCommand>;

export const OUTBOX_ENTRY_VERSION = 1;
/**
 * Commands about alerts have a version of their own. Builds from before alerts existed leave them
 * alone, and can still read commands to agents.
 */
export const ALERT_ENTRY_VERSION = 2;

export const OutboxEntry = z
  .object({
    version: z.union([z.literal(OUTBOX_ENTRY_VERSION), z.literal(ALERT_ENTRY_VERSION)]),
    /** The Idempotency-Key of every send of this command. */
    commandId: z.uuid(),
    uid: z.string().check(z.minLength(1)),
    intent: Intent,
    /** The agent of a start or a stop; null for commands to all. */
    agentId: z.nullable(z.string()),
    /** Its name, for reading the queue offline, or the alert in words; empty for all. */
    agentName: z.string(),
    /**
     * start-all: the agents that were shown. stop-all: the same, for information; the server stops
     * all of them anyway.
     */
    agents: z.array(SeenAgent),
    seenGeneration: z.nullable(z.int()),
    /** Increases with every command of this user on this device. */
    sequence: z.int(),
    /** Device clock at the press, ms. */
    createdAt: z.number(),
    /** Server's clock − device's clock (ms) as known at the press; null when unknown. */
    clockOffsetMs: z.nullable(z.number()),
    /** The device's clock was set back: the age is unknown. */
    clockMoved: z.boolean(),
    contractVersion: z.int(),
    attempts: z.int(),
    /** Consecutive attempts without a valid answer; the exponent of the backoff. */
    failures: z.int(),
    /**
     * Not before this (device clock, ms); null: at once. Stored so that page and worker wait alike.
     */
    nextAttemptAt: z.nullable(z.number()),
    state: EntryState,
    reason: z.nullable(EntryReason),
    /** The user was shown what had changed and confirmed. */
    confirmed: z.boolean(),
    /** Absent for stops, and in records of earlier builds. */
    seen: z.optional(ObservedState),
    /** The backtest that was run before this start. */
    tested: z.optional(Tested),
    /**
     * Only where the server accepted the command and rejected some agents: the result of each
     * agent.
     */
    results: z.optional(z.array(EntryResult)),
    /** For commands about an alert only. */
    alert: z.optional(AlertCommand),
    /**
     * For stops: the records of the starts that this one took out of the queue. Read only by Undo,
     * so that none of them can make a stop unreadable.
     */
    withdrawn: z.optional(z.array(z.unknown())),
  })
  .check(
    z.refine(({ version, alert, intent }) => {
      const isAlert = intent === 'set-alert' || intent === 'delete-alert';
      return isAlert === (alert !== undefined) && isAlert === (version === ALERT_ENTRY_VERSION);
    }),
  );
export type OutboxEntry = z.infer<typeof OutboxEntry>;

type Raw = Record<string, unknown>;
export type Steps = Readonly<Record<number, (old: Raw) => Raw>>;

/**
 * Migrations of a record to the next version. Fields added within version 1 (`seen`, `tested`,
 * `results`, `withdrawn`) may be absent. Whoever raises the version adds the step from the one before.
 */
const STEPS: Steps = {};

const Versioned = z.looseObject({ version: z.int() });
/** As much of an unreadable record as can be shown. */
const Legible = z.object({ intent: Intent, agentName: z.string() });

/**
 * A stored record. `newer`: written by a newer build and left alone. `unreadable`: cannot be sent,
 * and is quarantined.
 */
export type Stored = { is: 'entry'; entry: OutboxEntry } | { is: 'newer' } | { is: 'unreadable' };

export function readEntry(
  raw: unknown,
  steps: Steps = STEPS,
  present: number = OUTBOX_ENTRY_VERSION,
): Stored {
  const versioned = Versioned.safeParse(raw);
  if (!versioned.success) return { is: 'unreadable' };
  let record: Raw & { version: number } = versioned.data;
  if (record.version > Math.max(present, ALERT_ENTRY_VERSION)) return { is: 'newer' };
  while (record.version < present) {
    const step = steps[record.version];
    if (step === undefined) return { is: 'unreadable' };
    record = { ...step(record), version: record.version + 1 };
  }
  const parsed = OutboxEntry.safeParse(record);
  return parsed.success ? { is: 'entry', entry: parsed.data } : { is: 'unreadable' };
}

/** A quarantined record, as far as it can be read; null where it cannot. */
export type SetAside = z.infer<typeof Legible> | null;

export function legible(raw: unknown): SetAside {
  const parsed = Legible.safeParse(raw);
  return parsed.success ? parsed.data : null;
}

/** What a press asks for; the outbox adds the rest. */
export interface CommandRequest {
  intent: Intent;
  agentId: string | null;
  agentName: string;
  agents: SeenAgent[];
  seenGeneration: number | null;
  confirmed: boolean;
  seen?: ObservedState | undefined;
  tested?: Tested | undefined;
  alert?: AlertCommand | undefined;
  withdrawn?: OutboxEntry['withdrawn'];
}

export const isStop = (entry: { intent: Intent }): boolean =>
  entry.intent === 'stop' || entry.intent === 'stop-all';

export const isAlert = (entry: { alert?: unknown }): boolean => entry.alert !== undefined;

/** Still to be sent, or sent without an answer. All other entries wait for the user. */
export const isPending = (entry: { state: EntryState }): boolean =>
  entry.state === 'saved' || entry.state === 'sending';

/** The agents of an entry; null for all. A command about an alert has none. */
export function concerns(
  entry: Pick<OutboxEntry, 'intent' | 'agentId' | 'agents'>,
): string[] | null {
  if (entry.intent === 'stop-all') return null;
  if (entry.intent === 'start-all') return entry.agents.map((agent) => agent.id);
  return entry.agentId === null ? [] : [entry.agentId];
}
