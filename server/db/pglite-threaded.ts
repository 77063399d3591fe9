/** PGlite in a thread of its own, as the server's thread speaks to it. */
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import type { PGlite, QueryOptions, Transaction } from '@electric-sql/pglite';
import type { Log } from '../log.ts';
import { PgliteBroke } from './pglite-client.ts';
import { fromFault, type OpenOptions, type PgliteAsk, type PgliteTold } from './pglite-messages.ts';

const THREAD = new URL('./pglite-thread.ts', import.meta.url).href;
const LOADER = new URL(
  './esm/api/index.mjs',
  pathToFileURL(createRequire(import.meta.url).resolve('tsx')),
).href;
/** A thread does not take over the loader of the one that starts it; a bundled one needs none. */
const START = THREAD.endsWith('.ts')
  ? `import(${JSON.stringify(LOADER)}).then(({ register }) => {
  register();
  return import(${JSON.stringify(THREAD)});
});`
  : `import(${JSON.stringify(THREAD)});`;
const AGAIN_MS = 500;

interface Waiting {
  resolve: (value: unknown) => void;
  reject: (error: Error) => void;
}

export class ThreadedPglite {
  private worker: Worker | null = null;
  private readonly waiting = new Map<number, Waiting>();
  private readonly listeners = new Set<() => void>();
  private asked = 0;
  private closed = false;
  private timer: NodeJS.Timeout | null = null;

  private constructor(
    private readonly options: OpenOptions,
    private readonly log: Log,
  ) {}

  static async open(options: OpenOptions, log: Log): Promise<ThreadedPglite> {
    const made = new ThreadedPglite(options, log);
    try {
      await made.start();
    } catch (error) {
      made.closed = true;
      if (made.timer !== null) clearTimeout(made.timer);
      await made.worker?.terminate();
      throw error;
    }
    return made;
  }

  /** Told after each return. */
  onReturn(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => {
      this.listeners.delete(listener);
    };
  }

  // The two methods that drizzle calls; nobody else may be in a transaction meanwhile.
  query: PGlite['query'] = async (text, params, options) =>
    this.ask(queryOf(text, params, options)) as never;

  /**
   * It ends with the thread it began on: in another one its queries would each commit by themselves.
   * Nor does it take what is asked for after its end.
   */
  transaction: PGlite['transaction'] = async (work) => {
    const begunOn = this.worker;
    let hasEnded = false;
    const query: PGlite['query'] = async (text, params, options) => {
      if (hasEnded) throw new Error('The transaction of this query has ended');
      return this.ask(queryOf(text, params, options), begunOn) as never;
    };
    const end = async (commit: boolean): Promise<void> => {
      hasEnded = true;
      await this.ask({ act: 'end', commit }, begunOn);
    };
    await this.ask({ act: 'begin' }, begunOn);
    let result: Awaited<ReturnType<typeof work>>;
    try {
      result = await work({ query } as unknown as Transaction);
    } catch (error) {
      // A thread that ended has undone it too, and the work's own error is the one that counts.
      await end(false).catch(() => undefined);
      throw error;
    }
    await end(true);
    return result;
  };

  async close(): Promise<void> {
    this.closed = true;
    if (this.timer !== null) clearTimeout(this.timer);
    if (this.worker === null) return;
    await this.ask({ act: 'close' });
    await this.worker?.terminate();
  }

  private async start(): Promise<void> {
    const worker = new Worker(START, { eval: true, execArgv: [] });
    this.worker = worker;
    worker.on('message', (told: PgliteTold) => {
      this.hear(told);
    });
    worker.on('error', (error) => {
      this.log.error({ reason: error.message }, 'the thread of the database failed');
    });
    worker.on('exit', () => {
      this.lost(worker);
    });
    await this.ask({ act: 'open', options: this.options });
  }

  /** `worker`: the thread that alone may be asked. */
  private ask(ask: PgliteAsk, worker = this.worker): Promise<unknown> {
    if (worker === null || worker !== this.worker)
      return Promise.reject(new PgliteBroke('PGlite is being reopened, or was'));
    return new Promise((resolve, reject) => {
      const id = (this.asked += 1);
      this.waiting.set(id, { resolve, reject });
      worker.postMessage({ id, ask });
    });
  }

  private hear(told: PgliteTold): void {
    if ('event' in told) {
      if (told.event === 'returned') this.returned();
      else this.log[told.level](told.fields, told.message);
      return;
    }
    const waiting = this.waiting.get(told.id);
    this.waiting.delete(told.id);
    if ('fault' in told) waiting?.reject(fromFault(told.fault));
    else waiting?.resolve(told.value);
  }

  private returned(): void {
    for (const listener of this.listeners) listener();
  }

  /** A thread that ended by itself: what it was asked is not known to have taken effect. */
  private lost(worker: Worker): void {
    if (this.worker !== worker) return;
    this.worker = null;
    for (const { reject } of this.waiting.values())
      reject(new PgliteBroke('The thread of the database ended'));
    this.waiting.clear();
    this.startSoon();
  }

  /**
   * Once for a thread that ends while it opens the folder: its end and the failed start both ask,
   * and two threads must never have one folder.
   */
  private startSoon(): void {
    if (this.closed) return;
    this.timer ??= setTimeout(() => {
      this.timer = null;
      this.start().then(
        () => {
          this.returned();
        },
        (error: unknown) => {
          this.log.warn({ reason: String(error) }, 'the database could not be reopened yet');
          const { worker } = this;
          this.worker = null;
          void worker?.terminate();
          this.startSoon();
        },
      );
    }, AGAIN_MS);
  }
}

function queryOf(
  text: string,
  params: unknown[] | undefined,
  { rowMode, parsers }: QueryOptions = {},
): PgliteAsk {
  return {
    act: 'query',
    text,
    params,
    rowMode,
    // drizzle takes these types as the text they come as, and has no other parsers.
    verbatim: Object.keys(parsers ?? {}).map(Number),
  };
}
