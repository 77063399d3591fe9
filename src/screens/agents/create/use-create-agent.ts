/**
 * Creates an agent from a draft, and says what is known of it where the server's answer is missing.
 */
import { useEffect, useState } from 'react';
import { useSnapshot } from 'valtio';
import type { Agent, AgentCreateBody } from '../../../../contract/agents.ts';
import { startAgent } from '../../../commands.ts';
import { samePerson } from '../../../identity/session.ts';
import { agentsStore, applyAgent, loadAgents } from '../../../stores/agents-store.ts';
import { connection } from '../../../stores/connection.ts';
import { backtestRecord } from '../../../stores/started-backtests.ts';
import { pageToast } from '../../../stores/toast-store.ts';
import { showResult } from '../../show-result.ts';
import { useIsHere } from '../../use-is-here.ts';
import { checkDraft, formIssues, previewOf, serverIssues, type AgentDraft } from './agent-draft.ts';
import { isSameAgent, sentRequest, type Created } from './create-once.ts';
import { forgetRequest, isUnanswered } from './kept-request.ts';
import { createUnlessStopped, holdToStopAll, watchStopAll } from './stop-all-meanwhile.ts';

export interface Creating {
  busy: boolean;
  /** What belongs to no field: an error, or that an earlier request got no answer. */
  failure: string | null;
  /**
   * Resolves to messages by field; null where the agent was created, the error belongs to no field,
   * or the form has been left.
   */
  create: (draft: AgentDraft, start: boolean) => Promise<Record<string, string> | null>;
}

/** The exchange account an agent will trade, and whether a twin on paper runs beside it. */
export interface LiveTerms {
  connectionId: string;
  shadow: boolean;
}

interface CreateOptions {
  /** The draft's name among the kept ones. */
  draftName: string;
  /** Null for paper. */
  live?: LiveTerms | null;
  /** The draft is an agent now. False where it was changed after it was sent: that is kept. */
  onSettled: (sent: AgentDraft) => boolean;
  /** Called unless something was typed since. */
  onCreated: (agent: Agent) => void;
}

const MAY_EXIST = 'The agent may have been created. Pressing again does not create a second one.';

/** Of a form that is opened again while the answer to its request is not known. */
const earlierRequest = (draftName: string): string | null =>
  isUnanswered(draftName) ? `An earlier request has no answer yet. ${MAY_EXIST}` : null;

/** The press decides whether an agent that an earlier press has created runs. */
function agree({ agent, by, isFresh }: Created, start: boolean): void {
  const present = agentsStore.data?.agents.find(({ id }) => id === agent.id) ?? agent;
  if (by.enabled === start) {
    // Not started by itself: its stop was pressed after the press that created it.
    if (start && !isFresh && agent.status !== 'stopped' && present.status === 'stopped')
      pageToast(
        'blank',
        `${agent.name} was created by an earlier press and stopped since. Press Start to run it.`,
      );
    return;
  }
  if (start && present.status === 'stopped') showResult(startAgent(present));
  // Not stopped by itself: since then the user may have seen it run, and want that.
  if (!start && present.status !== 'stopped')
    pageToast(
      'blank',
      `${agent.name} was already created and started by an earlier press. Press Stop if it should not run.`,
    );
}

/** What an earlier press has led to, where that is not the agent that is wanted now. */
function otherThanWanted({ agent, by }: Created, wanted: AgentCreateBody): string | null {
  if (!isSameAgent(by, wanted))
    return `${agent.name} was already created by an earlier press, with the entries at that time. Press again to create another with these.`;
  const isListed = agentsStore.data?.agents.some(({ id }) => id === agent.id) === true;
  return isListed || agentsStore.status !== 'ready'
    ? null
    : `${agent.name} was created by an earlier press and has been deleted since. Press again to create it anew.`;
}

export function useCreateAgent({
  draftName,
  live = null,
  onSettled,
  onCreated,
}: CreateOptions): Creating {
  const { online } = useSnapshot(connection);
  const [busy, setBusy] = useState(false);
  /** How often the server's answer stayed out; 0 where it is known. */
  const [unanswered, setUnanswered] = useState(() => (isUnanswered(draftName) ? 1 : 0));
  const [failure, setFailure] = useState<string | null>(null);
  const isHere = useIsHere();
  /** The last request that this form saw. Another one may have had its answer, and forgotten it. */
  const [saw] = useState(() => ({ last: sentRequest(draftName) }));
  // The list says whether it was created, as soon as the server can be asked.
  useEffect(() => {
    if (unanswered > 0 && online === 'online') void loadAgents(true);
  }, [unanswered, online]);

  /** On the form, or in a toast where it has been left. */
  const say = (name: string, sentence: string | null): void => {
    if (isHere.current) setFailure(sentence);
    else if (sentence !== null) pageToast('error', `${name.trim()}: ${sentence}`);
  };
  const refused = (error: unknown, { name }: AgentDraft): Record<string, string> | null => {
    const { fields, form } = serverIssues(error);
    if (form === undefined && isHere.current) return fields;
    const sentence = form ?? Object.values(fields)[0] ?? null;
    say(name, isUnanswered(draftName) ? `${sentence ?? ''} ${MAY_EXIST}`.trim() : sentence);
    return null;
  };
  const create: Creating['create'] = async (draft, start) => {
    const checked = checkDraft(draft, start);
    if (!checked.ok) return formIssues(checked.issues);
    const wanted = { ...checked.value, ...live };
    const isTheirs = samePerson();
    setBusy(true);
    setFailure(null);
    const stopAll = watchStopAll();
    try {
      const made = await createUnlessStopped(stopAll, draftName, wanted, {
        ...backtestRecord(previewOf(draft)),
        saw: saw.last,
      });
      // Whether it was deleted since. The draft and its key stay until then: the page may be left.
      if (!made.isFresh) await loadAgents(true);
      if (!isTheirs()) return null;
      forgetRequest(draftName, made.commandId);
      // A list that could not be read does not have it, and its page would call it deleted.
      if (made.isFresh || agentsStore.status !== 'ready') applyAgent(made.agent, null);
      const other = otherThanWanted(made, wanted);
      if (other !== null) {
        say(draft.name, other);
        return null;
      }
      const isDone = onSettled(draft);
      if (start && stopAll.signal.aborted) holdToStopAll(made);
      else agree(made, start);
      if (made.isFresh) void loadAgents(true);
      // Whoever has gone on elsewhere is not taken from there.
      if (isDone && isHere.current) onCreated(made.agent);
      else if (isDone) pageToast('blank', `${made.agent.name} was created.`);
      else pageToast('blank', `${made.agent.name} was created. Your entries since then are kept.`);
      return null;
    } catch (error) {
      return isTheirs() ? refused(error, draft) : null;
    } finally {
      stopAll.end();
      saw.last = sentRequest(draftName);
      setBusy(false);
      setUnanswered((times) => (isUnanswered(draftName) ? times + 1 : 0));
    }
  };
  return { busy, failure: failure ?? (busy ? null : earlierRequest(draftName)), create };
}
