/**
 * The hosted functions with their requests and replies. A function that is not in the table does
 * not exist.
 */
import * as z from 'zod/mini';
import {
  DeleteAccount,
  DeletionPreview,
  DeletionReply,
  ExportPage,
  ExportRows,
} from './account.ts';
import { PushSettings, PushSubscriptionBody } from './push.ts';
import { ClaimReferral, Referral } from './referrals.ts';
import {
  AddToSupportRequest,
  CloseSupportRequest,
  OpenSupportRequest,
  SupportRequests,
} from './support.ts';

/** Where no other is configured. */
export const CALLABLE_REGION = 'us-central1';
/** Below the back end's own address. */
export const CALLABLE_PATH = '/callable';

const PushState = z.object({
  settings: PushSettings,
  /** The server's VAPID key, base64url; a device subscribes with it. */
  publicKey: z.string(),
  devices: z.number(),
});

/** Each may be sent twice without doing more than once: they say what shall be so. */
export const CALLABLES = {
  registerPush: {
    request: z.strictObject({ subscription: PushSubscriptionBody }),
    reply: PushState,
  },
  unregisterPush: {
    request: z.strictObject({ endpoint: z.string().check(z.maxLength(1_000)) }),
    reply: PushState,
  },
  /** After a change of the password: every device but the one with this address; null for all. */
  unregisterOtherPush: {
    request: z.strictObject({ endpoint: z.nullable(z.string().check(z.maxLength(1_000))) }),
    reply: PushState,
  },
  /** Without `settings` it only reads. */
  pushSettings: {
    request: z.strictObject({ settings: z.optional(PushSettings) }),
    reply: PushState,
  },

  /** Own code, who came by it, what was earned. Makes the code at the first call. */
  referral: { request: z.strictObject({}), reply: Referral },
  /** The caller came by this code; the same one again changes nothing. */
  claimReferral: { request: ClaimReferral, reply: z.object({ invitedOn: z.string() }) },

  supportRequests: { request: z.strictObject({}), reply: SupportRequests },
  openSupportRequest: { request: OpenSupportRequest, reply: SupportRequests },
  addToSupportRequest: { request: AddToSupportRequest, reply: SupportRequests },
  closeSupportRequest: { request: CloseSupportRequest, reply: SupportRequests },

  /** Ends every sign-in of the caller, on every device; this one too. */
  signOutEverywhere: { request: z.strictObject({}), reply: z.object({}) },
  exportPage: { request: ExportPage, reply: ExportRows },
  deletionPreview: { request: z.strictObject({}), reply: DeletionPreview },
  deleteAccount: { request: DeleteAccount, reply: DeletionReply },
} as const;

export type CallableName = keyof typeof CALLABLES;
export type CallableRequest<N extends CallableName> = z.input<(typeof CALLABLES)[N]['request']>;
export type CallableReply<N extends CallableName> = z.output<(typeof CALLABLES)[N]['reply']>;
