/**
 * Creates an agent. A repeated press after a lost answer reuses the idempotency key, so that no
 * second agent is made.
 */
import { useRef, useState } from 'react';
import type { Agent } from '../../../../contract/agents.ts';
import { api } from '../../../api/api.ts';
import { loadAgents } from '../../../stores/agents-store.ts';
import { backtestRecord } from '../../../stores/started-backtests.ts';
import { checkDraft, formIssues, previewOf, serverIssues, type AgentDraft } from './agent-draft.ts';

export interface Creating {
  busy: boolean;
  /** An error that belongs to no field. */
  failure: string | null;
  /**
   * Resolves to messages by field; null where the agent was created or the error belongs to no
   * field.
   */
  create: (draft: AgentDraft, start: boolean) => Promise<Record<string, string> | null>;
}

/** The exchange account an agent will trade, and whether a twin on paper runs beside it. */
export interface LiveTerms {
  connectionId: string;
  shadow: boolean;
}

/** `live`: null for paper. */
export function useCreateAgent(
  onCreated: (agent: Agent) => void,
  live: LiveTerms | null = null,
): Creating {
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<string | null>(null);
  /**
   * One idempotency key per body: a retry after an unknown outcome cannot create a second agent,
   * and a changed body gets a new key.
   */
  const request = useRef({ body: '', commandId: '' });
  const create: Creating['create'] = async (draft, start) => {
    const checked = checkDraft(draft, start);
    if (!checked.ok) return formIssues(checked.issues);
    const body = JSON.stringify([checked.value, live]);
    if (request.current.body !== body) request.current = { body, commandId: crypto.randomUUID() };
    setBusy(true);
    setFailure(null);
    try {
      const reply = await api.call('createAgent', {
        body: {
          ...checked.value,
          ...backtestRecord(previewOf(draft)),
          ...live,
        },
        commandId: request.current.commandId,
      });
      await loadAgents(true);
      onCreated(reply.agent);
      return null;
    } catch (error) {
      const { fields, form } = serverIssues(error);
      setFailure(form ?? null);
      return form === undefined ? fields : null;
    } finally {
      setBusy(false);
    }
  };
  return { busy, failure, create };
}
