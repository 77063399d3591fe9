/** A log that keeps what it was told. */
import type { Log } from '../../../server/log.ts';

export interface KeptLog extends Log {
  lines: { level: string; message: string; fields: Record<string, unknown> }[];
}

export function keptLog(): KeptLog {
  const lines: KeptLog['lines'] = [];
  const at =
    (level: string) =>
    (fields: Record<string, unknown>, message: string): void => {
      lines.push({ level, message, fields });
    };
  return { lines, debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}
