/** Registers every call of the contract as a route, with request and reply validated. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { $ZodError } from 'zod/v4/core';
import { CALLS, STOP_CALLS, type CallName, type CallReply } from '../../contract/calls.ts';
import { Refusal } from '../../contract/errors.ts';
import { IDEMPOTENCY_HEADER } from '../../contract/version.ts';
import type { WallClock } from '../clock.ts';
import type { Database } from '../db/database.ts';
import { invalidRequest } from './http-errors.ts';
import type { Gate } from './gate.ts';
import type { Caller, CallContext, Handler, Handlers } from './handlers.ts';
import { cleanBody, cleanParams, cleanQuery, isUuid } from './identifiers.ts';
import { requestHash, runOnce } from './command-receipts.ts';

export interface CallsDeps {
  handlers: Handlers;
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

const NOBODY: Caller = { uid: '', email: null };

async function context<N extends CallName>(
  name: N,
  deps: CallsDeps,
  request: FastifyRequest,
): Promise<CallContext<N>> {
  const call = CALLS[name];
  const isStop = STOP_CALLS.includes(name);
  deps.gate.arrive(request, isStop);
  const caller: Caller = call.access === 'token' ? await deps.gate.enter(request, isStop) : NOBODY;
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
      deps.database,
      deps.clock,
      { uid: caller.uid, commandId, bodyHash: requestHash(name, params, body) },
      (reply) => outgoing(name, reply),
      effect,
    );
  };
  return {
    caller: { uid: caller.uid, email: caller.email },
    ip: request.ip,
    commandId,
    params,
    query,
    body,
    once,
  } as CallContext<N>;
}

function registerCall<N extends CallName>(app: FastifyInstance, name: N, deps: CallsDeps): void {
  const call = CALLS[name];
  const handler = deps.handlers[name] as Handler<N>;
  app.route({
    method: call.method,
    url: call.path,
    handler: async (request: FastifyRequest, reply: FastifyReply) => {
      const answer = outgoing(name, await handler(await context(name, deps, request)));
      return reply
        .header('cache-control', 'no-store')
        .type('application/json; charset=utf-8')
        .send(JSON.stringify(answer));
    },
  });
}

export function registerCalls(app: FastifyInstance, deps: CallsDeps): void {
  for (const name of Object.keys(CALLS) as CallName[]) registerCall(app, name, deps);
}
