/** The stored form of a queued command. It holds no token and no raw request. */
import type { AlertSeen, AlertTerms } from '../../contract/alerts.ts';
import type { Tested } from '../../contract/backtest-record.ts';
import {
  anything,
  fields,
  list,
  maybe,
  number,
  oneOf,
  orNull,
  readAs,
  someText,
  text,
  UNREAD,
  uuid,
  whole,
  yesOrNo,
  type Read,
  type Reader,
} from '../../contract/readers.ts';
import { alertSeen, alertTerms, tested } from './entry-parts.ts';

const intent = oneOf(['start', 'stop', 'start-all', 'stop-all', 'set-alert', 'delete-alert']);
export type Intent = Read<typeof intent>;

/**
 * `saved`: on this device, waiting. `sending`: a request was under way; its outcome is unknown
 * until an answer echoes the id. `needs-you`: a start that must be confirmed. `failed`, `lapsed`,
 * `cancelled`: finished, and shown until dismissed. `accepted` is never stored: an accepted command
 * is deleted, and shown from memory.
 */
const state = oneOf(['saved', 'sending', 'needs-you', 'failed', 'lapsed', 'cancelled', 'accepted']);
export type EntryState = Read<typeof state>;

/** Why an entry is not simply waiting: a code and the server's sentence, if any. */
const reason = fields({ code: text, message: text, at: number });

const seenAgent = fields({ id: text, seenGeneration: maybe(whole) });
export type SeenAgent = Read<typeof seenAgent>;

/** A price shown at the press: decimal text, and its market time (ms). */
const seenPrice = fields({ pair: text, price: text, at: number });

/** What was shown when the user pressed Start, to compare with when a late start is confirmed. */
const observedState = fields({
  prices: list(seenPrice),
  agents: list(fields({ id: text, name: text, status: text, version: number, generation: number })),
});
export type ObservedState = Read<typeof observedState>;

/** The result of one agent of a start-all or stop-all. */
const entryResult = fields({ agentId: text, name: text, went: yesOrNo, message: text });
export type EntryResult = Read<typeof entryResult>;

/** What a command about an alert asks for: the alert as it will be; null terms delete it. */
export interface AlertCommand {
  id: string;
  terms: AlertTerms | null;
  /** The version that was shown; null where the server does not know the alert. */
  seenVersion: number | null;
  seen: AlertSeen | null;
}
const alertCommand: Reader<AlertCommand> = fields({
  id: uuid,
  terms: orNull(alertTerms),
  seenVersion: orNull(whole),
  seen: orNull(alertSeen),
});

export const OUTBOX_ENTRY_VERSION = 1;
/**
 * Commands about alerts have a version of their own. Builds from before alerts existed leave them
 * alone, and can still read commands to agents.
 */
export const ALERT_ENTRY_VERSION = 2;

const entryFields = fields({
  version: oneOf([OUTBOX_ENTRY_VERSION, ALERT_ENTRY_VERSION]),
  /** The Idempotency-Key of every send of this command. */
  commandId: uuid,
  uid: someText,
  intent,
  /** The agent of a start or a stop; null for commands to all. */
  agentId: orNull(text),
  /** Its name, for reading the queue offline, or the alert in words; empty for all. */
  agentName: text,
  /**
   * start-all: the agents that were shown. stop-all: the same, for information; the server stops
   * all of them anyway.
   */
  agents: list(seenAgent),
  seenGeneration: orNull(whole),
  /** Increases with every command of this user on this device. */
  sequence: whole,
  /** Device clock at the press, ms. */
  createdAt: number,
  /** Server's clock − device's clock (ms) as known at the press; null when unknown. */
  clockOffsetMs: orNull(number),
  /** The device's clock was set back: the age is unknown. */
  clockMoved: yesOrNo,
  contractVersion: whole,
  attempts: whole,
  /** Consecutive attempts without a valid answer; the exponent of the backoff. */
  failures: whole,
  /**
   * Not before this (device clock, ms); null: at once. Stored so that page and worker wait alike.
   */
  nextAttemptAt: orNull(number),
  state,
  reason: orNull(reason),
  /** The user was shown what had changed and confirmed. */
  confirmed: yesOrNo,
  /** Absent for stops, and in records of earlier builds. */
  seen: maybe(observedState),
  /** The backtest that was run before this start. */
  tested: maybe<Tested>(tested),
  /** Only where the server accepted the command and rejected some agents: the result of each agent. */
  results: maybe(list(entryResult)),
  /** For commands about an alert only. */
  alert: maybe(alertCommand),
  /**
   * For stops: the records of the starts that this one took out of the queue. Read only by Undo,
   * so that none of them can make a stop unreadable.
   */
  withdrawn: maybe(list(anything)),
});
export type OutboxEntry = Read<typeof entryFields>;

/** A command about an alert carries one, and has the version of its own. */
export const outboxEntry: Reader<OutboxEntry> = (raw) => {
  const entry = entryFields(raw);
  if (entry === UNREAD) return UNREAD;
  const isAboutAlert = entry.intent === 'set-alert' || entry.intent === 'delete-alert';
  return isAboutAlert === (entry.alert !== undefined) &&
    isAboutAlert === (entry.version === ALERT_ENTRY_VERSION)
    ? entry
    : UNREAD;
};

type Raw = Record<string, unknown>;
export type Steps = Readonly<Record<number, (old: Raw) => Raw>>;

/**
 * Migrations of a record to the next version. Fields added within version 1 (`seen`, `tested`,
 * `results`, `withdrawn`) may be absent. Whoever raises the version adds the step from the one before.
 */
const STEPS: Steps = {};

const versioned = fields({ version: whole });
/** As much of an unreadable record as can be shown. */
const legibleFields = fields({ intent, agentName: text });

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
  const known = versioned(raw);
  if (known === UNREAD) return { is: 'unreadable' };
  let record: Raw & { version: number } = { ...(raw as Raw), ...known };
  if (record.version > Math.max(present, ALERT_ENTRY_VERSION)) return { is: 'newer' };
  while (record.version < present) {
    const step = steps[record.version];
    if (step === undefined) return { is: 'unreadable' };
    record = { ...step(record), version: record.version + 1 };
  }
  const entry = outboxEntry(record);
  return entry === UNREAD ? { is: 'unreadable' } : { is: 'entry', entry };
}

/** A quarantined record, as far as it can be read; null where it cannot. */
export type SetAside = Read<typeof legibleFields> | null;

export const legible = (raw: unknown): SetAside => readAs(legibleFields, raw);

/** The id that a command has from its press on, and the device's clock at that moment, ms. */
export interface Press {
  id: string;
  at: number;
}

/** What a press asks for; the outbox adds the rest. */
export interface CommandRequest {
  /** Where it may go out by another way too: the server acts on one id once. */
  press?: Press | undefined;
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
