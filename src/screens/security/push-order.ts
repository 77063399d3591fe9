/**
 * Keeps notification settings in order: changes are written one after the other, each on what the
 * server has by then, and an answer that is older than a change brings no settings.
 */
import type { PushSettings } from '../../../contract/push.ts';
import type { PushState } from '../../push/device.ts';

export type SettingsChange = (present: PushSettings) => PushSettings;

/** Each resolves to null where nothing may be sent. */
export interface SettingsServer {
  read(): Promise<PushState | null>;
  write(settings: PushSettings): Promise<PushState | null>;
}

export class PushOrder {
  private newest: PushState | null = null;
  /** Changes that the server has not answered. */
  private pending = 0;
  private answered = 0;
  /** Ends when all of them are answered. */
  private last: Promise<unknown> = Promise.resolve();

  /** Called before a question: what is returned makes the newest state of its answer. */
  asked(): (answer: PushState) => PushState {
    const { answered } = this;
    return (answer) => {
      const isOlder = this.pending > 0 || this.answered !== answered;
      return this.keep(
        isOlder && this.newest !== null ? { ...answer, settings: this.newest.settings } : answer,
      );
    };
  }

  /**
   * The server takes settings whole and knows no version of them, so they are read once more just
   * before: another device may have changed some since. Null where nothing was sent.
   */
  change(change: SettingsChange, server: SettingsServer): Promise<PushState | null> {
    this.pending += 1;
    const work = async (): Promise<PushState | null> => {
      try {
        const present = await server.read();
        if (present === null) return null;
        const state = await server.write(change(this.keep(present).settings));
        return state === null ? null : this.keep(state);
      } finally {
        this.pending -= 1;
        this.answered += 1;
      }
    };
    const written = this.last.then(work, work);
    this.last = written;
    return written;
  }

  private keep(state: PushState): PushState {
    this.newest = state;
    return state;
  }
}
