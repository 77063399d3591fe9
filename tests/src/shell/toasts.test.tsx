// @vitest-environment happy-dom
/** Which messages are on the screen: those whose time runs. */
import { act, cleanup, render } from '@testing-library/react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Toasts } from '../../../src/shell/Toasts.tsx';
import { addToast, removeToast } from '../../../src/stores/toast-store.ts';

let wide = true;
let turned: () => void = () => undefined;
beforeEach(() => {
  wide = true;
  vi.stubGlobal('matchMedia', (query: string) => ({
    matches: query.includes('1023px') && wide,
    addEventListener: (_: string, heard: () => void) => {
      turned = heard;
    },
    removeEventListener: () => undefined,
  }));
});
afterEach(() => {
  removeToast();
  cleanup();
  vi.unstubAllGlobals();
});

/** Sonner asks for a frame. */
const frame = () => act(() => new Promise((resolve) => setTimeout(resolve, 100)));
const seen = () => [...document.querySelectorAll('[data-sonner-toast][data-visible="true"]')];

it('are the newest four, each to be read, also where several came at once (R2-29, R4-21)', async () => {
  render(<Toasts />);
  await act(async () => {
    for (let n = 1; n <= 6; n += 1) addToast('blank', `m${n}`);
  });
  await frame();
  expect(seen().map(({ textContent }) => textContent)).toEqual(['m6', 'm5', 'm4', 'm3']);
  expect(seen().every((toast) => toast.getAttribute('data-expanded') === 'true')).toBe(true);
});

it('are the newest two in a narrow window, and four once it is wide (R2-29, R4-21)', async () => {
  wide = false;
  render(<Toasts />);
  await act(async () => {
    for (let n = 1; n <= 5; n += 1) addToast('loading', `m${n}`);
  });
  await frame();
  expect(seen().map(({ textContent }) => textContent)).toEqual(['m5', 'm4']);
  await act(async () => {
    wide = true;
    turned();
  });
  await frame();
  expect(seen().map(({ textContent }) => textContent)).toEqual(['m5', 'm4', 'm3', 'm2']);
});
