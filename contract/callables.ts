/** The hosted functions: what each is asked and answers; refuses a function that is not in the table. */
import * as z from 'zod/mini';
import { PushSettings, PushSubscriptionBody } from './push.ts';

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
  registerPush: { request: z.strictObject({ subscription: PushSubscriptionBody }), reply: PushState },
  unregisterPush: { request: z.strictObject({ endpoint: z.string().check(z.maxLength(1_000)) }), reply: PushState },
  /** Without `settings` it only reads. */
  pushSettings: { request: z.strictObject({ settings: z.optional(PushSettings) }), reply: PushState },
} as const;

export type CallableName = keyof typeof CALLABLES;
export type CallableRequest<N extends CallableName> = z.input<(typeof CALLABLES)[N]['request']>;
export type CallableReply<N extends CallableName> = z.output<(typeof CALLABLES)[N]['reply']>;
