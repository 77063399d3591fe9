/** A failed reply on the wire. Its codes are in `errors.ts`. */
import * as z from 'zod/mini';

export const FieldIssue = z.object({ field: z.string(), message: z.string() });
export type FieldIssue = z.infer<typeof FieldIssue>;

/**
 * Body of every failed reply. `code` is text on the wire, so that an older client survives a newer
 * code.
 */
export const ErrorReply = z.object({
  error: z.object({
    code: z.string(),
    message: z.string(),
    /** The first field at fault, as a path such as `trading_pairs.0`. */
    field: z.optional(z.string()),
    issues: z.optional(z.array(FieldIssue)),
    retryAfterMs: z.optional(z.number()),
    /**
     * What the caller needs to go on, such as the checkout of a 402 or the fresh version of a 409.
     */
    details: z.optional(z.record(z.string(), z.unknown())),
  }),
});
export type ErrorReply = z.infer<typeof ErrorReply>;
