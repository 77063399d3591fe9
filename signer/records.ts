/**
 * What the signer writes down before and after it acts. Its state is these records read from the
 * first to the last.
 */
import * as z from 'zod/mini';
import {
  KeyFault,
  LiveExchange,
  OrderIntent,
  SpendingLimits,
  StepUpKey,
} from '../contract/signer.ts';
import { KeyPermissions, PlaceOutcome, VenueFill, VenueOrder } from '../contract/venue.ts';

const Amount = VenueOrder.shape.quantity;
const Signed = VenueFill.shape.fees.def.element.shape.amount;
const At = { atMs: z.number() };
const Of = { connectionId: z.string() };

export const SignerRecord = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('connected'),
    ...At,
    ...Of,
    ownerId: z.string(),
    accountId: z.string(),
    exchange: LiveExchange,
    limits: SpendingLimits,
    stepUpKeys: z.array(StepUpKey),
    portfolioId: z.nullable(z.string()),
  }),
  z.object({
    kind: z.literal('checked'),
    ...At,
    ...Of,
    faults: z.array(KeyFault),
    /** Null where the exchange did not say; absent in older records. */
    permissions: z.optional(z.nullable(KeyPermissions)),
  }),
  z.object({ kind: z.literal('disconnected'), ...At, ...Of }),
  z.object({ kind: z.literal('limits'), ...At, ...Of, limits: SpendingLimits }),
  z.object({ kind: z.literal('enrolled'), ...At, ...Of, key: StepUpKey }),
  /** `counter`: what a passkey said of itself; absent where it is none. */
  z.object({
    kind: z.literal('step_up'),
    ...At,
    nonce: z.string(),
    connectionId: z.optional(z.string()),
    keyId: z.optional(z.string()),
    counter: z.optional(z.number()),
  }),
  z.object({ kind: z.literal('agent'), ...At, ...Of, agentId: z.string(), started: z.boolean() }),
  /**
   * On disk before a byte of the order leaves. `worstPrice` is what a unit may cost at most, or bring
   * at least; `floor`, the same where the book does not show enough for a market sale.
   */
  z.object({
    kind: z.literal('sending'),
    ...At,
    intent: OrderIntent,
    worstPrice: Amount,
    floor: z.optional(Amount),
  }),
  z.object({
    kind: z.literal('outcome'),
    ...At,
    clientOrderId: z.string(),
    outcome: PlaceOutcome,
  }),
  /** The order as the exchange last showed it. */
  z.object({
    kind: z.literal('seen'),
    ...At,
    clientOrderId: z.string(),
    exchangeOrderId: z.string(),
    status: VenueOrder.shape.status,
    filled: Amount,
  }),
  /** Proved never to have existed; of a sale that was confirmed, not to exist any more. */
  z.object({ kind: z.literal('absent'), ...At, clientOrderId: z.string() }),
  z.object({ kind: z.literal('fill'), ...At, ...Of, clientOrderId: z.string(), fill: VenueFill }),
  /**
   * Coins that the account has not got any more, or dust that is the person's. `unrealised`: what
   * they were worth above their cost for the day's loss, which stays as it was.
   */
  z.object({
    kind: z.literal('written_off'),
    ...At,
    ...Of,
    writeOffId: z.string(),
    symbol: z.string(),
    quantity: Amount,
    unrealised: Signed,
    isDust: z.optional(z.boolean()),
  }),
  /** No request of this address (`address`) or connection may leave before `untilMs`. */
  z.object({
    kind: z.literal('ban'),
    ...At,
    exchange: LiveExchange,
    scope: z.string(),
    untilMs: z.number(),
  }),
  /**
   * What open positions were worth above their cost when the day was first looked at. `unmarked`:
   * those without a price, as worth nothing; each is written again with its first price.
   */
  z.object({
    kind: z.literal('day'),
    ...At,
    ...Of,
    day: z.string(),
    unrealised: Signed,
    unmarked: z.optional(z.array(z.object({ symbol: z.string(), quantity: Amount }))),
  }),
]);
export type SignerRecord = z.infer<typeof SignerRecord>;
