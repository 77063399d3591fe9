/** The server of the model: receipts and generations as the real one keeps them. */
import type { Agent } from '../../../contract/agents.ts';
import type { AlertTerms } from '../../../contract/alerts.ts';
import type { AlertCommand, OutboxEntry } from '../../../src/offline/outbox-entry.ts';
import type { Answer } from '../../../src/offline/replies.ts';

export const USERS = ['ada', 'ben'] as const;
export const AGENTS = ['x', 'y', 'z'] as const;
export const ALERTS = [
  '00000000-0000-4000-9000-000000000001',
  '00000000-0000-4000-9000-000000000002',
] as const;
export type User = (typeof USERS)[number];

/** Ways to break queue or server, each of which the model must catch. */
export const MUTANTS = [
  'delete-before-send',
  'any-answer-is-success',
  'ignore-user',
  'coalesce-attempted',
  'new-id-each-try',
  'sign-out-keeps-queue',
  'no-receipts',
  'no-generation-check',
  'idle-stop-keeps-generation',
  'alert-forgets-attempted',
  'alert-keeps-version',
] as const;
export type Mutant = 'none' | (typeof MUTANTS)[number];

const asAgent = (id: string, { running, generation }: ServerAgent): Agent => ({
  id,
  name: id,
  trading_pairs: [],
  risk_profile: 'Conservative',
  max_position_size: 1,
  execution_interval: 'daily',
  enabled: running,
  pool: 'all_pools',
  tradingFrequency: 'daily',
  status: running ? 'running' : 'stopped',
  hold: null,
  generation,
  version: 1,
  quote: 'USD',
  openPositions: 0,
  realized: '0',
  unrealized: '0',
  fees: '0',
  total: '0',
  createdAt: 0,
  startedAt: null,
  stoppedAt: null,
  lastRunAt: null,
  nextRunAt: null,
});

/**
 * What one command says, save for its age: the same id with another body is refused by the server.
 */
const bodyOf = ({
  intent,
  agentId,
  agents,
  seenGeneration,
  confirmed,
  alert,
}: OutboxEntry): string =>
  JSON.stringify([intent, agentId, agents, seenGeneration, confirmed, alert]);

/** Null terms: deleted. */
interface ServerAlert {
  version: number;
  terms: AlertTerms | null;
}

interface ServerAgent {
  running: boolean;
  generation: number;
}

/** What became of one agent, as a reply tells it. */
interface AgentResult {
  agentId: string;
  outcome: string;
  code?: string;
  message?: string;
}

/** Receipts and generations as the real server keeps them, and a log of every effect. */
export class ModelServer {
  readonly agents = new Map<string, ServerAgent>();
  readonly alerts = new Map<string, ServerAlert>();
  readonly receipts = new Map<string, { answer: Answer; body: string }>();
  /** One id with two bodies. */
  readonly conflicts: string[] = [];
  readonly applied: { uid: string; commandId: string }[] = [];
  /** Commands taken for a user by a token of another. */
  readonly misdelivered: string[] = [];

  /** The command that each agent obeyed last. */
  readonly lastBy = new Map<string, string>();

  constructor(private readonly mutant: Mutant) {}

  agent(uid: string, id: string): ServerAgent {
    const key = `${uid}/${id}`;
    let agent = this.agents.get(key);
    if (agent === undefined) this.agents.set(key, (agent = { running: false, generation: 1 }));
    return agent;
  }

  alert(uid: string, id: string): ServerAlert | undefined {
    return this.alerts.get(`${uid}/${id}`);
  }

  /** Desired state by version, as the real server takes it. */
  private takeAlert(
    entry: OutboxEntry,
    { id, terms, seenVersion }: AlertCommand,
    receipt: string,
    uid: string,
  ): Answer {
    const refuse = (status: number, code: string): Answer => ({
      status,
      json: { error: { code, message: code } },
    });
    const known = this.alert(uid, id);
    const alive = known !== undefined && known.terms !== null;
    if (terms !== null && !alive && seenVersion !== null) return refuse(404, 'not_found');
    const same = alive && JSON.stringify(known.terms) === JSON.stringify(terms);
    if (terms !== null && alive && seenVersion !== known.version && !same)
      return refuse(409, 'alert_changed');
    const unchanged =
      (terms === null && !alive) || (terms !== null && alive && seenVersion !== known.version);
    if (!unchanged) this.alerts.set(`${uid}/${id}`, { version: (known?.version ?? 0) + 1, terms });
    this.applied.push({ uid, commandId: entry.commandId });
    const version = this.alert(uid, id)?.version ?? 1;
    const told =
      terms === null
        ? { alertId: id }
        : {
            alert: {
              id,
              ...terms,
              phase: 'watching',
              version,
              restsUntil: null,
              lastFiredAt: null,
              createdAt: 0,
            },
          };
    const answer: Answer = { status: 200, json: { commandId: entry.commandId, ...told } };
    this.receipts.set(receipt, { answer, body: bodyOf(entry) });
    return answer;
  }

  take(entry: OutboxEntry, tokenUid: string): Answer {
    if (entry.uid !== tokenUid) this.misdelivered.push(entry.commandId);
    const receipt = `${tokenUid}/${entry.commandId}`;
    const known = this.receipts.get(receipt);
    if (known !== undefined && this.mutant !== 'no-receipts') {
      if (known.body === bodyOf(entry)) return known.answer;
      this.conflicts.push(entry.commandId);
      return {
        status: 422,
        json: { error: { code: 'idempotency_mismatch', message: 'Another body' } },
      };
    }
    if (entry.alert !== undefined) return this.takeAlert(entry, entry.alert, receipt, tokenUid);
    const ids =
      entry.intent === 'stop-all'
        ? [...AGENTS]
        : entry.intent === 'start-all'
          ? entry.agents.map((agent) => agent.id)
          : [entry.agentId ?? ''];
    if (this.startIsStale(entry, tokenUid)) {
      return {
        status: 409,
        json: { error: { code: 'agent_changed', message: 'Changed meanwhile' } },
      };
    }
    const results = ids.map((id) => this.takeAgent(entry, id, tokenUid));
    this.applied.push({ uid: tokenUid, commandId: entry.commandId });
    const told = ids.map((id) => asAgent(id, this.agent(tokenUid, id)));
    const answer: Answer = {
      status: 200,
      json: {
        commandId: entry.commandId,
        ...(entry.agentId === null ? { results, agents: told } : { agent: told[0] }),
      },
    };
    this.receipts.set(receipt, { answer, body: bodyOf(entry) });
    return answer;
  }
  /** A start of one agent that was changed since the person saw it. */
  private startIsStale(entry: OutboxEntry, uid: string): boolean {
    if (entry.intent !== 'start') return false;
    const agent = this.agent(uid, entry.agentId ?? '');
    const changed =
      !agent.running && entry.seenGeneration !== null && entry.seenGeneration !== agent.generation;
    return changed && this.mutant !== 'no-generation-check';
  }

  /** What a command does to one of its agents. */
  private takeAgent(entry: OutboxEntry, id: string, uid: string): AgentResult {
    const starts = entry.intent === 'start' || entry.intent === 'start-all';
    const agent = this.agent(uid, id);
    const seen = entry.agents.find((one) => one.id === id)?.seenGeneration;
    // By its own merit, as the server does it: one that was changed meanwhile is refused, and the
    // others start.
    const stale =
      entry.intent === 'start-all' &&
      !agent.running &&
      seen !== undefined &&
      seen !== agent.generation;
    if (stale && this.mutant !== 'no-generation-check')
      return {
        agentId: id,
        outcome: 'refused',
        code: 'agent_changed',
        message: 'Changed meanwhile',
      };
    const unchanged = agent.running === starts;
    // A stop that finds the agent stopped still outdates every start pressed before it.
    if (!unchanged || (!starts && this.mutant !== 'idle-stop-keeps-generation'))
      agent.generation += 1;
    agent.running = starts;
    this.lastBy.set(`${uid}/${id}`, entry.commandId);
    if (unchanged) return { agentId: id, outcome: 'unchanged' };
    return { agentId: id, outcome: starts ? 'started' : 'stopped' };
  }
}
