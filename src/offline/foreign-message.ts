/** Parses what another build tells of a delivery. Loaded when such a message comes. */
import * as z from 'zod/mini';
import { Agent } from '../../contract/agents.ts';
import { Alert } from '../../contract/alerts.ts';

const Told = z.object({ agents: z.array(Agent), alert: z.optional(z.nullable(Alert)) });

export function parseTold(raw: unknown): z.infer<typeof Told> | null {
  const parsed = Told.safeParse(raw);
  return parsed.success ? parsed.data : null;
}
