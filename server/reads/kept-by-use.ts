/** Values by name, up to so many bytes together; the ones used longest ago are forgotten. */

interface Kept<T> {
  value: T;
  bytes: number;
}

export class KeptByUse<T> {
  private readonly kept = new Map<string, Kept<T>>();
  private bytesNow = 0;

  constructor(private readonly bytesMax: number) {}

  get bytes(): number {
    return this.bytesNow;
  }

  get(name: string): T | undefined {
    const known = this.kept.get(name);
    if (known === undefined) return undefined;
    // Taken out and put back, the map stays in order of last use.
    this.kept.delete(name);
    this.kept.set(name, known);
    return known.value;
  }

  set(name: string, value: T, bytes: number): void {
    this.delete(name);
    if (bytes > this.bytesMax) return;
    this.kept.set(name, { value, bytes });
    this.bytesNow += bytes;
    for (const oldest of this.kept.keys()) {
      if (this.bytesNow <= this.bytesMax) break;
      this.delete(oldest);
    }
  }

  delete(name: string): void {
    this.bytesNow -= this.kept.get(name)?.bytes ?? 0;
    this.kept.delete(name);
  }
}
