/** One JSON line per event on standard output, cleaned of every key that is held. */
import type { Secrets } from './secrets.ts';

type Level = 'info' | 'warn' | 'error';

export interface Log {
  info(fields: Record<string, unknown>, message: string): void;
  warn(fields: Record<string, unknown>, message: string): void;
  error(fields: Record<string, unknown>, message: string): void;
}

export function openLog(secrets: Secrets, write: (line: string) => void): Log {
  const at =
    (level: Level) =>
    (fields: Record<string, unknown>, message: string): void => {
      const line = JSON.stringify({
        level,
        time: Date.now(),
        part: 'signer',
        ...fields,
        msg: message,
      });
      write(`${secrets.clean(line)}\n`);
    };
  return { info: at('info'), warn: at('warn'), error: at('error') };
}
