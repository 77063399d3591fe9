/**
 * What the server and the signer say to each other: every request and reply, as they cross the
 * socket.
 */
import * as z from 'zod/mini';
import { LIVE_EXCHANGES } from './exchanges.ts';
import {
  CancelOutcome,
  ClientOrderId,
  KeyPermissions,
  Lookup,
  OrderSide,
  OrderType,
  PairRules,
  PlaceOutcome,
  UnknownCause,
  VenueAbilities,
  VenueBalance,
  VenueFill,
  VenueOrder,
  VenueSymbol,
} from './venue.ts';

/**
 * Raised where server and signer of two builds could misunderstand each other. While theirs differ
 * nothing is bought; sales go on.
 */
export const SIGNER_VERSION = 1;

export const LiveExchange = z.enum(LIVE_EXCHANGES);
export type LiveExchange = z.infer<typeof LiveExchange>;

const Amount = VenueOrder.shape.quantity;
const Price = VenueOrder.shape.limitPrice;
const ExchangeOrderId = z.nullable(VenueOrder.shape.exchangeOrderId);
const Ms = z.number().check(z.int(), z.gte(0));
/** Ids of our own rows: a uuid or a uid; they become names of files. */
const OwnId = z.string().check(z.regex(/^[A-Za-z0-9_-]{1,64}$/, 'Invalid input: expected an id'));
const Base64Url = z.string().check(z.regex(/^[A-Za-z0-9_-]+$/), z.maxLength(16_384));

/** The public half of the key pair to which the server seals what a person pastes. */
export const BoxKey = z.object({ id: OwnId, publicKey: Base64Url });
export type BoxKey = z.infer<typeof BoxKey>;

/**
 * An exchange's API key that only the signer can open. It is bound to the connection, owner and
 * exchange it was sealed for.
 */
export const SealedKey = z.object({
  boxKeyId: OwnId,
  encapsulated: Base64Url,
  ciphertext: Base64Url,
});
export type SealedKey = z.infer<typeof SealedKey>;

export const ApiKey = z.object({
  apiKey: z.string().check(z.minLength(1), z.maxLength(512)),
  secret: z.string().check(z.minLength(1), z.maxLength(4_096)),
});
export type ApiKey = z.infer<typeof ApiKey>;

/** Whose sealed key it is: what the sealing binds, so that no row can be moved to another. */
export interface SealContext {
  connectionId: string;
  ownerId: string;
  exchange: LiveExchange;
}
/** The same bytes on both sides. */
export const sealContextBytes = (context: SealContext): Uint8Array =>
  new TextEncoder().encode(
    JSON.stringify(['tradewind-key-1', context.connectionId, context.ownerId, context.exchange]),
  );

/** In US dollars; USDC and USDT count as dollars. */
export const SpendingLimits = z.object({
  maxOrder: Amount,
  maxExposure: Amount,
  /** Of a day by UTC: realised losses, fees, and what open positions lost since its start. */
  maxDailyLoss: Amount,
});
export type SpendingLimits = z.infer<typeof SpendingLimits>;

/** As `PublicKeyCredential` names them; a browser may know more than these. */
const Transports = z.array(z.string().check(z.maxLength(32))).check(z.maxLength(8));

/** A passkey: what it signs is an assertion whose challenge is `stepUpChallenge`. */
export const PasskeyKey = z.object({
  id: OwnId,
  kind: z.literal('passkey'),
  credentialId: Base64Url,
  /** COSE. */
  publicKey: Base64Url,
  counter: z.number().check(z.int(), z.gte(0)),
  transports: Transports,
});
export type PasskeyKey = z.infer<typeof PasskeyKey>;

/** Derived in the browser from the account's password; it signs `stepUpBytes` themselves. */
export const PasswordKey = z.object({
  id: OwnId,
  kind: z.literal('ed25519'),
  publicKey: Base64Url,
});
export type PasswordKey = z.infer<typeof PasswordKey>;

/** A public key of the person's that the signer checks step-up tokens against. */
export const StepUpKey = z.discriminatedUnion('kind', [PasskeyKey, PasswordKey]);
export type StepUpKey = z.infer<typeof StepUpKey>;

/** Rounds of PBKDF2-SHA-256 from password and salt to the seed of a password's key. */
export const PASSWORD_KEY_ROUNDS = 600_000;
/** The id of the key is in it: the connection has none yet when its key is made. */
export const passwordKeySalt = (uid: string, keyId: string): Uint8Array<ArrayBuffer> =>
  new TextEncoder().encode(JSON.stringify(['tradewind-password-key-1', uid, keyId]));

/** SHA-256 of `keyDigestBytes` in base64url: names a key and tells nothing of it. */
export const KeyDigest = z.string().check(z.regex(/^[A-Za-z0-9_-]{43}$/));
/** The public part alone: whoever reads the digest learns nothing that signs. */
export const keyDigestBytes = (apiKey: string): Uint8Array<ArrayBuffer> =>
  new TextEncoder().encode(JSON.stringify(['tradewind-key-digest-1', apiKey]));

/** What a person agreed to, and until when it may be used. Every field is signed. */
export const StepUpStatement = z.object({
  purpose: z.enum(['raise_limits', 'start_agent', 'replace_key']),
  connectionId: OwnId,
  accountId: OwnId,
  /** Null where no agent is started. */
  agentId: z.nullable(OwnId),
  limits: SpendingLimits,
  nonce: z.string().check(z.regex(/^[A-Za-z0-9_-]{22,64}$/)),
  issuedAtMs: Ms,
  /** Of the key that takes the place of another one; absent for everything else. */
  keyDigest: z.optional(KeyDigest),
});
export type StepUpStatement = z.infer<typeof StepUpStatement>;

export const StepUpToken = z.object({
  statement: StepUpStatement,
  keyId: OwnId,
  /** Of a password's key, the 64 bytes; of a passkey, its assertion as JSON in base64url. */
  signature: Base64Url,
});
export type StepUpToken = z.infer<typeof StepUpToken>;

/** The bytes that are signed: fields in a fixed order, amounts as decimal text. */
export function stepUpBytes(statement: StepUpStatement): Uint8Array<ArrayBuffer> {
  const wire = z.encode(StepUpStatement, statement);
  return new TextEncoder().encode(
    JSON.stringify([
      'tradewind-step-up-1',
      wire.purpose,
      wire.connectionId,
      wire.accountId,
      wire.agentId,
      [wire.limits.maxOrder, wire.limits.maxExposure, wire.limits.maxDailyLoss],
      wire.nonce,
      wire.issuedAtMs,
      ...(wire.keyDigest === undefined ? [] : [wire.keyDigest]),
    ]),
  );
}

/** What was committed before a byte left: the whole order, as it may be sent once. */
export const OrderIntent = z.object({
  clientOrderId: ClientOrderId,
  connectionId: OwnId,
  agentId: OwnId,
  symbol: VenueSymbol,
  side: OrderSide,
  type: OrderType,
  quantity: Amount,
  limitPrice: Price,
  stopPrice: Price,
  /** Wall clock. After it the order must not take effect any more. */
  deadlineMs: Ms,
});
export type OrderIntent = z.infer<typeof OrderIntent>;

export const OrderRef = z.object({
  clientOrderId: z.nullable(ClientOrderId),
  exchangeOrderId: ExchangeOrderId,
  symbol: VenueSymbol,
  /** Wall clock: the order cannot be older. */
  sinceMs: Ms,
});
export type OrderRef = z.infer<typeof OrderRef>;

const OfConnection = { connectionId: OwnId };
const OfNewKey = {
  connectionId: OwnId,
  ownerId: OwnId,
  exchange: LiveExchange,
  sealedKey: SealedKey,
};

export const SignerAsk = z.discriminatedUnion('act', [
  z.object({ act: z.literal('hello'), version: z.number() }),
  /** Reads what a key may do and keeps nothing. */
  z.object({ act: z.literal('check_key'), ...OfNewKey }),
  z.object({
    act: z.literal('connect'),
    ...OfNewKey,
    accountId: OwnId,
    /** Null for the first week's; more than those needs `set_limits`. */
    limits: z.nullable(SpendingLimits),
    stepUpKeys: z.array(StepUpKey).check(z.maxLength(8)),
  }),
  /** Keeps another key of the same exchange account in place of the one that is kept. */
  z.object({ act: z.literal('replace_key'), ...OfNewKey, stepUp: StepUpToken }),
  z.object({ act: z.literal('recheck'), ...OfConnection }),
  z.object({ act: z.literal('disconnect'), ...OfConnection }),
  z.object({
    act: z.literal('set_limits'),
    ...OfConnection,
    limits: SpendingLimits,
    stepUp: z.nullable(StepUpToken),
  }),
  z.object({ act: z.literal('start_agent'), ...OfConnection, stepUp: StepUpToken }),
  z.object({ act: z.literal('end_agent'), ...OfConnection, agentId: OwnId }),
  z.object({ act: z.literal('place'), intent: OrderIntent }),
  /**
   * Whether a sale at market would be signed and written down in place of this stop, if it were gone.
   * Nothing leaves.
   */
  z.object({
    act: z.literal('may_sell'),
    ...OfConnection,
    insteadOf: ClientOrderId,
    /** By the server's clock, as the sale would have it; older servers leave it out. */
    deadlineMs: z.optional(Ms),
  }),
  /**
   * Coins that the person sold or took out by hand count as held no more, where the signer finds that
   * the account has not got them; with `isDust` what was too little to sell and was left to the
   * person, where it is. Done once for an id. `isAsked`: only whether it would be done.
   */
  z.object({
    act: z.literal('write_off'),
    ...OfConnection,
    writeOffId: OwnId,
    symbol: VenueSymbol,
    quantity: Amount,
    isAsked: z.optional(z.boolean()),
    isDust: z.optional(z.boolean()),
  }),
  z.object({ act: z.literal('cancel'), ...OfConnection, order: OrderRef }),
  z.object({ act: z.literal('look_up'), ...OfConnection, order: OrderRef }),
  z.object({ act: z.literal('open_orders'), ...OfConnection, symbols: z.array(VenueSymbol) }),
  z.object({
    act: z.literal('closed_orders'),
    ...OfConnection,
    symbols: z.array(VenueSymbol),
    sinceMs: Ms,
  }),
  z.object({
    act: z.literal('trades'),
    ...OfConnection,
    symbols: z.array(VenueSymbol),
    sinceMs: Ms,
  }),
  z.object({ act: z.literal('balances'), ...OfConnection }),
  z.object({
    act: z.literal('pair_rules'),
    exchange: LiveExchange,
    /** Of all pairs where none is named. */
    symbols: z.array(VenueSymbol),
    /** As the exchange says now, or said seconds ago; else they may be minutes old. */
    isNow: z.optional(z.boolean()),
    /** The last that could be read, however old, where they cannot be read now. */
    orLast: z.optional(z.boolean()),
  }),
  z.object({ act: z.literal('state'), ...OfConnection }),
]);
export type SignerAsk = z.infer<typeof SignerAsk>;

/** Why a key is not taken. The page has a sentence for each, with the exchange's own words. */
export const KeyFault = z.enum([
  'can_withdraw',
  'can_transfer',
  'cannot_trade',
  /** Balances, orders or trades: `missing` of its permissions says what it lacks. */
  'cannot_read',
  'invalid_key',
  'other_portfolio',
  /** Of a key that is to take the place of another one: it shows none of the orders of that one. */
  'other_account',
  /** The same, and no order was placed yet that could show whose account it is. */
  'account_unproven',
]);
export type KeyFault = z.infer<typeof KeyFault>;

/** The exchange's own names, for the sentence that says how to create a key that is taken. */
export const KeyAdvice = z.object({
  /** Where keys are created. */
  page: z.string(),
  allow: z.array(z.string()),
  forbid: z.array(z.string()),
});
export type KeyAdvice = z.infer<typeof KeyAdvice>;

export const KeyReport = z.object({
  accepted: z.boolean(),
  faults: z.array(KeyFault),
  /** Null where the key could not be read at all. */
  permissions: z.nullable(KeyPermissions),
  balances: z.array(VenueBalance),
  advice: KeyAdvice,
});
export type KeyReport = z.infer<typeof KeyReport>;

export const ConnectionState = z.object({
  connectionId: OwnId,
  exchange: LiveExchange,
  abilities: VenueAbilities,
  connectedAtMs: Ms,
  permissionsReadAtMs: Ms,
  faults: z.array(KeyFault),
  /** As read again since it was connected; null or absent where that is not known. */
  permissions: z.optional(z.nullable(KeyPermissions)),
  /** What the person chose. */
  limits: SpendingLimits,
  /** What holds now: in the first week no more than its caps. */
  limitsInForce: SpendingLimits,
  firstWeekUntilMs: Ms,
  exposure: Amount,
  /** Null where what is held cannot be valued now; `lossUnread` says why. */
  lossToday: z.nullable(Amount),
  lossUnread: z.optional(z.string()),
  agentsStarted: z.array(OwnId),
  /** Orders that were sent and whose end the signer has not seen. */
  unresolved: z.array(ClientOrderId),
});
export type ConnectionState = z.infer<typeof ConnectionState>;

const Unreadable = z.object({ kind: z.literal('unknown'), cause: UnknownCause });
const NotNow = z.object({
  kind: z.literal('refused'),
  by: z.literal('signer'),
  code: z.string(),
  detail: z.string(),
});
export const Read = <S extends z.ZodMiniType>(value: S) =>
  z.discriminatedUnion('kind', [z.object({ kind: z.literal('read'), value }), Unreadable, NotNow]);
const Done = z.object({ kind: z.literal('done') });

/** The reply to each request, by its act. */
export const SIGNER_REPLIES = {
  hello: z.object({
    version: z.number(),
    boxKey: BoxKey,
    firstWeek: SpendingLimits,
    exchanges: z.array(LiveExchange),
    /** By the signer's clock, which judges deadlines; older signers leave it out. */
    nowMs: z.optional(Ms),
  }),
  check_key: Read(KeyReport),
  connect: Read(KeyReport),
  replace_key: Read(KeyReport),
  recheck: Read(KeyReport),
  disconnect: z.discriminatedUnion('kind', [Done, NotNow]),
  set_limits: z.discriminatedUnion('kind', [Done, NotNow]),
  start_agent: z.discriminatedUnion('kind', [Done, NotNow]),
  end_agent: z.discriminatedUnion('kind', [Done, NotNow]),
  place: PlaceOutcome,
  may_sell: z.discriminatedUnion('kind', [z.object({ kind: z.literal('yes') }), NotNow]),
  write_off: z.discriminatedUnion('kind', [Done, Unreadable, NotNow]),
  cancel: CancelOutcome,
  look_up: z.union([Lookup, NotNow]),
  open_orders: Read(z.array(VenueOrder)),
  closed_orders: Read(z.array(VenueOrder)),
  trades: Read(z.array(VenueFill)),
  balances: Read(z.array(VenueBalance)),
  pair_rules: Read(z.array(PairRules)),
  state: Read(ConnectionState),
} as const;
export type SignerReply<A extends SignerAsk['act']> = z.infer<(typeof SIGNER_REPLIES)[A]>;

/** What a signer answers to what it cannot read: an act that a newer server knows. */
export const NOT_A_REQUEST = 'not a request';

/** A request on the wire; `ask` is parsed once its length is known to be small enough. */
export const AskFrame = z.object({ id: z.number(), ask: z.unknown() });
export const ReplyFrame = z.object({
  id: z.number(),
  reply: z.optional(z.unknown()),
  /** The request could not be read or answered at all. */
  fault: z.optional(z.string()),
});
