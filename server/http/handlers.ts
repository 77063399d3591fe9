/** The type of a subject's handlers: one function per call of the contract, without Fastify. */
import type { output } from 'zod/mini';
import type { CALLS, CallName, CallReply } from '../../contract/calls.ts';
import type { Tx } from '../db/database.ts';

export interface Caller {
  uid: string;
  email: string | null;
  /**
   * When they signed in, ms UTC: known to hosted functions, some of which ask for a recent sign-in.
   */
  authTimeMs?: number;
  /** When their token was issued, ms UTC: known to hosted functions. */
  issuedAtMs?: number;
}

export interface CallContext<N extends CallName> {
  /** Present for `token` calls; the user's row exists by then. */
  caller: Caller;
  /** Where the request came from; through a proxy, as far as that is trusted. */
  ip: string;
  /** The Idempotency-Key; empty for a GET. */
  commandId: string;
  params: output<(typeof CALLS)[N]['params']>;
  query: output<(typeof CALLS)[N]['query']>;
  body: output<(typeof CALLS)[N]['body']>;
  /**
   * Runs a mutation exactly once for this (user, Idempotency-Key, body): effect and receipt commit
   * together, and the same key again answers with the recorded reply without running `effect`.
   * Every mutation ends in one call of it.
   */
  once: (effect: (tx: Tx) => Promise<CallReply<N>>) => Promise<CallReply<N>>;
}

export type Handler<N extends CallName> = (context: CallContext<N>) => Promise<CallReply<N>>;
export type Handlers = { [N in CallName]: Handler<N> };

/** Handlers of one subject: each keeps the type of its call, and a call that is none is refused. */
export const handlersFor = <N extends CallName>(own: Pick<Handlers, N>): Pick<Handlers, N> => own;
