/**
 * Tells the parts of this process, and the other servers, that a user's sessions were ended. The
 * provider remembers it, not this file.
 */

export class EndedSessions {
  private readonly listeners = new Set<(uid: string) => void>();

  /** `tell` reaches the other servers; it must not fail. */
  constructor(private readonly tell: (uid: string) => Promise<void> = async () => undefined) {}

  listen(listener: (uid: string) => void): void {
    this.listeners.add(listener);
  }

  /**
   * What was let in before is asked about again, and open streams end, on every server. One that
   * does not hear of it asks the provider within the time of an account check.
   */
  async end(uid: string): Promise<void> {
    this.hear(uid);
    await this.tell(uid);
  }

  /** The word of another server. */
  hear(uid: string): void {
    for (const listener of this.listeners) listener(uid);
  }
}
