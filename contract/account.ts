/** A user's own account on the wire: its data export in pages, and its deletion. */
import * as z from 'zod/mini';
import { LIVE_EXCHANGES } from './exchanges.ts';

/** In the order of the file. */
export const EXPORT_PARTS = [
  'profile',
  'signIn',
  'settings',
  'riskValues',
  'subscription',
  'checkouts',
  'testInvoices',
  'agents',
  'agentTests',
  'alerts',
  'alertFirings',
  'books',
  'bookAlarms',
  'positions',
  'orders',
  'fills',
  'ledger',
  'balances',
  'equity',
  'drawdowns',
  'decisions',
  'decisionCounts',
  'switches',
  'commands',
  'events',
  'pushDevices',
  'pushSettings',
  'pushMessages',
  'referralCode',
  'referrals',
  'planCredits',
  'supportRequests',
  'supportMessages',
  'linkedAddresses',
  'linkMessages',
  'exchangeAccounts',
  'exchangeReadings',
  'exchangeOrders',
  'exchangeOrderEvents',
  'exchangeTrades',
  'exchangeMovements',
  'exchangeWriteOffs',
  'exchangeAlarms',
  'exchangeExits',
  'exchangeFailedStops',
  'passkeys',
  'passkeyChallenges',
] as const;
export const ExportPart = z.enum(EXPORT_PARTS);
export type ExportPart = z.infer<typeof ExportPart>;
export const EXPORT_PAGE_ROWS = 2_000;

/** A `next` has at most this many characters. */
export const EXPORT_NEXT_MAX = 1_000;

/** `after` is the `next` of the page before. */
export const ExportPage = z.strictObject({
  part: ExportPart,
  after: z.optional(z.string().check(z.maxLength(EXPORT_NEXT_MAX))),
});

/** Times are ISO 8601 UTC, money is decimal text, and what has parts of its own is JSON text. */
export const ExportRows = z.object({
  columns: z.array(z.string()),
  rows: z.array(z.array(z.union([z.string(), z.number(), z.boolean(), z.null()]))),
  next: z.nullable(z.string()),
});
export type ExportRows = z.infer<typeof ExportRows>;

const ExchangeAccount = z.object({
  id: z.string(),
  exchange: z.enum(LIVE_EXCHANGES),
  label: z.string(),
});

/** What a deletion would end, asked before it is confirmed. */
export const DeletionPreview = z.object({
  agents: z.number(),
  running: z.number(),
  /** Open ones of paper accounts. */
  positions: z.number(),
  /**
   * Exchange accounts that are still connected: while there is one, the account is not deleted.
   * Absent in replies of servers from before.
   */
  connected: z.optional(z.array(ExchangeAccount)),
  /**
   * By removed exchange account, the coins that agents bought there and did not sell, as last read.
   * Absent in replies of servers from before.
   */
  coinsLeft: z.optional(z.array(z.extend(ExchangeAccount, { coins: z.array(z.string()) }))),
  /**
   * What of it is remembered of the address: each is for once. Absent in replies of servers from
   * before, which remember nothing.
   */
  remembered: z.optional(z.object({ trial: z.boolean(), invited: z.boolean() })),
  /** The plan that is cancelled with it, in words of the plan list; null without one. */
  plan: z.nullable(
    z.object({
      tier: z.string(),
      paidUntil: z.nullable(z.number()),
      provider: z.enum(['stripe', 'test']),
    }),
  ),
});
export type DeletionPreview = z.infer<typeof DeletionPreview>;

/** How long it is remembered that a deleted account's address has used the trial or a code. */
export const USED_OFFERS_KEEP_DAYS = 730;

/** The word a person types to delete their account. */
export const DELETION_WORD = 'DELETE';
/** A sign-in older than this must be made again before an account is deleted. */
export const RECENT_SIGN_IN_MS = 5 * 60_000;

export const DeleteAccount = z.strictObject({
  confirm: z.literal(DELETION_WORD, { error: `Type ${DELETION_WORD}` }),
});
/**
 * `under-way`: some part did not answer; the server goes on by itself, and nobody enters by the
 * account meanwhile.
 */
export const DeletionReply = z.object({ state: z.enum(['done', 'under-way']) });
