/** The contract's version, and the headers that carry it. */

/** Sent by every client as `X-Tradewind-Contract`. Raise it with any change of a wire type. */
export const CONTRACT_VERSION = 1;

/** Below this the server answers 426 and the client keeps its queue and asks to be updated. */
export const CONTRACT_FLOOR = 1;

export const CONTRACT_HEADER = 'x-tradewind-contract';
export const IDEMPOTENCY_HEADER = 'idempotency-key';
