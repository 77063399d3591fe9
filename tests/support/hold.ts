/**
 * Holds a button as a person does, with the eyes on its ring, so that a slow machine is waited for;
 * refuses to count milliseconds.
 */
import type { Locator, Page } from 'playwright-core';
import { until } from './until.ts';

/** A ring is drawn in the frame after the press. */
const SEEN_MS = 5_000;

/** The ring once it fills; it goes when the hold is through or was given up. */
const filling = (button: Locator): Locator => button.locator('[data-filling="true"]');

async function watched(
  button: Locator,
  press: () => Promise<void>,
  release: () => Promise<void>,
): Promise<void> {
  await press();
  try {
    // Not seen in time: it is over already, or never began, which the caller's own look finds out.
    await filling(button)
      .waitFor({ state: 'attached', timeout: SEEN_MS })
      .catch(() => undefined);
    await filling(button).waitFor({ state: 'detached' });
  } finally {
    await release();
  }
}

/** The app's own button: a start shows its last frame first, whose buttons go when the app draws. */
const isDrawnByApp = (button: Locator): Promise<boolean> =>
  button.evaluate((element) => Object.keys(element).some((key) => key.startsWith('__react')));

/** By the mouse, where the button has come to rest. */
export async function hold(button: Locator): Promise<void> {
  const { mouse } = button.page();
  await until(() => isDrawnByApp(button), Boolean);
  await button.scrollIntoViewIfNeeded();
  await button.hover();
  await watched(
    button,
    () => mouse.down(),
    () => mouse.up(),
  );
}

/** By a key, on whatever has the focus. */
export async function holdKey(page: Page, key: string): Promise<void> {
  await watched(
    page.locator(':focus'),
    () => page.keyboard.down(key),
    () => page.keyboard.up(key),
  );
}
