/** Live trading on the wire: exchange accounts, their limits, orders and what changed without us. */
import * as z from 'zod/mini';
import { Agent, AgentCommandBody } from './agents.ts';
import { DecimalText } from './money.ts';
import { KeyAdvice, KeyFault, LiveExchange, StepUpKey, StepUpStatement } from './signer.ts';
import { Position } from './trading.ts';
import { KeyPermissions } from './venue.ts';

const Text = z.string().check(z.minLength(1), z.maxLength(4_096));

/** In US dollars; USDC and USDT count as dollars. */
export const LiveLimits = z.strictObject({
  maxOrder: DecimalText,
  maxExposure: DecimalText,
  /** Of a day by UTC. */
  maxDailyLoss: DecimalText,
});
export type LiveLimits = z.infer<typeof LiveLimits>;

/** A confirmation as it crosses the wire; the signer checks it, the server only hands it on. */
export const StepUpWire = z.strictObject({
  statement: z.strictObject({
    purpose: StepUpStatement.shape.purpose,
    connectionId: StepUpStatement.shape.connectionId,
    accountId: StepUpStatement.shape.accountId,
    agentId: StepUpStatement.shape.agentId,
    limits: LiveLimits,
    nonce: StepUpStatement.shape.nonce,
    issuedAtMs: StepUpStatement.shape.issuedAtMs,
  }),
  keyId: z.string().check(z.maxLength(64)),
  signature: z.string().check(z.maxLength(16_384)),
});
export type StepUpWire = z.infer<typeof StepUpWire>;

const Key = { exchange: LiveExchange, apiKey: Text, secret: Text };
/** What a key may do is read, and nothing is kept. */
export const CheckKeyBody = z.strictObject(Key);
export const ConnectBody = z.strictObject({
  ...Key,
  label: z.string().check(z.minLength(1), z.maxLength(60)),
  /** The first week's caps where it is absent; never more than those. */
  limits: z.optional(LiveLimits),
  /** Public keys of the person's that confirm starts and higher limits. */
  stepUpKeys: z.array(StepUpKey).check(z.minLength(1), z.maxLength(8)),
});

const Balance = z.object({ asset: z.string(), total: DecimalText, available: DecimalText });
/** What was found of a key, in the exchange's own names where it is not taken. */
export const KeyReportWire = z.object({
  accepted: z.boolean(),
  faults: z.array(KeyFault),
  permissions: z.nullable(KeyPermissions),
  balances: z.array(Balance),
  advice: KeyAdvice,
});

/** An exchange account of the person's. */
export const LiveConnection = z.object({
  id: z.string(),
  exchange: LiveExchange,
  label: z.string(),
  state: z.enum(['connecting', 'open', 'ended']),
  accountId: z.string(),
  permissions: z.nullable(KeyPermissions),
  permissionsReadAt: z.number(),
  limits: LiveLimits,
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
export const LiveConnections = z.object({
  connections: z.array(LiveConnection),
  sequence: z.number(),
  asOf: z.number(),
});

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

/** A trade by hand, a deposit or a withdrawal: booked, and never touched. */
export const ExternalMovementWire = z.object({
  id: z.string(),
  kind: z.enum(['opening', 'deposit', 'withdrawal', 'hand_trade', 'hand_trade_undone']),
  asset: z.nullable(z.string()),
  amount: z.nullable(DecimalText),
  trade: z.nullable(
    z.object({
      symbol: z.string(),
      side: z.enum(['buy', 'sell']),
      quantity: DecimalText,
      price: DecimalText,
    }),
  ),
  at: z.number(),
});

/** One live account. Its money is never added to paper. */
export const LiveAccount = z.object({
  connection: LiveConnection,
  quote: z.string(),
  /** By coin: cash that no agent holds, and what orders hold back of it. */
  cash: z.array(z.object({ asset: z.string(), amount: DecimalText, reserved: DecimalText })),
  positions: z.array(Position),
  realized: DecimalText,
  /** As charged, by coin. */
  fees: z.array(z.object({ asset: z.string(), amount: DecimalText })),
  /** Newest first: every order that has not ended, and the last that have. */
  orders: z.array(LiveOrderWire),
  external: z.array(ExternalMovementWire),
  alarms: z.array(
    z.object({ kind: z.string(), about: z.string(), raisedAt: z.number(), detail: z.unknown() }),
  ),
  /** Open orders at the exchange that are not ours: shown, never touched. */
  foreignOrders: z.array(z.unknown()),
  sequence: z.number(),
  asOf: z.number(),
});
export type LiveAccount = z.infer<typeof LiveAccount>;

const Reply = { commandId: z.string() };
export const CheckKeyReply = z.object({ ...Reply, report: KeyReportWire });
export const ConnectReply = z.object({
  ...Reply,
  report: KeyReportWire,
  /** Null where the key was not taken. */
  connection: z.nullable(LiveConnection),
});
export const ConnectionReply = z.object({ ...Reply, connection: LiveConnection });

/** Limits may be lowered at any time; higher ones need a confirmation. */
export const LiveLimitsBody = z.strictObject({
  limits: z.optional(LiveLimits),
  maxOrdersPerHour: z.optional(z.number().check(z.int(), z.gte(0), z.lte(1_000))),
  entriesAllowed: z.optional(z.boolean()),
  stepUp: z.optional(StepUpWire),
});
export const StartLiveBody = z.extend(AgentCommandBody, { stepUp: StepUpWire });
export const StartLiveReply = z.object({
  ...Reply,
  outcome: z.enum(['started', 'stopped', 'unchanged']),
  agent: Agent,
});
export const LiveExitReply = z.object({ ...Reply, symbol: z.string() });
export const GiveUpReply = z.object({ ...Reply, order: LiveOrderWire });
