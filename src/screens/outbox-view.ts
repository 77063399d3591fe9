/** The type of a queued command as screens see it; refuses to reach into the queue itself. */
import type { queue } from '../commands.ts';

export type OutboxEntryView = (typeof queue)['entries'][number];
