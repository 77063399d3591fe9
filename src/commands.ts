/** The only way a screen changes anything that can be queued; refuses to say "saved" before the disk has it. */
import { proxy } from 'valtio';
import type { Agent } from '../contract/agents.ts';
import type { OutboxEntry } from './offline/outbox-entry.ts';

/**
 * What a screen reads. An entry's state is what is so on this device: Saved on this device (`saved`), Sending, Accepted
 * (`accepted`, for a few seconds, until the server's own word arrives), Needs you, Failed, Lapsed, Cancelled.
 */
export interface Queue {
  /** By sequence; the accepted ones of the last seconds are among them. */
  entries: OutboxEntry[];
  draining: boolean;
  lastError: string | null;
  /** Why nothing is sent for now, besides the network: until a sign-in, or until this app is updated. */
  paused: 'sign-in' | 'update' | null;
  /** `memory`: this browser keeps nothing; commands are sent at once or not at all. */
  storage: 'unopened' | 'disk' | 'memory';
  /** Entries that could not be read and were set aside. */
  quarantined: number;
}

export const queue = proxy<Queue>({ entries: [], draining: false, lastError: null, paused: null, storage: 'unopened', quarantined: 0 });

/**
 * What became of a press.
 * `saved`: on the disk; say "Saved on this device". `sent`: it could not be saved, but the server took it.
 * `not-saved`: neither. `refused`: not taken, with the reason in words for a person.
 */
export type CommandResult =
  | { said: 'saved'; entry: OutboxEntry }
  | { said: 'sent'; message: string }
  | { said: 'not-saved'; message: string }
  | { said: 'refused'; message: string };

/** `undone`: never sent, and now never will be. `dismissed`: it was over, and is no longer shown. */
export type CancelResult = 'undone' | 'dismissed' | 'already-sent' | 'gone';

type Seen = Pick<Agent, 'id' | 'name' | 'generation'>;
export interface Commands {
  startAgent(agent: Seen): Promise<CommandResult>;
  stopAgent(agent: Seen): Promise<CommandResult>;
  /** The agents the person saw. */
  startAll(agents: readonly Seen[]): Promise<CommandResult>;
  stopAll(): Promise<CommandResult>;
  cancelCommand(commandId: string): Promise<CancelResult>;
  /** Sends again, as a new press, what needed the person, failed or lapsed. */
  confirmCommand(commandId: string): Promise<CommandResult>;
}
