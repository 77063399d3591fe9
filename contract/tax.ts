/** Tax lots of an account, first in, first out, always marked as paper. */
import * as z from 'zod/mini';
import { OtherFee } from './agents.ts';
import { DecimalText } from './decimal-text.ts';

export const TAX_PAGE_ROWS = 2_000;

/** Asked for page by page: `after` and `through` are what the page before said. */
export const TaxLotsQuery = z.object({
  book: z.optional(z.coerce.number().check(z.int(), z.gte(1), z.lte(1_000_000))),
  /** UTC year of the sale; every year where none is named. */
  year: z.optional(z.coerce.number().check(z.int(), z.gte(1970), z.lte(9999))),
  /** `yes`: what is still held comes after what was sold. */
  held: z.optional(z.enum(['yes', 'no'])),
  after: z.optional(z.coerce.number().check(z.int(), z.gte(0), z.lte(100_000_000))),
  /** Only so many trades of the book are counted, so that all pages are of one moment. */
  through: z.optional(z.coerce.number().check(z.int(), z.gte(0), z.lte(100_000_000))),
});

/**
 * A part of a purchase and its sale. What has not been sold yet has no sale. What an agent wrote off
 * (`reason` `written_off`), or left to the person as too little to sell (`dust_left`), was given over
 * at its cost: it has a time, and neither proceeds nor gain. What a live account sold beyond what was
 * bought here has basis 0, nobody as `acquiredBy`, and is acquired when it is sold. Times on the
 * market clock, ms.
 */
export const TaxLot = z.object({
  pair: z.string(),
  quantity: DecimalText,
  acquiredAt: z.number(),
  disposedAt: z.nullable(z.number()),
  /** Received, the fee of the sale taken off. */
  proceeds: z.nullable(DecimalText),
  /** Paid, the fee of the purchase included. */
  basis: DecimalText,
  /** proceeds − basis. */
  gain: z.nullable(DecimalText),
  /** Of both ends; inside proceeds and basis already. */
  fees: DecimalText,
  /**
   * Of both ends too, what an exchange charged in other coins than the quote currency: those in the
   * coin traded are in `quantity`, those in a third coin in nothing else here. Absent where there
   * were none, as on paper, and from older servers.
   */
  otherFees: z.optional(z.array(OtherFee)),
  /** Held for more than a year. */
  long: z.nullable(z.boolean()),
  /** Names of agents. */
  acquiredBy: z.string(),
  disposedBy: z.nullable(z.string()),
  reason: z.nullable(z.string()),
});
export type TaxLot = z.infer<typeof TaxLot>;

export const TaxSums = z.object({
  /** Those that were sold. */
  lots: z.number(),
  proceeds: DecimalText,
  basis: DecimalText,
  gain: DecimalText,
  fees: DecimalText,
  /** Of these lots, by coin. */
  otherFees: z.optional(z.array(OtherFee)),
});
export type TaxSums = z.infer<typeof TaxSums>;

/**
 * What is held of one pair: what it cost first in, first out, and what it cost on average, as the
 * screens count it.
 */
export const HeldLots = z.object({
  pair: z.string(),
  lots: z.number(),
  quantity: DecimalText,
  basis: DecimalText,
  averageCost: DecimalText,
});
export type HeldLots = z.infer<typeof HeldLots>;

export const TaxLots = z.object({
  paper: z.literal(true),
  /** The market the account trades on. */
  source: z.string(),
  quote: z.string(),
  book: z.number(),
  asOf: z.number(),
  through: z.number(),
  /** UTC years with a sale, oldest first. */
  years: z.array(z.number()),
  /** Of the year that was asked for, or of all. */
  sums: TaxSums,
  all: TaxSums,
  held: z.array(HeldLots),
  /**
   * What the portfolio calls realised: `all.gain` + Σ (averageCost − basis) of what is held, to the
   * last digit. Where coins were written off, Σ (their average cost − basis) of these lots too.
   */
  realized: DecimalText,
  rows: z.array(TaxLot),
  /** How many rows there are in all; `after` of the next page, null on the last. */
  total: z.number(),
  next: z.nullable(z.number()),
});
export type TaxLots = z.infer<typeof TaxLots>;
