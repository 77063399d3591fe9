/**
 * A way to the stand-in that goes through no socket: for runs by the thousand, which are about what is
 * asked and answered. Answers, cut connections and requests that are given up are as over HTTP.
 */
import type { Arrived } from './calls.ts';
import type { Return } from './respond.ts';

type Answerer = (arrived: Arrived, way: Return) => Promise<void>;

/** `fetch` for one exchange, whatever the address. */
export function fetchFrom(answer: Answerer): typeof fetch {
  return (input, init = {}) => {
    const url = new URL(input instanceof Request ? input.url : input);
    const { signal } = init;
    if (signal?.aborted === true) return Promise.reject(signal.reason as Error);
    return new Promise<Response>((resolve, reject) => {
      const over = new Set<() => void>();
      let isGone = false;
      const end = (how: () => void): void => {
        if (isGone) return;
        isGone = true;
        how();
        for (const then of over) then();
        over.clear();
      };
      signal?.addEventListener('abort', () => {
        end(() => {
          reject(signal.reason as Error);
        });
      });
      const way: Return = {
        get isGone() {
          return isGone;
        },
        send: (status, headers, body) => {
          end(() => {
            resolve(new Response(body, { status, headers }));
          });
        },
        cut: () => {
          end(() => {
            reject(new TypeError('fetch failed'));
          });
        },
        whenOver: (then) => {
          if (isGone) then();
          else over.add(then);
        },
      };
      // A request is under way before it arrives.
      setImmediate(() => {
        answer(arrivedOf(url, init), way).catch(reject);
      });
    });
  };
}

function arrivedOf(url: URL, { method = 'GET', headers, body }: RequestInit): Arrived {
  const sent: Arrived['headers'] = { host: url.host };
  for (const [name, value] of new Headers(headers)) sent[name] = value;
  return {
    method,
    path: url.pathname,
    rawQuery: url.search.slice(1),
    headers: sent,
    body: typeof body === 'string' ? body : '',
  };
}
