/** The type of a queued command for screens, which may not import the queue. */
import type { queue } from '../commands.ts';

export type OutboxEntryView = (typeof queue)['entries'][number];
