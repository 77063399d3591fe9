/** Requests over kept connections, at a fixed rate or as fast as they are answered, with their times. */
import { Agent, request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { quantile, type Measurement } from './measurement.ts';

export interface Ask {
  /** Under which it is counted. */
  name: string;
  method?: 'GET' | 'POST';
  path: string;
  token: string;
  headers?: Record<string, string>;
  body?: string;
}

export interface Answer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  bytes: number;
  ms: number;
}

/** One answer, read to its end but not parsed: the load must not cost more than the server. */
export function ask(
  base: { port: number; agent: Agent },
  { method = 'GET', path, token, headers = {}, body }: Ask,
): Promise<Answer> {
  const began = performance.now();
  return new Promise((resolve, reject) => {
    const outgoing = request(
      {
        host: '127.0.0.1',
        port: base.port,
        agent: base.agent,
        method,
        path,
        headers: {
          authorization: `Bearer ${token}`,
          'content-type': 'application/json',
          ...(body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }),
          ...headers,
        },
      },
      (response) => {
        let bytes = 0;
        response.on('data', (piece: Buffer) => (bytes += piece.length));
        response.on('error', reject);
        response.on('end', () => {
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            bytes,
            ms: performance.now() - began,
          });
        });
      },
    );
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

/** What came of many requests. */
export class Tally {
  /** Milliseconds of the answers that were what was asked for. */
  readonly times: number[] = [];
  readonly byName = new Map<string, number[]>();
  /** Answers by status; 0 for none at all. */
  readonly statuses = new Map<number, number>();
  bytes = 0;

  add(name: string, status: number, ms: number, bytes = 0): void {
    this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1);
    this.bytes += bytes;
    if (status !== 200 && status !== 304) return;
    this.times.push(ms);
    const list = this.byName.get(name) ?? [];
    list.push(ms);
    this.byName.set(name, list);
  }

  count(...statuses: number[]): number {
    return statuses.reduce((all, status) => all + (this.statuses.get(status) ?? 0), 0);
  }

  get failed(): number {
    return [...this.statuses].reduce(
      (all, [status, count]) => (status === 200 || status === 304 ? all : all + count),
      0,
    );
  }

  rows(section: string, what: string, seconds: number): Measurement[] {
    const row = (name: string, value: number | null, unit: string): Measurement => ({
      section,
      what: `${what}, ${name}`,
      value,
      unit,
    });
    return [
      row('answered', this.times.length / seconds, 'requests/s'),
      row('median', quantile(this.times, 0.5), 'ms'),
      row('p99', quantile(this.times, 0.99), 'ms'),
      ...[...this.statuses]
        .filter(([status]) => status !== 200)
        .map(([status, count]) =>
          row(status === 0 ? 'no answer' : `status ${status}`, count, 'requests'),
        ),
    ];
  }
}

/**
 * Sends at a fixed rate whatever the answers do, and counts from the moment each was due: a server
 * that falls behind is not waited for.
 */
export async function atRate(
  port: number,
  perSecond: number,
  seconds: number,
  next: (n: number) => Ask,
): Promise<Tally> {
  const agent = new Agent({ keepAlive: true, maxSockets: 256 });
  const tally = new Tally();
  const began = performance.now();
  const open = new Set<Promise<void>>();
  const total = perSecond * seconds;
  for (let n = 0; n < total; n += 1) {
    const due = began + (n * 1_000) / perSecond;
    const ahead = due - performance.now();
    if (ahead > 1) await pause(ahead);
    const one = next(n);
    const sent = ask({ port, agent }, one)
      .then(({ status, bytes }) => {
        tally.add(one.name, status, performance.now() - due, bytes);
      })
      .catch(() => {
        tally.add(one.name, 0, 0);
      })
      .finally(() => open.delete(sent));
    open.add(sent);
  }
  await Promise.race([Promise.all(open), pause(30_000)]);
  agent.destroy();
  return tally;
}

/** Callers that each send the next request when the last was answered, until told to end. */
export async function callers(
  port: number,
  count: number,
  until: () => boolean,
  next: (caller: number, n: number) => Ask,
  between: () => Promise<void> = () => Promise.resolve(),
): Promise<Tally> {
  const agent = new Agent({ keepAlive: true, maxSockets: count });
  const tally = new Tally();
  await Promise.all(
    Array.from({ length: count }, async (_none, caller) => {
      for (let n = 0; !until(); n += 1) {
        if (n > 0) await between();
        const one = next(caller, n);
        try {
          const { status, ms, bytes, headers } = await ask({ port, agent }, one);
          tally.add(one.name, status, ms, bytes);
          const wait = Number(headers['retry-after'] ?? 0);
          if ((status === 503 || status === 429) && wait > 0)
            await pause(Math.min(wait, 5) * 1_000 * (0.5 + Math.random() / 2));
        } catch {
          tally.add(one.name, 0, 0);
          await pause(50);
        }
      }
    }),
  );
  agent.destroy();
  return tally;
}
