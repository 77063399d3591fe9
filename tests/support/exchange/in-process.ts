/**
 * Reaches a stand-in without a socket: for thousands of runs, where what travels over loopback is
 * not what is being tested.
 */
import type { Exchange } from 'ccxt';
import type { StandIn } from './stand-in.ts';

interface Sent {
  method?: string;
  headers?: Record<string, string>;
  body?: string;
  signal?: AbortSignal;
}

/** What ccxt takes for a cut connection, and for having waited too long. */
class ConnectionLost extends Error {}
class GivenUp extends Error {}

/** A `fetch` that asks the stand-in in this process. */
export function fetchInProcess(standIn: StandIn) {
  return async (url: string, sent: Sent = {}): Promise<Response> => {
    const address = new URL(url);
    const asked = standIn.inject({
      method: sent.method ?? 'GET',
      url: `${address.pathname}${address.search}`,
      headers: { ...sent.headers, host: address.host },
      ...(sent.body === undefined ? {} : { payload: sent.body }),
    });
    const abandoned = new Promise<never>((_resolve, reject) => {
      sent.signal?.addEventListener('abort', () => {
        reject(new GivenUp('This operation was aborted'));
      });
    });
    const answer = await Promise.race([
      asked.catch(() => {
        throw new ConnectionLost('The connection was cut');
      }),
      abandoned,
    ]);
    const headers = new Headers();
    for (const [name, value] of Object.entries(answer.headers))
      if (value !== undefined) headers.set(name, String(value));
    return new Response(answer.payload, { status: answer.statusCode, headers });
  };
}

/** Lets a ccxt client ask the stand-in in this process from now on. */
export function connectInProcess(client: Exchange, standIn: StandIn): void {
  // Without the first, ccxt goes on with the transport it has loaded by itself.
  Object.assign(client, {
    fetchIsNative: false,
    fetchImplementationLoading: Promise.resolve(),
    fetchImplementation: fetchInProcess(standIn),
    AbortError: GivenUp,
    FetchError: ConnectionLost,
  });
}
