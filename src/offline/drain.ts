/** Sends the queue, the same way in page and worker. Entries are sent only for their own user. */
import * as z from 'zod/mini';
import { Agent } from '../../contract/agents.ts';
import { Alert } from '../../contract/alerts.ts';
import { CONTRACT_VERSION } from '../../contract/version.ts';
import { afterDelivery, partlyRefused } from './after-delivery.ts';
import { claimIn, deliveredIn, provenIn, releaseIn, settleIn } from './delivery-changes.ts';
import { StorageFault } from './user-database.ts';
import { pauseHolds, type Outbox } from './outbox.ts';
import { isAlert, isPending, isStop, type EntryResult, type OutboxEntry } from './outbox-entry.ts';
import type { QueueMeta, QueueState } from './queue-store.ts';
import { judge, type Answer, type Verdict } from './replies.ts';
import { nextDueAt, pick } from './send-order.ts';
import { tokenClaims } from './token-claims.ts';
import { besideDelivery } from './told-state.ts';

export interface Bearer {
  uid: string;
  token: string;
}

export interface DrainPorts {
  outbox: Outbox;
  /** The present user's token; null without one. `force` asks for a new one. */
  token(force: boolean): Promise<Bearer | null>;
  send(entry: OutboxEntry, token: string): Promise<Answer>;
  /** Server's clock − device's (ms) if the server itself has just answered; otherwise null. */
  probe(): Promise<number | null>;
  /**
   * Runs exclusively among all tabs and the worker; later callers wait in line. Null, and a signal to
   * the work, where the page was left before its end.
   */
  alone<T>(name: string, work: (left: AbortSignal) => Promise<T>): Promise<T | null>;
  now(): number;
  /** In [0, 1). */
  random(): number;
  /** Resolves at the next change of the queue, so that a Stop pressed meanwhile does not wait. */
  changed(): Promise<void>;
  /** The server's reply to a command, confirmed by the echoed id. */
  onDelivered?(entry: OutboxEntry, agents: Agent[], alert: Alert | null): void;
  /** An entry now needs the user, failed or expired. */
  onSettled?(entry: OutboxEntry): void;
}

/**
 * `empty`: nothing waits. `waiting`: something waits for `dueAt`. `offline`: the server did not
 * answer. `signed-out`: no token of this user. `sign-in`, `update`: paused. `no-storage`: the queue
 * could not be read or written, so something may still wait.
 */
type DrainEnd =
  | 'empty'
  | 'waiting'
  | 'offline'
  | 'signed-out'
  | 'sign-in'
  | 'update'
  | 'no-storage';
export interface Drained {
  end: DrainEnd;
  /** Device clock, ms. */ dueAt: number | null;
}

const OneAgent = z.object({ agent: Agent });
const ManyAgents = z.object({ agents: z.array(Agent) });
const OneAlert = z.object({ alert: Alert });
const Results = z.object({
  results: z.array(
    z.object({ agentId: z.string(), outcome: z.string(), message: z.optional(z.string()) }),
  ),
});

/** The agents that a reply names. */
export function agentsIn(json: unknown): Agent[] {
  const one = OneAgent.safeParse(json);
  if (one.success) return [one.data.agent];
  const many = ManyAgents.safeParse(json);
  return many.success ? many.data.agents : [];
}

/** The alert that a reply names, as it is now. */
export function alertIn(json: unknown): Alert | null {
  const parsed = OneAlert.safeParse(json);
  return parsed.success ? parsed.data.alert : null;
}

/**
 * The result of each agent of a command for many; empty for other commands and for replies without
 * results.
 */
export function resultsIn(json: unknown, entry: OutboxEntry): EntryResult[] {
  const parsed = entry.agentId === null && !isAlert(entry) ? Results.safeParse(json) : null;
  if (parsed?.success !== true) return [];
  const names = new Map(
    [...(entry.seen?.agents ?? []), ...agentsIn(json)].map(({ id, name }) => [id, name]),
  );
  return parsed.data.results.map(({ agentId, outcome, message = '' }) => ({
    agentId,
    name: names.get(agentId) ?? 'Deleted agent',
    went: outcome !== 'refused',
    message,
  }));
}

/**
 * How long "this app is too old" is believed without asking again, because the server may be rolled
 * back, ms.
 */
const TOO_OLD_MS = 60_000;

/** Whether a queue paused for an update may try again with this version. */
function mayAskAgain({ pause }: QueueMeta, now: number): boolean {
  return pause?.why === 'update' && Math.abs(now - (pause.since ?? 0)) >= TOO_OLD_MS;
}

/** A fault of the disk that holds up no stop. Without its user nothing goes out. */
function unwritten(error: unknown): StorageFault {
  if (error instanceof StorageFault && error.code !== 'signed-out') return error;
  throw error;
}

/** Sends the queue until nothing more can be sent now. */
export async function drain(ports: DrainPorts): Promise<Drained> {
  try {
    const drained = await ports.alone(`outbox:${ports.outbox.uid}`, (left) =>
      new Turn(ports, left).run(),
    );
    return drained ?? { end: 'waiting', dueAt: null };
  } catch (error) {
    if (error instanceof StorageFault)
      return { end: error.code === 'signed-out' ? 'signed-out' : 'no-storage', dueAt: null };
    throw error;
  }
}

/** One turn while holding the lock. */
class Turn {
  private readonly inFlight = new Map<string, OutboxEntry>();
  private readonly sends = new Set<Promise<void>>();
  /** Why this turn sends nothing more. */
  private stopped: DrainEnd | null = null;
  /** A start was postponed: other starts wait for the next turn too. Stops are each tried. */
  private startsHeld = false;
  /** The same for alerts. */
  private alertsHeld = false;
  private fault: Error | null = null;
  /** Stops whose answer could not be stored: each is sent once in a turn. */
  private readonly tried = new Set<string>();

  constructor(
    private readonly ports: DrainPorts,
    /**
     * The page was left, and with it the lock. Where it is shown again, this turn stores what its sends
     * came to, beside a new turn, and sends nothing more.
     */
    private readonly left: AbortSignal,
  ) {}

  async run(): Promise<Drained> {
    const { outbox } = this.ports;
    const { entries } = await this.look();
    if (!entries.some(isPending)) return { end: 'empty', dueAt: null };
    // A turn may send nothing, for hours: until then nothing is called being sent.
    if (entries.some(({ state }) => state === 'sending')) await releaseIn(outbox).catch(unwritten);
    const offset = await this.ports.probe();
    // An answer that lay in a page that slept tells no time.
    if (offset === null || this.left.aborted) return this.over('offline');
    await provenIn(outbox, offset).catch((error: unknown) => {
      this.failed(unwritten(error));
    });
    for (;;) {
      const changed = this.ports.changed();
      const { entries: present } = await this.look();
      for (const entry of this.next(present)) this.launch(entry);
      if (this.sends.size === 0) break;
      await Promise.race([...this.sends, changed]);
    }
    if (this.fault !== null) throw this.fault;
    return this.over(this.stopped);
  }

  /** What time has made of the queue shows, also where it cannot be written. */
  private look(): Promise<QueueState> {
    const { outbox } = this.ports;
    return outbox.sweep().catch(() => outbox.state());
  }

  /** Only stops go out in a turn that has met a fault. */
  private failed(error: unknown): void {
    this.fault ??= error instanceof Error ? error : new Error(String(error));
    this.startsHeld = true;
  }

  private next(entries: OutboxEntry[]): OutboxEntry[] {
    if (this.stopped !== null || this.left.aborted) return [];
    const untried = entries.filter(({ commandId }) => !this.tried.has(commandId));
    const chosen = pick(untried, [...this.inFlight.values()], this.ports.now());
    return chosen.filter(
      (entry) =>
        isStop(entry) || !(isAlert(entry) ? this.alertsHeld || this.startsHeld : this.startsHeld),
    );
  }

  private async over(why: DrainEnd | null): Promise<Drained> {
    const dueAt = nextDueAt((await this.ports.outbox.state()).entries);
    return { end: why ?? (dueAt === null ? 'empty' : 'waiting'), dueAt };
  }

  private launch(entry: OutboxEntry): void {
    this.inFlight.set(entry.commandId, entry);
    const done = this.sendOne(entry)
      .catch((error: unknown) => {
        this.failed(error);
        this.tried.add(entry.commandId);
      })
      .finally(() => {
        this.inFlight.delete(entry.commandId);
        this.sends.delete(done);
      });
    this.sends.add(done);
  }

  /** The token of the entry's own user. */
  private async bearer(entry: OutboxEntry, force: boolean): Promise<Bearer | null> {
    const held = await this.ports.token(force);
    if (held === null || held.uid !== entry.uid) {
      this.stopped ??= 'signed-out';
      return null;
    }
    const { meta } = await this.ports.outbox.state();
    const paused = pauseHolds(meta, tokenClaims(held.token)?.authTime ?? null);
    if (paused === null || mayAskAgain(meta, this.ports.now())) return held;
    this.stopped ??= paused;
    return null;
  }

  /**
   * Recorded before it is sent: after a crash the outcome is known to be unknown. A stop does not
   * wait for that, because the server acts on its id once.
   */
  private async claim(wanted: OutboxEntry): Promise<OutboxEntry | null> {
    const { outbox } = this.ports;
    try {
      return await claimIn(outbox, wanted.commandId);
    } catch (error) {
      if (!isStop(wanted)) throw error;
      unwritten(error);
      // Where the disk does not read either, nothing is sent, and no tab must be told that it was.
      await outbox.state();
      outbox.unmarked.set(wanted.commandId, false);
      // Before anything goes out: another tab must not take it for unsent meanwhile.
      outbox.changed(wanted.commandId);
      // It may have been taken back meanwhile.
      const { entries } = await outbox.state();
      const entry = entries.find(({ commandId }) => commandId === wanted.commandId);
      return entry !== undefined && isPending(entry)
        ? { ...entry, state: 'sending', nextAttemptAt: null }
        : null;
    }
  }

  private async sendOne(wanted: OutboxEntry): Promise<void> {
    const { ports } = this;
    const { outbox } = ports;
    let bearer = await this.bearer(wanted, false);
    if (bearer === null) return;
    const entry = await this.claim(wanted);
    if (entry === null) return;
    if (this.left.aborted) return settleIn(outbox, { ...entry, state: 'saved' });
    let answer = await this.ports.send(entry, bearer.token);
    let verdict = judge(entry, answer, {
      now: ports.now(),
      random: ports.random(),
      refreshed: false,
    });
    if (verdict.verdict === 'refresh') {
      bearer = await this.bearer(wanted, true);
      if (bearer === null || this.left.aborted) {
        await settleIn(outbox, { ...entry, state: 'saved' });
        return;
      }
      answer = await this.ports.send(entry, bearer.token);
      verdict = judge(entry, answer, { now: ports.now(), random: ports.random(), refreshed: true });
    }
    await this.conclude(entry, verdict, answer, bearer);
  }

  private async conclude(
    entry: OutboxEntry,
    verdict: Verdict,
    answer: Answer,
    bearer: Bearer,
  ): Promise<void> {
    const { outbox } = this.ports;
    switch (verdict.verdict) {
      case 'done': {
        const agents = agentsIn(answer.json);
        const alert = alertIn(answer.json);
        const results = resultsIn(answer.json, entry);
        const versions = new Map(agents.map((agent) => [agent.id, agent.generation]));
        if (alert !== null) versions.set(alert.id, alert.version);
        const beside = besideDelivery({
          agents,
          alert,
          isNewAlert: entry.alert?.seenVersion === null,
          deletedAlertId: entry.alert?.terms === null ? entry.alert.id : null,
        });
        const left = partlyRefused(entry, results, this.ports.now());
        const fault = await this.endPause(bearer)
          .then(() =>
            deliveredIn(
              outbox,
              entry.commandId,
              (entries) => afterDelivery(entries, entry, versions, left),
              beside,
            ),
          )
          .catch(unwritten);
        // Still on the disk: whoever starts the app sends it again, under its id.
        if (fault !== undefined && left === null) outbox.unmarked.set(entry.commandId, true);
        this.ports.onDelivered?.(entry, agents, alert);
        if (results.some((result) => !result.went)) this.ports.onSettled?.(entry);
        if (fault !== undefined) throw fault;
        return;
      }
      case 'again':
        await settleIn(outbox, verdict.entry);
        if (verdict.noAnswer) this.stopped ??= 'offline';
        if (isAlert(entry)) this.alertsHeld = true;
        else if (!isStop(entry)) this.startsHeld = true;
        return;
      case 'pause':
        await settleIn(outbox, verdict.entry);
        await outbox.pause({
          why: verdict.why,
          authTime: tokenClaims(bearer.token)?.authTime ?? null,
          contractVersion: CONTRACT_VERSION,
          since: this.ports.now(),
        });
        this.stopped ??= verdict.why;
        return;
      case 'settled':
        await settleIn(outbox, verdict.entry);
        this.ports.onSettled?.(verdict.entry);
        return;
      case 'refresh':
        throw new Error('A token is refreshed once');
    }
  }

  /**
   * The server has taken a command: this app is not too old for it, and a pause for an earlier login
   * than this one was noted late.
   */
  private async endPause({ token }: Bearer): Promise<void> {
    const { outbox } = this.ports;
    const { meta } = await outbox.state();
    if (meta.pause === null) return;
    const holds = pauseHolds(meta, tokenClaims(token)?.authTime ?? null) !== null;
    if (meta.pause.why === 'update' || !holds) await outbox.pause(null);
  }
}
