/** The log port on pino: one JSON line per event on standard output, with secrets redacted. */
import pino from 'pino';
import type { Log } from './log.ts';

const PRIVATE = [
  'token',
  'idToken',
  'refreshToken',
  'authorization',
  'email',
  'password',
  'body',
  'cookie',
];

/** Longer than any stack of ours. */
const TEXT_MAX_CHARACTERS = 16_000;

/**
 * A failed query names its values, a provider's answer may quote a token: texts of others are
 * cleaned as well. Their length is theirs too: what is searched for is bounded, so that no text
 * holds the process up.
 */
export function scrub(text: string): string {
  return text
    .slice(0, TEXT_MAX_CHARACTERS)
    .replace(/\nparams: [\s\S]*?(?=\n {4}at |$)/g, '\nparams: [removed]')
    .replace(/\beyJ[\w-]{1,2000}\.[\w-]+\.?[\w-]*/g, '[token]')
    .replace(/[^\s"'<>(),:;/]{1,64}@[\w.-]{1,255}\.[a-z]{2,}/gi, '[address]');
}

const scrubbed = (fields: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name,
      typeof value === 'string' ? scrub(value) : value,
    ]),
  );

/** Lines that the disk did not take wait for it up to this size; what comes then is not logged. */
const UNWRITTEN_MAX_BYTES = 1024 * 1024;

/**
 * Written at once, so that the last line before a crash is there. A full disk costs lines of the
 * log, and never the work that had something to say.
 */
export function pinoLog(level: 'debug' | 'info' | 'warn' | 'error'): Log {
  const output = pino.destination({ fd: 1, sync: true, maxLength: UNWRITTEN_MAX_BYTES });
  // Without a listener a failed write is thrown into whoever logs.
  output.on('error', () => undefined);
  return pino(
    {
      level,
      base: null,
      formatters: { log: scrubbed },
      redact: { paths: PRIVATE, censor: '[removed]' },
    },
    output,
  );
}
