/**
 * What replies to commands have said of single things, until a list comes that was asked for after
 * them. On a bad network answers overtake each other: a list that was asked for before a stop, and
 * comes after the reply to it, does not know of the stop.
 */

/** Orders questions and replies of this page. */
let moments = 0;

export class ToldNews<T extends { id: string }> {
  private readonly told = new Map<string, { value: T | null; isNew: boolean; heard: number }>();

  /** `isLater`: whether the first was made of the second by a change. */
  constructor(private readonly isLater: (told: T, listed: T) => boolean) {}

  /** Called as a list is asked for. */
  asked(): number {
    moments += 1;
    return moments;
  }

  /**
   * A reply has just said this of it; null: that it is deleted. `isNew`: nobody had heard of it, so a
   * list may lack it. What was known, and a list lacks, has been deleted meanwhile.
   */
  note(id: string, value: T | null, isNew: boolean): void {
    moments += 1;
    this.told.set(id, { value, isNew, heard: moments });
  }

  /** A list that was asked for at `asked`, with what was heard since. The rest is forgotten. */
  over(list: readonly T[], asked: number): T[] {
    const news = new Map([...this.told].filter(([, { heard }]) => heard > asked));
    for (const id of this.told.keys()) if (!news.has(id)) this.told.delete(id);
    const known = list.flatMap((listed) => {
      const told = news.get(listed.id);
      news.delete(listed.id);
      if (told === undefined) return [listed];
      if (told.value === null) return [];
      return [this.isLater(told.value, listed) ? told.value : listed];
    });
    return [
      ...known,
      ...[...news.values()].flatMap(({ value, isNew }) => (value !== null && isNew ? [value] : [])),
    ];
  }

  clear(): void {
    this.told.clear();
  }
}
