/**
 * Answers calls from recorded replies, for a build that runs without a server. Its price source is
 * labelled as recorded.
 */
import type { Agent } from '../../contract/agents.ts';
import type { Alert, AlertTerms } from '../../contract/alerts.ts';
import { CALLS, type CallName } from '../../contract/calls.ts';
import { ERROR_STATUS, type ErrorCode } from '../../contract/errors.ts';
import { IDEMPOTENCY_HEADER } from '../../contract/version.ts';
import { LINK_MESSAGE_LIFE_MS } from '../../contract/wallet.ts';
import {
  recordAgent,
  recordedReplies,
  type RecordedState,
  recordState,
} from './recorded-replies.ts';

const TRIAL_MS = 14 * 24 * 60 * 60_000;

interface Matched {
  name: CallName;
  params: Record<string, string>;
}

/** The call of the contract for a request. Literal paths win over `:id`. */
function match(method: string, path: string): Matched | null {
  const found: Matched[] = [];
  for (const [name, call] of Object.entries(CALLS)) {
    if (call.method !== method) continue;
    const keys = [...call.path.matchAll(/:(\w+)/g)].map((hit) => hit[1] ?? '');
    const hit = new RegExp(`^${call.path.replace(/:\w+/g, '([^/]+)')}$`).exec(path);
    if (hit !== null)
      found.push({
        name: name as CallName,
        params: Object.fromEntries(
          keys.map((key, index) => [key, decodeURIComponent(hit[index + 1] ?? '')]),
        ),
      });
  }
  return (
    found.sort((a, b) => Object.keys(a.params).length - Object.keys(b.params).length)[0] ?? null
  );
}

const json = (status: number, body: unknown): Response =>
  new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json' } });

const refuse = (code: ErrorCode, message: string): Response =>
  json(ERROR_STATUS[code], { error: { code, message } });

function setStatus(agent: Agent, running: boolean, now: number): Agent {
  agent.status = running ? 'running' : 'stopped';
  agent.enabled = running;
  agent.generation += 1;
  if (running) agent.startedAt = now;
  else agent.stoppedAt = now;
  return agent;
}

interface Change {
  state: RecordedState;
  agent: Agent | undefined;
  id: string;
  body: Record<string, unknown>;
  now: number;
}

function all({ state, now }: Change, running: boolean): Record<string, unknown> {
  for (const one of state.agents) setStatus(one, running, now);
  return {
    results: state.agents.map((one) => ({
      agentId: one.id,
      outcome: running ? 'started' : 'stopped',
    })),
    agents: state.agents,
  };
}

/**
 * What each mutation changes in this page's copy; one that is missing or answers undefined is
 * rejected.
 */
const CHANGES: Partial<Record<CallName, (change: Change) => Record<string, unknown> | undefined>> =
  {
    startAgent: ({ agent, now }) =>
      agent === undefined ? undefined : { outcome: 'started', agent: setStatus(agent, true, now) },
    stopAgent: ({ agent, now }) =>
      agent === undefined ? undefined : { outcome: 'stopped', agent: setStatus(agent, false, now) },
    startAll: (change) => all(change, true),
    stopAll: (change) => all(change, false),
    createAgent({ state, body: { shadow: _, ...body }, now }) {
      const created = { ...recordAgent(`recorded-${state.agents.length + 1}`, '', now), ...body };
      state.agents.push(created);
      return { agent: created };
    },
    // No form starts or stops by its settings.
    updateAgent: ({ agent, body: { shadow: _shadow, enabled: _enabled, ...body } }) =>
      agent === undefined
        ? undefined
        : { agent: Object.assign(agent, body, { version: agent.version + 1 }) },
    deleteAgent({ state, id }) {
      state.agents = state.agents.filter((one) => one.id !== id);
      return { agentId: id };
    },
    setAlert({ state, id, body, now }) {
      const known = state.alerts.find((alert) => alert.id === id);
      const terms = body as unknown as AlertTerms;
      const alert: Alert = {
        id: id ?? '',
        symbol: terms.symbol,
        condition: terms.condition,
        repeatMinutes: terms.repeatMinutes,
        note: terms.note,
        active: terms.active,
        phase: terms.active ? 'watching' : 'off',
        version: (known?.version ?? 0) + 1,
        restsUntil: null,
        lastFiredAt: null,
        createdAt: known?.createdAt ?? now,
      };
      state.alerts = [...state.alerts.filter((one) => one.id !== id), alert];
      return { alert };
    },
    deleteAlert({ state, id }) {
      state.alerts = state.alerts.filter((alert) => alert.id !== id);
      return { alertId: id };
    },
    updateTradingSettings({ state, body }) {
      Object.assign(state.settings, body);
      state.settingsVersion += 1;
      return { settings: state.settings, version: state.settingsVersion };
    },
    riskProfile: ({ body }) => ({ profile: body }),
    // A demo has no chain: nothing is verified or linked.
    linkMessage({ state, body, now }) {
      state.asked = { address: String(body.address), chainId: Number(body.chainId) };
      return {
        message: `This demo asks ${state.asked.address} to sign. Nothing is linked.`,
        expiresAt: now + LINK_MESSAGE_LIFE_MS,
      };
    },
    linkAddress({ state, body, now }) {
      if (state.asked === null) return undefined;
      const link = {
        id: `recorded-link-${state.links.length + 1}`,
        ...state.asked,
        label: typeof body.label === 'string' ? body.label : 'Wallet',
        proof: 'key' as const,
        linkedAt: now,
      };
      state.links = [...state.links, link];
      state.asked = null;
      return { link };
    },
    onrampQuote: ({ body }) => ({
      purchaseAmount: {
        value: String(body.paymentAmount),
        currency: String(body.purchaseCurrency),
      },
      paymentSubtotal: {
        value: String(body.paymentAmount),
        currency: String(body.paymentCurrency),
      },
    }),
    unlinkAddress({ state, id }) {
      state.links = state.links.filter((one) => one.id !== id);
      return { id };
    },
    trialStart({ state, now }) {
      state.trialEndsAt = now + TRIAL_MS;
      return { trial: recordedReplies(state, now).trialStatus };
    },
  };

const state = recordState(Date.now());

/** Answers as the server would, from the recording. */
export function recordedFetch(input: RequestInfo | URL, init: RequestInit = {}): Promise<Response> {
  const { pathname } = new URL(input instanceof Request ? input.url : input, location.origin);
  const method = init.method ?? 'GET';
  const matched = match(method, pathname);
  const now = Date.now();
  if (matched === null)
    return Promise.resolve(refuse('not_found', 'Nothing is recorded for this address'));
  if (method === 'GET') {
    const reply = (recordedReplies(state, now) as Partial<Record<CallName, unknown>>)[matched.name];
    if (matched.name === 'agentPerformance') {
      const agent = state.agents.find((known) => known.id === matched.params.id);
      return Promise.resolve(
        agent === undefined
          ? refuse('not_found', 'No such agent in the recording')
          : json(200, { ...(reply as object), agent }),
      );
    }
    return Promise.resolve(
      reply === undefined
        ? refuse('not_found', 'Nothing is recorded for this call')
        : json(200, reply),
    );
  }
  const body =
    typeof init.body === 'string' ? (JSON.parse(init.body) as Record<string, unknown>) : {};
  const commandId = new Headers(init.headers).get(IDEMPOTENCY_HEADER) ?? '';
  // Versions are checked by the server only.
  delete body.version;
  const id = matched.params.id ?? '';
  const changed = CHANGES[matched.name]?.({
    state,
    agent: state.agents.find((known) => known.id === id),
    id,
    body,
    now,
  });
  return Promise.resolve(
    changed === undefined
      ? refuse('subscription_unavailable', 'A recording cannot do this')
      : json(200, { commandId, ...changed }),
  );
}
