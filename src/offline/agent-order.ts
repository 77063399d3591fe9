/** Which of two accounts of one agent is the later one: by its generation and its settings' version. */
import type { Agent } from '../../contract/agents.ts';

type Marks = Pick<Agent, 'generation' | 'version'>;

/** It would take back a command, or a change of the settings. */
export const isEarlier = (next: Marks, known: Marks): boolean =>
  next.generation < known.generation || next.version < known.version;

/**
 * It knows of a command or a change more. An answer that was kept on the server and is given again
 * says the same generation, with figures as they were then.
 */
export const isLater = (next: Marks, known: Marks): boolean =>
  !isEarlier(next, known) && (next.generation > known.generation || next.version > known.version);
