/** Tells the server about a push address that the browser changed by itself, with no page open. */
import {
  CALLABLE_PATH,
  CALLABLES,
  type CallableName,
  type CallableReply,
  type CallableRequest,
} from '../contract/callables.ts';
import { PushSubscriptionBody } from '../contract/push.ts';
import { subscribe } from '../src/offline/push-subscribe.ts';

interface Changed {
  oldSubscription?: PushSubscription | null;
  newSubscription?: PushSubscription | null;
}

export interface AddressPort {
  registration: Pick<ServiceWorkerRegistration, 'pushManager'>;
  /** The back end's address. */
  baseUrl: string;
  /** The worker's token; null without a user or a token. */
  token(): Promise<{ token: string } | null>;
  fetch: typeof fetch;
}

/**
 * The protocol of hosted functions, as far as these three calls go: Firebase's client for it would
 * be most of the worker.
 */
async function call<N extends CallableName>(
  port: AddressPort,
  token: string,
  name: N,
  data: CallableRequest<N>,
): Promise<CallableReply<N>> {
  const response = await port.fetch(`${port.baseUrl}${CALLABLE_PATH}/${name}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify({ data }),
  });
  if (!response.ok) throw new Error(`${name}: ${response.status}`);
  const { result } = (await response.json()) as { result?: unknown };
  return CALLABLES[name].reply.parse(result) as CallableReply<N>;
}

/**
 * `renewed`: the server has the new address. `gone`: there is none any more, and the server knows.
 * `left`: not now; the page asks again at its next start.
 */
export async function renewAddress(
  { oldSubscription, newSubscription }: Changed,
  port: AddressPort,
): Promise<'renewed' | 'gone' | 'left'> {
  const held = await port.token();
  if (held === null) return 'left';
  const old = oldSubscription?.endpoint ?? null;
  let fresh: PushSubscription | null = newSubscription ?? null;
  if (fresh === null) {
    const { publicKey } = await call(port, held.token, 'pushSettings', {});
    fresh = await subscribe(port.registration, publicKey).catch(() => null);
  }
  if (fresh !== null)
    await call(port, held.token, 'registerPush', {
      subscription: PushSubscriptionBody.parse(fresh.toJSON()),
    });
  if (old !== null && old !== fresh?.endpoint)
    await call(port, held.token, 'unregisterPush', { endpoint: old });
  return fresh === null ? 'gone' : 'renewed';
}
