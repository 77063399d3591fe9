/** A preview of a plan change, and past invoices. */
import * as z from 'zod/mini';
import { AgentStatus } from './agents.ts';
import { DecimalText } from './decimal-text.ts';
import { SubscriptionState } from './subscription-state.ts';
import { Permission, Tier } from './permission.ts';

/** `planId` is one of the plans; `free` asks what it means that the present plan or trial ends. */
export const ChangePreviewQuery = z.object({
  planId: z.string().check(z.minLength(1, 'Required'), z.maxLength(1000)),
});

/**
 * What becomes of one agent. `opens`: goes on as it is. `exits_only`: it opens nothing more, and
 * its stops and exits go on. `stopped`: it is stopped already and stays so; starting it follows the
 * new plan.
 */
const AgentEffect = z.enum(['opens', 'exits_only', 'stopped']);
type AgentEffect = z.infer<typeof AgentEffect>;

export const AgentConsequence = z.object({
  id: z.string(),
  name: z.string(),
  status: AgentStatus,
  openPositions: z.number(),
  effect: AgentEffect,
  /**
   * Why it opens nothing more: `over_cap`, the plan has no place for it; `no_plan`, agents need a
   * plan.
   */
  reason: z.nullable(z.enum(['over_cap', 'no_plan'])),
  /** Whether it could be started (again) under the new plan while the others are as they are. */
  mayStart: z.boolean(),
});
export type AgentConsequence = z.infer<typeof AgentConsequence>;

/**
 * The part that follows from a tier and the agents alone: `contract/consequences.ts` computes it,
 * on either side.
 */
export const Consequences = z.object({
  to: Tier,
  /** How many agents the tier has places for. */
  places: z.number(),
  agents: z.array(AgentConsequence),
  /** Permissions that come and go; of one with a count the new count, where it differs. */
  gained: z.array(Permission),
  lost: z.array(Permission),
});
export type Consequences = z.infer<typeof Consequences>;

/** Money of a change. Amounts are decimal text in `currency`; a credit is negative. */
export const ChargePreview = z.object({
  /** What is charged at once; `0` where nothing is. */
  dueNow: DecimalText,
  /** What is left over for later invoices, as a positive amount; `0` where nothing is. */
  credit: DecimalText,
  /**
   * What the plan costs each period from then on, and when that is charged first; `at` null where
   * it is charged now.
   */
  renewal: z.object({
    amount: DecimalText,
    interval: z.enum(['month', 'year']),
    at: z.nullable(z.number()),
  }),
  currency: z.string(),
  lines: z.array(z.object({ text: z.string(), amount: DecimalText })),
});
export type ChargePreview = z.infer<typeof ChargePreview>;

/**
 * `start`: a first or a new plan. `upgrade`, `downgrade`: another plan in place of a living one, at
 * once. `end`: the plan or trial ends at `effectiveAt`. `none`: the plan is the present one
 * already.
 */
export const ChangeKind = z.enum(['start', 'upgrade', 'downgrade', 'end', 'none']);
export type ChangeKind = z.infer<typeof ChangeKind>;

export const ChangePreview = z.extend(Consequences, {
  planId: z.string(),
  kind: ChangeKind,
  from: Tier,
  standing: SubscriptionState,
  /**
   * When it comes into force (wall clock, ms): now, the end of what is paid, the end of the grace
   * or of the trial.
   */
  effectiveAt: z.number(),
  /** Null where nothing is charged, and where the provider could not say. */
  charge: z.nullable(ChargePreview),
  servedAt: z.number(),
});
export type ChangePreview = z.infer<typeof ChangePreview>;

export const InvoiceStatus = z.enum(['draft', 'open', 'paid', 'void', 'uncollectible']);
export const Invoice = z.object({
  id: z.string(),
  /** The number that is printed on it; null for a draft. */
  number: z.nullable(z.string()),
  createdAt: z.number(),
  amount: DecimalText,
  currency: z.string(),
  status: InvoiceStatus,
  /** What it is for, in a few words; may be empty. */
  text: z.string(),
  /**
   * The provider's page for it: an absolute address, or a path of this server; null where there is
   * none.
   */
  url: z.nullable(z.string()),
});
export type Invoice = z.infer<typeof Invoice>;
/** The newest first; older ones are in the billing portal. */
export const Invoices = z.object({
  invoices: z.array(Invoice),
  more: z.boolean(),
  servedAt: z.number(),
});
export type Invoices = z.infer<typeof Invoices>;
