/**
 * Tells the parts of this process that a user's sessions were ended. The provider remembers it, not
 * this file.
 */

export class EndedSessions {
  private readonly listeners = new Set<(uid: string) => void>();

  listen(listener: (uid: string) => void): void {
    this.listeners.add(listener);
  }

  /**
   * What was let in before is asked about again, and open streams end. Other servers hear of it
   * from the provider.
   */
  end(uid: string): void {
    for (const listener of this.listeners) listener(uid);
  }
}
