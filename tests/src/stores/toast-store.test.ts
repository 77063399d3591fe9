/** The registry of short messages. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  addToast,
  dismissToast,
  pageToast,
  pauseToasts,
  removeToast,
  resumeToasts,
  showToasts,
  TOAST_DURATION_MS,
  toastStore,
  updateToast,
  type ToastType,
} from '../../../src/stores/toast-store.ts';

const shown = (): string[] =>
  toastStore.toasts.filter((toast) => toast.visible).map((toast) => toast.message);

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  resumeToasts();
  removeToast();
  vi.useRealTimers();
});

describe('toasts', () => {
  it('are of five types, each with its own time; loading stays (R4-20, R4-22)', () => {
    expect(TOAST_DURATION_MS).toEqual({
      blank: 4_000,
      error: 4_000,
      success: 2_000,
      loading: Infinity,
      custom: 4_000,
    });
    for (const type of Object.keys(TOAST_DURATION_MS) as ToastType[]) addToast(type, type);
    vi.advanceTimersByTime(1_999);
    expect(shown()).toHaveLength(5);
    vi.advanceTimersByTime(1);
    expect(shown()).not.toContain('success');
    vi.advanceTimersByTime(2_000);
    // The oldest of five was behind the others until one of them went.
    expect(shown()).toEqual(['loading', 'blank']);
    vi.advanceTimersByTime(2_000);
    expect(shown()).toEqual(['loading']);
    vi.advanceTimersByTime(24 * 3_600_000);
    expect(shown()).toEqual(['loading']);
  });

  it('are removed one second after they are dismissed (R4-23, R9-09)', () => {
    const id = addToast('blank', 'a');
    dismissToast(id);
    expect(toastStore.toasts).toMatchObject([{ visible: false }]);
    vi.advanceTimersByTime(999);
    expect(toastStore.toasts).toHaveLength(1);
    vi.advanceTimersByTime(1);
    expect(toastStore.toasts).toEqual([]);
  });

  it('are at most twenty, the newest kept (R4-21, R9-09)', () => {
    for (let n = 1; n <= 25; n += 1) addToast('loading', `m${n}`);
    expect(toastStore.toasts).toHaveLength(20);
    expect(toastStore.toasts[0]?.message).toBe('m25');
    expect(toastStore.toasts.at(-1)?.message).toBe('m6');
  });

  it('count down only while they are among the four that are seen (R2-29, R4-21)', () => {
    for (let n = 1; n <= 6; n += 1) addToast('blank', `m${n}`);
    vi.advanceTimersByTime(4_000);
    expect(shown()).toEqual(['m2', 'm1']);
    vi.advanceTimersByTime(1_000);
    for (let n = 7; n <= 10; n += 1) addToast('blank', `m${n}`);
    vi.advanceTimersByTime(4_000);
    expect(shown()).toEqual(['m2', 'm1']);
    vi.advanceTimersByTime(2_999);
    expect(shown()).toEqual(['m2', 'm1']);
    vi.advanceTimersByTime(1);
    expect(shown()).toEqual([]);
  });

  it('count down two at a time where only two are seen (R2-29, R4-21)', () => {
    showToasts(2);
    for (let n = 1; n <= 5; n += 1) addToast('blank', `m${n}`);
    vi.advanceTimersByTime(4_000);
    expect(shown()).toEqual(['m3', 'm2', 'm1']);
    vi.advanceTimersByTime(3_000);
    showToasts(4);
    vi.advanceTimersByTime(1_000);
    expect(shown()).toEqual(['m1']);
    vi.advanceTimersByTime(3_000);
    expect(shown()).toEqual([]);
  });

  it('come into view as others are dismissed or removed, and then have all their time (R4-20)', () => {
    for (let n = 1; n <= 6; n += 1)
      addToast('loading', `m${n}`, { durationMs: n > 2 ? Infinity : 4_000 });
    vi.advanceTimersByTime(60_000);
    expect(shown()).toHaveLength(6);
    const idOf = (message: string) =>
      toastStore.toasts.find((toast) => toast.message === message)?.id;
    dismissToast(idOf('m6'));
    removeToast(idOf('m5'));
    vi.advanceTimersByTime(3_999);
    expect(shown()).toEqual(['m4', 'm3', 'm2', 'm1']);
    vi.advanceTimersByTime(1);
    expect(shown()).toEqual(['m4', 'm3']);
  });

  it('are updated in place, with their time begun anew, and removed at once when asked (R4-20)', () => {
    const id = addToast('loading', 'sending');
    addToast('loading', 'other');
    updateToast(id, { type: 'success', message: 'sent' });
    expect(toastStore.toasts.map((toast) => toast.message)).toEqual(['other', 'sent']);
    vi.advanceTimersByTime(2_000);
    expect(shown()).toEqual(['other']);
    addToast('error', 'again', { id });
    expect(shown()).toEqual(['other', 'again']);
    vi.advanceTimersByTime(1_500);
    expect(shown()).toContain('again');
    removeToast(id);
    expect(toastStore.toasts.map((toast) => toast.message)).toEqual(['other']);
  });

  it('pause while a pointer rests on one and go on with the time they had left (R4-20)', () => {
    addToast('blank', 'a');
    vi.advanceTimersByTime(3_000);
    pauseToasts();
    vi.advanceTimersByTime(60_000);
    addToast('success', 'b');
    vi.advanceTimersByTime(60_000);
    expect(shown()).toEqual(['b', 'a']);
    resumeToasts();
    vi.advanceTimersByTime(999);
    expect(shown()).toEqual(['b', 'a']);
    vi.advanceTimersByTime(1);
    expect(shown()).toEqual(['b']);
    vi.advanceTimersByTime(1_000);
    expect(shown()).toEqual([]);
  });

  it('of the pages stay four seconds whatever their type, except loading (R2-29, R9-09)', () => {
    pageToast('success', 'a');
    pageToast('loading', 'b');
    vi.advanceTimersByTime(3_999);
    expect(shown()).toEqual(['b', 'a']);
    vi.advanceTimersByTime(1);
    expect(shown()).toEqual(['b']);
  });
});
