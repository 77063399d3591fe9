/** The calls about agents. */
import { handlersFor } from '../http/handlers.ts';
import { readBacktestTerms } from './backtest-terms.ts';
import { createAgent, createPool } from './create.ts';
import type { TradingDeps } from '../trading-deps.ts';
import { deleteAgent, reconfigureAgents, updateAgent } from './edit.ts';
import { readInsight } from './agent-insight.ts';
import { liquidateHandler } from './liquidate-handler.ts';
import { readPerformance } from './agent-performance.ts';
import { Previews } from './preview-agent.ts';
import { readAgentList, readSummary } from './read-agents.ts';
import { startAgent, startAll, stopAgent, stopAll } from './run-commands.ts';
import { publishChanged } from './transitions.ts';

export function agentHandlers(deps: TradingDeps) {
  const previews = new Previews(deps);
  return handlersFor({
    agents: ({ caller }) => readAgentList(deps, caller.uid),
    agentSummary: ({ caller }) => readSummary(deps, caller.uid),
    agentInsight: ({ caller }) => readInsight(deps, caller.uid),
    agentPerformance: ({ caller, params }) => readPerformance(deps, caller.uid, params.id),

    // A question with a body: it writes nothing, so it has no receipt either.
    previewAgent: async ({ caller, commandId, body }) => ({
      commandId,
      ...(await previews.preview(caller.uid, body)),
    }),
    backtestTerms: async ({ caller, commandId, body }) => ({
      commandId,
      ...(await readBacktestTerms(deps, caller.uid, body)),
    }),
    createAgent: ({ caller, commandId, body, once }) =>
      once(async (tx) => {
        const row = await createAgent(tx, deps, caller.uid, body);
        const [agent] = await publishChanged(tx, deps, caller.uid, [row]);
        if (agent === undefined) throw new Error('The agent was not created');
        return { commandId, agent };
      }),
    createPool: ({ caller, commandId, body, once }) =>
      once(async (tx) => ({
        commandId,
        agents: await publishChanged(
          tx,
          deps,
          caller.uid,
          await createPool(tx, deps, caller.uid, body),
        ),
      })),
    updateAgent: ({ caller, commandId, params, query, body, once }) =>
      once(async (tx) => ({
        commandId,
        agent: await updateAgent(tx, deps, caller.uid, params.id, body, query),
      })),
    reconfigure: ({ caller, commandId, body, once }) =>
      once(async (tx) => ({
        commandId,
        agents: await reconfigureAgents(tx, deps, caller.uid, body),
      })),
    deleteAgent: ({ caller, commandId, params, once }) =>
      once(async (tx) => {
        await deleteAgent(tx, deps, caller.uid, params.id);
        return { commandId, agentId: params.id };
      }),

    startAgent: ({ caller, commandId, params, body, once }) =>
      once(async (tx) => ({
        commandId,
        ...(await startAgent(tx, deps, caller.uid, params.id, body)),
      })),
    stopAgent: ({ caller, commandId, params, body, once }) =>
      once(async (tx) => ({
        commandId,
        ...(await stopAgent(tx, deps, caller.uid, params.id, body.ageMs)),
      })),
    startAll: ({ caller, commandId, body, once }) =>
      once(async (tx) => ({ commandId, ...(await startAll(tx, deps, caller.uid, body)) })),
    stopAll: ({ caller, commandId, body, once }) =>
      once(async (tx) => ({ commandId, ...(await stopAll(tx, deps, caller.uid, body.ageMs)) })),
    ...liquidateHandler(deps),
  });
}
