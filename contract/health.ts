/** The health and readiness replies, which need no token. */
import * as z from 'zod/mini';

/** `app` tells a captive portal's page from the real server. */
export const Health = z.object({
  app: z.literal('tradewind'),
  status: z.literal('ok'),
  contract: z.number(),
  time: z.number(),
});
export type Health = z.infer<typeof Health>;
export const Readiness = z.object({
  app: z.literal('tradewind'),
  ready: z.boolean(),
  parts: z.record(z.string(), z.string()),
});
export type Readiness = z.infer<typeof Readiness>;
