/**
 * Hosted functions by Firebase's callable protocol (`{data}` in, `{result}` or `{error}` out), with
 * a token.
 */
import type { FastifyInstance, FastifyReply } from 'fastify';
import * as z from 'zod/mini';
import { Refusal } from '../../contract/errors.ts';
import { sanitiseErrorText } from '../../contract/text.ts';
import type { Log } from '../log.ts';
import { isBadValue, isUnavailable } from '../db/faults.ts';
import type { Gate } from './gate.ts';
import { sayWhenAgain } from './http-errors.ts';
import type { Caller } from './handlers.ts';

export type Callables = Readonly<
  Record<string, (caller: Caller, data: unknown) => Promise<unknown>>
>;

const Envelope = z.object({ data: z.unknown() });

/** HTTP status → the protocol's own word for it. */
const WORDS: Partial<Record<number, string>> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  402: 'FAILED_PRECONDITION',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  405: 'UNIMPLEMENTED',
  409: 'ABORTED',
  410: 'FAILED_PRECONDITION',
  413: 'INVALID_ARGUMENT',
  415: 'INVALID_ARGUMENT',
  422: 'INVALID_ARGUMENT',
  426: 'FAILED_PRECONDITION',
  429: 'RESOURCE_EXHAUSTED',
  503: 'UNAVAILABLE',
};

function sendError(reply: FastifyReply, refusal: Refusal): FastifyReply {
  const { field, issues } = refusal.more;
  sayWhenAgain(reply, refusal);
  const error = {
    status: WORDS[refusal.status] ?? 'INTERNAL',
    message: sanitiseErrorText(refusal.message),
    details: {
      code: refusal.code,
      ...(field === undefined ? {} : { field }),
      ...(issues === undefined ? {} : { issues }),
    },
  };
  return reply.code(refusal.status).send({ error });
}

export function registerCallables(
  app: FastifyInstance,
  deps: { callables: Callables; gate: Gate; log: Log },
): void {
  app.post<{ Params: { name: string } }>('/callable/:name', async (request, reply) => {
    void reply.header('cache-control', 'no-store');
    try {
      deps.gate.arrive(request, false);
      const { uid, email, authTimeMs, issuedAtMs } = await deps.gate.enter(request, false);
      const { name } = request.params;
      const run = Object.hasOwn(deps.callables, name) ? deps.callables[name] : undefined;
      if (run === undefined) throw new Refusal('not_found', 'Not found');
      const envelope = Envelope.safeParse(request.body ?? {});
      if (!envelope.success) throw new Refusal('invalid_request', 'Invalid input');
      const caller = { uid, email, authTimeMs, issuedAtMs };
      return await reply.send({ result: (await run(caller, envelope.data.data ?? null)) ?? null });
    } catch (error) {
      if (error instanceof Refusal) return sendError(reply, error);
      // Text that the database cannot hold, such as a NUL.
      if (isBadValue(error))
        return sendError(reply, new Refusal('invalid_request', 'Invalid input'));
      if (isUnavailable(error))
        return sendError(
          reply,
          new Refusal('database_unavailable', 'The database is unavailable', {
            retryAfterMs: 2_000,
          }),
        );
      deps.log.error(
        {
          callable: request.params.name,
          stack: error instanceof Error ? error.stack : String(error),
        },
        'a callable failed',
      );
      return sendError(reply, new Refusal('internal', 'Something went wrong'));
    }
  });
}
