/**
 * Sends the request for a new agent so that one draft makes one agent, however often it is sent.
 * Until the server's answer is known, the idempotency key stays beside the draft on the device.
 */
import * as z from 'zod/mini';
import { AgentCreateBody, type Agent } from '../../../../contract/agents.ts';
import type { Tested } from '../../../../contract/backtest-record.ts';
import { api } from '../../../api/api.ts';
import { ApiError } from '../../../api/api-error.ts';
import { samePerson } from '../../../identity/session.ts';
import { forgetRequest, keepRequest, readRequest } from './kept-request.ts';

/** The key, when it was first sent, and every request that was sent with it and may have arrived. */
const Unanswered = z.object({
  commandId: z.string(),
  sentAt: z.number(),
  bodies: z.array(AgentCreateBody),
});

export type SentRequest = z.output<typeof Unanswered>;

/** The request of a draft whose answer is not known; null where there is none. */
export const sentRequest = (draftName: string): SentRequest | null =>
  readRequest(draftName, Unanswered);

const entriesOf = (body: AgentCreateBody): string =>
  JSON.stringify(Object.entries(body).sort(([a], [b]) => (a < b ? -1 : 1)));

/** Whether two requests are for the same agent, started or not. */
export const isSameAgent = (a: AgentCreateBody, b: AgentCreateBody): boolean =>
  entriesOf({ ...a, enabled: false }) === entriesOf({ ...b, enabled: false });

/**
 * Refused by what creates agents, and so after the server looked for an earlier request with the key:
 * there was none. Any other error says nothing about that one.
 */
const isRefusedAtLast = (error: ApiError): boolean =>
  error.code === 'agent_cap_reached' ||
  (error.status >= 400 &&
    error.status < 500 &&
    ![401, 403, 426, 429].includes(error.status) &&
    !['invalid_request', 'bad_reply', 'unknown'].includes(error.code));

export interface Created {
  agent: Agent;
  /** The request that created it: this one, or an earlier one that arrived after all. */
  by: AgentCreateBody;
  /** Of the request: kept until the draft is settled too, see `forgetRequest`. */
  commandId: string;
  /** It was sent for the first time. Otherwise the agent may be old, and deleted since. */
  isFresh: boolean;
}

/**
 * The request before this one. Another form of the draft, or another tab, may have had its answer
 * and forgotten it: then the same entries are still the same request to a form that `saw` it.
 */
function requestBefore(
  draftName: string,
  body: AgentCreateBody,
  saw: SentRequest | null,
): SentRequest | null {
  const isSeen = saw?.bodies.some((one) => isSameAgent(one, body)) === true;
  return sentRequest(draftName) ?? (isSeen ? saw : null);
}

/**
 * Every request of a draft has the same key until one is answered, also when the entries have
 * changed meanwhile. So at most one of them takes effect: the server refuses the others as a used
 * key, and then the one that arrived is sent again, which answers with the agent that it created.
 * `tested`: the server leaves it out of the comparison. An aborted `signal` ends the attempts; the key
 * stays. The caller settles the draft and forgets the request in one go.
 */
export async function createOnce(
  draftName: string,
  body: AgentCreateBody,
  { saw = null, ...record }: { tested?: Tested; saw?: SentRequest | null } = {},
  signal?: AbortSignal,
): Promise<Created> {
  const isHere = samePerson();
  const before = requestBefore(draftName, body, saw);
  const earlier = before?.bodies.filter((one) => entriesOf(one) !== entriesOf(body)) ?? [];
  const commandId = before?.commandId ?? crypto.randomUUID();
  // Before it is sent: the page may be closed while the answer is on its way.
  const sent = { commandId, sentAt: before?.sentAt ?? Date.now(), bodies: [...earlier, body] };
  keepRequest(draftName, sent);
  try {
    const { agent } = await api.call('createAgent', {
      body: { ...body, ...record },
      commandId,
      ...(signal === undefined ? {} : { signal }),
    });
    return { agent, by: body, commandId, isFresh: before === null };
  } catch (error) {
    // Somebody else may be logged in by now, with a draft and a request of their own.
    if (!(error instanceof ApiError) || !isHere()) throw error;
    const isMismatch = error.code === 'idempotency_mismatch';
    const isOpen = error.mayHaveArrived || before !== null;
    if (!isMismatch && (isRefusedAtLast(error) || !isOpen)) {
      forgetRequest(draftName, commandId);
      throw error;
    }
    // Another form may have had an answer to this key; this one has not.
    if (sentRequest(draftName) === null) keepRequest(draftName, sent);
    if (isMismatch) return arrivedOf(draftName, commandId, earlier, error);
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
      return { agent, by, commandId, isFresh: false };
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 'idempotency_mismatch') throw error;
    }
  }
  forgetRequest(draftName, commandId);
  throw mismatch;
}
