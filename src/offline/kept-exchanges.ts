/** Exchange accounts as a device keeps them, without a word on what is in them. */
import * as z from 'zod/mini';

export const KeptExchanges = z.object({
  savedAt: z.number(),
  connections: z.array(z.unknown()),
  accounts: z.array(z.object({ savedAt: z.number(), account: z.unknown() })),
});
export type KeptExchanges = z.infer<typeof KeptExchanges>;
