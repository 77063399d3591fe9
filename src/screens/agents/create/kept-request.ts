/**
 * Remembers the request for an agent that was made of a draft, beside the draft, until the server's
 * answer to it is known.
 */
import type * as z from 'zod/mini';
import { fields, number, readAs } from '../../../../contract/readers.ts';
import { onPurge, session } from '../../../identity/session.ts';
import { hasDraft, keepDraft, keptValue } from './kept-draft.ts';

/** `sentAt`: when it was first sent, ms. */
type SentRequest = { sentAt: number } & Readonly<Record<string, unknown>>;
const dated = fields({ sentAt: number });

/** The server keeps what came of a key for thirty days; after that the key protects nothing. */
const REQUEST_LASTS_MS = 29 * 86_400_000;

/** Where the device keeps nothing, a request is remembered as long as the page lasts. */
const unkept = new Map<string, SentRequest>();
onPurge(() => {
  unkept.clear();
  return Promise.resolve();
});

const ownUid = (): string => session.user?.uid ?? '';
const inMemory = (draftName: string): string => `${ownUid()} ${draftName}`;
const onDevice = (draftName: string): string => `${draftName}.sent`;

/** Remembers the request that is made of a draft; `null` once its answer is known. */
export function keepRequest(draftName: string, request: SentRequest | null): void {
  unkept.delete(inMemory(draftName));
  keepDraft(onDevice(draftName), request);
  if (request !== null && !hasDraft(onDevice(draftName), ownUid()))
    unkept.set(inMemory(draftName), request);
}

/** Its answer is known. Another request of the draft stays, as of another tab. */
export function forgetRequest(draftName: string, commandId: string): void {
  const kept = keptRequest(draftName)?.['commandId'];
  if (kept === undefined || kept === commandId) keepRequest(draftName, null);
}

function keptRequest(draftName: string): SentRequest | null {
  const request = keptValue(onDevice(draftName), ownUid()) ?? unkept.get(inMemory(draftName));
  const sentAt = readAs(dated, request)?.sentAt ?? -Infinity;
  return Date.now() - sentAt < REQUEST_LASTS_MS ? (request as SentRequest) : null;
}

export function readRequest<S extends z.ZodMiniType>(
  draftName: string,
  schema: S,
): z.output<S> | null {
  const request = schema.safeParse(keptRequest(draftName));
  return request.success ? request.data : null;
}

/** Whether this draft was sent and the server's answer is not known. */
export const isUnanswered = (draftName: string): boolean => keptRequest(draftName) !== null;

/**
 * Goes on with a draft under another name, with what is known of its request; with `otherwise` where
 * nothing was kept of it.
 */
export function carryDraft(from: string, to: string, otherwise: unknown): void {
  keepDraft(to, keptValue(from, ownUid()) ?? otherwise);
  const request = keptRequest(from);
  if (from !== to && request !== null) keepRequest(to, request);
}
