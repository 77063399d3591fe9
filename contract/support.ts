/** Support requests on the wire. Diagnostics contain only what the user was shown. */
import * as z from 'zod/mini';

const SUPPORT_CATEGORIES = ['agents', 'portfolio', 'billing', 'sign-in', 'app', 'other'] as const;
export const SupportCategory = z.enum(SUPPORT_CATEGORIES, { error: 'Choose what it is about' });
export type SupportCategory = z.infer<typeof SupportCategory>;

export const SUPPORT_TEXT_MAX = 4_000;
/** In 24 hours, per person. */
export const SUPPORT_REQUESTS_A_DAY = 5;
export const SUPPORT_MESSAGES_A_DAY = 20;
/** How many of a person's requests are shown, the newest first. */
export const SUPPORT_LIST_MAX = 50;

const SupportText = z.string({ error: 'Required' }).check(
  z.refine((text) => text.trim() !== '', 'Required'),
  z.maxLength(SUPPORT_TEXT_MAX, `At most ${SUPPORT_TEXT_MAX} characters`),
);

const short = (max: number) => z.string().check(z.maxLength(max));

/** What a person sees line by line before they agree to send it. */
export const SupportDiagnostics = z.strictObject({
  appVersion: short(100),
  browser: short(400),
  screen: short(40),
  language: short(40),
  online: short(20),
  stream: short(20),
  prices: short(100),
  plan: short(20),
  installed: z.boolean(),
  errors: z.array(short(240)).check(z.maxLength(10)),
});
export type SupportDiagnostics = z.infer<typeof SupportDiagnostics>;

const Id = z.uuid({ error: 'A UUID' }).check(z.toLowerCase());

/** The id is the sender's, so that the same request sent twice is one. */
export const OpenSupportRequest = z.strictObject({
  id: Id,
  category: SupportCategory,
  text: SupportText,
  diagnostics: z.nullable(SupportDiagnostics),
});
export const AddToSupportRequest = z.strictObject({
  requestId: Id,
  messageId: Id,
  text: SupportText,
});
export const CloseSupportRequest = z.strictObject({ requestId: Id });

export const SupportState = z.enum(['open', 'answered', 'closed']);
export type SupportState = z.infer<typeof SupportState>;

const SupportMessage = z.object({
  id: z.string(),
  author: z.enum(['person', 'operator']),
  text: z.string(),
  createdAt: z.number(),
});
export const SupportRequest = z.object({
  id: z.string(),
  category: SupportCategory,
  state: SupportState,
  priority: z.boolean(),
  /** Whether diagnostics went with it. */
  hasDiagnostics: z.boolean(),
  createdAt: z.number(),
  updatedAt: z.number(),
  messages: z.array(SupportMessage),
});
export type SupportRequest = z.infer<typeof SupportRequest>;

/** `priority`: what is asked now stands in front, by the plan. */
export const SupportRequests = z.object({
  requests: z.array(SupportRequest),
  priority: z.boolean(),
});
export type SupportRequests = z.infer<typeof SupportRequests>;
