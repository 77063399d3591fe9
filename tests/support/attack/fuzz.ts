/**
 * Sends hostile requests over many connections at once and judges every answer: no failure of the
 * server, nothing of another user, no header of the sender's making, no wait without end.
 */
import { random } from '../tape.ts';
import { brokenShot, nextShot, type World } from './attack-requests.ts';
import type { Roll } from './hostile-values.ts';
import { Pipeline, type Shot, type Under } from './pipeline.ts';
import type { RawAnswer } from './answer-parser.ts';

const HANG_MS = 10_000;
/** After this not even a busy machine explains it. */
const HANG_MOST_MS = 180_000;
const CONNECTIONS = 15;
const DEPTH = 2;
const BROKEN_AT_ONCE = 4;
/** One in so many requests is broken in its frame. */
const BROKEN_ONE_IN = 20;
const FINDINGS_KEPT = 50;
const FINDINGS_MOST = 500;

export interface Finding {
  kind: 'failure' | 'leak' | 'injected header' | 'hang' | 'not http' | 'no retry-after';
  what: string;
  answer: string;
}

export interface Tally {
  seed: number;
  /** Requests that were answered by something other than a limit or overload. */
  answered: number;
  sent: number;
  /** 429 and 503 `server_busy`: refused for the rate alone. */
  limited: number;
  busy: number;
  /** 503 because a party outside the server is not there in this run. */
  outside: number;
  /** The connection ended before an answer: mostly behind a request that was refused as broken. */
  unanswered: number;
  byStatus: Record<string, number>;
  /** Targets by name that were answered 2xx at least once. */
  reached: Set<string>;
  slowestMs: number;
  seconds: number;
  findings: Finding[];
  found: number;
}

export interface FuzzOptions {
  world: World;
  seed: number;
  requests: number;
  /** No request is begun after so long. */
  seconds: number;
  /** Texts that no answer may hold. */
  canary: string;
  /** How long an answer may take; ten seconds. */
  patienceMs?: number;
  /**
   * Processor time of the server so far, ms. Where others take the machine's, a wait counts once
   * the server itself has worked for so long meanwhile.
   */
  workedMs?: () => number;
  /** Codes of 503 whose party is left out on purpose. */
  outside: readonly string[];
  /** An attacker is no longer let in: their session or account has ended. */
  onLockedOut?: (token: string) => void;
  onProgress?: (tally: Tally) => void;
  /** At once: a long run that is stopped has said what it found. */
  onFinding?: (finding: Finding) => void;
}

const emptyTally = (seed: number): Tally => ({
  seed,
  answered: 0,
  sent: 0,
  limited: 0,
  busy: 0,
  outside: 0,
  unanswered: 0,
  byStatus: {},
  reached: new Set(),
  slowestMs: 0,
  seconds: 0,
  findings: [],
  found: 0,
});

class Fuzz {
  readonly tally: Tally;
  private readonly roll: Roll;
  private readonly startedAt = Date.now();
  private readonly lanes = new Set<Pipeline>();
  private readonly broken = new Set<Pipeline>();
  private readonly canary: Buffer;
  /** What the server had worked when a request was sent. */
  private readonly workedAt = new WeakMap<Shot, number>();
  private worked = 0;
  private finish: () => void = () => undefined;

  constructor(private readonly options: FuzzOptions) {
    this.tally = emptyTally(options.seed);
    this.roll = random(options.seed);
    this.canary = Buffer.from(options.canary);
  }

  async run(): Promise<Tally> {
    const done = new Promise<void>((resolve) => {
      this.finish = resolve;
    });
    const watch = setInterval(() => {
      this.watch();
    }, 500);
    for (let n = 0; n < CONNECTIONS; n += 1) this.openLane();
    await done;
    clearInterval(watch);
    for (const lane of [...this.lanes, ...this.broken]) lane.close();
    this.tally.seconds = (Date.now() - this.startedAt) / 1_000;
    return this.tally;
  }

  private get isOver(): boolean {
    return (
      this.tally.answered >= this.options.requests ||
      Date.now() - this.startedAt > this.options.seconds * 1_000 ||
      this.tally.found >= FINDINGS_MOST
    );
  }

  private pipeline(of: Set<Pipeline>): Pipeline {
    let tail = Buffer.alloc(0);
    const pipeline: Pipeline = new Pipeline(this.options.world.port, {
      onAnswer: (under, answer) => {
        this.judge(under, answer);
        this.fill(pipeline, of);
      },
      onBytes: (data) => {
        // One that lies across two pieces counts too.
        const seen = Buffer.concat([tail, data]);
        if (seen.includes(this.canary)) this.note('leak', pipeline.oldest, seen.toString('latin1'));
        tail = seen.subarray(-this.canary.length);
      },
      onGone: (left, why) => {
        of.delete(pipeline);
        this.tally.unanswered += left.length;
        if (why.startsWith('NotHttp')) this.note('not http', left[0] ?? null, why);
        if (of === this.lanes) this.openLane();
        else if (this.isOver) this.endIfIdle();
      },
    });
    of.add(pipeline);
    return pipeline;
  }

  private openLane(): void {
    if (this.isOver) {
      this.endIfIdle();
      return;
    }
    this.fill(this.pipeline(this.lanes), this.lanes);
  }

  private fill(lane: Pipeline, of: Set<Pipeline>): void {
    if (this.isOver || of === this.broken) {
      this.endIfIdle();
      return;
    }
    while (lane.isUsable && lane.waiting < DEPTH) {
      this.send(lane, nextShot(this.options.world, this.roll));
      if (this.tally.sent % BROKEN_ONE_IN === 0 && this.broken.size < BROKEN_AT_ONCE)
        this.send(this.pipeline(this.broken), brokenShot(this.options.world, this.roll));
    }
  }

  private send(lane: Pipeline, shot: Shot): void {
    this.tally.sent += 1;
    this.workedAt.set(shot, this.worked);
    lane.send(shot);
  }

  private endIfIdle(): void {
    const waiting = [...this.lanes, ...this.broken].some((lane) => lane.waiting > 0);
    if (this.isOver && !waiting) this.finish();
  }

  private watch(): void {
    const { tally } = this;
    tally.seconds = (Date.now() - this.startedAt) / 1_000;
    this.worked = this.options.workedMs?.() ?? 0;
    for (const lane of [...this.lanes, ...this.broken]) {
      if (this.isHung(lane.oldest)) {
        const since = Date.now() - (lane.oldest?.sentAt ?? 0);
        this.note('hang', lane.oldest, `no answer in ${since} ms`);
        lane.close();
      } else if (this.broken.has(lane) && lane.waiting === 0) lane.close();
    }
    this.options.onProgress?.(tally);
    this.endIfIdle();
  }

  private isHung(under: Under | null): boolean {
    if (under === null) return false;
    const { patienceMs = HANG_MS, workedMs } = this.options;
    const waited = Date.now() - under.sentAt;
    if (waited <= patienceMs) return false;
    const worked = (workedMs?.() ?? Infinity) - (this.workedAt.get(under.shot) ?? 0);
    return worked > patienceMs || waited > HANG_MOST_MS;
  }

  private judge(under: Under, answer: RawAnswer): void {
    const { tally } = this;
    const { status } = answer;
    tally.byStatus[status] = (tally.byStatus[status] ?? 0) + 1;
    tally.slowestMs = Math.max(tally.slowestMs, Date.now() - under.sentAt);
    if (/\r\nx-injected/.test(answer.head)) this.note('injected header', under, answer.head);
    if (status === 429) tally.limited += 1;
    else if (status === 503) this.judgeUnavailable(under, answer);
    else {
      tally.answered += 1;
      if (status >= 500) this.note('failure', under, `${status} ${answer.body}`);
      if (status < 300) tally.reached.add(under.shot.what.split(':', 1)[0] ?? '');
      if (status === 401 && answer.body.includes('token_revoked')) this.lockedOut(under);
    }
  }

  private judgeUnavailable(under: Under, { head, body }: RawAnswer): void {
    const code = /"code":"(\w+)"/.exec(body)?.[1] ?? '';
    if (!/\r\nretry-after: \d+/.test(head)) this.note('no retry-after', under, body);
    if (code === 'server_busy') this.tally.busy += 1;
    // To a HEAD there is no body that would name the party.
    else if (this.options.outside.includes(code) || under.shot.isHead) this.tally.outside += 1;
    else this.note('failure', under, `503 ${body}`);
  }

  private lockedOut({ shot }: Under): void {
    const token = /\r\nauthorization: Bearer (\S+)/.exec(shot.bytes.toString('latin1'))?.[1];
    if (token !== undefined) this.options.onLockedOut?.(token);
  }

  private note(kind: Finding['kind'], under: Under | null, answer: string): void {
    this.tally.found += 1;
    if (this.tally.findings.length >= FINDINGS_KEPT) return;
    const what = under?.shot.what ?? 'not known';
    const finding = { kind, what, answer: answer.slice(0, 600) };
    this.tally.findings.push(finding);
    this.options.onFinding?.(finding);
  }
}

export const runFuzz = (options: FuzzOptions): Promise<Tally> => new Fuzz(options).run();
