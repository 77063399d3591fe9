/** The log port on pino: one JSON line an event, on standard output; refuses tokens and addresses that slipped in. */
import pino from 'pino';
import type { Log } from './log.ts';

const PRIVATE = ['token', 'idToken', 'refreshToken', 'authorization', 'email', 'password', 'body', 'cookie'];

/** Written at once, so that the last line before a crash is there. */
export function pinoLog(level: 'debug' | 'info' | 'warn' | 'error'): Log {
  return pino({ level, base: null, redact: { paths: PRIVATE, censor: '[removed]' } }, pino.destination({ fd: 1, sync: true }));
}
