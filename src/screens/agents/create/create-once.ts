/**
 * Sends the request for a new agent so that one draft makes one agent, however often it is sent.
 * Until the server's answer is known, the idempotency key stays beside the draft on the device.
 */
import * as z from 'zod/mini';
import { AgentCreateBody, type Agent } from '../../../../contract/agents.ts';
import type { Tested } from '../../../../contract/backtest-record.ts';
import { api } from '../../../api/api.ts';
import { ApiError } from '../../../api/api-error.ts';
import { onPurge, session } from '../../../identity/session.ts';
import { TokenFault } from '../../../identity/token.ts';
import { hasDraft, keepDraft, readDraft, requestOf } from './kept-draft.ts';

/** The key, and every request that was sent with it and may have arrived. */
const Unanswered = z.object({ commandId: z.string(), bodies: z.array(AgentCreateBody) });
type Unanswered = z.infer<typeof Unanswered>;

/** Where the device keeps nothing, the key lasts as long as the page. */
const unkept = new Map<string, Unanswered>();
onPurge(() => {
  unkept.clear();
  return Promise.resolve();
});

const memoryKey = (draftName: string): string => `${session.user?.uid ?? ''} ${draftName}`;

function readUnanswered(draftName: string): Unanswered | null {
  return readDraft(requestOf(draftName), Unanswered) ?? unkept.get(memoryKey(draftName)) ?? null;
}

function keepUnanswered(draftName: string, next: Unanswered | null): void {
  unkept.delete(memoryKey(draftName));
  keepDraft(requestOf(draftName), next);
  if (next !== null && readDraft(requestOf(draftName), Unanswered) === null)
    unkept.set(memoryKey(draftName), next);
}

/** Whether this draft was sent and the server's answer is not known. */
export function isUnanswered(draftName: string): boolean {
  return (
    unkept.has(memoryKey(draftName)) || hasDraft(requestOf(draftName), session.user?.uid ?? '')
  );
}

const entriesOf = (body: AgentCreateBody): string =>
  JSON.stringify(Object.entries(body).sort(([a], [b]) => (a < b ? -1 : 1)));

/** Whether two requests are for the same agent, started or not. */
export const isSameAgent = (a: AgentCreateBody, b: AgentCreateBody): boolean =>
  entriesOf({ ...a, enabled: false }) === entriesOf({ ...b, enabled: false });

/** The server may have acted on it. */
export const isUnknownOutcome = (error: unknown): boolean =>
  error instanceof ApiError &&
  !(error.cause instanceof TokenFault) &&
  (error.status === 0 || error.status >= 500);

/** Refused before the server looked for an earlier request: it says nothing about that one. */
const isBeforehand = (error: ApiError): boolean =>
  error.cause instanceof TokenFault ||
  ([401, 403, 426, 429].includes(error.status) && error.code !== 'agent_cap_reached');

export interface Created {
  agent: Agent;
  /** The request that created it: this one, or an earlier one that arrived after all. */
  by: AgentCreateBody;
}

/**
 * Every request of a draft has the same key until one is answered, also when the entries have
 * changed meanwhile. So at most one of them takes effect: the server refuses the others as a used
 * key, and then the one that arrived is sent again, which answers with the agent that it created.
 * `record`: of a backtest. The server leaves it out of the comparison.
 */
export async function createOnce(
  draftName: string,
  body: AgentCreateBody,
  record: { tested?: Tested } = {},
): Promise<Created> {
  const before = readUnanswered(draftName);
  const earlier = before?.bodies.filter((one) => entriesOf(one) !== entriesOf(body)) ?? [];
  const commandId = before?.commandId ?? crypto.randomUUID();
  // Before it is sent: the page may be closed while the answer is on its way.
  keepUnanswered(draftName, { commandId, bodies: [...earlier, body] });
  try {
    const { agent } = await api.call('createAgent', {
      body: { ...body, ...record },
      commandId,
    });
    keepUnanswered(draftName, null);
    return { agent, by: body };
  } catch (error) {
    if (!(error instanceof ApiError) || isUnknownOutcome(error)) throw error;
    if (error.code === 'idempotency_mismatch')
      return arrivedOf(draftName, commandId, earlier, error);
    keepUnanswered(draftName, isBeforehand(error) ? before : null);
    throw error;
  }
}

/** The earlier request that arrived, and its agent. */
async function arrivedOf(
  draftName: string,
  commandId: string,
  earlier: readonly AgentCreateBody[],
  mismatch: ApiError,
): Promise<Created> {
  for (const by of [...earlier].reverse()) {
    try {
      const { agent } = await api.call('createAgent', { body: by, commandId });
      keepUnanswered(draftName, null);
      return { agent, by };
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 'idempotency_mismatch') throw error;
    }
  }
  keepUnanswered(draftName, null);
  throw mismatch;
}
