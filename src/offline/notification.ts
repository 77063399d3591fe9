/** What every notification of the app has: its icon, and what a press on it knows. */
import * as z from 'zod/mini';
import { putOnScreen } from './notification-screen.ts';

/** What the DOM library of TypeScript leaves out. */
export interface FullOptions extends NotificationOptions {
  renotify?: boolean;
  actions?: { action: string; title: string }[];
}

/** Stored in a notification; all that a press on it knows. */
export const PushTarget = z.object({
  uid: z.string(),
  path: z.string().check(z.regex(/^\/(?!\/)/)),
  tag: z.string(),
  /** The agent that Stop stops; null where there is no such button. */
  stop: z.nullable(z.object({ id: z.string(), name: z.string(), generation: z.number() })),
  /** The command that a notification calls saved, until it says what became of it. */
  waitsFor: z.optional(z.string()),
});
export type PushTarget = z.infer<typeof PushTarget>;

const ICON = '/icons/icon-192.png';
const BADGE = '/icons/badge-96.png';

export function showNotification(
  registration: ServiceWorkerRegistration,
  title: string,
  options: FullOptions,
): Promise<void> {
  return putOnScreen(registration, title, { icon: ICON, badge: BADGE, ...options });
}
