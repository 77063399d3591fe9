/** What a push message carries, and what users can choose about notifications. */
import * as z from 'zod/mini';
import { Agent } from './agents.ts';
import { AlertFiring } from './alerts.ts';
import { Fill, Portfolio } from './trading.ts';

export const PUSH_KINDS = [
  'lateStop',
  'agentHeld',
  'stopLoss',
  'fills',
  'trialEnding',
  'paymentFailed',
  'priceAlert',
  'liveOrder',
  'liveStop',
  'liveConnection',
  'liveLoss',
  'liveEnded',
] as const;
export const PushKind = z.enum(PUSH_KINDS);
export type PushKind = z.infer<typeof PushKind>;

/** A push service takes 4 KB; what we put into one stays below this many bytes of JSON. */
export const PUSH_PAYLOAD_MAX_BYTES = 3_000;
export const PUSH_DEVICES_MAX = 10;

const key = (bytes: number, what: string) =>
  z
    .string({ error: what })
    .check(z.regex(new RegExp(`^[A-Za-z0-9_-]{${Math.ceil((bytes * 4) / 3)}}=*$`), what));

/**
 * As `PushSubscription.toJSON()` has it. Whether the address is public is the server's to check.
 */
export const PushSubscriptionBody = z.strictObject({
  endpoint: z
    .string({ error: 'An https address' })
    .check(
      z.maxLength(1_000, 'At most 1000 characters'),
      z.regex(/^https:\/\/[^\s]+$/, 'An https address'),
    ),
  keys: z.strictObject({
    p256dh: key(65, 'A P-256 public key'),
    auth: key(16, 'A 16-byte secret'),
  }),
  expirationTime: z.optional(z.nullable(z.number())),
});
export type PushSubscriptionBody = z.infer<typeof PushSubscriptionBody>;

const ClockTime = z
  .string({ error: 'A time such as 22:00' })
  .check(z.regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'A time such as 22:00'));
function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en-GB', { timeZone: name }).format(0) !== '';
  } catch {
    return false;
  }
}
const TimeZone = z.string({ error: 'A time zone such as Europe/Berlin' }).check(
  z.maxLength(64, 'A time zone such as Europe/Berlin'),
  z.refine(
    (name) => /^[A-Za-z][\w+\-/]*$/.test(name) && isTimeZone(name),
    'A time zone such as Europe/Berlin',
  ),
);

const toggle = z.boolean({ error: 'true or false' });

/**
 * Whether anything is pushed at all is `notificationsEnabled` of the trading settings; these say
 * what and when.
 */
export const PushSettings = z.strictObject({
  kinds: z.strictObject({
    lateStop: toggle,
    agentHeld: toggle,
    stopLoss: toggle,
    fills: toggle,
    trialEnding: toggle,
    paymentFailed: toggle,
    /**
     * Absent means on, so that a build from before there were price alerts goes on reading these
     * settings.
     */
    priceAlert: z.optional(toggle),
    /** Of real money; absent means on, for the same reason. */
    liveOrder: z.optional(toggle),
    liveStop: z.optional(toggle),
    liveConnection: z.optional(toggle),
    liveLoss: z.optional(toggle),
    liveEnded: z.optional(toggle),
  }),
  /** From `from` to `to` (which may be the next morning) nothing is sent; it is kept until then. */
  quietHours: z.nullable(z.strictObject({ from: ClockTime, to: ClockTime, timeZone: TimeZone })),
  /** Names and amounts on the lock screen. */
  showDetails: toggle,
});
export type PushSettings = z.infer<typeof PushSettings>;

export const DEFAULT_PUSH_SETTINGS: PushSettings = {
  kinds: {
    lateStop: true,
    agentHeld: true,
    stopLoss: true,
    fills: false,
    trialEnding: true,
    paymentFailed: true,
  },
  quietHours: null,
  showDetails: false,
};

/** What happened at an exchange. `check`: something there does not fit what Tradewind knows. */
export const LiveFact = z.enum([
  'unknown',
  'resolved',
  'check',
  'stop_hit',
  'stop_cancelled',
  'stop_rejected',
  'unreachable',
  'key_refused',
  'daily_loss',
  'live_ended',
]);
export type LiveFact = z.infer<typeof LiveFact>;

/** The facts of one notification; which of them are shown is for `showDetails` to say. */
export const PushFacts = z.object({
  agentId: z.nullable(z.string()),
  agentName: z.nullable(z.string()),
  /** `halted` or `faulted` for `agentHeld`. */
  status: z.optional(z.string()),
  text: z.optional(z.string()),
  pair: z.optional(z.string()),
  realized: z.optional(z.nullable(z.string())),
  quote: z.optional(z.string()),
  /** How many fills are told in one. */
  count: z.optional(z.number()),
  /** How long the stop had waited on a device, ms. */
  waitedMs: z.optional(z.number()),
  /** End of the trial, wall clock, ms. */
  endsAt: z.optional(z.number()),
  /**
   * `priceAlert`: the newest firing, and which pairs were reached where several are told in one.
   */
  firing: z.optional(AlertFiring),
  pairs: z.optional(z.array(z.string())),
  /** How many more pairs there are than `pairs` names. */
  morePairs: z.optional(z.number()),
  /** Of real money: what happened, and in which exchange account. */
  live: z.optional(
    z.object({
      what: LiveFact,
      /** Of `check`, what it is: apps that are older, and know no such fact, tell of a look. */
      why: z.optional(z.string()),
      connectionId: z.string(),
      /** The person's name for the account; empty where it is not known. */
      label: z.string(),
    }),
  ),
});
export type PushFacts = z.infer<typeof PushFacts>;

/** A portfolio without its curve, which would not fit. */
export const PushedPortfolio = z.omit(Portfolio, { equityCurve: true, results: true });
export type PushedPortfolio = z.infer<typeof PushedPortfolio>;

/**
 * What the worker gets. `state` is the person's as it is at `sequence`: with `wholeAgents` the list
 * is all there are; without, it is the ones that matter here, and whoever has not seen `sequence -
 * 1` has missed something.
 */
export const PushPayload = z.object({
  version: z.literal(1),
  /** The same message again has the same id: shown once. */
  id: z.string(),
  uid: z.string(),
  kind: PushKind,
  facts: PushFacts,
  showDetails: z.boolean(),
  /** Wall clock of the server, ms. */
  sentAt: z.number(),
  sequence: z.number(),
  state: z.object({
    agents: z.array(Agent),
    wholeAgents: z.boolean(),
    /** Market clock, ms. */
    asOf: z.number(),
    portfolio: z.nullable(PushedPortfolio),
    fill: z.nullable(Fill),
  }),
});
export type PushPayload = z.infer<typeof PushPayload>;

/**
 * What a later one never makes useless: each has happened. At the push service they have no topic,
 * since one of these keeps few topics of a device that is off, and may drop the others.
 */
const HAPPENED = ['priceAlert', 'stopLoss', 'liveOrder', 'liveStop'] as const satisfies PushKind[];
export const tellsWhatHappened = (kind: PushKind): kind is (typeof HAPPENED)[number] =>
  HAPPENED.some((one) => one === kind);

/**
 * The place of a notification, at the push service and on the screen. A newer one of the same place
 * makes the older useless and replaces it, whether or not anybody has seen that.
 */
export function placeOf({ id, kind, facts }: Pick<PushPayload, 'id' | 'kind' | 'facts'>): string {
  if (tellsWhatHappened(kind)) return `${kind}:${id}`;
  switch (kind) {
    // A connection that fails again says the same; a key that is refused says something else.
    case 'liveConnection':
      return `${kind}:${facts.live?.connectionId ?? ''}:${facts.live?.what ?? ''}`;
    // How things stand: the newest says it.
    case 'lateStop':
    case 'agentHeld':
    case 'fills':
    case 'trialEnding':
    case 'paymentFailed':
    case 'liveLoss':
    case 'liveEnded':
      return `${kind}:${facts.agentId ?? facts.live?.connectionId ?? ''}`;
  }
}
