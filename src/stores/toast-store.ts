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

function run(id: string, countdown: Countdown): void {
  countdown.startedAt = Date.now();
  countdown.timer = Number.isFinite(countdown.remainingMs)
    ? setTimeout(() => {
        dismissToast(id);
      }, countdown.remainingMs)
    : null;
}

function startCountdown(id: string, durationMs: number): void {
  stopCountdown(id);
  const countdown: Countdown = { timer: null, remainingMs: durationMs, startedAt: Date.now() };
  countdowns.set(id, countdown);
  if (!toastStore.paused) run(id, countdown);
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
}

function forget(id: string): void {
  stopCountdown(id);
  const removal = removals.get(id);
  if (removal !== undefined) clearTimeout(removal);
  removals.delete(id);
}

/** Pauses all toasts while the pointer rests on one. */
export function pauseToasts(): void {
  if (toastStore.paused) return;
  toastStore.paused = true;
  for (const countdown of countdowns.values()) {
    if (countdown.timer === null) continue;
    clearTimeout(countdown.timer);
    countdown.timer = null;
    countdown.remainingMs -= Date.now() - countdown.startedAt;
  }
}

/** Resumes them with the time each had left. */
export function resumeToasts(): void {
  if (!toastStore.paused) return;
  toastStore.paused = false;
  for (const [id, countdown] of countdowns) run(id, countdown);
}
