/**
 * The kept exchange accounts. What is in them is read by `src/stores/live-store.ts`, so that a start
 * does without their schemas.
 */
import * as z from 'zod/mini';
import { ownSnapshot } from '../snapshot-kind.ts';

export const exchanges = ownSnapshot(
  z.object({
    savedAt: z.number(),
    connections: z.array(z.unknown()),
    accounts: z.array(z.object({ savedAt: z.number(), account: z.unknown() })),
  }),
);
