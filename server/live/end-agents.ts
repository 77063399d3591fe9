/**
 * Tells the signer of agents that do not run any more, so that it buys nothing for them: those that
 * were stopped just now, and at the start of a process those whose stop it never heard of.
 */
import { eq } from 'drizzle-orm';
import { EVALUATED_STATUSES } from '../agents/agent-lifecycle.ts';
import { agents } from '../db/schema.ts';
import { hasPassed } from './elapsed.ts';
import type { LiveDeps } from './live-deps.ts';
import { signerAnswers } from './signer-answers.ts';

const ASK_AGAIN_MS = 60_000;
const LOOK_MS = 10_000;

const isEvaluated = (status: string): boolean => EVALUATED_STATUSES.some((one) => one === status);

export class EndedAgents {
  private readonly waiting = new Set<string>();
  private telling: Promise<void> | null = null;
  private comparing: Promise<void> | null = null;
  private isCompared = false;
  private comparedAtMs = Number.NEGATIVE_INFINITY;
  private lookedAtMs = Number.NEGATIVE_INFINITY;
  /** When each was stopped, as far as it has been looked at. */
  private readonly known = new Map<string, number>();

  constructor(
    private readonly deps: LiveDeps,
    private readonly connectionId: string,
  ) {}

  note(agentId: string): void {
    this.waiting.add(agentId);
  }

  get isTelling(): boolean {
    return this.telling !== null;
  }

  get isComparing(): boolean {
    return this.comparing !== null;
  }

  /** What the signer does not hear stays, and is said again. */
  tell(): Promise<void> {
    this.telling ??= this.tellWaiting().finally(() => {
      this.telling = null;
    });
    return this.telling;
  }

  /**
   * Once a process: those that the signer lets buy are told, and no others. For that the signer asks
   * the exchange for prices, and nobody who was stopped just now waits for these.
   */
  compare(): Promise<void> {
    this.comparing ??= this.compareIfDue().finally(() => {
      this.comparing = null;
    });
    return this.comparing;
  }

  private async tellWaiting(): Promise<void> {
    const now = this.deps.clock.now();
    // Another process may have stopped it. Of those from before this process the comparison tells.
    if (this.comparing === null && hasPassed(this.lookedAtMs, LOOK_MS, now)) {
      this.lookedAtMs = now;
      for (const { id, stoppedAt } of await this.agents())
        if (stoppedAt !== null && stoppedAt > (this.known.get(id) ?? 0)) {
          this.known.set(id, stoppedAt);
          this.waiting.add(id);
        }
    }
    // Those that are stopped meanwhile are told too.
    for (const agentId of this.waiting)
      if (await this.end(agentId)) this.waiting.delete(agentId);
      else return;
  }

  private async compareIfDue(): Promise<void> {
    const now = this.deps.clock.now();
    if (this.isCompared || !hasPassed(this.comparedAtMs, ASK_AGAIN_MS, now)) return;
    this.comparedAtMs = now;
    const { connectionId } = this;
    const state = await this.deps.signer.ask({ act: 'state', connectionId }).catch(() => null);
    if (state?.kind !== 'read') return;
    this.isCompared = true;
    const started = new Set(state.value.agentsStarted);
    for (const { id, status, stoppedAt } of await this.agents()) {
      if (started.has(id) && !isEvaluated(status)) this.waiting.add(id);
      if (stoppedAt !== null && !this.known.has(id)) this.known.set(id, stoppedAt);
    }
    await this.tell();
  }

  private agents() {
    return this.deps.database.db
      .select({ id: agents.id, status: agents.status, stoppedAt: agents.stoppedAt })
      .from(agents)
      .where(eq(agents.connectionId, this.connectionId));
  }

  /**
   * Under the agent's lock, as its start is: one that was started meanwhile is left alone.
   */
  private async end(agentId: string): Promise<boolean> {
    const { connectionId } = this;
    const { database, signer } = this.deps;
    if (!(await signerAnswers(signer))) return false;
    return database.transaction(async (tx) => {
      const [row] = await tx.db
        .select({ status: agents.status })
        .from(agents)
        .where(eq(agents.id, agentId))
        .for('update');
      if (row !== undefined && isEvaluated(row.status)) return true;
      const answer = await signer
        .ask({ act: 'end_agent', connectionId, agentId })
        .catch(() => null);
      return answer !== null;
    });
  }
}
