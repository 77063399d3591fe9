/** Closed candles that were worked out once; the ones used longest ago are forgotten. */
import type { Candle } from '../../engine/market-types.ts';

export class KeptCandles {
  private readonly kept = new Map<string, readonly Candle[]>();

  constructor(private readonly most: number) {}

  /** What is known under this name, or what `work` makes now. Nobody may change it. */
  get(name: string, work: () => Candle[]): readonly Candle[] {
    const known = this.kept.get(name);
    if (known !== undefined) {
      // Taken out and put back, the map stays in order of last use.
      this.kept.delete(name);
      this.kept.set(name, known);
      return known;
    }
    const made = work().map((candle) => Object.freeze(candle));
    this.kept.set(name, made);
    if (this.kept.size > this.most) {
      const oldest = this.kept.keys().next();
      if (oldest.done !== true) this.kept.delete(oldest.value);
    }
    return made;
  }
}
