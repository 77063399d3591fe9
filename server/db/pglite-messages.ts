/** What the server's thread and the one that PGlite runs in tell each other. */

export interface OpenOptions {
  dataDir: string;
  /** Where free disk space is looked for before a broken one is opened again. */
  folder: string;
}

export type PgliteAsk =
  | { act: 'open'; options: OpenOptions }
  /** Within the transaction where one is open. `verbatim`: types told as the text they come as. */
  | {
      act: 'query';
      text: string;
      params: unknown[] | undefined;
      rowMode: 'array' | 'object' | undefined;
      verbatim: number[];
    }
  | { act: 'begin' }
  | { act: 'end'; commit: boolean }
  | { act: 'close' };

export type PgliteTold =
  | { id: number; value: unknown }
  | { id: number; fault: Fault }
  | { event: 'returned' }
  | { event: 'log'; level: 'warn' | 'error'; fields: Record<string, unknown>; message: string };

/** An error with the fields PostgreSQL gives it, which a thread's own copy would lose. */
export interface Fault {
  name: string;
  message: string;
  stack: string | undefined;
  fields: Record<string, unknown>;
}

const plain = (value: unknown): boolean =>
  value === null || ['string', 'number', 'boolean', 'undefined'].includes(typeof value);

export function toFault(error: unknown): Fault {
  if (!(error instanceof Error))
    return { name: 'Error', message: String(error), stack: undefined, fields: {} };
  return {
    name: error.name,
    message: error.message,
    stack: error.stack,
    fields: Object.fromEntries(Object.entries(error).filter(([, value]) => plain(value))),
  };
}

export function fromFault({ name, message, stack, fields }: Fault): Error {
  const error = Object.assign(new Error(message), fields);
  error.name = name;
  if (stack !== undefined) error.stack = stack;
  return error;
}
