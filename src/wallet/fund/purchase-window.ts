/**
 * The provider's window: opened within the press, so that browsers allow it, heard, and watched until
 * it closes.
 */
import * as z from 'zod/mini';

/** Where each of its windows speaks from. */
const PROVIDER = 'https://pay.coinbase.com';

const WIDTH = 460;
const HEIGHT = 720;
const WATCH_MS = 500;

const BLOCKED =
  'Your browser blocked the window. Allow pop-ups for this site, then press Buy again.';

const PurchaseError = z.object({
  errorType: z.string(),
  code: z.optional(z.string()),
  debugMessage: z.optional(z.string()),
});
export type PurchaseError = z.infer<typeof PurchaseError>;

const Said = z.object({
  eventName: z.literal('event'),
  data: z.object({
    eventName: z.string(),
    data: z.optional(z.unknown()),
    error: z.optional(PurchaseError),
  }),
});
export type PurchaseEvent = z.infer<typeof Said>['data'];

function readSaid(text: unknown): PurchaseEvent | null {
  try {
    const { data, success } = Said.safeParse(JSON.parse(String(text)));
    return success ? data.data : null;
  } catch {
    return null;
  }
}

/**
 * Hears the provider's windows until told to stop. The kit's own listener does not tell which of them
 * has spoken.
 */
export function hearPurchases(
  heard: (event: PurchaseEvent, from: MessageEventSource | null) => void,
): () => void {
  const hear = ({ data, origin, source }: MessageEvent): void => {
    const said = origin === PROVIDER ? readSaid(data) : null;
    if (said !== null) heard(said, source);
  };
  addEventListener('message', hear);
  return () => {
    removeEventListener('message', hear);
  };
}

/**
 * The window once the provider's page is on its way to it, otherwise why it is not. `onClosed`: the
 * person is back.
 */
export async function openPurchase(
  page: () => Promise<string> | string,
  onClosed: (closed: Window) => void,
): Promise<Window | string> {
  const left = Math.round((window.screen.width - WIDTH) / 2);
  const top = Math.round((window.screen.height - HEIGHT) / 2);
  // A window that is asked for after a wait counts as unasked. A new one: another purchase may still
  // be paid in an earlier one.
  const opened = window.open(
    'about:blank',
    '_blank',
    `width=${WIDTH},height=${HEIGHT},left=${left},top=${top},resizable,scrollbars=yes,status=1`,
  );
  if (opened === null) return BLOCKED;
  try {
    opened.location.href = await page();
  } catch {
    opened.close();
    return 'The purchase could not be started: the provider did not answer. Nothing was charged.';
  }
  const watch = setInterval(() => {
    if (!opened.closed) return;
    clearInterval(watch);
    onClosed(opened);
  }, WATCH_MS);
  return opened;
}
