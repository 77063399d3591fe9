/** Keeps keys out of everything that is written: texts of others are cleaned of what we hold. */

/** Shorter pieces would also stand in texts that have nothing to do with a key. */
const LEAST = 8;

export class Secrets {
  private readonly held = new Map<string, Set<string>>();

  /** The whole text, and its lines: a PEM is quoted line by line. */
  hold(owner: string, texts: readonly string[]): void {
    const pieces = texts
      .flatMap((text) => [text, ...text.split(/\\n|\n/)])
      .map((text) => text.trim())
      .filter((text) => text.length >= LEAST && !text.startsWith('-----'));
    this.held.set(owner, new Set([...pieces, ...pieces.map(encodeURIComponent)]));
  }

  forget(owner: string): void {
    this.held.delete(owner);
  }

  clean(text: string): string {
    let cleaned = text;
    for (const pieces of this.held.values())
      for (const piece of pieces) cleaned = cleaned.replaceAll(piece, '[removed]');
    return cleaned;
  }
}
