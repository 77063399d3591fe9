// @vitest-environment happy-dom
/** A new version taking over: who reloads at once, and who is told. */
import { renderHook } from '@testing-library/react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { applyUpdate, openUpdates, updates } from '../../../src/platform/app-updates.ts';
import { followTakeover, isNewer } from '../../../src/platform/worker-updates.ts';
import { useHeldEntries } from '../../../src/screens/use-held-entries.ts';

let visibility: DocumentVisibilityState;
let change: () => void;
let reloads: number;
beforeEach(() => {
  visibility = 'visible';
  reloads = 0;
  updates.waiting = false;
  vi.spyOn(document, 'visibilityState', 'get').mockImplementation(() => visibility);
});
afterEach(() => {
  vi.restoreAllMocks();
});

function follow(controlled: boolean, asked = false): void {
  const container = {
    controller: controlled ? ({} as ServiceWorker) : null,
    addEventListener: (_type: string, listener: () => void) => {
      change = listener;
    },
  };
  followTakeover(
    container as unknown as ServiceWorkerContainer,
    () => asked,
    () => {
      reloads += 1;
    },
  );
}

it('the first worker of all reloads nothing, a later one that was asked for here does', () => {
  follow(false, true);
  change();
  expect(reloads).toBe(0);
  change();
  expect(reloads).toBe(1);
});

it('a page in use is told and reloads when its person says so; a hidden one reloads', () => {
  follow(true);
  change();
  expect([reloads, updates.waiting]).toEqual([0, true]);
  applyUpdate();
  expect(reloads).toBe(1);
  visibility = 'hidden';
  follow(true);
  change();
  expect(reloads).toBe(2);
});

it('a hidden page with a form that somebody has typed into is told instead, until that form is gone', () => {
  openUpdates(() => Promise.resolve());
  document.body.innerHTML = '<form><input></form>';
  const field = document.querySelector('input')!;
  field.value = 'Har';
  field.dispatchEvent(new InputEvent('input', { bubbles: true }));
  visibility = 'hidden';
  follow(true);
  change();
  expect([reloads, updates.waiting]).toEqual([0, true]);
  document.body.innerHTML = '';
  change();
  expect(reloads).toBe(1);
});

it('a hidden page whose screen holds entries beyond their fields is told, until it lets them go', () => {
  const { rerender, unmount } = renderHook(useHeldEntries, { initialProps: true });
  visibility = 'hidden';
  follow(true);
  change();
  expect([reloads, updates.waiting]).toEqual([0, true]);
  rerender(false);
  change();
  expect(reloads).toBe(1);
  rerender(true);
  change();
  expect(reloads).toBe(1);
  unmount();
  change();
  expect(reloads).toBe(2);
});

it('takes a waiting worker for a newer version only beside one that is active', () => {
  const worker = {} as ServiceWorker;
  expect(isNewer({ active: worker, waiting: worker })).toBe(true);
  expect(isNewer({ active: null, waiting: worker })).toBe(false);
  expect(isNewer({ active: worker, waiting: null })).toBe(false);
});

it('forgets the fields of screens that are gone with the next entry', () => {
  openUpdates(() => Promise.resolve());
  const kept = vi.spyOn(Set.prototype, 'delete');
  const type = (): HTMLInputElement => {
    const field = document.body.appendChild(document.createElement('input'));
    field.dispatchEvent(new Event('input', { bubbles: true }));
    return field;
  };
  const gone = type();
  gone.remove();
  type();
  expect(kept.mock.calls.map(([field]) => field as unknown)).toContain(gone);
});
