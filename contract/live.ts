/** Live trading on the wire: exchange accounts, their limits, orders and what changed without us. */
import * as z from 'zod/mini';
import { Agent, AgentCommandBody, OtherFee } from './agents.ts';
import {
  ConfirmingKey,
  LiveAlarmWire,
  LiveConnection,
  LiveLimits,
  LiveOrderWire,
} from './live-state.ts';
import { DecimalText } from './decimal-text.ts';
import {
  KeyAdvice,
  KeyFault,
  LiveExchange,
  PasskeyKey,
  StepUpKey,
  StepUpStatement,
  StepUpToken,
} from './signer.ts';
import { TaxLots } from './tax.ts';
import { Position } from './trading.ts';
import { KeyPermissions } from './venue.ts';

const Text = z.string().check(z.minLength(1), z.maxLength(4_096));

/** What a person confirms. `z.decode(StepUpStatement, …)` makes it what `stepUpBytes` takes. */
export const StatementWire = z.strictObject({
  purpose: StepUpStatement.shape.purpose,
  connectionId: StepUpStatement.shape.connectionId,
  accountId: StepUpStatement.shape.accountId,
  agentId: StepUpStatement.shape.agentId,
  limits: LiveLimits,
  nonce: StepUpStatement.shape.nonce,
  issuedAtMs: StepUpStatement.shape.issuedAtMs,
  keyDigest: StepUpStatement.shape.keyDigest,
});

/** A confirmation as it crosses the wire; the signer checks it, the server only hands it on. */
export const StepUpWire = z.strictObject({
  statement: StatementWire,
  keyId: StepUpToken.shape.keyId,
  signature: StepUpToken.shape.signature,
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
/** Another key of the same account at the exchange; everything else stays. */
export const ReplaceKeyBody = z.strictObject({ apiKey: Text, secret: Text, stepUp: StepUpWire });

const Balance = z.object({ asset: z.string(), total: DecimalText, available: DecimalText });

/** `limits`: null for those in force, which a start is bound to. */
export const ConfirmationBody = z.strictObject({
  purpose: StepUpStatement.shape.purpose,
  agentId: StepUpStatement.shape.agentId,
  limits: z.nullable(LiveLimits),
  /** Of the new key, where one is to be replaced. */
  keyDigest: StepUpStatement.shape.keyDigest,
});
/** What to sign, once and within five minutes. Nothing is confirmed by asking for it. */
export const ConfirmationReply = z.object({
  commandId: z.string(),
  statement: StatementWire,
  /** SHA-256 of the statement's bytes in base64url: the challenge of a passkey's assertion. */
  challenge: z.string(),
  /** For whom passkeys are asked; the signer has its own setting and checks it. */
  rpId: z.string(),
  keys: z.array(ConfirmingKey),
});
export type ConfirmationReply = z.infer<typeof ConfirmationReply>;

/** A passkey of the person's. `key` is what `stepUpKeys` of a new connection takes. */
export const Passkey = z.object({
  id: z.string(),
  label: z.string(),
  key: PasskeyKey,
  createdAt: z.number(),
  lastUsedAt: z.nullable(z.number()),
});
export type Passkey = z.infer<typeof Passkey>;
export const Passkeys = z.object({ passkeys: z.array(Passkey) });
/** `options`: `PublicKeyCredentialCreationOptionsJSON`; their challenge holds once, five minutes. */
export const PasskeyOptionsReply = z.object({
  commandId: z.string(),
  options: z.record(z.string(), z.unknown()),
});
/** `response`: `RegistrationResponseJSON`, as the browser's library gives it. */
export const PasskeyBody = z.strictObject({
  label: z.string().check(z.minLength(1), z.maxLength(60)),
  response: z.record(z.string(), z.unknown()),
});
export const PasskeyReply = z.object({ commandId: z.string(), passkey: Passkey });
export const PasskeyDeletedReply = z.object({ commandId: z.string(), passkeyId: z.string() });

/** What was found of a key, in the exchange's own names where it is not taken. */
export const KeyReportWire = z.object({
  accepted: z.boolean(),
  faults: z.array(KeyFault),
  permissions: z.nullable(KeyPermissions),
  balances: z.array(Balance),
  advice: KeyAdvice,
});

export const LiveConnections = z.object({
  connections: z.array(LiveConnection),
  sequence: z.number(),
  asOf: z.number(),
});

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

/**
 * Coins that an agent gave up because the person had sold them or taken them out, or because they
 * were too little to sell (`why`). At cost.
 */
export const WriteOffWire = z.object({
  id: z.string(),
  agentId: z.string(),
  symbol: z.string(),
  quantity: DecimalText,
  cost: DecimalText,
  at: z.number(),
  /** `dust`: the coins are in the account, and the person's. Left out where they are gone. */
  why: z.optional(z.literal('dust')),
});
export type WriteOffWire = z.infer<typeof WriteOffWire>;

/** A coin of which the account has less than agents hold, as it was last compared. */
export const MissingCoinsWire = z.object({
  asset: z.string(),
  amount: DecimalText,
  /** Who holds it. */
  holders: z.array(
    z.object({
      positionId: z.string(),
      agentId: z.string(),
      agentName: z.string(),
      symbol: z.string(),
      held: DecimalText,
      /** As much of it may be written off now; 0 while an order may still sell it. */
      most: DecimalText,
    }),
  ),
});
export type MissingCoinsWire = z.infer<typeof MissingCoinsWire>;

/** What is to be sold. `quantity`: of a part; null for all that the agent holds of the pair. */
export const LiveExitWire = z.object({
  agentId: z.string(),
  symbol: z.string(),
  quantity: z.nullable(DecimalText),
  reason: z.string(),
  askedAt: z.number(),
});

/** One live account. Its money is never added to paper. */
export const LiveAccount = z.object({
  connection: LiveConnection,
  quote: z.string(),
  /**
   * By coin: cash that no agent holds, and what orders hold back of it. `heldElsewhere`: for orders
   * that are not ours, as the exchange said when it was last read; absent in replies kept from before.
   */
  cash: z.array(
    z.object({
      asset: z.string(),
      amount: DecimalText,
      reserved: DecimalText,
      heldElsewhere: z.optional(DecimalText),
    }),
  ),
  positions: z.array(Position),
  /** Everything in the account that has a price, in `quote`. */
  value: DecimalText,
  /** Coins without a price; they are not in `value`. */
  unpriced: z.array(z.string()),
  /** Of what agents hold. */
  unrealized: DecimalText,
  /** `[market ms, value]` at each reconciliation that agreed, thinned out with age. */
  equityCurve: z.array(z.tuple([z.number(), DecimalText])),
  /**
   * Coins that are in none of the curve's values, because no pair here has a price of them. Points
   * that left out others are not in the curve. Absent in replies kept from before: none.
   */
  curveWithout: z.optional(z.array(z.string())),
  /**
   * Deposits less withdrawals in `quote`, `[market ms, amount]`, oldest first: each at the first
   * point of the curve that has them, or after its last. Null where another coin came or went: its
   * worth then is not recorded. A trade by hand exchanges coins and is none. Absent in replies kept
   * from before.
   */
  flows: z.optional(z.array(z.tuple([z.number(), z.nullable(DecimalText)]))),
  realized: DecimalText,
  /**
   * Realised and fees by agent in `quote`, of the same moment as the positions; who has traded
   * nothing is left out. Absent in replies kept from before.
   */
  results: z.optional(
    z.array(
      z.object({
        agentId: z.string(),
        realized: DecimalText,
        fees: DecimalText,
        otherFees: z.optional(z.array(OtherFee)),
      }),
    ),
  ),
  /** As charged, by coin. */
  fees: z.array(z.object({ asset: z.string(), amount: DecimalText })),
  /** Newest first: every order that has not ended, and the last that have. */
  orders: z.array(LiveOrderWire),
  /**
   * Positions, or parts of them, that are to be sold: tried again until they are. Absent in replies
   * kept from before.
   */
  exits: z.optional(z.array(LiveExitWire)),
  external: z.array(ExternalMovementWire),
  /** By coin; absent in replies kept from before. */
  missing: z.optional(z.array(MissingCoinsWire)),
  /** Newest first; absent in replies kept from before. */
  writeOffs: z.optional(z.array(WriteOffWire)),
  alarms: z.array(LiveAlarmWire),
  /** Open orders at the exchange that are not ours: shown, never touched. */
  foreignOrders: z.array(z.unknown()),
  sequence: z.number(),
  asOf: z.number(),
});
export type LiveAccount = z.infer<typeof LiveAccount>;

const Positive = DecimalText.check(
  z.refine((text) => /^[0-9.]*[1-9]/.test(text), 'Must be above zero'),
);
const Reply = { commandId: z.string() };
export const CheckKeyReply = z.object({
  ...Reply,
  report: KeyReportWire,
  /** No limit may be above these in the first week. */
  firstWeek: LiveLimits,
  /** Pairs that this server has prices of and the exchange trades now. */
  pairs: z.array(z.string()),
});
export const ConnectReply = z.object({
  ...Reply,
  report: KeyReportWire,
  /** Null where the key was not taken. */
  connection: z.nullable(LiveConnection),
});
/** `report` says why where the new key was not taken: then the old one is still kept. */
export const ReplaceKeyReply = z.object({
  ...Reply,
  report: KeyReportWire,
  connection: LiveConnection,
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
/** `held`: what the person was shown that the agent holds; another quantity is refused. */
export const WriteOffBody = z.strictObject({ quantity: Positive, held: Positive });
export const WriteOffReply = z.object({ ...Reply, writeOff: WriteOffWire });
export const GiveUpReply = z.object({ ...Reply, order: LiveOrderWire });

/** What one agent traded of one decision: on paper at the quote, live as the exchange said. */
export const ShadowLeg = z.object({
  /** Null where nothing was traded. */
  quantity: z.nullable(DecimalText),
  /** Average of its fills. */
  price: z.nullable(DecimalText),
  /** In quote currency; what was charged in another coin is in `otherFees`. */
  fee: z.nullable(DecimalText),
  otherFees: z.array(z.object({ asset: z.string(), amount: DecimalText })),
  filledAt: z.nullable(z.number()),
  /** What the decision said, in the agent's own words; null where it made none. */
  text: z.nullable(z.string()),
  /** Of a live order: what became of it. */
  state: z.nullable(z.string()),
});
export type ShadowLeg = z.infer<typeof ShadowLeg>;

/**
 * Why the two differ. `price` and `fee`: by those. `partial_fill`: less was filled than ordered.
 * `size`: another quantity was ordered. `held_back`: live did not order, and its journal says why.
 * `not_filled`: ordered and ended with nothing filled. `under_way`: not ended yet. `only_live`: paper
 * did not trade it.
 */
export const ShadowReason = z.enum([
  'price',
  'fee',
  'partial_fill',
  'size',
  'held_back',
  'not_filled',
  'under_way',
  'only_live',
]);
export type ShadowReason = z.infer<typeof ShadowReason>;

export const ShadowRow = z.object({
  /** Close of the candle that both decided on, or the moment of a sale; market clock, ms. */
  at: z.number(),
  pair: z.string(),
  side: z.enum(['buy', 'sell']),
  /** Why it was bought or sold, as in fills. */
  cause: z.string(),
  live: ShadowLeg,
  paper: ShadowLeg,
  /** Empty where both did the same. */
  reasons: z.array(ShadowReason),
  /** Money of the live trade less money of the paper one, in quote; null where one is missing. */
  difference: z.nullable(DecimalText),
});
export type ShadowRow = z.infer<typeof ShadowRow>;

const ShadowSide = z.object({
  agentId: z.string(),
  name: z.string(),
  status: Agent.shape.status,
  quote: z.string(),
  trades: z.number(),
  realized: DecimalText,
  unrealized: DecimalText,
  fees: DecimalText,
});
/** A live agent beside its paper twin. The two are never added up. */
export const Shadow = z.object({
  /** When both began to decide together, market clock, ms; null before. */
  since: z.nullable(z.number()),
  live: ShadowSide,
  paper: ShadowSide,
  /** Newest first. */
  rows: z.array(ShadowRow),
  asOf: z.number(),
});
export type Shadow = z.infer<typeof Shadow>;

/** Tax lots of real fills: a report of its own, never mixed with paper. */
export const LiveTaxLots = z.extend(z.omit(TaxLots, { paper: true, book: true }), {
  live: z.literal(true),
  connectionId: z.string(),
  exchange: LiveExchange,
  label: z.string(),
});
export type LiveTaxLots = z.infer<typeof LiveTaxLots>;
