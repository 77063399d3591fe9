/** Exchange accounts, orders and alarms as calls and the event stream both carry them. */
import * as z from 'zod/mini';
import { LIVE_EXCHANGES } from './exchanges.ts';
import { DecimalText } from './decimal-text.ts';
import { KeyPermissions } from './venue.ts';

const Limit = DecimalText.check(z.refine((text) => !text.startsWith('-'), 'Must not be negative'));

/** In US dollars; USDC and USDT count as dollars. */
export const LiveLimits = z.strictObject({
  maxOrder: Limit,
  maxExposure: Limit,
  /** Of a day by UTC. */
  maxDailyLoss: Limit,
});
export type LiveLimits = z.infer<typeof LiveLimits>;

/**
 * So long an exchange must have refused a key before an order that only this key could read may be
 * given up: a refusal by mistake is over by then, or the person has mended the key.
 */
export const GIVE_UP_UNREAD_AFTER_MS = 10 * 60_000;

/** A key that may confirm: enough for a browser to ask for it. */
export const ConfirmingKey = z.object({
  id: z.string(),
  kind: z.enum(['passkey', 'ed25519']),
  credentialId: z.optional(z.string()),
  transports: z.optional(z.array(z.string())),
});
export type ConfirmingKey = z.infer<typeof ConfirmingKey>;

/** An exchange account of the person's. */
export const LiveConnection = z.object({
  id: z.string(),
  exchange: z.enum(LIVE_EXCHANGES),
  label: z.string(),
  state: z.enum(['connecting', 'open', 'ended']),
  accountId: z.string(),
  permissions: z.nullable(KeyPermissions),
  permissionsReadAt: z.number(),
  /**
   * Why nothing is bought with its key (`KeyFault`), as found at that reading; empty where it is
   * accepted. Absent in replies kept from before.
   */
  keyFaults: z.optional(z.array(z.string())),
  /**
   * Since when the exchange has refused the key, and so its orders cannot be read. Null while they
   * can; absent in replies kept from before.
   */
  ordersUnreadSince: z.optional(z.nullable(z.number())),
  /** In force now. */
  limits: LiveLimits,
  /**
   * What the person chose, where the first week holds it back: it is in force from `firstWeekUntil`
   * on. Null where `limits` are what was chosen; absent in replies kept from before.
   */
  limitsChosen: z.optional(z.nullable(LiveLimits)),
  /** Until then no limit is above the first week's caps. Null once that is past. */
  firstWeekUntil: z.nullable(z.number()),
  /** Keys that confirm its starts and higher limits; they were named when it was connected. */
  stepUpKeys: z.array(ConfirmingKey),
  maxOrdersPerHour: z.number(),
  /** Since when nothing new is bought, at the person's own wish. */
  entriesOffSince: z.nullable(z.number()),
  /** Why no order leaves now; empty where orders may. */
  waitsFor: z.array(z.string()),
  /** When the account was last read and agreed with the exchange; null before the first time. */
  reconciledAt: z.nullable(z.number()),
  /** Of orders whose outcome is not known. */
  unknownOrders: z.number(),
  createdAt: z.number(),
  endedAt: z.nullable(z.number()),
});
export type LiveConnection = z.infer<typeof LiveConnection>;

/** An order at an exchange. What is not confirmed is not filled. */
export const LiveOrderWire = z.object({
  clientOrderId: z.string(),
  exchangeOrderId: z.nullable(z.string()),
  agentId: z.string(),
  symbol: z.string(),
  side: z.enum(['buy', 'sell']),
  type: z.enum(['market', 'limit', 'stop']),
  quantity: DecimalText,
  filled: DecimalText,
  stopPrice: z.nullable(DecimalText),
  /**
   * As the exchange shows it; null where it has none. Absent until it was shown, and in replies of an
   * older server.
   */
  limitPrice: z.optional(z.nullable(DecimalText)),
  state: z.enum([
    'planned',
    'sending',
    'unknown',
    'open',
    'filled',
    'cancelled',
    'rejected',
    'expired',
  ]),
  reason: z.string(),
  code: z.nullable(z.string()),
  /** Held back until it ends, in this coin. */
  reserved: DecimalText,
  reservedAsset: z.string(),
  /** Since when its outcome is unknown, why, and what is being done. */
  doubt: z.nullable(
    z.object({
      since: z.number(),
      cause: z.string(),
      doing: z.enum(['looking_up', 'proving_absence', 'ask_person']),
      /** From then on the person may look at the exchange and give the order up. */
      mayGiveUpAt: z.number(),
    }),
  ),
  isCancelling: z.boolean(),
  plannedAt: z.number(),
  sentAt: z.nullable(z.number()),
  changedAt: z.number(),
});
export type LiveOrderWire = z.infer<typeof LiveOrderWire>;

/** What a person has to know of their live account, each once. */
export const LiveAlarmWire = z.object({
  kind: z.string(),
  about: z.string(),
  raisedAt: z.number(),
  detail: z.unknown(),
});
export type LiveAlarmWire = z.infer<typeof LiveAlarmWire>;
