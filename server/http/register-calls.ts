/** Registers every call of the contract as a route, with request and reply validated. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { $ZodError } from 'zod/v4/core';
import { CALLS, STOP_CALLS, type CallName, type CallReply } from '../../contract/calls.ts';
import { Refusal } from '../../contract/errors.ts';
import { IDEMPOTENCY_HEADER } from '../../contract/version.ts';
import { isUuid } from '../../contract/uuid.ts';
import type { WallClock } from '../clock.ts';
import type { Database } from '../db/database.ts';
import { invalidRequest } from './http-errors.ts';
import { addressOf, type Gate } from './gate.ts';
import type { Caller, CallContext, Handler, Handlers } from './handlers.ts';
import type { Turn } from '../reads/known-facts.ts';
import { makeOf, type Reading, type Readings } from '../reads/reading.ts';
import type { Answered, ReplyCache } from '../reads/reply-cache.ts';
import { cleanBody, cleanParams, cleanQuery } from './identifiers.ts';
import { requestHash, runOnce } from './command-receipts.ts';
import { secretFieldsOf } from './secret-fields.ts';

export interface CallsDeps {
  handlers: Handlers;
  /** Of calls whose reply is kept until it changes. */
  readings: Readings;
  replies: ReplyCache;
  turn: Turn;
  database: Database;
  clock: WallClock;
  gate: Gate;
}

interface Schema {
  safeParse(
    value: unknown,
    options: { reportInput: boolean },
  ): { success: true; data: unknown } | { success: false; error: $ZodError };
}

function parse(schema: Schema, value: unknown): unknown {
  const result = schema.safeParse(value, { reportInput: true });
  if (!result.success) throw invalidRequest(result.error);
  return result.data;
}

/** A reply that is not what the contract says is a bug of ours, whatever the caller sent. */
function outgoing<N extends CallName>(name: N, value: unknown): CallReply<N> {
  const result = CALLS[name].reply.safeParse(value);
  if (!result.success)
    throw new Error(
      `The reply of ${name} is not what the contract says: ${JSON.stringify(result.error.issues.slice(0, 3))}`,
    );
  return result.data as CallReply<N>;
}

function commandIdOf(request: FastifyRequest): string {
  const key = request.headers[IDEMPOTENCY_HEADER];
  if (typeof key !== 'string' || !isUuid(key))
    throw new Refusal('idempotency_key_required', 'An Idempotency-Key (a UUID) is required');
  return key.toLowerCase();
}

/**
 * Leaves real money without stop losses, which is no way to be safe from a thief: somebody who has
 * signed out everywhere has taken it from their old tokens too. It waits in no device's queue.
 */
const TAKES_STOPS_AWAY: readonly CallName[] = ['endLiveTrading'];

const NOBODY: Caller = { uid: '', email: null };

async function context<N extends CallName>(
  name: N,
  deps: CallsDeps,
  request: FastifyRequest,
): Promise<CallContext<N>> {
  const call = CALLS[name];
  const isStop = STOP_CALLS.includes(name);
  deps.gate.arrive(request, isStop);
  const refusesRevoked = !isStop || TAKES_STOPS_AWAY.includes(name);
  const caller: Caller =
    call.access === 'token' ? await deps.gate.enter(request, isStop, refusesRevoked) : NOBODY;
  const params = parse(call.params, cleanParams(call.path, request.params));
  const query = parse(call.query, cleanQuery(request.query));
  const body =
    call.method === 'GET'
      ? {}
      : parse(call.body, cleanBody(request.body === undefined ? {} : request.body));
  const commandId = call.method === 'GET' ? '' : commandIdOf(request);
  const once: CallContext<N>['once'] = (effect) => {
    if (commandId === '') throw new Error(`${name} changes nothing and has no receipt`);
    return runOnce(
      deps.database.on(isStop ? 'stop' : 'command'),
      deps.clock,
      { uid: caller.uid, commandId, bodyHash: requestHash(name, params, body) },
      (reply) => outgoing(name, reply),
      effect,
    );
  };
  return {
    caller: { uid: caller.uid, email: caller.email },
    ip: addressOf(request),
    commandId,
    params,
    query,
    body,
    once,
  } as CallContext<N>;
}

const textOf = <N extends CallName>(name: N, value: unknown): string =>
  JSON.stringify(outgoing(name, value));

/**
 * Replies that take long to work out and have no validator of their own: they wait in the queue of
 * heavy reads.
 */
const HEAVY_CALLS: readonly CallName[] = ['agentPerformance', 'taxLots'];

async function answer<N extends CallName>(
  name: N,
  deps: CallsDeps,
  request: FastifyRequest,
): Promise<Answered> {
  const asked = await context(name, deps, request);
  const reading = deps.readings[name] as
    | ((context: CallContext<N>) => Promise<Reading<N>>)
    | undefined;
  const { uid } = asked.caller;
  if (reading === undefined) {
    const handler = deps.handlers[name] as Handler<N>;
    const work = async (): Promise<string> => textOf(name, await handler(asked));
    return { etag: null, text: await (HEAVY_CALLS.includes(name) ? deps.turn(uid, work) : work()) };
  }
  const found = await reading(asked);
  const { validator, forEverybody } = found;
  const whose = forEverybody === true ? '' : uid;
  const of = [asked.params, asked.query];
  const has = request.headers['if-none-match'];
  // The market has turns of its own, in which nobody waits for a person's accounts.
  const turn: Turn = forEverybody === true ? (_uid, work) => work() : deps.turn;
  return deps.replies.answer({ name, uid: whose, of, has }, validator, turn, async () => {
    const make = await makeOf(found);
    return async () => textOf(name, await make());
  });
}

function registerCall(app: FastifyInstance, name: CallName, deps: CallsDeps): void {
  const call = CALLS[name];
  const secrets = secretFieldsOf(name);
  app.route({
    method: call.method,
    url: call.path,
    ...secrets?.hooks,
    handler: async (request: FastifyRequest, reply: FastifyReply) => {
      const work = (): Promise<Answered> => answer(name, deps, request);
      const { etag, text } = await (secrets === null ? work() : secrets.whileUsed(request, work));
      // Kept nowhere on a device: whoever wants to compare keeps the reply in memory.
      void reply.header('cache-control', 'no-store');
      if (etag !== null) void reply.header('etag', etag);
      return text === null
        ? reply.code(304).send()
        : reply.type('application/json; charset=utf-8').send(text);
    },
  });
}

export function registerCalls(app: FastifyInstance, deps: CallsDeps): void {
  for (const name of Object.keys(CALLS) as CallName[]) registerCall(app, name, deps);
}
