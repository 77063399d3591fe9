/** The calls about live trading. Keys pass through sealed and are kept nowhere here. */
import { eq } from 'drizzle-orm';
import * as z from 'zod/mini';
import { Refusal } from '../../contract/errors.ts';
import type { LiveLimits, StepUpWire } from '../../contract/live.ts';
import { parseFixed } from '../../contract/money.ts';
import { KeyReport, StepUpToken, type SpendingLimits } from '../../contract/signer.ts';
import { ownAgent } from '../agents/read-agents.ts';
import { startAgent } from '../agents/run-commands.ts';
import { liveConnections } from '../db/schema-live.ts';
import type { Tx } from '../db/database.ts';
import { handlersFor } from '../http/handlers.ts';
import type { TradingDeps } from '../trading-deps.ts';
import { closeLivePosition, giveUpOrder } from './by-hand.ts';
import { checkKey, connectExchange, connectionIdOf, limitColumns } from './connect.ts';
import { endLiveTrading, removeConnection } from './end-live.ts';
import type { ConnectionRow } from './live-accounts.ts';
import type { LiveDeps, SignerPort } from './live-deps.ts';
import { ownConnection, readConnections, readLiveAccount, toConnections } from './read-live.ts';
import { confirmStart } from './start-live.ts';

const limitsOf = (limits: LiveLimits): SpendingLimits => ({
  maxOrder: parseFixed(limits.maxOrder),
  maxExposure: parseFixed(limits.maxExposure),
  maxDailyLoss: parseFixed(limits.maxDailyLoss),
});

const tokenOf = (wire: StepUpWire): StepUpToken => z.decode(StepUpToken, wire);
const reportOf = (report: KeyReport) => z.encode(KeyReport, report);

/** The signer's own limits first: it enforces them, and refuses higher ones without a confirmation. */
async function setLimits(
  { signer }: LiveDeps,
  { id }: ConnectionRow,
  limits: SpendingLimits,
  stepUp: StepUpWire | undefined,
): Promise<SpendingLimits> {
  const token = stepUp === undefined ? null : tokenOf(stepUp);
  const answer = await signer
    .ask({ act: 'set_limits', connectionId: id, limits, stepUp: token })
    .catch(() => null);
  if (answer === null)
    throw new Refusal('signer_unavailable', 'Limits cannot be changed now. Try again soon.');
  if (answer.kind === 'refused')
    throw new Refusal('step_up_required', 'Confirm the higher limits.', {
      details: { code: answer.code },
    });
  const state = await signer.ask({ act: 'state', connectionId: id }).catch(() => null);
  return state?.kind === 'read' ? state.value.limitsInForce : limits;
}

/** The connection for the wire, as it is now. */
async function shown(tx: Tx, uid: string, id: string) {
  const [connection] = await toConnections(tx.db, [await ownConnection(tx.db, uid, id)]);
  if (connection === undefined) throw new Error('The connection is gone');
  return connection;
}

/** Keys and limits: the signer is asked before anything is written here. */
function connectionHandlers(trading: TradingDeps, deps: LiveDeps) {
  return handlersFor({
    liveConnections: ({ caller }) => readConnections(deps, caller.uid),
    liveAccount: ({ caller, params }) => readLiveAccount(deps, caller.uid, params.id),
    // A question with a body: it writes nothing, so it has no receipt either.
    checkExchangeKey: async ({ caller, commandId, body }) => ({
      commandId,
      report: reportOf(await checkKey(deps, caller.uid, { exchange: body.exchange, key: body })),
    }),
    connectExchange: async ({ caller, commandId, body, once }) => {
      const { exchange, label, limits, stepUpKeys } = body;
      const connectionId = connectionIdOf(caller.uid, commandId);
      const { report, connection } = await connectExchange(deps, caller.uid, connectionId, {
        exchange,
        label,
        stepUpKeys,
        key: { apiKey: body.apiKey, secret: body.secret },
        limits: limits === undefined ? null : limitsOf(limits),
      });
      return once(async (tx) => {
        tx.afterCommit(() => trading.live?.poke(connectionId));
        return {
          commandId,
          report: reportOf(report),
          connection: connection === null ? null : await shown(tx, caller.uid, connectionId),
        };
      });
    },
    setLiveLimits: async ({ caller, commandId, params, body, once }) => {
      const connection = await ownConnection(deps.database.db, caller.uid, params.id);
      const inForce =
        body.limits === undefined
          ? null
          : await setLimits(deps, connection, limitsOf(body.limits), body.stepUp);
      return once(async (tx) => {
        const { maxOrdersPerHour, entriesAllowed } = body;
        const change = {
          ...(inForce === null ? {} : limitColumns(inForce)),
          ...(maxOrdersPerHour === undefined ? {} : { maxOrdersPerHour }),
          ...(entriesAllowed === undefined
            ? {}
            : { entriesOffSince: entriesAllowed ? null : deps.clock.now() }),
        };
        if (Object.keys(change).length > 0)
          await tx.db
            .update(liveConnections)
            .set(change)
            .where(eq(liveConnections.id, connection.id));
        await deps.events.append(tx, caller.uid, [{ type: 'portfolio.changed' }]);
        return { commandId, connection: await shown(tx, caller.uid, connection.id) };
      });
    },
  });
}

/** What is stopped, started and sold. */
function tradingHandlers(trading: TradingDeps, deps: LiveDeps) {
  return handlersFor({
    endLiveTrading: ({ caller, commandId, params, once }) =>
      once(async (tx) => {
        const connection = await ownConnection(tx.db, caller.uid, params.id);
        await endLiveTrading(tx, trading, connection);
        return { commandId, connection: await shown(tx, caller.uid, connection.id) };
      }),
    removeConnection: async ({ caller, commandId, params, once }) => {
      const connection = await ownConnection(deps.database.db, caller.uid, params.id);
      return once(async (tx) => {
        await removeConnection(tx, deps, connection);
        return { commandId, connection: await shown(tx, caller.uid, connection.id) };
      });
    },
    startLiveAgent: async ({ caller, commandId, params, body, once }) => {
      const { stepUp, ...command } = body;
      const source = deps.market.source.id;
      const row = await ownAgent(deps.database.db, caller.uid, source, params.id);
      // A repeat of a start that was carried out finds its receipt; its confirmation is used up.
      if (row.status !== 'running') await confirmStart(deps, row, tokenOf(stepUp));
      return once(async (tx) => ({
        commandId,
        ...(await startAgent(tx, trading, caller.uid, params.id, command, true)),
      }));
    },
    closeLivePosition: ({ caller, commandId, params, once }) =>
      once(async (tx) => ({
        commandId,
        symbol: await closeLivePosition(tx, trading, caller.uid, params.id),
      })),
    giveUpOrder: ({ caller, commandId, params, once }) =>
      once(async (tx) => ({
        commandId,
        order: await giveUpOrder(tx, trading, caller.uid, params.id),
      })),
  });
}

/** `signer`: null where live trading is turned off on this server. */
export function liveHandlers(trading: TradingDeps, signer: SignerPort | null) {
  const deps: LiveDeps = {
    ...trading,
    signer: signer ?? {
      ask: () => Promise.reject(new Error('Live trading is turned off on this server')),
    },
  };
  return { ...connectionHandlers(trading, deps), ...tradingHandlers(trading, deps) };
}
