/** The calls about live trading. Keys pass through sealed and are kept nowhere here. */
import { eq } from 'drizzle-orm';
import * as z from 'zod/mini';
import { Refusal } from '../../contract/errors.ts';
import type { StepUpWire } from '../../contract/live.ts';
import type { LiveLimits } from '../../contract/live-state.ts';
import { minimum, parseFixed } from '../../contract/money.ts';
import { KeyReport, SpendingLimits, StepUpToken } from '../../contract/signer.ts';
import { isId, type AgentRow } from '../agents/read-agents.ts';
import { startAgent } from '../agents/run-commands.ts';
import { accounts } from '../db/schema.ts';
import type { Tx } from '../db/database.ts';
import { doneBefore } from '../http/done-before.ts';
import { handlersFor } from '../http/handlers.ts';
import { TaxLotReader } from '../portfolio/tax-lots.ts';
import type { TradingDeps } from '../trading-deps.ts';
import { setBrakes } from './brakes.ts';
import { closeLivePosition, giveUpOrder } from './by-hand.ts';
import {
  checkKey,
  connectExchange,
  connectionIdOf,
  type CheckedKey,
  type SignerLimits,
} from './connect.ts';
import { makeConfirmation } from './confirmation.ts';
import { endLiveTrading, keyNotDeleted, removeConnection } from './end-live.ts';
import type { ConnectionRow } from './live-accounts.ts';
import type { LiveDeps, SignerPort } from './live-deps.ts';
import {
  addPasskey,
  deletePasskey,
  notePasskeyUse,
  passkeyOptions,
  readPasskeys,
  siteOf,
  type PasskeySite,
} from './passkeys.ts';
import { PacedQuestions } from './paced-questions.ts';
import { replaceKey } from './replace-key.ts';
import { readShadow } from './shadow-report.ts';
import { ownConnection, readConnections, readLiveAccount, toConnections } from './read-live.ts';
import { signerAnswers } from './signer-answers.ts';
import { signersObjection } from './signer-write-offs.ts';
import { confirmStart, startNotConfirmed } from './start-live.ts';
import { writeOffPosition } from './write-off.ts';

const limitsOf = (limits: LiveLimits): SpendingLimits => ({
  maxOrder: parseFixed(limits.maxOrder),
  maxExposure: parseFixed(limits.maxExposure),
  maxDailyLoss: parseFixed(limits.maxDailyLoss),
});

const tokenOf = (wire: StepUpWire): StepUpToken => z.decode(StepUpToken, wire);
const reportOf = (report: KeyReport) => z.encode(KeyReport, report);
const shownCheck = ({ report, firstWeek, pairs }: CheckedKey) => ({
  report: reportOf(report),
  firstWeek: z.encode(SpendingLimits, firstWeek),
  pairs,
});

/** The signer's own limits first: it enforces them, and refuses higher ones without a confirmation. */
async function setLimits(
  { signer }: LiveDeps,
  connection: ConnectionRow,
  limits: SpendingLimits,
  stepUp: StepUpWire | undefined,
): Promise<SignerLimits> {
  const { id } = connection;
  const token = stepUp === undefined ? null : tokenOf(stepUp);
  const answer = await signer
    .ask({ act: 'set_limits', connectionId: id, limits, stepUp: token })
    .catch(() => null);
  if (answer === null)
    throw new Refusal('signer_unavailable', 'Limits cannot be changed now. Try again soon.');
  if (answer.kind === 'refused' && answer.code === 'no_connection')
    throw new Refusal('connection_ended', 'Live trading has ended for this exchange account.');
  if (answer.kind === 'refused' && answer.code === 'too_many_changes')
    throw new Refusal(
      'rate_limited',
      'These limits were changed very often. Lower one to half, or try again in an hour.',
    );
  if (answer.kind === 'refused')
    throw new Refusal('step_up_required', 'Confirm the higher limits.', {
      details: { code: answer.code },
    });
  const state = await signer.ask({ act: 'state', connectionId: id }).catch(() => null);
  return state?.kind === 'read' ? state.value : withoutWord(limits, connection);
}

/** In the first week no higher limit than those before is in force before the signer says so. */
function withoutWord(limits: SpendingLimits, connection: ConnectionRow): SignerLimits {
  if (connection.firstWeekUntil === null) return { limits, limitsInForce: limits };
  const before = limitsOf(connection);
  return {
    limits,
    limitsInForce: {
      maxOrder: minimum(limits.maxOrder, before.maxOrder),
      maxExposure: minimum(limits.maxExposure, before.maxExposure),
      maxDailyLoss: minimum(limits.maxDailyLoss, before.maxDailyLoss),
    },
  };
}

/** The connection for the wire, as it is now. */
async function shown(tx: Tx, { clock }: LiveDeps, uid: string, id: string) {
  const row = await ownConnection(tx.db, uid, id);
  const [connection] = await toConnections(tx.db, [row], clock.now());
  if (connection === undefined) throw new Error('The connection is gone');
  return connection;
}

/** Keys and limits: the signer is asked before anything is written here. */
function connectionHandlers(trading: TradingDeps, deps: LiveDeps) {
  // One pause for all of them: each reads permissions and balances at the exchange.
  const questions = new PacedQuestions(deps.clock);
  return handlersFor({
    liveConnections: ({ caller }) => readConnections(deps, caller.uid),
    liveAccount: ({ caller, params }) => readLiveAccount(deps, caller.uid, params.id),
    // A question with a body: it writes nothing, so it has no receipt either.
    checkExchangeKey: async ({ caller: { uid }, commandId, body }) => {
      const wanted = { exchange: body.exchange, key: body };
      const checked = await questions.ask(uid, () => checkKey(deps, uid, wanted));
      return { commandId, ...shownCheck(checked) };
    },
    connectExchange: async ({ caller, commandId, body, once }) => {
      const done = await doneBefore(once);
      if (done !== null) return done;
      const { exchange, label, limits, stepUpKeys } = body;
      const connectionId = connectionIdOf(caller.uid, commandId);
      const wanted = {
        exchange,
        label,
        stepUpKeys,
        key: { apiKey: body.apiKey, secret: body.secret },
        limits: limits === undefined ? null : limitsOf(limits),
      };
      const { report, connection } = await questions.ask(caller.uid, () =>
        connectExchange(deps, caller.uid, connectionId, wanted),
      );
      return once(async (tx) => {
        tx.afterCommit(() => trading.live?.poke(connectionId));
        return {
          commandId,
          report: reportOf(report),
          connection: connection === null ? null : await shown(tx, deps, caller.uid, connectionId),
        };
      });
    },
    replaceExchangeKey: async ({ caller, commandId, params, body, once }) => {
      const done = await doneBefore(once);
      if (done !== null) return done;
      const connection = await ownConnection(deps.database.db, caller.uid, params.id);
      const { apiKey, secret, stepUp } = body;
      const report = await questions.ask(caller.uid, () =>
        replaceKey(deps, connection, { apiKey, secret }, tokenOf(stepUp)),
      );
      return once(async (tx) => {
        tx.afterCommit(() => trading.live?.poke(connection.id));
        if (report.accepted)
          await notePasskeyUse(tx, deps, caller.uid, [stepUp.keyId].filter(isId));
        return {
          commandId,
          report: reportOf(report),
          connection: await shown(tx, deps, caller.uid, connection.id),
        };
      });
    },
    setLiveLimits: async ({ caller, commandId, params, body, once }) => {
      const connection = await ownConnection(deps.database.db, caller.uid, params.id);
      const limits =
        body.limits === undefined
          ? null
          : await setLimits(deps, connection, limitsOf(body.limits), body.stepUp);
      return once(async (tx) => {
        const { maxOrdersPerHour, entriesAllowed } = body;
        const brakes = { limits, maxOrdersPerHour, entriesAllowed };
        await setBrakes(tx, deps, trading.live ?? null, connection, brakes);
        return { commandId, connection: await shown(tx, deps, caller.uid, connection.id) };
      });
    },
  });
}

/** What is stopped, started and sold. */
function tradingHandlers(trading: TradingDeps, deps: LiveDeps) {
  const questions = new PacedQuestions(deps.clock);
  return handlersFor({
    endLiveTrading: ({ caller, commandId, params, once }) =>
      once(async (tx) => {
        const connection = await ownConnection(tx.db, caller.uid, params.id);
        await endLiveTrading(tx, trading, connection);
        return { commandId, connection: await shown(tx, deps, caller.uid, connection.id) };
      }),
    removeConnection: async ({ caller, commandId, params, once }) => {
      const connection = await ownConnection(deps.database.db, caller.uid, params.id);
      const isThere = await signerAnswers(deps.signer);
      return once(async (tx) => {
        if (!isThere) throw keyNotDeleted();
        await removeConnection(tx, deps, connection);
        return { commandId, connection: await shown(tx, deps, caller.uid, connection.id) };
      });
    },
    startLiveAgent: async ({ caller, commandId, params, body, once }) => {
      const { stepUp, ...command } = body;
      // What it has already done is answered also while the signer does not answer.
      const isThere = await signerAnswers(deps.signer);
      let confirmed: Promise<void> | null = null;
      // Once, also where the database has the transaction run again: its confirmation is used up.
      return once(async (tx) => {
        if (!isThere) throw startNotConfirmed();
        const confirm = (row: AgentRow): Promise<void> =>
          (confirmed ??= confirmStart(tx, deps, row, tokenOf(stepUp)));
        const started = await startAgent(tx, trading, caller.uid, params.id, command, confirm);
        if (confirmed !== null)
          await notePasskeyUse(tx, deps, caller.uid, [stepUp.keyId].filter(isId));
        return { commandId, ...started };
      });
    },
    closeLivePosition: ({ caller, commandId, params, once }) =>
      once(async (tx) => ({
        commandId,
        symbol: await closeLivePosition(tx, trading, caller.uid, params.id),
      })),
    writeOffPosition: async ({ caller, commandId, params, body, once }) => {
      const ask = {
        positionId: params.id,
        quantity: parseFixed(body.quantity),
        held: parseFixed(body.held),
      };
      const objection = await signersObjection(trading, deps.signer, questions, caller.uid, ask);
      return once(async (tx) => {
        if (objection !== null) throw objection;
        return { commandId, writeOff: await writeOffPosition(tx, trading, caller.uid, ask) };
      });
    },
    giveUpOrder: ({ caller, commandId, params, once }) =>
      once(async (tx) => ({
        commandId,
        order: await giveUpOrder(tx, trading, caller.uid, params.id),
      })),
  });
}

/** What live trading came to: beside paper, and for the tax office. */
function reportHandlers(trading: TradingDeps) {
  const lots = new TaxLotReader(trading);
  return handlersFor({
    liveShadow: ({ caller, params }) => readShadow(trading, caller.uid, params.id),
    liveTaxLots: async ({ caller, params, query }) => {
      const { db } = trading.database;
      const { id, accountId, exchange, label } = await ownConnection(db, caller.uid, params.id);
      const [account] = await db.select().from(accounts).where(eq(accounts.id, accountId));
      if (account === undefined) throw new Refusal('not_found', 'Exchange account not found.');
      const report = await lots.readAccount(account, query);
      return { ...report, live: true, connectionId: id, exchange, label };
    },
  });
}

/** How a person agrees: passkeys, and what they are asked to sign. */
function confirmationHandlers(deps: LiveDeps, site: PasskeySite) {
  return handlersFor({
    // These two write nothing that a repeat would double, so they have no receipt.
    confirmLive: async ({ caller, commandId, params, body }) => {
      const connection = await ownConnection(deps.database.db, caller.uid, params.id);
      return { commandId, ...(await makeConfirmation(deps, site, connection, body)) };
    },
    passkeyOptions: async ({ caller, commandId }) => ({
      commandId,
      options: await passkeyOptions(deps, site, caller),
    }),
    passkeys: async ({ caller }) => ({
      passkeys: await readPasskeys(deps.database.db, caller.uid),
    }),
    addPasskey: ({ caller, commandId, body, once }) =>
      once(async (tx) => ({
        commandId,
        passkey: await addPasskey(tx, deps, site, caller.uid, body),
      })),
    deletePasskey: ({ caller, commandId, params, once }) =>
      once(async (tx) => {
        if (!isId(params.id)) throw new Refusal('not_found', 'Passkey not found.');
        await deletePasskey(tx, caller.uid, params.id);
        return { commandId, passkeyId: params.id };
      }),
  });
}

/** `signer`: null where live trading is turned off on this server. */
export function liveHandlers(
  trading: TradingDeps,
  signer: SignerPort | null,
  publicOrigin: string,
) {
  const deps: LiveDeps = {
    ...trading,
    signer: signer ?? {
      ask: () => Promise.reject(new Error('Live trading is turned off on this server')),
    },
  };
  return {
    ...connectionHandlers(trading, deps),
    ...tradingHandlers(trading, deps),
    ...reportHandlers(trading),
    ...confirmationHandlers(deps, siteOf(publicOrigin)),
  };
}
