/** Checks the request and the reply of a hosted function against the contract. */
import { CALLABLES, type CallableName, type CallableReply } from '../../contract/callables.ts';
import type { output } from 'zod/mini';
import type { Callables } from './callable.ts';
import { invalidRequest } from './http-errors.ts';
import type { Caller } from './handlers.ts';

export type CallableHandlers = {
  [N in CallableName]: (
    caller: Caller,
    request: output<(typeof CALLABLES)[N]['request']>,
  ) => Promise<CallableReply<N>>;
};

function held<N extends CallableName>(name: N, run: CallableHandlers[N]): Callables[string] {
  const { request, reply } = CALLABLES[name];
  return async (caller, data) => {
    const asked = request.safeParse(data ?? {}, { reportInput: true });
    if (!asked.success) throw invalidRequest(asked.error);
    // A reply of another form is a bug of ours: it throws, is logged, and reaches nobody.
    return reply.parse(await run(caller, asked.data as output<(typeof CALLABLES)[N]['request']>));
  };
}

/** The functions as the protocol runs them. */
export function heldCallables(handlers: CallableHandlers): Callables {
  return Object.fromEntries(
    (Object.keys(CALLABLES) as CallableName[]).map((name) => [name, held(name, handlers[name])]),
  );
}

/** Callable functions of one subject: each keeps its type, and one that is not listed is refused. */
export const callablesFor = <N extends CallableName>(
  own: Pick<CallableHandlers, N>,
): Pick<CallableHandlers, N> => own;
