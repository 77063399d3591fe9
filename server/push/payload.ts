/**
 * Builds one push message with the user's current state, within the size limit. The agent concerned
 * always fits.
 */
import type { Agent, AgentList } from '../../contract/agents.ts';
import {
  PUSH_PAYLOAD_MAX_BYTES,
  PushedPortfolio,
  type PushFacts,
  type PushKind,
  type PushPayload,
} from '../../contract/push.ts';
import type { Fill, Portfolio } from '../../contract/trading.ts';

export interface PushMessage {
  id: string;
  uid: string;
  kind: PushKind;
  facts: PushFacts;
  fill: Fill | null;
  showDetails: boolean;
}

const bytes = (value: unknown): number => Buffer.byteLength(JSON.stringify(value), 'utf8');

/** What a name or a sentence of a guard may take; the rest of a message has a size of its own. */
const TEXT_MAX = 160;
const short = (facts: PushFacts): PushFacts => ({
  ...facts,
  ...(facts.text === undefined ? {} : { text: facts.text.slice(0, TEXT_MAX) }),
});

/**
 * The agent concerned goes first, then the portfolio, the fill and the other agents while there is
 * room. A part that does not fit is left out, never cut.
 */
export function buildPayload(
  message: PushMessage,
  list: AgentList,
  portfolio: Portfolio | null,
  sentAt: number,
): PushPayload {
  const payload: PushPayload = {
    version: 1,
    id: message.id,
    uid: message.uid,
    kind: message.kind,
    facts: short(message.facts),
    showDetails: message.showDetails,
    sentAt,
    sequence: list.sequence,
    state: {
      agents: [],
      wholeAgents: list.agents.length === 0,
      asOf: list.asOf,
      portfolio: null,
      fill: null,
    },
  };
  const put = (state: Partial<PushPayload['state']>): void => {
    const next = { ...payload, state: { ...payload.state, ...state } };
    if (bytes(next) <= PUSH_PAYLOAD_MAX_BYTES) payload.state = next.state;
  };
  const about = list.agents.find((agent) => agent.id === message.facts.agentId);
  if (about !== undefined) put({ agents: [about] });
  if (portfolio !== null) {
    // Parsing strips the curve, and anything else the message has no room for.
    put({ portfolio: PushedPortfolio.parse(portfolio) });
  }
  if (message.fill !== null) put({ fill: message.fill });
  for (const agent of list.agents)
    if (agent !== about) put({ agents: [...payload.state.agents, agent] });
  const told = new Map<string, Agent>(payload.state.agents.map((agent) => [agent.id, agent]));
  const whole = list.agents.every((agent) => told.has(agent.id));
  // In the server's order, so that a whole list can stand for it.
  payload.state.agents = list.agents.filter((agent) => told.has(agent.id));
  payload.state.wholeAgents = whole;
  return payload;
}
