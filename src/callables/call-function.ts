/** Calls a hosted function from the page; Firebase's client is loaded with the first call. */
import type { CallableName, CallableReply, CallableRequest } from '../../contract/callables.ts';
import { samePerson } from '../identity/session.ts';

/**
 * Calls a hosted function as the signed-in person. @throws ApiError, worded like every other
 * call's.
 */
export async function callFunction<N extends CallableName>(
  name: N,
  request: CallableRequest<N>,
): Promise<CallableReply<N>> {
  // Before the code is waited for: a call is of who pressed.
  const isHere = samePerson();
  const { callFirebase } = await import('./firebase-functions.ts');
  return callFirebase(name, request, isHere);
}
