/** Stretches of time in which alerts were not watched, until candles have told of them. */

/** Market ms. */
export interface Stretch {
  since: number;
  /** From then on candles tell of all of it. */
  until: number;
  /** The alerts that nobody watched in it; null for every one of its symbol. */
  of: ReadonlySet<string> | null;
}

/** The earliest moment from which an alert was not watched; Infinity where it always was. */
export const missedSince = (id: string, stretches: readonly Stretch[]): number =>
  Math.min(...stretches.filter(({ of }) => of?.has(id) ?? true).map(({ since }) => since));

/** The earliest moment from which a symbol went without prices; Infinity where it did not. */
export const silentSince = (stretches: readonly Stretch[]): number =>
  Math.min(...stretches.filter(({ of }) => of === null).map(({ since }) => since));

export class MissedStretches {
  private readonly bySymbol = new Map<string, Stretch[]>();

  /** The last candle of a stretch may be late. Longer than `lateMs` it is not waited for. */
  constructor(private readonly lateMs: number) {}

  /** A symbol went without prices, which joins the silence before it. */
  silence(symbol: string, since: number, until: number): void {
    const others = this.of(symbol).filter(({ of }) => of !== null);
    const before = this.of(symbol).find(({ of }) => of === null)?.since ?? since;
    this.bySymbol.set(symbol, [...others, { since: Math.min(since, before), until, of: null }]);
  }

  /** These alerts are watched from `until`, and the candles before it could not be read. */
  unread(symbol: string, since: number, until: number, ids: readonly string[]): void {
    this.bySymbol.set(symbol, [...this.of(symbol), { since, until, of: new Set(ids) }]);
  }

  /** From when its prices are missing, and candles have not told of them yet; Infinity: never. */
  silentSince(symbol: string): number {
    return silentSince(this.of(symbol));
  }

  /** Whether this alert itself, and not its symbol alone, was not watched for a while. */
  isUnread(symbol: string, id: string): boolean {
    return this.of(symbol).some(({ of }) => of?.has(id) ?? false);
  }

  /** What candles can tell of by now. */
  due(now: number): [symbol: string, stretches: Stretch[]][] {
    return [...this.bySymbol]
      .map(([symbol, list]): [string, Stretch[]] => [
        symbol,
        list.filter(({ until }) => until <= now),
      ])
      .filter(([, list]) => list.length > 0);
  }

  /**
   * Candles up to `reached` have told of these. One whose last candle has not come goes on from
   * there; what has joined one since then stays. False where one goes on.
   */
  told(symbol: string, stretches: readonly Stretch[], reached: number, now: number): boolean {
    const isDone = ({ until }: Stretch): boolean => reached >= until || now >= until + this.lateMs;
    const left = this.of(symbol)
      .filter((one) => !stretches.includes(one) || !isDone(one))
      .map((one) =>
        stretches.includes(one) ? { ...one, since: Math.max(one.since, reached) } : one,
      );
    if (left.length === 0) this.bySymbol.delete(symbol);
    else this.bySymbol.set(symbol, left);
    return stretches.every(isDone);
  }

  /** The candles of this symbol could not be read: the others come first. */
  putLast(symbol: string): void {
    const list = this.of(symbol);
    this.bySymbol.delete(symbol);
    this.bySymbol.set(symbol, list);
  }

  /** Nothing before this was missed; Infinity where nothing was. */
  get earliest(): number {
    return Math.min(...[...this.bySymbol.values()].flat().map(({ since }) => since));
  }

  private of(symbol: string): Stretch[] {
    return this.bySymbol.get(symbol) ?? [];
  }
}
