/** The toast registry: types, durations, limit and removal. */
import { proxy } from 'valtio';
import { TOAST_PAGE_MS, TOAST_REMOVAL_MS, TOASTS_MAX } from '../../contract/limits.ts';

export type ToastType = 'blank' | 'error' | 'success' | 'loading' | 'custom';

export interface Toast {
  id: string;
  type: ToastType;
  message: string;
  /** How long it is shown, ms, without pauses; Infinity until dismissed. */
  durationMs: number;
  createdAt: number;
  visible: boolean;
}

export interface ToastOptions {
  /** Adding with an existing id updates that toast. */
  id?: string;
  durationMs?: number;
}

/** The registry's defaults; messages of pages use `TOAST_PAGE_MS` (see `pageToast`). */
export const TOAST_DURATION_MS: Readonly<Record<ToastType, number>> = {
  blank: 4_000,
  error: 4_000,
  success: 2_000,
  loading: Infinity,
  custom: 4_000,
};

/** Newest first. `paused` while a pointer rests on any of them. */
export const toastStore = proxy<{ toasts: Toast[]; paused: boolean }>({
  toasts: [],
  paused: false,
});

interface Countdown {
  timer: ReturnType<typeof setTimeout> | null;
  remainingMs: number;
  startedAt: number;
}
const countdowns = new Map<string, Countdown>();
const removals = new Map<string, ReturnType<typeof setTimeout>>();
let counter = 0;

function stopCountdown(id: string): void {
  const countdown = countdowns.get(id);
  if (countdown?.timer != null) clearTimeout(countdown.timer);
  countdowns.delete(id);
}

/** How many the page shows at once, the newest. The others wait behind them. */
let seenAtOnce = 4;

/** Lets the time run of those that are seen, and stand still for the rest. */
function settle(): void {
  const seen = toastStore.toasts.filter(({ visible }) => visible).slice(0, seenAtOnce);
  for (const [id, countdown] of countdowns) {
    const runs = !toastStore.paused && seen.some((toast) => toast.id === id);
    if (runs === (countdown.timer !== null)) continue;
    if (!runs) {
      clearTimeout(countdown.timer ?? undefined);
      countdown.timer = null;
      countdown.remainingMs -= Date.now() - countdown.startedAt;
    } else if (Number.isFinite(countdown.remainingMs)) {
      countdown.startedAt = Date.now();
      countdown.timer = setTimeout(() => {
        dismissToast(id);
      }, countdown.remainingMs);
    }
  }
}

/** So many are shown at once from here on. */
export function showToasts(count: number): void {
  seenAtOnce = count;
  settle();
}

function startCountdown(id: string, remainingMs: number): void {
  stopCountdown(id);
  countdowns.set(id, { timer: null, remainingMs, startedAt: 0 });
  settle();
}

/** Shows a message and returns its id. An existing id is replaced in place. */
export function addToast(type: ToastType, message: string, options: ToastOptions = {}): string {
  const id = options.id ?? `toast-${++counter}`;
  const durationMs = options.durationMs ?? TOAST_DURATION_MS[type];
  if (toastStore.toasts.some((toast) => toast.id === id)) {
    updateToast(id, { type, message, durationMs });
    return id;
  }
  toastStore.toasts.unshift({
    id,
    type,
    message,
    durationMs,
    createdAt: Date.now(),
    visible: true,
  });
  for (const dropped of toastStore.toasts.splice(TOASTS_MAX)) forget(dropped.id);
  startCountdown(id, durationMs);
  return id;
}

/** A message of the app's pages: 4 s whatever its type, except loading. */
export function pageToast(type: ToastType, message: string, options: ToastOptions = {}): string {
  return addToast(type, message, {
    durationMs: type === 'loading' ? Infinity : TOAST_PAGE_MS,
    ...options,
  });
}

/** Changes a toast and restarts its time; a dismissed one is shown again. */
export function updateToast(
  id: string,
  change: Partial<Pick<Toast, 'type' | 'message' | 'durationMs'>>,
): void {
  const toast = toastStore.toasts.find((known) => known.id === id);
  if (toast === undefined) return;
  const removal = removals.get(id);
  if (removal !== undefined) clearTimeout(removal);
  removals.delete(id);
  Object.assign(toast, change, { visible: true });
  if (change.type !== undefined && change.durationMs === undefined)
    toast.durationMs = TOAST_DURATION_MS[change.type];
  startCountdown(id, toast.durationMs);
}

/** Hides one toast, or all; each is removed a second later. */
export function dismissToast(id?: string): void {
  for (const toast of toastStore.toasts) {
    if ((id !== undefined && toast.id !== id) || !toast.visible) continue;
    toast.visible = false;
    stopCountdown(toast.id);
    const key = toast.id;
    removals.set(
      key,
      setTimeout(() => {
        removeToast(key);
      }, TOAST_REMOVAL_MS),
    );
  }
  settle();
}

/** Removes one toast, or all, at once. */
export function removeToast(id?: string): void {
  for (const toast of [...toastStore.toasts]) {
    if (id !== undefined && toast.id !== id) continue;
    forget(toast.id);
    toastStore.toasts.splice(
      toastStore.toasts.findIndex((known) => known.id === toast.id),
      1,
    );
  }
  settle();
}

function forget(id: string): void {
  stopCountdown(id);
  const removal = removals.get(id);
  if (removal !== undefined) clearTimeout(removal);
  removals.delete(id);
}

/** Pauses all toasts while the pointer rests on one. */
export function pauseToasts(): void {
  toastStore.paused = true;
  settle();
}

/** Resumes them with the time each had left. */
export function resumeToasts(): void {
  toastStore.paused = false;
  settle();
}
