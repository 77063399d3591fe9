/** The orders that are being placed, and what becomes of them when the signer is about to end. */
import type { PlaceOutcome } from '../contract/venue.ts';

interface Placed {
  /** Whether it was written down that it is sent: then only its own answer tells. */
  isBegun: () => boolean;
  turnAway: () => void;
  done: Promise<void>;
}

export class UnderWay {
  private readonly placed = new Set<Placed>();
  isStopping = false;

  /** `refusal`: what an order is answered that waits for its book when the signer ends. */
  constructor(private readonly refusal: PlaceOutcome) {}

  async add(work: Promise<PlaceOutcome>, isBegun: () => boolean): Promise<PlaceOutcome> {
    let turnAway = (): void => undefined;
    const isTurnedAway = new Promise<PlaceOutcome>((resolve) => {
      turnAway = () => {
        resolve(this.refusal);
      };
    });
    const done = work.then(
      () => undefined,
      () => undefined,
    );
    const one: Placed = { isBegun, turnAway, done };
    this.placed.add(one);
    if (this.isStopping) this.stop();
    return Promise.race([work, isTurnedAway]).finally(() => this.placed.delete(one));
  }

  /** Begins nothing any more: what has not left is refused at once. */
  stop(): void {
    this.isStopping = true;
    for (const { isBegun, turnAway } of this.placed) if (!isBegun()) turnAway();
  }

  /** Waits for the answers of what has left. */
  async settled(): Promise<void> {
    const begun = [...this.placed].filter(({ isBegun }) => isBegun());
    await Promise.all(begun.map(({ done }) => done));
  }
}
