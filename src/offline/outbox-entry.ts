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
 * `saved`: on this device, waiting. `sending`: a request is, or was when the drainer died, on its
 * way: its outcome is unknown until an answer echoes the id. `needs-you`: a start that must be
 * confirmed. `failed`, `lapsed`, `cancelled`: over, and visible until dismissed. `accepted` is
 * never stored: an accepted command is deleted, and shown from memory.
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

/**
 * Why an entry is not simply waiting, as a code (of the catalogue, or one of ours) and the server's
 * own sentence, if any.
 */
const EntryReason = z.object({ code: z.string(), message: z.string(), at: z.number() });
type EntryReason = z.infer<typeof EntryReason>;

export const SeenAgent = z.object({ id: z.string(), seenGeneration: z.optional(z.int()) });
export type SeenAgent = z.infer<typeof SeenAgent>;

/** A price on the screen at the press: decimal text, and the market's moment of it (ms). */
const SeenPrice = z.object({ pair: z.string(), price: z.string(), at: z.number() });
type SeenPrice = z.infer<typeof SeenPrice>;

/**
 * What the person had before them when they pressed Start: what a late start is confirmed against.
 */
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

/** What became of one agent of a start-all or stop-all that the server has answered. */
export const EntryResult = z.object({
  agentId: z.string(),
  name: z.string(),
  went: z.boolean(),
  message: z.string(),
});
export type EntryResult = z.infer<typeof EntryResult>;

/** What a command about a price alert asks for: the alert as it shall be; null terms delete it. */
export const AlertCommand = z.object({
  id: z.uuid(),
  terms: z.nullable(AlertTerms),
  /** The version that was on the screen; null where the server has not told of the alert. */
  seenVersion: z.nullable(z.int()),
  seen: z.nullable(AlertSeen),
});
export type AlertCommand = z.infer<typeof AlertCommand>;

export const OUTBOX_ENTRY_VERSION = 1;
/**
 * Commands about alerts are of a version of their own. A build from before there were alerts takes
 * them for a newer build's and leaves them where they are; commands to agents stay readable for it.
 */
export const ALERT_ENTRY_VERSION = 2;

export const OutboxEntry = z
  .object({
    version: z.union([z.literal(OUTBOX_ENTRY_VERSION), z.literal(ALERT_ENTRY_VERSION)]),
    /** The Idempotency-Key of every send of this command. */
    commandId: z.uuid(),
    uid: z.string().check(z.minLength(1)),
    intent: Intent,
    /** The agent of a start or a stop; null for the two that concern all. */
    agentId: z.nullable(z.string()),
    /**
     * Its name, so that the queue can be read offline, or the alert in a few words; empty for all.
     */
    agentName: z.string(),
    /**
     * start-all: the agents the person saw. stop-all: the same, for what follows it; the server
     * stops all whatever is listed.
     */
    agents: z.array(SeenAgent),
    seenGeneration: z.nullable(z.int()),
    /** Grows with every command of this user on this device. */
    sequence: z.int(),
    /** Device clock at the press, ms. */
    createdAt: z.number(),
    /**
     * Server's clock − device's clock (ms) as last known at the press; null when it was never
     * known.
     */
    clockOffsetMs: z.nullable(z.number()),
    /** The device's clock was already behind what it had shown before: the age cannot be known. */
    clockMoved: z.boolean(),
    contractVersion: z.int(),
    attempts: z.int(),
    /** Attempts in a row without an answer that counts; the exponent of the wait. */
    failures: z.int(),
    /**
     * Not before this (device clock, ms); null: at once. Kept here so that page and worker wait
     * alike.
     */
    nextAttemptAt: z.nullable(z.number()),
    state: EntryState,
    reason: z.nullable(EntryReason),
    /** The person was told that the agent or the time had changed, and still wants it. */
    confirmed: z.boolean(),
    /** Absent for stops, and in records of earlier builds. */
    seen: z.optional(ObservedState),
    /** What the agent was tested with before this start. */
    tested: z.optional(Tested),
    /**
     * Only where the server took the command and refused some of its agents: the whole answer,
     * agent by agent.
     */
    results: z.optional(z.array(EntryResult)),
    /** Of commands about an alert, and of no other. */
    alert: z.optional(AlertCommand),
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
 * How a record becomes one of the next version, by its own version. Version 1 is the first: what
 * was added within it (`seen`, `tested`, `results`) may be absent. Whoever raises the version
 * writes the step from the one before.
 */
const STEPS: Steps = {};

const Versioned = z.looseObject({ version: z.int() });
/** As much of a record as a person can be told, where it is good for nothing else. */
const Legible = z.object({ intent: Intent, agentName: z.string() });

/**
 * A record as it lies on the disk. `newer`: written by a newer build, which alone can read it; it
 * is left where it is. `unreadable`: it cannot be sent, and is set aside.
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

/** A record that was set aside, as far as it can be read; null where it cannot be at all. */
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
}

export const isStop = (entry: { intent: Intent }): boolean =>
  entry.intent === 'stop' || entry.intent === 'stop-all';

export const isAlert = (entry: { alert?: unknown }): boolean => entry.alert !== undefined;

/**
 * Still to be sent, or sent without an answer. The others wait for the person, not for the network.
 */
export const isPending = (entry: { state: EntryState }): boolean =>
  entry.state === 'saved' || entry.state === 'sending';

/**
 * The agents an entry concerns; null for every agent there is. A command about an alert concerns
 * none.
 */
export function concerns(
  entry: Pick<OutboxEntry, 'intent' | 'agentId' | 'agents'>,
): string[] | null {
  if (entry.intent === 'stop-all') return null;
  if (entry.intent === 'start-all') return entry.agents.map((agent) => agent.id);
  return entry.agentId === null ? [] : [entry.agentId];
}
