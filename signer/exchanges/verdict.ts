/**
 * What an answer proves. Only codes on a list prove that nothing happened; whatever is not listed
 * is unknown.
 */
import type * as z from 'zod/mini';
import type { CancelOutcome, PlaceOutcome, UnknownCause } from '../../contract/venue.ts';
import { ReadFailed, type Waiting } from './adapter.ts';
import { NoAnswer, type Door, type RawReply } from './door.ts';
import type { Endpoint } from './endpoints.ts';

export type Verdict =
  | { kind: 'answered' }
  | { kind: 'rejected'; code: string; message: string }
  /** The client order id exists already: the order must be looked up. */
  | { kind: 'duplicate' }
  /** The key is wrong, or may not do this. */
  | { kind: 'key'; code: string; message: string }
  | { kind: 'unknown'; cause: UnknownCause };

export type Judge = (reply: RawReply) => Verdict;

export const unknown = (cause: UnknownCause): { kind: 'unknown'; cause: UnknownCause } => ({
  kind: 'unknown',
  cause,
});
/** A length that a log line bears. */
export const CODE_MOST = 120;
/** Codes of others, cut to it. */
export const unlisted = (code: string): { kind: 'unknown'; cause: UnknownCause } =>
  unknown(`unlisted:${code.slice(0, CODE_MOST)}`);

/** What holds for every exchange, before its own codes are read. */
export function judgeStatus({ status, body }: RawReply): Verdict | null {
  if (status >= 500) return unknown('server_error');
  if (body === undefined || typeof body !== 'object' || body === null)
    return status >= 400 ? unlisted(`http_${status}`) : unknown('unreadable');
  return null;
}

/** 429: of a request that was one too many nothing was carried out, whatever stands in the answer. */
export const oneTooMany = ({ status }: RawReply, verdict: Verdict): Verdict =>
  status === 429 && verdict.kind === 'unknown'
    ? { kind: 'rejected', code: 'http_429', message: 'Too many requests' }
    : verdict;

/** @throws ReadFailed unless the answer is the listed good one, in the recorded shape. */
export async function read<S extends z.ZodMiniType>(
  door: Door,
  judge: Judge,
  schema: S,
  endpoint: Endpoint,
  params: Record<string, unknown> = {},
  waiting?: Waiting,
): Promise<z.infer<S>> {
  let reply: RawReply;
  try {
    reply = await door.ask(endpoint, params, null, waiting);
  } catch (error) {
    if (error instanceof NoAnswer) throw new ReadFailed(error.cause);
    throw error;
  }
  const verdict = judge(reply);
  if (verdict.kind === 'unknown') throw new ReadFailed(verdict.cause);
  if (verdict.kind === 'key') throw new ReadFailed(`unlisted:${verdict.code}`, true);
  if (verdict.kind === 'rejected') throw new ReadFailed(`unlisted:${verdict.code}`);
  if (verdict.kind === 'duplicate') throw new ReadFailed('unlisted:duplicate');
  const parsed = schema.safeParse(reply.body);
  if (!parsed.success) throw new ReadFailed('unreadable');
  return parsed.data;
}

/** The raw answer to an order, or why there is none. `NotSent` passes through. */
export async function send(
  door: Door,
  endpoint: Endpoint,
  params: Record<string, unknown>,
  notAfterMs: number | null = null,
): Promise<RawReply | { kind: 'unknown'; cause: UnknownCause }> {
  try {
    return await door.ask(endpoint, params, notAfterMs);
  } catch (error) {
    if (error instanceof NoAnswer) return unknown(error.cause);
    throw error;
  }
}

/** A key that is refused places nothing: the exchange checked it before the order. */
export function failedOutcome(
  verdict: Exclude<Verdict, { kind: 'answered' } | { kind: 'duplicate' }>,
): Extract<PlaceOutcome & CancelOutcome, { kind: 'rejected' | 'unknown' }> {
  return verdict.kind === 'unknown'
    ? verdict
    : { kind: 'rejected', code: verdict.code, message: verdict.message };
}

/** Asks for a cancellation; `read` says what its good answer means. */
export async function sendCancel(
  door: Door,
  judge: Judge,
  endpoint: Endpoint,
  params: Record<string, unknown>,
  read: (body: unknown) => CancelOutcome,
): Promise<CancelOutcome> {
  const reply = await send(door, endpoint, params);
  if ('kind' in reply) return reply;
  const verdict = judge(reply);
  if (verdict.kind === 'duplicate') return unknown('unlisted:duplicate');
  return verdict.kind === 'answered' ? read(reply.body) : failedOutcome(verdict);
}

/** Reads a whole answer with a schema and a mapping, either of which may not fit. */
export function mapped<T>(work: () => T): T {
  try {
    return work();
  } catch {
    throw new ReadFailed('unreadable');
  }
}
