/**
 * The signer without its socket, in a folder that outlives it: killed at the n-th of its writes and
 * requests, and started again from what is on disk.
 */
import type { LiveExchange, SignerAsk, SignerReply } from '../../../contract/signer.ts';
import type { SignerPort } from '../../../server/live/live-deps.ts';
import { SignerUnreachable } from '../../../server/live/signer-client.ts';
import type { AuditLog } from '../../../signer/audit-log.ts';
import { Desk } from '../../../signer/desk.ts';
import type { Clock } from '../../../signer/exchanges/budget.ts';
import type { Journal } from '../../../signer/journal.ts';
import { openStore } from '../../../signer/open-signer.ts';
import { Secrets } from '../../../signer/secrets.ts';

/** On the exchange's clock: the signer gives a request up after so long. */
const REQUEST_TIMEOUT_MS = 10_000;
const quiet = (): void => undefined;

class Killed extends Error {
  override readonly name = 'Killed';
}

type Store = Awaited<ReturnType<typeof openStore>>;

export interface SignerHostOptions {
  folder: string;
  exchange: LiveExchange;
  origin: string;
  /** Takes the place of the network's. */
  fetch?: typeof fetch;
  clock: Clock;
  /** Told of a request that would make an order, before it leaves. */
  beforePlacing: (clientOrderId: string, isWritten: boolean) => Promise<void>;
  /** What failed in it that should not. */
  onFault: (what: string) => void;
}

const isPlacing = (url: string, method: string): boolean =>
  url.endsWith('/AddOrder') ||
  (method === 'POST' && /\/(brokerage\/orders|v3\/order)(\?|$)/.test(url));

class SignerLife {
  dead = false;
  left = Number.POSITIVE_INFINITY;
  readonly desk: Desk;
  private readonly flights = new Map<AbortController, number>();

  constructor(
    private readonly store: Store,
    secrets: Secrets,
    private readonly options: SignerHostOptions,
  ) {
    const { clock, exchange, origin } = options;
    this.desk = new Desk({
      ...store,
      journal: this.mortalJournal(store.journal),
      audit: this.mortalAudit(store.audit),
      spent: this.mortalSpent(store.spent),
      secrets,
      log: { info: quiet, warn: quiet, error: quiet },
      clock,
      origins: { [exchange]: origin },
      passkeys: { rpId: '', origins: [] },
      fetch: (url, init) =>
        this.send(url instanceof Request ? url.url : url.toString(), init ?? {}),
    });
  }

  /** @throws Killed when it is dead by now. */
  pass(): void {
    if (!this.dead) this.left -= 1;
    if (this.left <= 0) this.kill();
    if (this.dead) throw new Killed();
  }

  kill(): void {
    if (this.dead) return;
    this.dead = true;
    this.store.close();
  }

  /** Requests that have been out for too long are given up. */
  giveUpLate(): void {
    for (const [controller, sinceMs] of this.flights)
      if (this.options.clock.now() - sinceMs >= REQUEST_TIMEOUT_MS)
        controller.abort(new DOMException('late', 'TimeoutError'));
  }

  private async send(url: string, init: RequestInit): Promise<Response> {
    this.pass();
    const text = `${url} ${typeof init.body === 'string' ? init.body : ''}`;
    const id = isPlacing(url, init.method ?? 'GET') ? /[0-9a-f]{32}/.exec(text)?.[0] : undefined;
    if (id !== undefined)
      await this.options.beforePlacing(id, this.store.journal.ledger.order(id) !== null);
    const controller = new AbortController();
    this.flights.set(controller, this.options.clock.now());
    try {
      const way = this.options.fetch ?? fetch;
      return await way(url, { ...init, signal: controller.signal });
    } finally {
      this.flights.delete(controller);
      this.pass();
    }
  }

  private mortalJournal(journal: Journal): Journal {
    const mortal = Object.create(journal) as Journal;
    mortal.write = (record) => {
      this.pass();
      journal.write(record);
      this.pass();
    };
    return mortal;
  }

  /** What a dead process still takes of an allowance is not written over what a later one notes. */
  private mortalSpent(spent: Store['spent']): Pick<Store['spent'], 'record'> {
    return {
      record: (scope) => {
        const record = spent.record(scope);
        return {
          last: record.last,
          note: (level) => {
            if (!this.dead) record.note(level);
          },
        };
      },
    };
  }

  private mortalAudit(audit: AuditLog): AuditLog {
    const mortal = Object.create(audit) as AuditLog;
    mortal.write = (...entry) => {
      this.pass();
      audit.write(...entry);
    };
    return mortal;
  }
}

export class SignerHost implements SignerPort {
  private life: SignerLife | null = null;

  constructor(private readonly options: SignerHostOptions) {}

  async start(): Promise<void> {
    const { folder, clock } = this.options;
    const secrets = new Secrets();
    const store = await openStore(folder, () => clock.now(), secrets);
    this.life = new SignerLife(store, secrets, this.options);
  }

  get isDead(): boolean {
    return this.life?.dead ?? true;
  }

  /** From now on it lives for so many writes and requests. */
  killIn(points: number): void {
    if (this.life !== null) this.life.left = points;
  }

  kill(): void {
    this.life?.kill();
  }

  giveUpLate(): void {
    this.life?.giveUpLate();
  }

  /** What it does besides its answers is over. */
  async settled(): Promise<void> {
    await this.life?.desk.settled();
  }

  async ask<A extends SignerAsk['act']>(
    ask: Extract<SignerAsk, { act: A }>,
  ): Promise<SignerReply<A>> {
    const { life } = this;
    if (life === null || life.dead) throw new SignerUnreachable('it is not running');
    try {
      const reply = (await life.desk.answer(ask)) as SignerReply<A>;
      if (life.dead as boolean) throw new Killed();
      return reply;
    } catch (error) {
      if (!(life.dead as boolean)) this.options.onFault(`${ask.act}: ${String(error)}`);
      throw new SignerUnreachable('the connection was closed');
    }
  }
}
