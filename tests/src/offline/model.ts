/**
 * A model of page, worker, device, network and server around the real queue. All its randomness
 * comes from its seed.
 */
import { createOutbox, type Outbox } from '../../../src/offline/outbox.ts';
import { confirmCommandIn } from '../../../src/offline/review.ts';
import type { QueueStore } from '../../../src/offline/queue-store.ts';
import { drain, type DrainPorts } from '../../../src/offline/drain.ts';
import {
  concerns,
  isAlert,
  isStop,
  type OutboxEntry,
  type CommandRequest,
} from '../../../src/offline/outbox-entry.ts';
import type { AlertTerms } from '../../../contract/alerts.ts';
import { StorageFault } from '../../../src/offline/user-database.ts';
import type { Answer } from '../../../src/offline/replies.ts';
import { ModelDisk, Scheduler, seeded } from './model-parts.ts';
import { AGENTS, ALERTS, ModelServer, USERS, type Mutant, type User } from './model-server.ts';

export interface Outcome {
  /**
   * Saved, and neither sent, nor waiting, nor overtaken by a later press of the same person on the
   * same agent.
   */
  lost: string[];
  doubled: string[];
  misdelivered: string[];
  sends: number;
  crashes: number;
  /** Requests that the device had given up on and the server got later. */
  arrivedLate: number;
  signOuts: number;
}

/** The mutant's disk: nothing was ever sent. */
const forgetful = (store: QueueStore): QueueStore => ({
  ...store,
  change: (work) =>
    store.change((state) =>
      work({
        ...state,
        entries: state.entries.map((entry) =>
          entry.state === 'sending' || entry.state === 'saved'
            ? { ...entry, attempts: 0, state: 'saved' as const }
            : entry,
        ),
      }),
    ),
});

interface Press {
  uid: User;
  request: CommandRequest;
  order: number;
  commandId: string | null;
}

export class World {
  private readonly random: () => number;
  private readonly scheduler: Scheduler;
  readonly server: ModelServer;
  readonly disk = new ModelDisk();
  private now = 1_700_000_000_000;
  private clockShift = 0;
  private signedIn: User | null = 'ada';
  private online = true;
  private faults = true;
  private nextRealm = 1;
  private ids = 0;
  private readonly locks = new Map<
    string,
    { realm: number; queue: { realm: number; go: () => void }[] }
  >();
  private readonly drains = new Set<number>();
  /** What tells a turn that its page was left. */
  private readonly turns = new Map<number, AbortController>();
  readonly presses: Press[] = [];
  private sends = 0;
  private commits = 0;
  private crashes = 0;
  private arrivedLate = 0;
  private signOuts = 0;
  /** On the network, given up by the device. */
  private readonly alertsUnderWay = new Set<string>();
  private readonly underway: { entry: OutboxEntry; tokenUid: string }[] = [];
  /**
   * Up to which press a start or a stop of an agent was given up at a sign-out, by name:
   * `uid/agent/starts`.
   */
  private readonly givenUp = new Map<string, number>();
  /** Of these, the ones that had never been sent: nothing may come of them. */
  private readonly unsentThen = new Set<string>();
  /**
   * Stops that were under way when they were given up: one may still arrive, and a stop is never
   * refused.
   */
  private readonly stopsUnderWay = new Set<string>();
  /** Now and then a browser has no locks: only the server keeps two drainers from doubling then. */
  private readonly locked: boolean;

  constructor(
    seed: number,
    private readonly mutant: Mutant,
  ) {
    this.random = seeded(seed);
    this.server = new ModelServer(mutant);
    this.locked = this.random() < 0.8;
    this.scheduler = new Scheduler(this.random);
  }

  private chance(probability: number): boolean {
    return this.random() < probability;
  }

  private pick<T>(list: readonly T[]): T {
    return list[Math.floor(this.random() * list.length)] as T;
  }

  private clock(): number {
    return this.now + this.clockShift;
  }

  private newId(): string {
    this.ids += 1;
    return `00000000-0000-4000-8000-${String(this.ids).padStart(12, '0')}`;
  }

  /** The queue of one user as one realm sees it: the real rules over the model's disk. */
  private outbox(uid: string, realm: number, committed: () => void = () => undefined): Outbox {
    const epoch = this.disk.epoch(uid);
    const open = (): void => {
      if (this.disk.epoch(uid) !== epoch)
        throw new StorageFault('signed-out', 'Deleted by a sign-out');
    };
    const store: QueueStore = {
      uid,
      read: async () => {
        await this.scheduler.step(realm);
        open();
        return structuredClone(this.disk.state(uid));
      },
      change: async (work) => {
        await this.scheduler.step(realm);
        open();
        const { result, ...state } = work(structuredClone(this.disk.state(uid)));
        this.disk.states.set(uid, structuredClone(state));
        committed();
        // Between the disk and the one who hears of it there is room for a crash.
        await this.scheduler.step(realm);
        return result;
      },
      quarantined: async () => [],
      clearQuarantine: async () => undefined,
    };
    const outbox = createOutbox(store, { now: () => this.clock(), newId: () => this.newId() });
    if (this.mutant === 'coalesce-attempted')
      return {
        ...outbox,
        enqueue: (request) =>
          createOutbox(forgetful(store), {
            now: () => this.clock(),
            newId: () => this.newId(),
          }).enqueue(request),
      };
    if (this.mutant === 'alert-forgets-attempted')
      return {
        ...outbox,
        enqueue: (request) =>
          createOutbox(isAlert(request) ? forgetful(store) : store, {
            now: () => this.clock(),
            newId: () => this.newId(),
          }).enqueue(request),
      };
    if (this.mutant === 'alert-keeps-version')
      return {
        ...outbox,
        change: (work, beside) =>
          outbox.change((state) => {
            const after = work(state);
            // Only a delivery changes snapshots beside the queue.
            if (beside === undefined) return after;
            const versions = new Map(
              state.entries.map(({ commandId, alert }) => [commandId, alert]),
            );
            const entries = after.entries.map((entry) =>
              isAlert(entry) ? { ...entry, alert: versions.get(entry.commandId) } : entry,
            );
            return { ...after, entries };
          }, beside),
      };
    if (this.mutant !== 'delete-before-send') return outbox;
    return {
      ...outbox,
      change: (work, beside) =>
        outbox.change((state) => {
          const after = work(state);
          const attempts = new Map(state.entries.map((entry) => [entry.commandId, entry.attempts]));
          const entries = after.entries.filter(
            (entry) => entry.attempts <= (attempts.get(entry.commandId) ?? 0),
          );
          return { ...after, entries };
        }, beside),
    };
  }

  private async alone<T>(
    realm: number,
    name: string,
    work: (left: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const left = new AbortController();
    this.turns.set(realm, left);
    if (!this.locked) return work(left.signal);
    const held = this.locks.get(name);
    if (held !== undefined)
      await new Promise<void>((resolve) => {
        held.queue.push({ realm, go: resolve });
      });
    else this.locks.set(name, { realm, queue: [] });
    try {
      return await work(left.signal);
    } finally {
      if (this.locks.get(name)?.realm === realm) this.release(name);
    }
  }

  private release(name: string): void {
    const held = this.locks.get(name);
    const next = held?.queue.shift();
    if (held === undefined || next === undefined) {
      this.locks.delete(name);
      return;
    }
    held.realm = next.realm;
    next.go();
  }

  private async network(realm: number, entry: OutboxEntry, token: string): Promise<Answer> {
    const tokenUid = token.split('.')[0] ?? '';
    this.sends += 1;
    await this.scheduler.step(realm);
    const none: Answer = { status: 0, json: undefined, why: 'network' };
    if (!this.online) return none;
    if (this.faults && this.chance(0.15)) return none;
    if (this.faults && this.chance(0.08)) return { status: 200, json: undefined };
    if (this.faults && this.chance(0.05))
      return { status: 503, json: { error: { code: 'shutting_down', message: 'later' } } };
    if (this.faults && this.chance(0.04))
      return {
        status: 429,
        json: { error: { code: 'rate_limited', message: 'slow' } },
        retryAfterMs: 2_000,
      };
    if (this.faults && this.chance(0.04))
      return { status: 401, json: { error: { code: 'invalid_token', message: 'old' } } };
    if (this.faults && this.chance(0.06)) {
      this.underway.push({ entry, tokenUid });
      return { status: 0, json: undefined, why: 'timeout' };
    }
    const answer = this.server.take(entry, tokenUid);
    if (this.faults && this.chance(0.1)) this.server.take(entry, tokenUid);
    await this.scheduler.step(realm);
    if (this.faults && this.chance(0.15)) return { status: 0, json: undefined, why: 'timeout' };
    return answer;
  }

  private ports(uid: User, realm: number): DrainPorts {
    return {
      outbox: this.outbox(uid, realm),
      token: async () => {
        await this.scheduler.step(realm);
        if (this.signedIn === null) return null;
        // The mutant asks nobody whose token it is.
        return {
          uid: this.mutant === 'ignore-user' ? uid : this.signedIn,
          token: `${this.signedIn}.e30.`,
        };
      },
      send: async (entry, token) => {
        const answer = await this.network(
          realm,
          this.mutant === 'new-id-each-try' ? { ...entry, commandId: this.newId() } : entry,
          token,
        );
        if (this.mutant === 'new-id-each-try' && answer.status === 200 && answer.json !== undefined)
          return { ...answer, json: { ...answer.json, commandId: entry.commandId } };
        return this.mutant === 'any-answer-is-success' && answer.status > 0
          ? { status: 200, json: { commandId: entry.commandId } }
          : answer;
      },
      probe: async () => {
        await this.scheduler.step(realm);
        return this.online ? -this.clockShift : null;
      },
      alone: (name, work) => this.alone(realm, name, work),
      now: () => this.clock(),
      random: this.random,
      changed: () => this.scheduler.step(realm),
    };
  }

  private startDrain(uid: User): void {
    const realm = this.nextRealm++;
    this.drains.add(realm);
    void drain(this.ports(uid, realm)).finally(() => {
      this.drains.delete(realm);
    });
  }

  private crash(): void {
    const realm = this.pick([...this.drains]);
    if (realm === undefined) return;
    this.crashes += 1;
    this.scheduler.kill(realm);
    this.drains.delete(realm);
    this.letGo(realm);
  }

  private letGo(realm: number): void {
    for (const [name, lock] of [...this.locks]) {
      lock.queue = lock.queue.filter((waiter) => waiter.realm !== realm);
      if (lock.realm === realm) this.release(name);
    }
  }

  /** The page is left and has no lock any more. Its turn ends sometime, beside others. */
  private leave(): void {
    const realm = this.pick([...this.drains]);
    if (realm === undefined) return;
    this.turns.get(realm)?.abort();
    this.letGo(realm);
  }

  private press(): void {
    const uid = this.signedIn;
    if (uid === null) return;
    if (this.chance(0.3)) {
      this.pressAlert(uid);
      return;
    }
    const intent = this.pick(['start', 'start', 'stop', 'stop', 'start-all', 'stop-all'] as const);
    const id = intent === 'start' || intent === 'stop' ? this.pick(AGENTS) : null;
    const seen = (agent: string): number => this.server.agent(uid, agent).generation;
    const request: CommandRequest = {
      intent,
      agentId: id,
      agentName: id ?? '',
      confirmed: false,
      seenGeneration: id === null ? null : seen(id),
      agents:
        id === null ? AGENTS.map((agent) => ({ id: agent, seenGeneration: seen(agent) })) : [],
    };
    this.save({ uid, request, order: 0, commandId: null });
  }

  /** While a new alert waits here, the screen may not have heard yet that the server has it. */
  private pressAlert(uid: User): void {
    const id = this.pick(ALERTS);
    const known = this.server.alert(uid, id);
    const present = known === undefined || known.terms === null ? null : known.version;
    const waits = this.disk
      .state(uid)
      .entries.some(({ alert }) => alert?.id === id && alert.seenVersion === null);
    const seenVersion = waits && this.chance(0.5) ? null : present;
    const terms: AlertTerms | null = this.chance(0.35)
      ? null
      : {
          symbol: 'BTC/USDT',
          condition: { kind: 'above', price: String(this.presses.length + 1) },
          repeatMinutes: null,
          note: '',
          active: true,
        };
    const request: CommandRequest = {
      intent: terms === null ? 'delete-alert' : 'set-alert',
      agentId: null,
      agentName: id,
      agents: [],
      seenGeneration: null,
      confirmed: false,
      alert: { id, terms, seenVersion, seen: null },
    };
    this.save({ uid, request, order: 0, commandId: null });
  }

  private save(press: Press): void {
    const { uid, request } = press;
    this.presses.push(press);
    const realm = this.nextRealm++;
    const outbox = this.outbox(uid, realm, () => {
      this.commits += 1;
      press.order = this.commits;
    });
    // A press that met a sign-out was told that it was not saved.
    outbox.enqueue(request).then(
      (entry) => {
        press.commandId = entry.commandId;
      },
      (error: unknown) => {
        if (!(error instanceof StorageFault)) throw error;
      },
    );
  }

  /**
   * The person is shown a start that waits for them, beside the agents as they are now, and says
   * yes.
   */
  private confirm(): void {
    const uid = this.signedIn;
    if (uid === null) return;
    const waiting = this.disk
      .state(uid)
      .entries.filter(
        (entry) => !isStop(entry) && (entry.state === 'needs-you' || entry.state === 'failed'),
      );
    if (waiting.length === 0) return;
    const { commandId, intent, agentId, agentName, agents, alert } = this.pick(waiting);
    const generations = new Map(
      AGENTS.map((id): [string, number] => [id, this.server.agent(uid, id).generation]),
    );
    for (const id of ALERTS) {
      const known = this.server.alert(uid, id);
      if (known !== undefined && known.terms !== null) generations.set(id, known.version);
    }
    const press: Press = {
      uid,
      request: { intent, agentId, agentName, agents, seenGeneration: null, confirmed: true, alert },
      order: 0,
      commandId: null,
    };
    this.presses.push(press);
    const outbox = this.outbox(uid, this.nextRealm++, () => {
      this.commits += 1;
      press.order = this.commits;
    });
    confirmCommandIn(outbox, commandId, generations).then(
      (entry) => {
        if (entry === null) return;
        // A stop that came between has taken its agent out.
        press.request = { ...press.request, agents: entry.agents };
        press.commandId = entry.commandId;
      },
      (error: unknown) => {
        if (!(error instanceof StorageFault)) throw error;
      },
    );
  }

  /** The person goes and gives up what waits, by name; whoever comes next finds nothing of it. */
  private signOut(): void {
    const uid = this.signedIn;
    if (uid === null) return;
    this.signOuts += 1;
    this.signedIn = null;
    for (const entry of this.disk.state(uid).entries) {
      if (entry.alert !== undefined) {
        this.givenUp.set(`${uid}/${entry.alert.id}`, this.commits);
        if (entry.attempts > 0) this.alertsUnderWay.add(`${uid}/${entry.alert.id}`);
      }
      for (const id of concerns(entry) ?? AGENTS)
        this.givenUp.set(`${uid}/${id}/${!isStop(entry)}`, this.commits);
      if (entry.attempts === 0) this.unsentThen.add(entry.commandId);
      else if (isStop(entry)) this.stopsUnderWay.add(entry.commandId);
    }
    if (this.mutant !== 'sign-out-keeps-queue') this.disk.delete(uid);
  }

  /** What a device gave up on comes to the server after all, in any order. */
  private arrive(): void {
    const [late] = this.underway.splice(Math.floor(this.random() * this.underway.length), 1);
    if (late === undefined) return;
    this.arrivedLate += 1;
    this.server.take(late.entry, late.tokenUid);
  }

  private async settleAll(): Promise<void> {
    for (let guard = 0; !this.scheduler.idle && guard < 20_000; guard += 1)
      await this.scheduler.tick();
  }

  /**
   * Random life, then calm: network, server and clock behave, and each user in turn is signed in
   * until nothing waits.
   */
  async run(events: number): Promise<Outcome> {
    for (let event = 0; event < events; event += 1) {
      const dice = this.random();
      if (dice < 0.3) this.press();
      else if (dice < 0.5) this.startDrain(this.signedIn ?? 'ada');
      else if (dice < 0.56) this.startDrain(this.pick(USERS));
      else if (dice < 0.63) this.crash();
      else if (dice < 0.65) this.signOut();
      else if (dice < 0.69) this.signedIn = this.pick([null, ...USERS]);
      else if (dice < 0.75) this.online = this.chance(0.6);
      else if (dice < 0.8) this.now += Math.floor(this.random() * 3 * 60_000);
      else if (dice < 0.81) this.clockShift = Math.floor((this.random() - 0.5) * 2 * 86_400_000);
      else if (dice < 0.87) this.arrive();
      else if (dice < 0.93) this.confirm();
      else if (dice < 0.96) this.leave();
      for (
        let steps = Math.floor(this.random() * 30);
        steps > 0 && !this.scheduler.idle;
        steps -= 1
      )
        await this.scheduler.tick();
    }
    this.faults = false;
    this.online = true;
    for (const uid of USERS) {
      this.signedIn = uid;
      for (let round = 0; round < 14; round += 1) {
        this.now += 61_000;
        const state = this.disk.state(uid);
        if (state.meta.pause !== null)
          this.disk.states.set(uid, { ...state, meta: { ...state.meta, pause: null } });
        this.startDrain(uid);
        await this.settleAll();
      }
    }
    // The last of what was on its way comes when all is said.
    while (this.underway.length > 0) this.arrive();
    return this.outcome();
  }

  private outcome(): Outcome {
    const seen = new Set<string>();
    const again = this.server.applied
      .filter(({ uid, commandId }) => {
        const key = `${uid}/${commandId}`;
        const twice = seen.has(key);
        seen.add(key);
        return twice;
      })
      .map((one) => one.commandId);
    const doubled = [
      ...again,
      ...this.server.conflicts.map((id) => `${id} with two bodies`),
      ...this.server.applied
        .filter(({ commandId }) => this.unsentThen.has(commandId))
        .map(({ commandId }) => `${commandId} was discarded unsent`),
    ];
    const lost: string[] = [];
    for (const uid of USERS) {
      const left = this.disk.state(uid).entries;
      for (const entry of left)
        if (entry.state === 'saved' || entry.state === 'sending')
          lost.push(`stuck ${entry.commandId}`);
      for (const id of AGENTS) {
        // The last thing this person said of this agent, and was told is saved, is what the server
        // does, or is shown.
        const last = this.presses
          .filter(
            (press) => press.uid === uid && press.commandId !== null && this.covers(press, id),
          )
          .sort((a, b) => a.order - b.order)
          .at(-1);
        // What was given up by name binds nobody; a press whose saving met the sign-out was not
        // told as saved.
        if (last === undefined) continue;
        const wanted = !isStop(last.request);
        if (wanted && this.stopsUnderWay.has(this.server.lastBy.get(`${uid}/${id}`) ?? ''))
          continue;
        if (last.order <= (this.givenUp.get(`${uid}/${id}/${wanted}`) ?? 0)) continue;
        const shown = left.some(
          (entry) =>
            entry.alert === undefined &&
            (!wanted || entry.agentId === id || entry.agents.some((agent) => agent.id === id)),
        );
        if (this.server.agent(uid, id).running !== wanted && !(wanted && shown))
          lost.push(`${uid}/${id} should be ${wanted ? 'running' : 'stopped'}`);
      }
    }
    lost.push(...USERS.flatMap((uid) => this.lostAlerts(uid)));
    return {
      lost,
      doubled,
      misdelivered: this.server.misdelivered,
      sends: this.sends,
      crashes: this.crashes,
      arrivedLate: this.arrivedLate,
      signOuts: this.signOuts,
    };
  }

  /**
   * The last thing this person said of an alert is what the server has, or is shown as not taken.
   */
  private lostAlerts(uid: User): string[] {
    return ALERTS.flatMap((id) => {
      const last = this.presses
        .filter(
          (press) =>
            press.uid === uid && press.commandId !== null && press.request.alert?.id === id,
        )
        .sort((a, b) => a.order - b.order)
        .at(-1);
      // What was given up under way may still arrive, whatever was said later.
      if (
        last === undefined ||
        this.alertsUnderWay.has(`${uid}/${id}`) ||
        last.order <= (this.givenUp.get(`${uid}/${id}`) ?? 0)
      )
        return [];
      const wanted = last.request.alert?.terms ?? null;
      const shown = this.disk
        .state(uid)
        .entries.some(
          (entry) => entry.alert?.id === id && (wanted === null) === (entry.alert.terms === null),
        );
      const has = this.server.alert(uid, id)?.terms ?? null;
      return shown || JSON.stringify(has) === JSON.stringify(wanted)
        ? []
        : [`${uid}/alert ${id} is ${JSON.stringify(has)}, not ${JSON.stringify(wanted)}`];
    });
  }

  private covers(press: Press, id: string): boolean {
    const { request } = press;
    if (request.alert !== undefined) return false;
    // A start of many is for those the person saw; tried again, for those that were refused.
    return request.agentId === null
      ? isStop(request) || request.agents.some((agent) => agent.id === id)
      : request.agentId === id;
  }
}
