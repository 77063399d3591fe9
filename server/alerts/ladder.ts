/**
 * Entries sorted by price, so that a new price finds those it reaches without scanning the rest.
 */

export interface Rung {
  id: string;
  key: bigint;
}

const before = (a: Rung, b: Rung): boolean => a.key < b.key || (a.key === b.key && a.id < b.id);

/** From this many new entries on, sorting all of them is quicker than inserting each. */
const SORT_FROM = 64;

export class Ladder<T extends Rung> {
  private rungs: T[] = [];
  private added: T[] = [];

  get size(): number {
    return this.rungs.length + this.added.length;
  }

  add(rung: T): void {
    this.added.push(rung);
  }

  remove(rung: T): void {
    this.settle();
    const at = this.placeOf(rung);
    if (this.rungs[at]?.id === rung.id) this.rungs.splice(at, 1);
  }

  /** Takes out every entry whose key is at most `limit`, lowest first. */
  takeUpTo(limit: bigint): T[] {
    this.settle();
    if (this.rungs.length === 0 || (this.rungs[0]?.key ?? 0n) > limit) return [];
    return this.rungs.splice(0, this.firstAbove(limit));
  }

  /** Takes out every entry whose key is above `limit`, lowest first. */
  takeAbove(limit: bigint): T[] {
    this.settle();
    if (this.rungs.length === 0 || (this.rungs.at(-1)?.key ?? 0n) <= limit) return [];
    return this.rungs.splice(this.firstAbove(limit));
  }

  private settle(): void {
    if (this.added.length === 0) return;
    const fresh = this.added;
    this.added = [];
    if (fresh.length >= SORT_FROM) {
      this.rungs = [...this.rungs, ...fresh].sort((a, b) => (before(a, b) ? -1 : 1));
      return;
    }
    for (const rung of fresh) this.rungs.splice(this.placeOf(rung), 0, rung);
  }

  private placeOf(rung: Rung): number {
    return this.search((other) => before(other, rung));
  }

  private firstAbove(limit: bigint): number {
    return this.search(({ key }) => key <= limit);
  }

  /** The first place at which `isLeft` no longer holds. */
  private search(isLeft: (rung: T) => boolean): number {
    let low = 0;
    let high = this.rungs.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const rung = this.rungs[middle];
      if (rung !== undefined && isLeft(rung)) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
