/**
 * Notes refusals in the audit log: the first of a kind at once, further ones as a count, once an
 * hour. A sale that is refused is tried again every few seconds, for as long as it takes.
 */
import type { AuditEntry, AuditLog } from './audit-log.ts';
import { isWritten } from './disk.ts';

const HOUR_MS = 60 * 60_000;
/** Kinds that are told apart. Whoever makes up new ones has the rest counted together. */
const KINDS_MOST = 100;
const OTHERS = 'others';

type About = AuditEntry['about'];

interface Kind {
  what: string;
  /** When a line was last written of it. */
  toldAtMs: number;
  /** Since then. */
  times: number;
  last: About;
}

export class CountedRefusals {
  private readonly kinds = new Map<string, Kind>();

  constructor(
    private readonly audit: Pick<AuditLog, 'write'>,
    private readonly now: () => number,
  ) {}

  /** `detail`: what differs each time, such as an id; the newest is told with the count. */
  note(what: string, about: About, detail: About = {}): void {
    // A refusal stays one where the disk takes no line of it.
    isWritten(() => {
      this.count(what, about, detail);
    });
  }

  private count(what: string, about: About, detail: About): void {
    this.tellDue();
    const own = JSON.stringify([what, about]);
    const isKnown = this.kinds.has(own) || this.kinds.size < KINDS_MOST;
    const key = isKnown ? own : OTHERS;
    const last = isKnown ? { ...about, ...detail } : {};
    const kind = this.kinds.get(key);
    if (kind !== undefined) {
      Object.assign(kind, { last, times: kind.times + 1 });
      return;
    }
    this.audit.write('server', isKnown ? what : 'other refusals', last, true);
    this.kinds.set(key, {
      what: isKnown ? what : 'other refusals',
      toldAtMs: this.now(),
      times: 0,
      last,
    });
  }

  /** A kind that did not come again for an hour is a new one when it does. */
  private tellDue(): void {
    for (const [key, kind] of this.kinds) {
      const agoMs = this.now() - kind.toldAtMs;
      // Less than nothing where the clock was set back.
      if (agoMs >= 0 && agoMs < HOUR_MS) continue;
      if (kind.times === 0) {
        this.kinds.delete(key);
        continue;
      }
      this.audit.write('server', kind.what, { ...kind.last, times: kind.times }, true);
      Object.assign(kind, { toldAtMs: this.now(), times: 0 });
    }
  }
}
