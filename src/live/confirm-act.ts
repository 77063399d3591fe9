/**
 * A confirmation that the signer accepts: the server hands out what to sign, and a passkey or the
 * password signs exactly that.
 */
import * as z from 'zod/mini';
import type { ConfirmationBody, ConfirmationReply, StepUpWire } from '../../contract/live.ts';
import type { LiveLimits } from '../../contract/live-state.ts';
import {
  keyDigestBytes,
  SpendingLimits,
  stepUpBytes,
  StepUpStatement,
} from '../../contract/signer.ts';
import { api } from '../api/api.ts';
import { provePassword } from '../identity/own-sign-in.ts';
import { session } from '../identity/session.ts';
import { base64urlText } from './base64url-text.ts';
import { confirmWithPasskey } from './passkey.ts';
import { signWithPassword } from './password-key.ts';

export interface Act {
  connectionId: string;
  purpose: z.input<typeof ConfirmationBody>['purpose'];
  agentId: string | null;
  /** The higher limits; null for a start. */
  limits: z.input<typeof ConfirmationBody>['limits'];
  /** The limits that the person reads at a start: those that are signed may be lower. */
  shown: LiveLimits;
  /** Of the key that was pasted, where one is replaced. */
  keyDigest?: string;
}

/** What the server handed out is not what the person reads. */
export class OtherStatement extends Error {
  override readonly name = 'OtherStatement';
}

/** A server that was taken over may hand out anything; signed is only what is on the screen. */
function refuseOther(act: Act, statement: StepUpStatement): void {
  const { limits } = statement;
  const most = z.decode(SpendingLimits, act.limits ?? act.shown);
  const names = Object.keys(most) as (keyof SpendingLimits)[];
  const isWithin = names.every((name) =>
    act.limits === null ? limits[name] <= most[name] : limits[name] === most[name],
  );
  const isSame =
    isWithin &&
    statement.purpose === act.purpose &&
    statement.connectionId === act.connectionId &&
    statement.agentId === act.agentId &&
    statement.keyDigest === act.keyDigest;
  if (!isSame)
    throw new OtherStatement(
      'The server asked you to confirm something else than you chose. Nothing was confirmed.',
    );
}

/** Names a pasted key in what is signed for it. */
export async function digestOfKey(apiKey: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', keyDigestBytes(apiKey));
  return base64urlText(new Uint8Array(digest));
}

interface Asked {
  reply: ConfirmationReply;
  bytes: Uint8Array<ArrayBuffer>;
}

async function ask(act: Act): Promise<Asked> {
  const { connectionId, purpose, agentId, limits, keyDigest } = act;
  const reply = await api.call('confirmLive', {
    params: { id: connectionId },
    body: { purpose, agentId, limits, ...(keyDigest === undefined ? {} : { keyDigest }) },
  });
  const statement = z.decode(StepUpStatement, reply.statement);
  refuseOther(act, statement);
  return { reply, bytes: Uint8Array.from(stepUpBytes(statement)) };
}

/** The challenge is made here, of what was read: the server's own is not taken. */
export async function confirmByPasskey(act: Act): Promise<StepUpWire> {
  const { reply, bytes } = await ask(act);
  const challenge = base64urlText(new Uint8Array(await crypto.subtle.digest('SHA-256', bytes)));
  return confirmWithPasskey({ ...reply, challenge });
}

/** Firebase judges the password first; what is signed with a wrong one would only be refused. */
export async function confirmByPassword(act: Act, password: string): Promise<StepUpWire> {
  await provePassword(password);
  const uid = session.user?.uid;
  if (uid === undefined) throw new Error('Not authenticated');
  const { reply, bytes } = await ask(act);
  const { statement, keys } = reply;
  const key = keys.find(({ kind }) => kind === 'ed25519');
  if (key === undefined) throw new Error('This account is not confirmed by password');
  const signature = await signWithPassword(bytes, { password, uid, keyId: key.id });
  return { statement, keyId: key.id, signature };
}
