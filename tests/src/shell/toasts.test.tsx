// @vitest-environment happy-dom
/** Which messages are on the screen: those whose time runs. */
import { act, cleanup, render } from '@testing-library/react';
import { afterEach, expect, it } from 'vitest';
import { Toasts } from '../../../src/shell/Toasts.tsx';
import { addToast, removeToast } from '../../../src/stores/toast-store.ts';

afterEach(() => {
  removeToast();
  cleanup();
});

it('are the newest four, each to be read, also where several came at once (R2-29, R4-21)', async () => {
  render(<Toasts />);
  await act(async () => {
    for (let n = 1; n <= 6; n += 1) addToast('blank', `m${n}`);
  });
  // Sonner asks for a frame.
  await act(() => new Promise((resolve) => setTimeout(resolve, 100)));
  const seen = [...document.querySelectorAll('[data-sonner-toast][data-visible="true"]')];
  expect(seen.map(({ textContent }) => textContent)).toEqual(['m6', 'm5', 'm4', 'm3']);
  expect(seen.every((toast) => toast.getAttribute('data-expanded') === 'true')).toBe(true);
});
