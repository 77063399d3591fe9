/**
 * What the model of the queue is made of: chance by a seed, a disk that survives crashes, and who
 * takes the next step.
 */
import { EMPTY_META, type QueueState } from '../../../src/offline/queue-store.ts';

/** mulberry32: small, seeded, good enough to shuffle. */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** What lies on the disk: survives every crash. */
export class ModelDisk {
  readonly states = new Map<string, QueueState>();
  /**
   * How often a user's database was deleted: who opened it before writes nothing into the new one.
   */
  readonly epochs = new Map<string, number>();
  epoch(uid: string): number {
    return this.epochs.get(uid) ?? 0;
  }
  delete(uid: string): void {
    this.states.delete(uid);
    this.epochs.set(uid, this.epoch(uid) + 1);
  }
  state(uid: string): QueueState {
    return this.states.get(uid) ?? { entries: [], meta: EMPTY_META };
  }
}

/** Every step of everybody waits here until the scheduler picks it. */
export class Scheduler {
  private waiting: { realm: number; go: () => void }[] = [];
  readonly dead = new Set<number>();
  constructor(private readonly random: () => number) {}

  /** Resolves when picked; never, once its realm has died. */
  step(realm: number): Promise<void> {
    return new Promise((resolve) => {
      if (!this.dead.has(realm)) this.waiting.push({ realm, go: resolve });
    });
  }

  get idle(): boolean {
    return this.waiting.length === 0;
  }

  kill(realm: number): void {
    this.dead.add(realm);
    this.waiting = this.waiting.filter((task) => task.realm !== realm);
  }

  async tick(): Promise<void> {
    const [task] = this.waiting.splice(Math.floor(this.random() * this.waiting.length), 1);
    task?.go();
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
  }
}
